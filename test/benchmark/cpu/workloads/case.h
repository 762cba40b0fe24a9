// case.h - what a workload is to the benchmark: arrays, and what runs on them on either side.
#pragma once
#include "workloads.h"
#include <algorithm>
#include <memory>
#include <random>
#include <vector>

using Numbers = std::vector<float>;

enum class By { Kernix, OpenMP };

class Case {
public:
  virtual ~Case() = default;
  virtual void forward(By by) = 0;
  /// Adds to gradients.
  virtual void backward(By by) = 0;
  virtual std::vector<Numbers *> results() = 0;
  virtual std::vector<Numbers *> gradients() = 0;
};

#define CALL(by, name, ...) ((by) == By::Kernix ? kernix_##name(__VA_ARGS__) : openmp_##name(__VA_ARGS__))

inline Numbers random_numbers(size_t size, unsigned seed, float low = -1, float high = 1) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<float> uniform(low, high);
  Numbers result(size);
  for (float &each : result)
    each = uniform(generator);
  return result;
}

std::unique_ptr<Case> make_covariance(), make_projection(), make_colours(), make_encode(), make_composite(),
    make_ssim(), make_segments(), make_forces(), make_layer_norm(), make_softmax(), make_embedding(), make_depthwise(),
    make_one_value(), make_matmul();
