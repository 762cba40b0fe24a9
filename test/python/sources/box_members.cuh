// Constructors, methods and operators.
#pragma once

#include <kernix/kernix.h>

namespace geo {
struct Box {
  float width, height = 2;

  [[kernix::bind]] __device__ explicit Box(float side) : width(side), height(side) {}
  [[kernix::bind]] __device__ Box(float w, float h) : width(w), height(h) {}
  [[kernix::bind]] __device__ float area(float scale = 1) const { return width * height * scale; }
  [[kernix::bind]] __device__ void grow(float by) { width += by; }
  [[kernix::bind]] __device__ bool shrink(float by, [[kernix::intent(out_return)]] float &left) {
    left = width -= by;
    return left > 0;
  }
  [[kernix::bind("box_sum")]] __device__ Box operator+(const Box &other) const {
    return Box(width + other.width, height + other.height);
  }
  [[kernix::bind("box_side")]] __device__ float operator[](int i) const { return i == 0 ? width : height; }
  [[kernix::bind("box_call")]] __device__ float operator()(float a, float b) const { return a * width + b * height; }
  [[kernix::bind]] __device__ static Box unit() { return Box(1); }
};
} // namespace geo

[[kernix::bind("box_negative")]] __device__ geo::Box operator-(geo::Box a) { return geo::Box(-a.width, -a.height); }
[[kernix::bind("box_less")]] __device__ bool operator<(const geo::Box &a, const geo::Box &b) {
  return a.area() < b.area();
}

struct Settings {
  float rate;
  int steps = 3;
  bool on = true;
};
[[kernix::bind]] __device__ float used(Settings s) { return s.on ? s.rate * static_cast<float>(s.steps) : 0; }

// Overloads may name their parameters as they like.
[[kernix::bind]] __device__ float sum(float a) { return a; }
[[kernix::bind]] __device__ float sum(float x, float y) { return x + y; }
[[kernix::bind]] __device__ int sum(int i, int j, int k) { return i + j + k; }

// Storage honours the alignment.
struct alignas(32) Wide {
  double first;
  float second;
};
[[kernix::bind]] __device__ Wide wide(Wide w, [[kernix::intent(out_return)]] double &place) {
  place = static_cast<double>(reinterpret_cast<unsigned long long>(&w) % 32);
  return {w.first + 1, w.second + 1};
}

// Templates: by their instances, or one by a variable.
template <class T> [[kernix::bind, kernix::instantiate("float", "double")]] __device__ T cubed(T x) {
  return x * x * x;
}
template <int N> __device__ int plus(int x) { return x + N; }
[[kernix::bind]] constexpr auto plus_five = &plus<5>;
