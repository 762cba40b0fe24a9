// RUN: %cpu-cc %t -O1 -I%inputs %s && %t
// RUN: %cpu-cc %t.native -O3 -march=native -I%inputs %s && %t.native
// RUN: %cpu-cc %t.order -O0 -DCUDA_FIRST -I%inputs %s && %t.order
//
// The standard library in kernels, and in host code of the same file, whatever is included first.
#ifdef CUDA_FIRST
#include <cooperative_groups.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#endif
#include "check.h"
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstdio>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <device_launch_parameters.h>
#include <functional>
#include <future>
#include <immintrin.h>
#include <iostream>
#include <limits>
#include <map>
#include <math.h>
#include <math_constants.h>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <random>
#include <sstream>
#include <string>
#include <thread>
#include <tuple>
#include <type_traits>
#include <unistd.h>
#include <utility>
#include <variant>
#include <vector>

__global__ void device(const float *x, double *out) {
  std::complex<float> c(x[0], x[1]);
  c = c * c + std::exp(c) / std::complex<float>(2, 1);
  out[0] = std::abs(c), out[1] = std::arg(c), out[2] = std::norm(std::sqrt(c));
  auto [a, b] = std::make_tuple(1, 2.5f);
  std::pair<int, float> p{3, 4.5f};
  std::array<float, 4> array{4, 1, 3, 2};
  std::sort(array.begin(), array.end());
  out[3] = a + b + p.first + p.second,
  out[4] = array[0] + 10 * array[3] + std::accumulate(array.begin(), array.end(), 0.0f);
  out[5] = std::min(x[0], x[1]) + std::max({1.0f, 5.0f, 3.0f}) + std::clamp(7, 0, 5);
  out[6] = std::sin(x[0]) + std::pow(x[1], 2) + std::abs(-x[2]) + std::sqrt(x[3]) + std::fma(x[0], x[1], x[2]) +
           std::hypot(3.0, 4.0);
  out[7] = std::numeric_limits<float>::max() == 3.40282347e38f && std::isnan(std::numeric_limits<float>::quiet_NaN());
  std::optional<int> maybe = 3;
  std::variant<int, float> either = 2.5f;
  out[8] = 0.0 + *maybe + *std::get_if<float>(&either) + std::popcount(7u) + std::bit_cast<int>(1.0f);
  float s[] = {1, 2}, t[] = {3, 4};
  std::swap(s, t);
  out[9] = s[0] + std::inner_product(s, s + 2, t, 0.0f) + std::plus<float>()(1, 2) + *std::max_element(t, t + 2);
  std::uint64_t big = std::uint64_t{1} << 40;
  out[10] = static_cast<double>(big) + std::is_same_v<std::common_type_t<int, float>, float>;
  out[11] = std::lgamma(5.5f) + std::erf(0.5) + std::floor(-1.5f) + std::fmod(7.0f, 4.0f) + std::copysign(2.0f, -1.0f);
  std::vector<float> four(4);
  std::iota(four.begin(), four.end(), 1.0f);
  std::map<int, float> squares;
  squares[3] = 9;
  std::string word("abc");
  const std::variant<int, float> copy = either;
  word += "d";
  out[12] = four.at(3) + squares[3] + word.size() + std::holds_alternative<float>(copy) + copy.index();
}

struct Base {
  virtual ~Base() = default;
  virtual std::string name() const { return "base"; }
};
struct Derived : Base {
  std::string name() const override {
    std::ostringstream s;
    s << "derived " << 3;
    return s.str();
  }
};
struct Key {
  int value;
};
bool operator==(const Key &a, const Key &b) { return a.value == b.value; }
bool operator<(const Key &a, const Key &b) { return a.value < b.value; }
std::ostream &operator<<(std::ostream &out, const Key &k) { return out << k.value; }

int main() {
  std::vector<float> x{0.5f, 1.5f, -2.5f, 4.0f};
  std::vector<double> out(13);
  device<<<1, 1>>>(x.data(), out.data());
  CHECK_CUDA(cudaDeviceSynchronize());
  auto near = [](double a, double b) { return std::fabs(a - b) <= 1e-6 * std::fabs(b); };
  std::complex<double> c(0.5, 1.5);
  c = c * c + std::exp(c) / std::complex<double>(2, 1);
  CHECK(near(out[0], std::abs(c)) && near(out[1], std::arg(c)) && near(out[2], std::abs(c)));
  CHECK(out[3] == 11 && out[4] == 51 && out[5] == 10.5);
  CHECK(near(out[6], std::sin(0.5) + 2.25 + 2.5 + 2 - 1.75 + 5) && out[7] == 1);
  CHECK(out[8] == 3 + 2.5 + 3 + 0x3f800000 && out[9] == 3 + 11 + 3 + 2 && out[10] == 0x1p40 + 1);
  CHECK(near(out[11], std::lgamma(5.5) + std::erf(0.5) - 2 + 3 - 2));
  CHECK(out[12] == 4 + 9 + 4 + 1 + 1);

  std::vector<Key> keys{{3}, {1}, {2}};
  std::sort(keys.begin(), keys.end());
  CHECK(std::find(keys.begin(), keys.end(), Key{2}) - keys.begin() == 1);
  std::ostringstream text;
  text << keys[0] << ' ' << std::unique_ptr<Base>(new Derived)->name();
  CHECK(text.str() == "1 derived 3");
  std::map<std::string, std::function<int(int)>> functions;
  functions["twice"] = [](int i) { return 2 * i; };
  std::mutex mutex;
  int sum = 0;
  std::thread thread([&] {
    std::lock_guard<std::mutex> lock(mutex);
    sum += functions.at("twice")(4);
  });
  thread.join();
  auto later = std::async(std::launch::async, [] { return 5; });
  CHECK(sum + later.get() == 13);
  std::mt19937 random(5);
  std::normal_distribution<float> normal;
  CHECK(std::isfinite(normal(random)) && getpid() > 0 && _mm_cvtss_f32(_mm_set_ss(2.0f)) == 2);
  // Exceptions keep the library's own virtual table.
  std::string caught;
  try {
    (void)std::get<int>(std::variant<int, float>(1.0f));
  } catch (const std::exception &e) {
    caught = e.what();
  }
  CHECK(caught.find("variant") != std::string::npos);
  try {
    throw std::bad_alloc();
  } catch (const std::exception &e) {
    CHECK(std::string(e.what()) == "std::bad_alloc");
  }
  try {
    (void)std::shared_ptr<int>(std::weak_ptr<int>());
  } catch (const std::bad_weak_ptr &e) {
    CHECK(std::string(e.what()) == "bad_weak_ptr");
  }
}
