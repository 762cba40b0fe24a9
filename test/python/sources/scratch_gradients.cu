// Gradients that are kept in scratch memory while the kernel runs: diff(replicated, N) and diff(scatter, N).

#include <kernix/kernix.h>

#define THREAD static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x)
#define BACKWARD [[kernix::bind, kernix::differentiable(backward), kernix::block(96)]] __global__

// y[i] = w[at[i]] x[i], with the word at w.
#define GATHERED(NAME, T, ...)                                                                                         \
  BACKWARD void NAME(__VA_ARGS__ const T *w, [[kernix::no_diff]] const int *at, const T *x,                            \
                     [[kernix::shape("x")]] T *y, [[kernix::value("x.size(0)")]] int n) {                              \
    if (THREAD < n)                                                                                                    \
      y[THREAD] = w[at[THREAD]] * x[THREAD];                                                                           \
  }
GATHERED(replicated, double, [[kernix::diff(replicated, 8)]])
GATHERED(replicated_float, float, [[kernix::diff(replicated, 33)]])
GATHERED(replicated_half, _Float16, [[kernix::diff(replicated, 5)]])
GATHERED(replicated_bfloat16, __bf16, [[kernix::diff(replicated, 64)]])
GATHERED(one_replica, double, [[kernix::diff(replicated, 1)]])
GATHERED(scatter, double, [[kernix::diff(scatter, 1)]])
GATHERED(scatter_float, float, [[kernix::diff(scatter, 3)]])

// As many as a template says.
#define GATHERED_BY_TEMPLATE(NAME, WORD)                                                                               \
  template <int N>                                                                                                     \
  [[kernix::instantiate("6")]] BACKWARD void NAME(                                                                     \
      [[kernix::diff(WORD, N / 2)]] const double *w, [[kernix::no_diff]] const int *at, const double *x,               \
      [[kernix::shape("x")]] double *y, [[kernix::value("x.size(0)")]] int n) {                                        \
    if (THREAD < n)                                                                                                    \
      y[THREAD] = w[at[THREAD]] * x[THREAD];                                                                           \
  }
GATHERED_BY_TEMPLATE(replicated_by_template, replicated)
GATHERED_BY_TEMPLATE(scatter_by_template, scatter)

// Several reads of a thread, in a loop whose length threads differ in: more than it has notes for.
#define READ_OFTEN(NAME, WORD)                                                                                         \
  BACKWARD void NAME([[kernix::diff(WORD, 2)]] const double *w, [[kernix::no_diff]] const int *at, const double *x,    \
                     [[kernix::shape("x")]] double *y, [[kernix::value("w.size(0)")]] int m,                           \
                     [[kernix::value("x.size(0)")]] int n) {                                                           \
    if (THREAD >= n)                                                                                                   \
      return;                                                                                                          \
    double sum = 0;                                                                                                    \
    for (int k = 0; k < at[THREAD]; ++k)                                                                               \
      sum += sin(w[(at[THREAD] + k) % m] * x[THREAD]);                                                                 \
    y[THREAD] = sum * w[0];                                                                                            \
  }
READ_OFTEN(replicated_often, replicated)
READ_OFTEN(scatter_often, scatter)

// A number, vectors, a view with strides.
#define OTHERS(NAME, WORD)                                                                                             \
  BACKWARD void NAME##_number([[kernix::diff(WORD, 4)]] double a, const double *x, [[kernix::shape("x")]] double *y,   \
                              [[kernix::value("x.size(0)")]] int n) {                                                  \
    if (THREAD < n)                                                                                                    \
      y[THREAD] = a * a * x[THREAD];                                                                                   \
  }                                                                                                                    \
  BACKWARD void NAME##_vectors([[kernix::diff(WORD, 4)]] const double3 *w, [[kernix::no_diff]] const int *at,          \
                               const double *x, [[kernix::shape("x")]] double *y,                                      \
                               [[kernix::value("x.size(0)")]] int n) {                                                 \
    if (THREAD < n)                                                                                                    \
      y[THREAD] = w[at[THREAD]].x * x[THREAD] + w[at[THREAD]].z;                                                       \
  }                                                                                                                    \
  BACKWARD void NAME##_view([[kernix::diff(WORD, 4)]] kernix::TensorView<const double> w,                              \
                            [[kernix::no_diff]] const int *at, const double *x, [[kernix::shape("x")]] double *y,      \
                            [[kernix::value("x.size(0)")]] int n) {                                                    \
    if (THREAD < n)                                                                                                    \
      y[THREAD] = w(at[THREAD], 0) * x[THREAD] + w(at[THREAD], 1);                                                     \
  }
OTHERS(replicated, replicated)
OTHERS(scatter, scatter)
BACKWARD void replicated_fours([[kernix::diff(replicated, 3)]] const float4 *w, [[kernix::no_diff]] const int *at,
                               const float *x, [[kernix::shape("x")]] float *y, [[kernix::value("x.size(0)")]] int n) {
  if (THREAD >= n)
    return;
  const float4 v = w[at[THREAD]];
  y[THREAD] = (v.x + 2 * v.y + 3 * v.z + 4 * v.w) * x[THREAD];
}

// Where all threads read the same, and where they read their own.
BACKWARD void uniform([[kernix::diff(replicated, 16)]] const double *w, [[kernix::diff(scatter, 2)]] const double *v,
                      const double *x, [[kernix::shape("x")]] double *y, [[kernix::value("x.size(0)")]] int n) {
  if (THREAD < n)
    y[THREAD] = w[0] * x[THREAD] + v[THREAD];
}
