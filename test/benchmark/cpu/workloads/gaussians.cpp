// gaussians.cpp - 131 072 Gaussians: covariance, projection, colours.
#include "case.h"

namespace {

constexpr int N = 1 << 17;

struct Covariance : Case {
  Numbers x = random_numbers(4 * N, 1), s = random_numbers(3 * N, 2), g = random_numbers(6 * N, 3), c = Numbers(6 * N),
          gx = Numbers(4 * N), gs = Numbers(3 * N);
  std::vector<Numbers *> results() override { return {&c}; }
  std::vector<Numbers *> gradients() override { return {&gx, &gs}; }
  void forward(By by) override { CALL(by, covariance, N, x.data(), s.data(), c.data()); }
  void backward(By by) override {
    CALL(by, covariance_backward, N, x.data(), gx.data(), s.data(), gs.data(), g.data());
  }
};

struct Projection : Case {
  static constexpr float VIEW[12] = {0.9f, 0.1f, 0, 0.1f, -0.1f, 0.95f, 0.2f, 0, 0, -0.2f, 0.9f, 0.3f}, FOCAL = 1.5f;
  Numbers x = random_numbers(3 * N, 1), c = random_numbers(6 * N, 2), g = random_numbers(5 * N, 3), u = Numbers(5 * N),
          gx = Numbers(3 * N), gc = Numbers(6 * N);
  Projection() {
    for (int i = 0; i < N; ++i)
      x[3 * i + 2] += 4;
  }
  std::vector<Numbers *> results() override { return {&u}; }
  std::vector<Numbers *> gradients() override { return {&gx, &gc}; }
  void forward(By by) override { CALL(by, projection, N, x.data(), c.data(), VIEW, u.data(), FOCAL); }
  void backward(By by) override {
    CALL(by, projection_backward, N, x.data(), gx.data(), c.data(), gc.data(), VIEW, g.data(), FOCAL);
  }
};

struct Colours : Case {
  Numbers x = random_numbers(3 * N, 1), k = random_numbers(48 * N, 2), g = random_numbers(3 * N, 3), c = Numbers(3 * N),
          gx = Numbers(3 * N), gk = Numbers(48 * N);
  std::vector<Numbers *> results() override { return {&c}; }
  std::vector<Numbers *> gradients() override { return {&gx, &gk}; }
  void forward(By by) override { CALL(by, colours, N, x.data(), k.data(), c.data()); }
  void backward(By by) override { CALL(by, colours_backward, N, x.data(), gx.data(), k.data(), gk.data(), g.data()); }
};

} // namespace

std::unique_ptr<Case> make_covariance() { return std::make_unique<Covariance>(); }
std::unique_ptr<Case> make_projection() { return std::make_unique<Projection>(); }
std::unique_ptr<Case> make_colours() { return std::make_unique<Colours>(); }
