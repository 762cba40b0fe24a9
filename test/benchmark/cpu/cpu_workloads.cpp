// cpu_workloads.cpp - kernels written for a GPU, with their derivatives, on the CPU target against OpenMP by hand, in
// one run. Results are compared first. The budget is 1.2.
#include "workloads.h"
#include <algorithm>
#include <benchmark/benchmark.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

namespace {

using Numbers = std::vector<float>;

Numbers random_numbers(size_t size, unsigned seed, float low = -1, float high = 1) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<float> uniform(low, high);
  Numbers result(size);
  for (float &each : result)
    each = uniform(generator);
  return result;
}

/// Ends the program unless both are equal, up to a part of the largest value.
void compare(const char *what, const Numbers &one, const Numbers &other) {
  float largest = 0, apart = 0;
  for (size_t i = 0; i < one.size(); ++i) {
    largest = std::max(largest, std::abs(other[i]));
    apart = std::isfinite(one[i]) ? std::max(apart, std::abs(one[i] - other[i])) : INFINITY;
  }
  if (!(apart <= 2e-3f * largest) || largest == 0) {
    std::fprintf(stderr, "%s: %g apart, of %g\n", what, apart, largest);
    std::abort();
  }
}

enum class By { Kernix, OpenMP };

/// Work: makes its arrays, has forward(By) and backward(By), and results() since clear(), by what they are called.
template <class Work> void run(benchmark::State &state, bool backward, By by) {
  static Work work;
  static bool compared = false;
  if (!compared) {
    std::vector<Numbers> found[2];
    for (By each : {By::OpenMP, By::Kernix}) {
      work.clear();
      work.forward(each);
      work.backward(each);
      found[each == By::Kernix] = work.results();
    }
    for (size_t k = 0; k < found[0].size(); ++k)
      compare(Work::name, found[1][k], found[0][k]);
    compared = true;
  }
  for (auto _ : state)
    backward ? work.backward(by) : work.forward(by);
}

#define CALL(by, name, ...) ((by) == By::Kernix ? kernix_##name(__VA_ARGS__) : openmp_##name(__VA_ARGS__))

void zero(std::initializer_list<Numbers *> all) {
  for (Numbers *each : all)
    std::fill(each->begin(), each->end(), 0.0f);
}

struct Covariance {
  static constexpr const char *name = "covariance";
  static constexpr int n = 1 << 17;
  Numbers x = random_numbers(4 * n, 1), s = random_numbers(3 * n, 2), g = random_numbers(6 * n, 3), c = Numbers(6 * n),
          gx = Numbers(4 * n), gs = Numbers(3 * n);
  void clear() { zero({&gx, &gs}); }
  std::vector<Numbers> results() { return {c, gx, gs}; }
  void forward(By by) { CALL(by, covariance, n, x.data(), s.data(), c.data()); }
  void backward(By by) { CALL(by, covariance_backward, n, x.data(), gx.data(), s.data(), gs.data(), g.data()); }
};

struct Composite {
  static constexpr const char *name = "composite";
  static constexpr int n = 8000, height = 256, width = 384, columns = width / 16, rows = height / 16;
  Numbers centres = random_numbers(2 * n, 1, 0, 1), conics = Numbers(3 * n), opacities = random_numbers(n, 2, 0.05f, 1),
          colours = random_numbers(3 * n, 3, 0, 1), g = random_numbers(3 * height * width, 4), picture = g, left = g,
          gcentres = Numbers(2 * n), gconics = Numbers(3 * n), gopacities = Numbers(n), gcolours = Numbers(3 * n);
  std::vector<int> looked_at = std::vector<int>(height * width), first, members;
  Composite() {
    const Numbers shape = random_numbers(2 * n, 5, 0, 1);
    std::vector<std::vector<int>> lists(rows * columns);
    for (int i = 0; i < n; ++i) {
      centres[2 * i] *= width, centres[2 * i + 1] *= height;
      const float deviation = 2 + 8 * shape[2 * i] * shape[2 * i], inverse = 1 / (deviation * deviation);
      conics[3 * i] = inverse, conics[3 * i + 1] = (shape[2 * i + 1] - 0.5f) * inverse, conics[3 * i + 2] = inverse;
      const float reach = 4 * deviation;
      const auto tile = [](float place, int most) {
        return std::clamp(static_cast<int>(std::floor(place / 16)), 0, most);
      };
      for (int row = tile(centres[2 * i + 1] - reach, rows - 1); row <= tile(centres[2 * i + 1] + reach, rows - 1);
           ++row)
        for (int c = tile(centres[2 * i] - reach, columns - 1); c <= tile(centres[2 * i] + reach, columns - 1); ++c)
          lists[row * columns + c].push_back(i);
    }
    first.push_back(0);
    for (const auto &list : lists) {
      members.insert(members.end(), list.begin(), list.end());
      first.push_back(static_cast<int>(members.size()));
    }
  }
  Ellipses of() { return {centres.data(), conics.data(), opacities.data(), colours.data()}; }
  Ellipses gradients() { return {gcentres.data(), gconics.data(), gopacities.data(), gcolours.data()}; }
  Tiles tiles() { return {first.data(), members.data()}; }
  KeptOfPixels kept() { return {left.data(), looked_at.data()}; }
  void clear() { zero({&gcentres, &gconics, &gopacities, &gcolours}); }
  std::vector<Numbers> results() { return {picture, gcentres, gconics, gopacities, gcolours}; }
  void forward(By by) { CALL(by, composite, of(), tiles(), picture.data(), height, width, kept()); }
  void backward(By by) { CALL(by, composite_backward, of(), gradients(), tiles(), g.data(), height, width, kept()); }
};

