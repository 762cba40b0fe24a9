// hash_grid.cpp - 32 768 points on 16 levels of 65 536 slots.
#include "case.h"

namespace {

struct Encode : Case {
  static constexpr int n = 1 << 15, levels = 16, size = 1 << 16;
  static constexpr HashGrid of = {levels, size, 0.5849625f}; // log2(1.5)
  Numbers x = random_numbers(3 * n, 1, 0, 1), table = random_numbers(2 * levels * size, 2),
          g = random_numbers(2 * levels * n, 3), y = g, gtable = table;
  std::vector<Numbers *> results() override { return {&y}; }
  std::vector<Numbers *> gradients() override { return {&gtable}; }
  void forward(By by) override { CALL(by, encode, of, n, x.data(), table.data(), y.data()); }
  void backward(By by) override { CALL(by, encode_backward, of, n, x.data(), table.data(), gtable.data(), g.data()); }
};

} // namespace

std::unique_ptr<Case> make_encode() { return std::make_unique<Encode>(); }
