// rows.cpp - layer norm and softmax of 2048 rows of 1024 numbers.
#include "case.h"

namespace {

constexpr int ROWS = 2048, COLUMNS = 1024, SIZE = ROWS * COLUMNS;

struct LayerNorm : Case {
  Numbers x = random_numbers(SIZE, 1), g = random_numbers(SIZE, 2), y = g, gx = g, scale = random_numbers(COLUMNS, 3),
          shift = random_numbers(COLUMNS, 4), gscale = scale, gshift = scale;
  std::vector<Numbers *> results() override { return {&y}; }
  std::vector<Numbers *> gradients() override { return {&gx, &gscale, &gshift}; }
  void forward(By by) override { CALL(by, layer_norm, ROWS, x.data(), scale.data(), shift.data(), y.data()); }
  void backward(By by) override {
    CALL(by, layer_norm_backward, ROWS, x.data(), gx.data(), scale.data(), gscale.data(), shift.data(), gshift.data(),
         g.data());
  }
};

struct Softmax : Case {
  Numbers x = random_numbers(SIZE, 1, -2, 3), g = random_numbers(SIZE, 2), y = g, gx = g;
  std::vector<Numbers *> results() override { return {&y}; }
  std::vector<Numbers *> gradients() override { return {&gx}; }
  void forward(By by) override { CALL(by, softmax, ROWS, x.data(), y.data()); }
  void backward(By by) override { CALL(by, softmax_backward, ROWS, x.data(), gx.data(), g.data(), y.data()); }
};

} // namespace

std::unique_ptr<Case> make_layer_norm() { return std::make_unique<LayerNorm>(); }
std::unique_ptr<Case> make_softmax() { return std::make_unique<Softmax>(); }
