// compositing.cpp - 8000 ellipses on 256 x 384 pixels.
#include "case.h"
#include <cmath>

namespace {

struct Composite : Case {
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
  Ellipses given() { return {gcentres.data(), gconics.data(), gopacities.data(), gcolours.data()}; }
  Tiles tiles() const { return {first.data(), members.data()}; }
  KeptOfPixels kept() { return {left.data(), looked_at.data()}; }
  std::vector<Numbers *> results() override { return {&picture}; }
  std::vector<Numbers *> gradients() override { return {&gcentres, &gconics, &gopacities, &gcolours}; }
  void forward(By by) override { CALL(by, composite, of(), tiles(), picture.data(), height, width, kept()); }
  void backward(By by) override {
    CALL(by, composite_backward, of(), given(), tiles(), g.data(), height, width, kept());
  }
};

} // namespace

std::unique_ptr<Case> make_composite() { return std::make_unique<Composite>(); }
