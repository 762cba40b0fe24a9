// Derivatives that are written by hand, used inside automatic ones. Each rule gives ten times the derivative, so that a
// gradient shows whether it was used.
#include <cmath>
#include <kernix/kernix.h>

#define DIFFERENTIABLE [[kernix::bind, kernix::differentiable]] __global__
__device__ int thread() { return static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); }

// A template and its instances, in loops, under conditions, several times in one expression.
template <class T> __device__ void cube_bwd(T x, T *gx, T g) { *gx += 30 * x * x * g; }
template <class T> __device__ kernix::Dual<T> cube_fwd(T x, T dx) { return {x * x * x, 30 * x * x * dx}; }
template <class T>
[[kernix::backward_derivative(cube_bwd<T>), kernix::forward_derivative(cube_fwd<T>)]]
__device__ T cube(T x) {
  return x * x * x;
}
DIFFERENTIABLE void loops(const double *x, double *y, int n) {
  int i = thread();
  if (i >= n)
    return;
  double s = 1;
  for (int k = 0; k < 3; ++k)
    if (s < 5)
      s = s * cube(x[i]) + cube(s * 0.1);
  y[i] = s;
}

// Only one mode has a rule; the other is automatic.
__device__ void half_bwd(double x, double *gx, double g) { *gx += 20 * x * g; }
[[kernix::backward_derivative(half_bwd)]] __device__ double backward_only(double x) { return x * x; }
__device__ kernix::Dual<double> half_fwd(double x, double dx) { return {x * x, 20 * x * dx}; }
[[kernix::forward_derivative(half_fwd)]] __device__ double forward_only(double x) { return x * x; }
DIFFERENTIABLE void one_mode(const double *x, double *y, double *z, int n) {
  int i = thread();
  if (i >= n)
    return;
  y[i] = backward_only(x[i]);
  z[i] = forward_only(x[i]);
}

// Structs by value and by reference, as parameters and as results.
struct V3 {
  float x, y, z;
};
__device__ void norm_bwd(V3 v, V3 *gv, float g) {
  gv->x += 20 * v.x * g;
  gv->y += 20 * v.y * g;
  gv->z += 20 * v.z * g;
}
[[kernix::backward_derivative(norm_bwd)]] __device__ float norm2(V3 v) { return v.x * v.x + v.y * v.y + v.z * v.z; }
__device__ void times_bwd(const V3 &v, V3 *gv, float s, float *gs, V3 g) {
  gv->x += s * g.x;
  gv->y += s * g.y;
  gv->z += s * g.z;
  *gs += 10 * (v.x * g.x + v.y * g.y + v.z * g.z);
}
[[kernix::backward_derivative(times_bwd)]] __device__ V3 times(const V3 &v, float s) {
  return {v.x * s, v.y * s, v.z * s};
}
DIFFERENTIABLE void structs(const V3 *x, const float *s, float *y, int n) {
  int i = thread();
  if (i < n)
    y[i] = norm2(times(x[i], s[i]));
}

// References that are written.
__device__ void pair_bwd(double x, double *gx, double &s, double *gs, double &c, double *gc) {
  *gx += 10 * (cos(x) * *gs - sin(x) * *gc);
  *gs = *gc = 0;
}
__device__ void pair_fwd(double x, double dx, double &s, double *ds, double &c, double *dc) {
  s = sin(x);
  c = cos(x);
  *ds = 10 * c * dx;
  *dc = -10 * s * dx;
}
[[kernix::backward_derivative(pair_bwd), kernix::forward_derivative(pair_fwd)]]
__device__ void pair(double x, double &s, double &c) {
  s = sin(x);
  c = cos(x);
}
DIFFERENTIABLE void references(const double *x, double *y, int n) {
  int i = thread();
  if (i >= n)
    return;
  double s = 7, c = 8;
  pair(x[i], s, c);
  y[i] = s * c;
}

