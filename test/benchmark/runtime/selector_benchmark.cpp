// test/benchmark/runtime/selector_benchmark.cpp - what a decision of the selector costs, alone and beside a writer, and
// what it costs to record a time. Median of batches, since a thread that has to wait for a processor is no decision.

#include "kernix/kernel_selector.h"

#include <algorithm>
#include <atomic>
#include <benchmark/benchmark.h>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

namespace {

using kernix::DType;
using kernix::KernelCapability;
using kernix::KernelDtype;
using kernix::KernelSelector;

KernelSelector &selector() {
  static KernelSelector made = [] {
    KernelSelector fresh("cpu");
    kernix::KernelRegistry::register_default_capabilities("cpu", fresh);
    return fresh;
  }();
  return made;
}

/// Nanoseconds of one decision in each of `batches` of 100.
std::vector<double> time_batches(int batches, const char *operation) {
  constexpr int size = 100;
  std::vector<double> times;
  for (int i = 0; i < batches; ++i) {
    const auto start = std::chrono::steady_clock::now();
    for (int k = 0; k < size; ++k)
      benchmark::DoNotOptimize(selector().select_best_kernel(operation, {DType::Float16, DType::Float16}));
    times.push_back(std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count() / size);
  }
  return times;
}

double median(std::vector<double> times) {
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  return *middle;
}

/// `readers` threads that decide, and one that registers and measures without a pause.
void decision(benchmark::State &state, const char *operation) {
  const auto num_readers = static_cast<size_t>(state.range(0));
  std::atomic<bool> done{false};
  std::thread writer([&] {
    for (int i = 0; state.range(1) && !done; ++i) {
      selector().register_kernel_capability("conv2d", KernelCapability(KernelDtype::BFloat16, i % 2 != 0));
      selector().update_performance_stats("conv2d", KernelDtype::Float16, 1);
    }
  });
  std::vector<double> all;
  for (auto _ : state) {
    std::vector<std::vector<double>> times(num_readers);
    std::vector<std::thread> readers;
    for (std::vector<double> &each : times)
      readers.emplace_back([&each, operation] { each = time_batches(500, operation); });
    for (std::thread &reader : readers)
      reader.join();
    for (const std::vector<double> &each : times)
      all.insert(all.end(), each.begin(), each.end());
  }
  done = true;
  writer.join();
  state.counters["median_ns"] = median(all);
}
void recording(benchmark::State &state) {
  for (auto _ : state)
    selector().update_performance_stats("conv2d", KernelDtype::Float16, 0.5f);
}
} // namespace

int main(int argc, char **argv) {
  for (const char *operation : {"conv2d", "conv2d_fp16"})
    benchmark::RegisterBenchmark((std::string("decision/") + operation).c_str(), decision, operation)
        ->ArgNames({"readers", "writer"})
        ->Args({1, 0})
        ->Args({1, 1})
        ->Args({16, 1});
  benchmark::RegisterBenchmark("recording", recording);
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