struct Similarity {
  static constexpr const char *name = "ssim";
  static constexpr int height = 512, width = 768, size = height * width;
  Numbers x = random_numbers(size, 1, 0, 1), z = random_numbers(size, 2, 0, 1), g = random_numbers(size, 3), y = g,
          gx = Numbers(size), kept = Numbers(3 * size);
  Similarity() {
    for (int i = 0; i < size; ++i)
      z[i] = 0.8f * x[i] + 0.2f * z[i];
  }
  void clear() { zero({&gx}); }
  std::vector<Numbers> results() { return {y, gx}; }
  void forward(By by) { CALL(by, ssim, x.data(), z.data(), y.data(), height, width, kept.data()); }
  void backward(By by) { CALL(by, ssim_backward, x.data(), gx.data(), z.data(), g.data(), height, width, kept.data()); }
};

struct LayerNorm {
  static constexpr const char *name = "layer_norm";
  static constexpr int rows = 2048, columns = 1024;
  Numbers x = random_numbers(rows * columns, 1), g = random_numbers(rows * columns, 2), y = g, gx = g,
          scale = random_numbers(columns, 3), shift = random_numbers(columns, 4), gscale = scale, gshift = scale;
  void clear() { zero({&gx, &gscale, &gshift}); }
  std::vector<Numbers> results() { return {y, gx, gscale, gshift}; }
  void forward(By by) { CALL(by, layer_norm, rows, x.data(), scale.data(), shift.data(), y.data()); }
  void backward(By by) {
    CALL(by, layer_norm_backward, rows, x.data(), gx.data(), scale.data(), gscale.data(), shift.data(), gshift.data(),
         g.data());
  }
};

struct SegmentSums {
  static constexpr const char *name = "segments";
  static constexpr int rows = 1 << 13, channels = 64;
  std::vector<int> first{0}, column;
  Numbers weight, gweight, x = random_numbers(rows * channels, 1), g = random_numbers(rows * channels, 2), y = g,
                           gx = g;
  SegmentSums() {
    std::mt19937 generator(3);
    std::exponential_distribution<float> length(1 / 16.0f);
    for (int row = 0; row < rows; ++row) {
      for (int k = static_cast<int>(length(generator)); k > 0; --k)
        column.push_back(static_cast<int>(generator() % rows));
      first.push_back(static_cast<int>(column.size()));
    }
    weight = random_numbers(column.size(), 4);
    gweight = weight;
  }
  Segments of() { return {rows, first.data(), column.data()}; }
  void clear() { zero({&gx, &gweight}); }
  std::vector<Numbers> results() { return {y, gx, gweight}; }
  void forward(By by) { CALL(by, segments, of(), weight.data(), x.data(), y.data()); }
  void backward(By by) {
    CALL(by, segments_backward, of(), weight.data(), gweight.data(), x.data(), gx.data(), g.data());
  }
};

template <class Work> void add() {
  for (bool backward : {false, true})
    for (By by : {By::OpenMP, By::Kernix}) {
      const std::string name = std::string(Work::name) + (backward ? "/backward/" : "/forward/");
      const auto call = [=](benchmark::State &state) { run<Work>(state, backward, by); };
      benchmark::RegisterBenchmark((name + (by == By::OpenMP ? "openmp" : "kernix")).c_str(), call)->UseRealTime();
    }
}

} // namespace

int main(int count, char **arguments) {
  add<Covariance>();
  add<Composite>();
  add<Similarity>();
  add<LayerNorm>();
  add<SegmentSums>();
  benchmark::Initialize(&count, arguments);
  if (benchmark::ReportUnrecognizedArguments(count, arguments))
    return 1;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