// Pointers: to a tensor, to a local array that is changed afterwards, in a loop.
__device__ void dot_bwd(const double *a, double *ga, const double *b, double *gb, int n, double g) {
  for (int k = 0; k < n; ++k) {
    if (ga)
      atomicAdd(ga + k, 10 * b[k] * g);
    if (gb)
      gb[k] += 10 * a[k] * g;
  }
}
[[kernix::backward_derivative(dot_bwd)]] __device__ double dot(const double *a, const double *b, int n) {
  double s = 0;
  for (int k = 0; k < n; ++k)
    s += a[k] * b[k];
  return s;
}
DIFFERENTIABLE void pointers(const double *x, double *y, int n) {
  int i = thread();
  if (i >= n)
    return;
  double local[4] = {1, 2, 3, 4}, sum = 0;
  for (int k = 0; k < 3; ++k) {
    for (int j = 0; j < 4; ++j)
      local[j] *= x[4 * i];
    double d = dot(x + 4 * i, local, 4);
    sum += d * d;
  }
  y[i] = sum;
}

// A void function that writes through a pointer to a local array.
__device__ void powers_bwd(double x, double *gx, double *p, double *gp) {
  *gx += 10 * (gp[0] + 2 * x * gp[1] + 3 * x * x * gp[2]);
  gp[0] = gp[1] = gp[2] = 0;
}
[[kernix::backward_derivative(powers_bwd)]] __device__ void powers(double x, double *p) {
  p[0] = x;
  p[1] = x * x;
  p[2] = x * x * x;
}
DIFFERENTIABLE void written(const double *x, double *y, int n) {
  int i = thread();
  if (i >= n)
    return;
  double p[3];
  powers(x[i], p);
  y[i] = p[0] * p[1] + p[i % 3];
}

// A view.
__device__ void at_bwd(kernix::TensorView<const double> v, kernix::TensorView<double> gv, int i, int j, double g) {
  atomicAdd(&gv(i, j), 10 * g);
}
[[kernix::backward_derivative(at_bwd)]] __device__ double at(kernix::TensorView<const double> v, int i, int j) {
  return v(i, j);
}
DIFFERENTIABLE void views(const kernix::TensorView<const double> x, double *y, int n) {
  int i = thread();
  if (i < n)
    y[i] = at(x, i, 0) * at(x, i, 1);
}

// Overloads, one of them with a rule.
__device__ void over_bwd(double x, double *gx, double g) { *gx += 10 * g; }
[[kernix::backward_derivative(over_bwd)]] __device__ double over(double x) { return x; }
__device__ float over(float x) { return x; }
DIFFERENTIABLE void overloads(const double *x, double *y, int n) {
  int i = thread();
  if (i < n)
    y[i] = over(x[i]) + over(static_cast<float>(x[i]));
}

// The result is used by other adjoints: f itself is called again.
__device__ void root_bwd(double x, double *gx, double g) { *gx += 10 * 0.5 / sqrt(x) * g; }
[[kernix::backward_derivative(root_bwd)]] __device__ double root(double x) { return sqrt(x); }
DIFFERENTIABLE void result_needed(const double *x, double *y, int n) {
  int i = thread();
  if (i >= n)
    return;
  double r = root(x[i]);
  y[i] = r * r * r;
}

// A rule that is not linear: two calls are two calls, each is clipped for itself.
__device__ void clip_bwd(double x, double *gx, double g) { *gx += g > 1 ? 1 : g < -1 ? -1 : g; }
[[kernix::backward_derivative(clip_bwd)]] __device__ double clip(double x) { return x; }
DIFFERENTIABLE void clipped(const double *x, double *y, int n) {
  int i = thread();
  if (i < n)
    y[i] = 3 * clip(x[i]) + 0.5 * clip(x[i]);
}

