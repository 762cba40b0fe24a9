// segments.cpp - 8192 rows of 64 channels, 16 entries each on average.
#include "case.h"

namespace {

struct SegmentSums : Case {
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
  Segments of() const { return {rows, first.data(), column.data()}; }
  std::vector<Numbers *> results() override { return {&y}; }
  std::vector<Numbers *> gradients() override { return {&gx, &gweight}; }
  void forward(By by) override { CALL(by, segments, of(), weight.data(), x.data(), y.data()); }
  void backward(By by) override {
    CALL(by, segments_backward, of(), weight.data(), gweight.data(), x.data(), gx.data(), g.data());
  }
};

} // namespace

std::unique_ptr<Case> make_segments() { return std::make_unique<SegmentSums>(); }
