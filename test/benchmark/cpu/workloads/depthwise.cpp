// depthwise.cpp - two images with 32 channels of 128 x 128.
#include "case.h"

namespace {

struct Depthwise : Case {
  static constexpr Planes of = {2, 32, 128, 128};
  static constexpr int size = of.images * of.channels * of.height * of.width;
  Numbers x = random_numbers(size, 1), w = random_numbers(9 * of.channels, 2), g = random_numbers(size, 3), y = g,
          gx = g, gw = w;
  std::vector<Numbers *> results() override { return {&y}; }
  std::vector<Numbers *> gradients() override { return {&gx, &gw}; }
  void forward(By by) override { CALL(by, depthwise, of, x.data(), w.data(), y.data()); }
  void backward(By by) override {
    CALL(by, depthwise_backward, of, x.data(), gx.data(), w.data(), gw.data(), g.data());
  }
};

} // namespace

std::unique_ptr<Case> make_depthwise() { return std::make_unique<Depthwise>(); }
