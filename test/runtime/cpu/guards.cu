// Guards of every form, with bounds around every corner, against the same condition on the host.
// RUN: %cpu-cc-all %t -I%inputs %s
// RUN: timeout 100 %t.O0 && timeout 100 %t.O1 && timeout 100 %t.O2 && timeout 100 %t.O3
#include "check.h"
#include <climits>
#include <cstring>
#include <vector>

constexpr int size = 300;

// The condition as a type, so that host and kernel share it; `i` is the thread's number plus `base`, computed as T.
template <class T, class Condition> __global__ void run(unsigned char *x, T base, T n, T m, bool flag) {
  unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  T i = base + static_cast<T>(t);
  if (!Condition::holds(i, n, m, flag))
    return;
  x[t] = 1;
}
template <class T, class Condition> void check(T base, T n, T m, bool flag) {
  for (int block : {1, 7, 64, size}) {
    std::vector<unsigned char> x(size + block);
    run<T, Condition><<<size / block, block>>>(x.data(), base, n, m, flag);
    CHECK_CUDA(cudaGetLastError());
    for (int t = 0; t < size / block * block; ++t) {
      T i;
      if constexpr (sizeof(T) == 4)
        i = static_cast<T>(static_cast<unsigned>(base) + static_cast<unsigned>(t));
      else
        i = static_cast<T>(static_cast<unsigned long>(base) + static_cast<unsigned long>(t));
      CHECK(x[t] == Condition::holds(i, n, m, flag));
    }
  }
}

#define CONDITION(name, ...)                                                                                           \
  struct name {                                                                                                        \
    template <class T> __host__ __device__ static bool holds(T i, T n, T m, bool flag) {                               \
      (void)n, (void)m, (void)flag;                                                                                    \
      return __VA_ARGS__;                                                                                              \
    }                                                                                                                  \
  };
CONDITION(Less, i < n)
CONDITION(LessEqual, i <= n)
CONDITION(Greater, i > n)
CONDITION(GreaterEqual, i >= n)
CONDITION(Equal, i == n)
CONDITION(Different, i != n)
CONDITION(Between, i > n && i < m)
CONDITION(Outside, i<n || i> m)
CONDITION(Flagged, flag &&i < n)
CONDITION(NotFlagged, !flag && !(i < n))
CONDITION(Reversed, 100 - i > n && m - i <= 50)
CONDITION(Window, i >= 1 && i < n - 1 && i < m)

// Signed arithmetic that overflows is undefined, so only unsigned types go around the corner.
template <class T> void all_conditions() {
  constexpr bool is_signed = static_cast<T>(-1) < 0;
  constexpr T top = is_signed ? (sizeof(T) == 4 ? INT_MAX : static_cast<T>(LONG_MAX)) : static_cast<T>(-1);
  std::vector<T> bases = {0, 1, 5},
                 bounds = {0, 1, 2, 63, 64, 65, 150, 299, 300, 301, 1000, top, static_cast<T>(top - 1)};
  if (is_signed) {
    bases.push_back(static_cast<T>(-20));
    bounds.push_back(static_cast<T>(-10));
  } else {
    bases.push_back(static_cast<T>(top - 100));
    bases.push_back(top);
    bases.push_back(static_cast<T>(top / 2 - 50));
    bounds.push_back(static_cast<T>(top / 2));
  }
  for (T base : bases)
    for (T n : bounds)
      for (T m : {T(2), T(100), T(299), top}) {
        bool flag = (n + m) % 2 == 0;
        check<T, Less>(base, n, m, flag);
        check<T, LessEqual>(base, n, m, flag);
        check<T, Greater>(base, n, m, flag);
        check<T, GreaterEqual>(base, n, m, flag);
        check<T, Equal>(base, n, m, flag);
        check<T, Different>(base, n, m, flag);
        check<T, Between>(base, n, m, flag);
        check<T, Outside>(base, n, m, flag);
        check<T, Flagged>(base, n, m, flag);
        check<T, NotFlagged>(base, n, m, flag);
        check<T, Window>(base, n, m, flag);
        if (!is_signed || n < 1000)
          check<T, Reversed>(base, n, m, flag);
      }
}

int main() {
  all_conditions<int>();
  all_conditions<unsigned>();
  all_conditions<long>();
  all_conditions<unsigned long>();
}
