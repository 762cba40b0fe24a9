// one_value.cpp - a number that 262 144 threads read, each for four elements.
#include "case.h"

namespace {

struct OneValue : Case {
  static constexpr int n = 1 << 18;
  Numbers x = random_numbers(4 * n, 1), w = Numbers(1, 0.7f), g = random_numbers(4 * n, 2), y = g, gx = g, gw = w;
  std::vector<Numbers *> results() override { return {&y}; }
  std::vector<Numbers *> gradients() override { return {&gx, &gw}; }
  void forward(By by) override { CALL(by, one_value, n, x.data(), w.data(), y.data()); }
  void backward(By by) override { CALL(by, one_value_backward, n, x.data(), gx.data(), w.data(), gw.data(), g.data()); }
};

} // namespace

std::unique_ptr<Case> make_one_value() { return std::make_unique<OneValue>(); }