// Members. The rule is a member, and the object knows where its gradients are.
struct View {
  const double *value;
  double *gradient;
  __device__ void load_bwd(int i, double g) const { atomicAdd(gradient + i, 10 * g); }
  [[kernix::backward_derivative(&View::load_bwd)]] __device__ double load(int i) const { return value[i]; }
};
DIFFERENTIABLE void members([[kernix::no_diff]] const double *x, [[kernix::no_diff]] double *gx, const double *w,
                            double *y, int n) {
  int i = thread();
  if (i >= n)
    return;
  View v{x, gx};
  y[i] = v.load(i) * w[i];
}

// The rule is a function of the object and its gradient.
struct Line {
  double a, b;
  __device__ double at(double x) const { return a * x + b; }
};
[[kernix::backward_derivative_of(&Line::at)]]
__device__ void line_bwd(const Line &self, Line *gself, double x, double *gx, double g) {
  gself->a += 10 * x * g;
  gself->b += 10 * g;
  *gx += 10 * self.a * g;
}
DIFFERENTIABLE void objects(const double *x, double *y, int n) {
  int i = thread();
  if (i >= n)
    return;
  Line line{x[i], 2 * x[i]};
  y[i] = line.at(x[i]);
}

// Class templates.
template <class T> struct Wave {
  T phase;
  __device__ void at_bwd(T x, T *gx, T g) const { *gx += 10 * cos(x + phase) * g; }
  [[kernix::backward_derivative(&Wave::at_bwd)]] __device__ T at(T x) const { return sin(x + phase); }
};
DIFFERENTIABLE void class_templates(const double *x, double *y, int n) {
  int i = thread();
  if (i < n)
    y[i] = Wave<double>{0.5}.at(x[i]);
}

// Members of templates in class templates.
template <class T> struct Waves {
  template <class U> struct Shifted {
    static __device__ void at_bwd(T x, T *gx, T g) { *gx += 10 * cos(x) * g; }
    [[kernix::backward_derivative(&Shifted::at_bwd)]] static __device__ T at(T x) { return sin(x); }
  };
  template <class U> static __device__ void of_bwd(U x, U *gx, U g) { *gx += 10 * cos(x) * g; }
  template <class U> [[kernix::backward_derivative(&Waves::of_bwd<U>)]] static __device__ U of(U x) { return sin(x); }
};
DIFFERENTIABLE void members_of_templates(const double *x, double *y, int n) {
  int i = thread();
  if (i < n)
    y[i] = Waves<double>::Shifted<int>::at(x[i]) + Waves<float>::of(x[i]);
}

// Member templates, with an object.
struct Scaled {
  double factor;
  template <class U> __device__ void of_bwd(U x, U *gx, U g) const { *gx += 10 * factor * g; }
  template <class U> __device__ kernix::Dual<U> of_fwd(U x, U dx) const { return {factor * x, 10 * factor * dx}; }
  template <class U>
  [[kernix::backward_derivative(&Scaled::of_bwd<U>), kernix::forward_derivative(&Scaled::of_fwd<U>)]]
  __device__ U of(U x) const {
    return factor * x;
  }
};
template <class T> struct ScaledTwice {
  T factor;
  template <class U> __device__ void of_bwd(U x, U *gx, U g) { *gx += 10 * factor * g; }
  template <class U> [[kernix::backward_derivative(&ScaledTwice::template of_bwd<U>)]] __device__ U of(U x) {
    return factor * x;
  }
};
DIFFERENTIABLE void member_templates(const double *x, double *y, int n) {
  int i = thread();
  if (i < n)
    y[i] = Scaled{3}.of(x[i]);
}
[[kernix::bind, kernix::differentiable(backward)]] __global__ void member_templates_of_templates(const double *x,
                                                                                                 double *y, int n) {
  int i = thread();
  if (i < n)
    y[i] = ScaledTwice<double>{3}.of(x[i]);
}

