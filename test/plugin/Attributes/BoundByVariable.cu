// What a function's attributes speak of, and what the variable that binds it says, belong together.
// RUN: %cuda-host -fsyntax-only %s 2>&1 | FileCheck %s --implicit-check-not=warning:
#include <kernix/kernix.h>

[[kernix::differentiable]] __global__ void product(const double *x, [[kernix::diff]] double a, double *y) {}
[[kernix::bind, kernix::max_registers(64)]] constexpr auto productOf = &product;

template <class T> [[kernix::differentiable]] __global__ void copy(const T *x, T *y) {}
[[kernix::bind, kernix::max_registers(64)]] constexpr auto copyOf = &copy<double>;

[[kernix::recompute]] __global__ void scaled(const double *x, [[kernix::diff]] double a, double *y) {}
[[kernix::bind, kernix::differentiable]] constexpr auto scaledBy = &scaled;

template <class T> [[kernix::recompute]] __global__ void shifted(const T *x, [[kernix::diff]] T a, T *y) {}
[[kernix::bind, kernix::differentiable]] constexpr auto shiftedBy = &shifted<double>;

__global__ void plain(const double *x, double *y) {}
[[kernix::bind, kernix::max_registers(64)]] constexpr auto plainOne = &plain;
// CHECK: :[[@LINE-1]]:17: warning: 'kernix::max_registers' has no effect: 'plain' is not 'kernix::differentiable', and this speaks of its derivatives [-Wkernix-no-effect]
