// cpu_workloads.cpp - kernels written for a GPU, with their derivatives, on the CPU target against OpenMP by hand, in
// one run. Results are compared before anything is timed; --compare does nothing else. The budget is 1.2.
#include "workloads/case.h"
#include <benchmark/benchmark.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

struct Workload {
  const char *name;
  std::unique_ptr<Case> (*make)();
};

constexpr Workload WORKLOADS[] = {
    {"covariance", make_covariance}, {"projection", make_projection}, {"colours", make_colours},
    {"encode", make_encode},         {"composite", make_composite},   {"ssim", make_ssim},
    {"segments", make_segments},     {"forces", make_forces},         {"layer_norm", make_layer_norm},
    {"softmax", make_softmax},       {"embedding", make_embedding},   {"depthwise", make_depthwise},
    {"one_value", make_one_value},   {"matmul", make_matmul},
};

/// Ends the program unless both are equal, up to a part of the largest value.
void compare(const char *what, const Numbers &one, const Numbers &other) {
  float largest = 0, apart = 0;
  for (size_t i = 0; i < one.size(); ++i) {
    largest = std::max(largest, std::abs(other[i]));
    apart = std::isfinite(one[i]) ? std::max(apart, std::abs(one[i] - other[i])) : INFINITY;
  }
  if (!(apart <= 2e-3f * largest) || largest == 0) {
    std::fprintf(stderr, "%s: %g apart, of %g\n", what, apart, largest);
    std::exit(1);
  }
}

/// Both sides: the forward pass and two backward passes, since gradients are added to.
std::unique_ptr<Case> make_compared(const Workload &of) {
  std::unique_ptr<Case> made = of.make();
  std::vector<Numbers> found[2];
  for (By by : {By::OpenMP, By::Kernix}) {
    for (Numbers *each : made->gradients())
      std::fill(each->begin(), each->end(), 0.0f);
    made->forward(by);
    made->backward(by);
    made->backward(by);
    for (const auto &numbers : {made->results(), made->gradients()})
      for (const Numbers *each : numbers)
        found[by == By::Kernix].push_back(*each);
  }
  for (size_t k = 0; k < found[0].size(); ++k)
    compare(of.name, found[1][k], found[0][k]);
  return made;
}

/// One workload has its arrays at a time: benchmarks run in the order in which they were registered.
Case &current(const Workload &of) {
  static const Workload *whose = nullptr;
  static std::unique_ptr<Case> made;
  if (whose != &of) {
    made.reset();
    made = make_compared(of);
    whose = &of;
  }
  return *made;
}

void add(const Workload &of) {
  for (bool backward : {false, true})
    for (By by : {By::OpenMP, By::Kernix}) {
      const std::string name =
          std::string(of.name) + (backward ? "/backward/" : "/forward/") + (by == By::OpenMP ? "openmp" : "kernix");
      const auto call = [=, &of](benchmark::State &state) {
        Case &made = current(of);
        for (auto _ : state)
          backward ? made.backward(by) : made.forward(by);
      };
      benchmark::RegisterBenchmark(name.c_str(), call)->UseRealTime();
    }
}

} // namespace

int main(int count, char **arguments) {
  if (count == 2 && std::string(arguments[1]) == "--compare") {
    for (const Workload &each : WORKLOADS)
      make_compared(each);
    std::printf("%zu workloads: both sides agree\n", std::size(WORKLOADS));
    return 0;
  }
  for (const Workload &each : WORKLOADS)
    add(each);
  benchmark::Initialize(&count, arguments);
  if (benchmark::ReportUnrecognizedArguments(count, arguments))
    return 1;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
