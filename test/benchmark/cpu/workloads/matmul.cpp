// matmul.cpp - 256 x 256 by 256 x 2048.
#include "case.h"

namespace {

struct Product : Case {
  static constexpr int m = 256, k = 256, columns = 2048;
  Numbers a = random_numbers(m * k, 1), b = random_numbers(k * columns, 2), g = random_numbers(m * columns, 3), c = g,
          ga = a, gb = b;
  std::vector<Numbers *> results() override { return {&c}; }
  std::vector<Numbers *> gradients() override { return {&ga, &gb}; }
  void forward(By by) override { CALL(by, matmul, m, k, a.data(), b.data(), c.data()); }
  void backward(By by) override { CALL(by, matmul_backward, m, k, a.data(), ga.data(), b.data(), gb.data(), g.data()); }
};

} // namespace

std::unique_ptr<Case> make_matmul() { return std::make_unique<Product>(); }