// What an object keeps beside numbers is changed by each call, also by a const one; the numbers stay as they are.
struct Steps {
  double factor;
  mutable int step;
  __device__ void next_bwd(double x, double *gx, double g) const { *gx += 10 * factor * (step + 1) * g; }
  [[kernix::backward_derivative(&Steps::next_bwd)]] __device__ double next(double x) const {
    ++step;
    return factor * step * x;
  }
};
[[kernix::bind, kernix::differentiable(backward)]] __global__ void changed_objects(const double *x, double *y, int n) {
  int i = thread();
  if (i >= n)
    return;
  Steps steps{3, 0};
  y[i] = steps.next(x[i]) + steps.next(x[i]) * steps.factor;
}

// A specialization is another function than its template.
template <class T> __device__ void power_bwd(T x, T *gx, T g) { *gx += 20 * x * g; }
template <class T> [[kernix::backward_derivative(power_bwd<T>)]] __device__ T power(T x) { return x * x; }
template <> __device__ double power<double>(double x) { return x * x * x; }
DIFFERENTIABLE void specializations(const double *x, double *y, int n) {
  int i = thread();
  if (i < n)
    y[i] = power(x[i]);
}

// Functions of the C library, of which clang would make instructions.
[[kernix::backward_derivative_of(rint)]] __host__ __device__ void rint_bwd(double x, double *gx, double g) { *gx += g; }
[[kernix::backward_derivative_of((double (*)(double))exp)]] __host__ __device__ void exp_bwd(double x, double *gx,
                                                                                             double g) {
  *gx += 10 * exp(x) * g;
}
DIFFERENTIABLE void library_functions(const double *x, double *y, int n) {
  int i = thread();
  if (i < n)
    y[i] = rint(4 * x[i]) + exp(x[i]);
}
[[kernix::bind, kernix::differentiable]] double library_functions_on_host(double x) { return rint(4 * x) + exp(x); }

// By its name in C++, too; that of double is another function.
[[kernix::backward_derivative_of(expm1f)]] __host__ __device__ void expm1_bwd(float x, float *gx, float g) {
  *gx += 10 * expf(x) * g;
}
DIFFERENTIABLE void standard_functions(const float *x, float *y, int n) {
  int i = thread();
  if (i < n)
    y[i] = std::expm1(x[i]) + static_cast<float>(std::expm1(static_cast<double>(x[i])));
}
[[kernix::bind, kernix::differentiable]] float standard_functions_on_host(float x) { return std::expm1(x); }

// A host function.
void sum_bwd(double x, double *gx, double z, double *gz, double g) {
  *gx += 10 * g;
  *gz += 10 * g;
}
[[kernix::backward_derivative(sum_bwd)]] double sum(double x, double z) { return x + z; }
[[kernix::bind, kernix::differentiable]] double on_host(double x, double z) { return sum(x, z) * x; }

// A gradient that is cut off: no derivative of anything, in code and of a whole kernel.
__device__ double cut(double g) { return fmin(fmax(g, -1.0), 1.0); }
__device__ void cut_off_bwd(double x, double *gx, double g) { *gx += cut(g); }
[[kernix::backward_derivative(cut_off_bwd)]] __device__ double cut_off(double x) { return x; }

#define CUT_OFF(NAME, WORD, F)                                                                                         \
  [[kernix::bind, kernix::WORD]] __global__ void NAME(const double *x, [[kernix::shape("x")]] double *y,               \
                                                      [[kernix::value("x.numel()")]] int n) {                          \
    int i = blockIdx.x * blockDim.x + threadIdx.x;                                                                     \
    if (i < n)                                                                                                         \
      y[i] = F(x[i]);                                                                                                  \
  }
CUT_OFF(cut_off_in_code, differentiable, cut_off)
CUT_OFF(cut_off_twice, differentiable(2), cut_off)
__global__ void cut_off_whole_bwd(const double *x, double *gx, double *y, const double *gy, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    gx[i] += cut(gy[i]);
}
CUT_OFF(cut_off_whole, backward_derivative(cut_off_whole_bwd), sin)
