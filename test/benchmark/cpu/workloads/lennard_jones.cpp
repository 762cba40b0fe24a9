// lennard_jones.cpp - 32 768 particles near the points of a cubic lattice, 56 neighbours each.
#include "case.h"

namespace {

struct Forces : Case {
  static constexpr int side = 32, n = side * side * side;
  static constexpr float spacing = 1.15f, reach = 2.5f;
  Numbers x = Numbers(4 * n), g = random_numbers(4 * n, 1), y = g, gx = g;
  std::vector<int> neighbours;
  Forces() {
    const Numbers disorder = random_numbers(3 * n, 2, -0.1f, 0.1f);
    for (int i = 0; i < n; ++i) {
      const int at[3] = {i / side / side, i / side % side, i % side};
      for (int k = 0; k < 3; ++k)
        x[4 * i + k] = spacing * (static_cast<float>(at[k]) + disorder[3 * i + k]);
    }
    for (int dx = -2; dx <= 2; ++dx)
      for (int dy = -2; dy <= 2; ++dy)
        for (int dz = -2; dz <= 2; ++dz)
          if (const int square = dx * dx + dy * dy + dz * dz; square > 0 && square <= 5)
            for (int i = 0; i < n; ++i)
              neighbours.push_back(((i / side / side + dx + side) % side * side + (i / side + dy + side) % side) *
                                       side +
                                   (i + dz + side) % side);
  }
  Particles of() const {
    return {n, static_cast<int>(neighbours.size()) / n, neighbours.data(), spacing * side, reach};
  }
  std::vector<Numbers *> results() override { return {&y}; }
  std::vector<Numbers *> gradients() override { return {&gx}; }
  void forward(By by) override { CALL(by, forces, of(), x.data(), y.data()); }
  void backward(By by) override { CALL(by, forces_backward, of(), x.data(), gx.data(), g.data()); }
};

} // namespace

std::unique_ptr<Case> make_forces() { return std::make_unique<Forces>(); }
