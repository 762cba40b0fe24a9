// ssim.cpp - two pictures of 512 x 768.
#include "case.h"

namespace {

struct Similarity : Case {
  static constexpr int height = 512, width = 768, size = height * width;
  Numbers x = random_numbers(size, 1, 0, 1), z = random_numbers(size, 2, 0, 1), g = random_numbers(size, 3), y = g,
          gx = Numbers(size), kept = Numbers(3 * size);
  Similarity() {
    for (int i = 0; i < size; ++i)
      z[i] = 0.8f * x[i] + 0.2f * z[i];
  }
  std::vector<Numbers *> results() override { return {&y}; }
  std::vector<Numbers *> gradients() override { return {&gx}; }
  void forward(By by) override { CALL(by, ssim, x.data(), z.data(), y.data(), height, width, kept.data()); }
  void backward(By by) override {
    CALL(by, ssim_backward, x.data(), gx.data(), z.data(), g.data(), height, width, kept.data());
  }
};

} // namespace

std::unique_ptr<Case> make_ssim() { return std::make_unique<Similarity>(); }
