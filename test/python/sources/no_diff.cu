// What [[kernix::no_diff]] makes constant. Each kernel has one input x; what its gradient is stands in test_no_diff.py.
#include <algorithm>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <kernix/kernix.h>

#define KERNEL [[kernix::bind, kernix::differentiable]] __global__ void
#define NO_DIFF [[kernix::no_diff]]

__device__ double number(NO_DIFF double a, double b) { return a * b; }
KERNEL by_value(const double *x, [[kernix::shape("x")]] double *y) {
  int i = threadIdx.x;
  y[i] = number(x[i], x[i]);
}

__device__ double through_const(NO_DIFF const double &a, double b) { return a * b; }
KERNEL by_const_reference(const double *x, [[kernix::shape("x")]] double *y) {
  int i = threadIdx.x;
  y[i] = through_const(x[i], x[i]);
}

// What is written through it is constant, too.
__device__ void scale(NO_DIFF double &a, double b) { a = a * b; }
KERNEL by_reference(const double *x, [[kernix::shape("x")]] double *y) {
  int i = threadIdx.x;
  double a = x[i];
  scale(a, x[i]);
  y[i] = a * x[i];
}

// The variable itself is as ever.
KERNEL elsewhere(const double *x, [[kernix::shape("x")]] double *y) {
  int i = threadIdx.x;
  double a = x[i] * x[i];
  y[i] = through_const(a, x[i]) + a;
}

__device__ double sum(NO_DIFF const double *p, int n, double b) {
  double s = 0;
  for (; n > 0; --n)
    s += *p++;
  return s * b;
}
KERNEL by_pointer(const double *x, [[kernix::shape("x")]] double *y) {
  int i = threadIdx.x;
  double a[3] = {x[i], x[i] * x[i], 1};
  y[i] = sum(a, 3, x[i]) + a[1];
}

struct Pair {
  double u, v;
};
__device__ double small(NO_DIFF Pair p, double b) { return p.u * b + p.v; }
KERNEL by_struct(const double *x, [[kernix::shape("x")]] double *y) {
  int i = threadIdx.x;
  y[i] = small({x[i], x[i]}, x[i]);
}

struct Large {
  double u[5];
  int n;
  __device__ double operator[](int k) const { return u[k]; }
};
__device__ double large(NO_DIFF Large p, double b) {
  double s = 0;
  for (int k = 0; k < p.n; ++k)
    s += p[k] * b;
  return s;
}
KERNEL by_large_struct(const double *x, [[kernix::shape("x")]] double *y) {
  int i = threadIdx.x;
  y[i] = large({{x[i], x[i], 2, 3, x[i]}, 5}, x[i]);
}

struct Rows {
  const double *values;
  __device__ double at(int k) const { return values[k]; }
};
__device__ double first(NO_DIFF Rows rows, double b) { return rows.at(0) * b; }
KERNEL by_struct_of_pointers(const double *x, [[kernix::shape("x")]] double *y) {
  int i = threadIdx.x;
  y[i] = first({x + i}, x[i]);
}

KERNEL by_lambda(const double *x, [[kernix::shape("x")]] double *y) {
  int i = threadIdx.x;
  auto product = [](NO_DIFF double a, double b) { return a * b; };
  y[i] = product(x[i], x[i]);
}

KERNEL local_reference(const double *x, [[kernix::shape("x")]] double *y) {
  int i = threadIdx.x;
  NO_DIFF const double &v = x[i];
  y[i] = v * x[i];
}

KERNEL local_pointer(const double *x, [[kernix::shape("x")]] double *y) {
  int i = threadIdx.x;
  double a[2] = {x[i], x[i] * x[i]};
  NO_DIFF const double *p = a;
  ++p;
  y[i] = *p * x[i] + a[1];
}

// An output that is no output of the derivative, read back as the constant that it is.
KERNEL output(const double *x, [[kernix::shape("x")]] double *y, NO_DIFF double *log) {
  int i = threadIdx.x;
  log[i] = 2 * x[i];
  y[i] = log[i] * x[i];
}

KERNEL view(const kernix::TensorView<const double> x, [[kernix::shape("x.numel()")]] kernix::TensorView<double> y,
            NO_DIFF kernix::TensorView<double> log) {
  int i = threadIdx.x;
  log(i) = 2 * x(i);
  y(i) = x(i) * x(i);
}

KERNEL counted(const double *x, [[kernix::shape("x")]] double *y, NO_DIFF double *total) {
  int i = threadIdx.x;
  atomicAdd(total, x[i]);
  y[i] = x[i] * x[i];
}

// A parameter that is assigned to stays constant.
__device__ double assigned(NO_DIFF double a, double b) {
  a = a * b;
  return a * b;
}
KERNEL by_assigned_value(const double *x, [[kernix::shape("x")]] double *y) {
  int i = threadIdx.x;
  y[i] = assigned(x[i], x[i]);
}

[[kernix::bind, kernix::differentiable]] __device__ void step(NO_DIFF [[kernix::intent(inout_ptr)]] double &a, double b,
                                                              [[kernix::intent(out_return)]] double &r) {
  a = a * b;
  r = a * b;
}

// Calls that LLVM would simplify: the place of the mark must not be lost with them.
KERNEL by_simplified_calls(const double *x, [[kernix::shape("x")]] double *y) {
  int i = threadIdx.x;
  double v = x[i], a, b, c, d;
  NO_DIFF a = pow(v, 2.0);
  NO_DIFF b = fma(v, 1.0, 0.0);
  NO_DIFF c = fmax(v, v);
  NO_DIFF d = __builtin_powi(v, 1);
  y[i] = (a + b + c + d) * v;
}

KERNEL by_shuffle(const double *x, [[kernix::shape("x")]] double *y) {
  int i = threadIdx.x;
  double v = x[i], w;
  NO_DIFF w = 2 * __shfl_xor_sync(3u, v, 1);
  y[i] = w * v;
}

// Of other numbers, and of integers: 0 + 1 and 2 * 3 over both lanes.
KERNEL by_other_shuffles(const double *x, [[kernix::shape("x")]] double *y) {
  int i = threadIdx.x, k;
  unsigned long long m;
  __half h;
  __nv_bfloat162 b;
  NO_DIFF k = __shfl_xor_sync(3u, i, 1) + i;
  NO_DIFF m = __shfl_xor_sync(3u, i + 2ull, 1) * (i + 2);
  NO_DIFF h = __shfl_xor_sync(3u, __float2half(static_cast<float>(x[i])), 1);
  NO_DIFF b = __shfl_sync(3u, __floats2bfloat162_rn(static_cast<float>(x[i]), 5.0f), 0);
  y[i] = x[i] * k * m * __half2float(h) + x[i] * __low2float(b) * __high2float(b);
}

__device__ void stored_bwd(double v, double *gv, double *to, double *gto) {
  *gv += *gto;
  *gto = 0;
}
[[kernix::backward_derivative(stored_bwd)]] __device__ void stored(double v, double *to) { *to = v; }
__device__ void doubled_bwd(double v, double *gv, double g) { *gv += 2 * g; }
[[kernix::backward_derivative(doubled_bwd)]] __device__ double doubled(double v) { return 2 * v; }
KERNEL by_rules(const double *x, [[kernix::shape("x")]] double *y) {
  int i = threadIdx.x;
  double v = x[i], a, b;
  NO_DIFF stored(v, &a);
  NO_DIFF b = doubled(v);
  y[i] = a * b * v;
}

struct Three {
  double a, b, c;
};
__device__ Three three(double v) { return {v, v, v}; }
__device__ double middle(Three t) { return t.b; }
KERNEL by_returned_structs(const double *x, [[kernix::shape("x")]] double *y) {
  int i = threadIdx.x;
  double v = x[i], c;
  Three t;
  double2 d;
  NO_DIFF t = three(v);
  NO_DIFF d = make_double2(v, v);
  Three u{v, v, v};
  NO_DIFF c = middle(u);
  y[i] = (t.c + d.y + c) * v;
}

// Integers that are the bits of a number.
__device__ double number_of(long long bits) { return __longlong_as_double(bits); }
KERNEL bits(const double *x, [[kernix::shape("x")]] double *y) {
  int i = threadIdx.x;
  NO_DIFF long long b = __double_as_longlong(x[i]);
  y[i] = number_of(b) * x[i];
}

constexpr long long OneExponent = 1ll << 52;
KERNEL bits_before(const double *x, [[kernix::shape("x")]] double *y) {
  int i = threadIdx.x;
  NO_DIFF long long b = __double_as_longlong(x[i]) + OneExponent;
  y[i] = number_of(b) * x[i];
}

KERNEL bits_behind(const double *x, [[kernix::shape("x")]] double *y) {
  int i = threadIdx.x;
  NO_DIFF long long b = __double_as_longlong(x[i]);
  y[i] = number_of(max(b + OneExponent, 7ll)) * x[i];
}

KERNEL bits_in_turn(const double *x, [[kernix::shape("x")]] double *y) {
  int i = threadIdx.x;
  NO_DIFF long long b = __double_as_longlong(x[i]);
  for (int k = 0; k < 2; ++k)
    b -= OneExponent;
  y[i] = number_of(b > 1 ? b : 0) * x[i];
}

KERNEL bits_of_words(const double *x, [[kernix::shape("x")]] double *y) {
  int i = threadIdx.x;
  NO_DIFF int high = __double2hiint(x[i]), low = __double2loint(x[i]);
  y[i] = __hiloint2double(high + (1 << 20), low) * x[i];
}

KERNEL bits_shuffled(const double *x, [[kernix::shape("x")]] double *y) {
  int i = threadIdx.x;
  NO_DIFF long long b = __double_as_longlong(x[i]);
  y[i] = number_of(__shfl_xor_sync(3u, b, 1)) * x[i];
}

struct Word {
  long long bits;
  double v;
};
KERNEL bits_in_a_struct(const double *x, [[kernix::shape("x")]] double *y) {
  int i = threadIdx.x;
  NO_DIFF Word w{__double_as_longlong(x[i]), x[i]};
  y[i] = (number_of(w.bits + OneExponent) + w.v) * x[i];
}

KERNEL bits_in_an_array(const double *x, [[kernix::shape("x")]] double *y) {
  int i = threadIdx.x;
  NO_DIFF long long b[3];
  b[i % 3] = __double_as_longlong(x[i]);
  y[i] = number_of(b[i % 3] + OneExponent) * x[i];
}

KERNEL bits_by_pointer(const double *x, [[kernix::shape("x")]] double *y) {
  int i = threadIdx.x;
  NO_DIFF auto b = reinterpret_cast<const long long *>(x);
  y[i] = number_of(b[i] + OneExponent) * x[i];
}

NO_DIFF __device__ long long bits_of(double v) { return __double_as_longlong(v); }
KERNEL bits_by_function(const double *x, [[kernix::shape("x")]] double *y) {
  int i = threadIdx.x;
  y[i] = number_of(max(bits_of(x[i]), 7ll)) * x[i];
}

// Where an array of numbers takes them.
KERNEL bits_stored(const double *x, [[kernix::shape("x")]] double *y) {
  int i = threadIdx.x;
  NO_DIFF long long b = __double_as_longlong(x[i]);
  reinterpret_cast<long long *>(y)[i] = b;
  y[i] *= x[i];
}

// What has no rule is a constant all the same.
KERNEL bits_shifted(const double *x, [[kernix::shape("x")]] double *y) {
  int i = threadIdx.x;
  NO_DIFF long long half = (__double_as_longlong(x[i]) >> 1) + (OneExponent << 8),
                    cut = __double_as_longlong(x[i]) & -256;
  y[i] = (number_of(half) - number_of(half) + number_of(cut)) * x[i];
}

KERNEL bits_counted(const double *x, [[kernix::shape("x")]] double *y) {
  int i = threadIdx.x;
  NO_DIFF long long b = __double_as_longlong(x[i]) >> 52;
  y[i] = (double(b) - 1024 + x[i]) * x[i];
}

// A reference that leads to a constant, or elsewhere.
KERNEL by_chosen_reference(const double *x, [[kernix::shape("x")]] double *y) {
  int i = threadIdx.x;
  NO_DIFF double v = x[i] * x[i];
  y[i] = std::max(x[i], v) * x[i];
}
KERNEL to_chosen_reference(const double *x, [[kernix::shape("x")]] double *y) {
  int i = threadIdx.x;
  NO_DIFF double v = 1;
  double u = 2;
  double &either = i ? v : u;
  either = x[i];
  y[i] = either * x[i];
}
KERNEL by_chosen_pointer(const double *x, [[kernix::shape("x")]] double *y) {
  int i = threadIdx.x;
  NO_DIFF double low = x[0] - 1, high = x[1] - 1;
  const double *p = &low;
  if (i == 0)
    p = x;
  y[i] = std::clamp(x[i], low, high) * *p;
}

// By what a function returns.
struct Span {
  double *p;
  long n;
};
inline __device__ Span span(double *p, long n) { return {p, n}; }
KERNEL by_returned_pointer(const double *x, [[kernix::shape("x")]] double *y) {
  int i = threadIdx.x;
  NO_DIFF double v = x[i] * x[i];
  y[i] = *span(&v, 1).p * x[i];
}
KERNEL by_returned_references(const double *x, [[kernix::shape("x")]] double *y) {
  int i = threadIdx.x;
  NO_DIFF double v = x[i] * x[i];
  double u = 100;
  y[i] = std::minmax(u, v).first * x[i];
}
KERNEL by_chosen_struct(const double *x, [[kernix::shape("x")]] double *y) {
  int i = threadIdx.x;
  NO_DIFF double v = x[i] * x[i];
  double u = 100;
  Span a{&v, 1}, b{&u, 1};
  const Span *either = x[i] < 50 ? &a : &b;
  y[i] = *either->p * x[i];
}

// What is stored through a pointer that is found out about late, and read again by the same.
KERNEL to_chosen_struct(const double *x, [[kernix::shape("x")]] double *y) {
  int i = threadIdx.x;
  NO_DIFF double v = 1;
  double u = 1;
  Span a{&v, 1}, b{&u, 1};
  Span &either = i ? a : b;
  *either.p *= x[i];
  y[i] = *either.p * x[i];
}
KERNEL to_copied_struct(const double *x, [[kernix::shape("x")]] double *y) {
  int i = threadIdx.x;
  NO_DIFF double v = 1;
  double u = 1;
  Span a{&v, 1}, b{&u, 1};
  Span either = i ? a : b;
  *either.p = x[i];
  y[i] = *either.p * x[i];
}
KERNEL to_member_of_chosen(const double *x, [[kernix::shape("x")]] double *y) {
  int i = threadIdx.x;
  NO_DIFF double v[2] = {1, 1};
  double u[2] = {1, 1};
  Span a{v, 2}, b{u, 2};
  Span *either = i ? &a : &b;
  either->p[i] = x[i];
  y[i] = either->p[i] * x[i];
}
KERNEL to_table(const double *x, [[kernix::shape("x")]] double *y) {
  int i = threadIdx.x;
  NO_DIFF double v = 1;
  double u = 1;
  double *table[] = {&u, &v};
  *table[i] = x[i];
  y[i] = *table[i] * x[i];
}
KERNEL to_pointed_pointer(const double *x, [[kernix::shape("x")]] double *y) {
  int i = threadIdx.x;
  NO_DIFF double v = 1;
  double u = 1;
  double *a = &v, *b = &u, **c = &a, **d = &b, ***either = i ? &c : &d;
  ***either = x[i];
  y[i] = ***either * x[i];
}
KERNEL to_struct_of_chosen(const double *x, [[kernix::shape("x")]] double *y) {
  int i = threadIdx.x;
  struct Place {
    Pair *p;
  };
  NO_DIFF Pair v{};
  Pair u{};
  Place a{&v}, b{&u};
  Place &either = i ? a : b;
  *either.p = Pair{x[i], 2 * x[i]};
  y[i] = either.p->v * x[i];
}
KERNEL to_chosen_marked_pointer(const double *x, [[kernix::shape("x")]] double *y) {
  int i = threadIdx.x;
  double v = 1, u = 1;
  NO_DIFF double *a = &v;
  double *table[] = {&u, a};
  *table[i] = x[i];
  y[i] = *table[i] * x[i];
}
KERNEL to_output_of_chosen(const double *x, [[kernix::shape("x")]] double *y, NO_DIFF double *log) {
  int i = threadIdx.x;
  double u = 1;
  Span a{log + i, 1}, b{&u, 1};
  Span &either = i ? a : b;
  *either.p = x[i];
  y[i] = *either.p + x[i];
}

// By an address that goes through integers.
KERNEL by_address(const double *x, [[kernix::shape("x")]] double *y) {
  int i = threadIdx.x;
  NO_DIFF double v = 1;
  auto address = reinterpret_cast<unsigned long long>(&v);
  *reinterpret_cast<double *>(address) = x[i];
  y[i] = *reinterpret_cast<double *>(address) * x[i];
}
KERNEL by_copied_bytes(const double *x, [[kernix::shape("x")]] double *y) {
  int i = threadIdx.x;
  NO_DIFF double v = 1;
  auto address = reinterpret_cast<unsigned long long>(&v);
  double w = x[i], r;
  __builtin_memcpy(reinterpret_cast<double *>(address), &w, sizeof(w));
  __builtin_memcpy(&r, reinterpret_cast<double *>(address), sizeof(r));
  y[i] = r * x[i];
}
KERNEL by_halves_of_address(const double *x, [[kernix::shape("x")]] double *y) {
  int i = threadIdx.x;
  NO_DIFF double v = 1;
  auto address = reinterpret_cast<unsigned long long>(&v);
  auto low = static_cast<unsigned>(address), high = static_cast<unsigned>(address >> 32);
  auto p = reinterpret_cast<double *>(static_cast<unsigned long long>(high) << 32 | low);
  *p = x[i];
  y[i] = *p * x[i];
}

// Functions that call themselves.
NO_DIFF __device__ double power(double a, int n) { return n ? a * power(a, n - 1) : a; }
KERNEL by_recursion(const double *x, [[kernix::shape("x")]] double *y) {
  int i = threadIdx.x;
  y[i] = power(x[i], 1) * x[i];
}
NO_DIFF __device__ double odd(double a, int n);
NO_DIFF __device__ double even(double a, int n) { return n ? a * odd(a, n - 1) : 1; }
__device__ double odd(double a, int n) { return n ? a * even(a, n - 1) : 1; }
KERNEL by_mutual_recursion(const double *x, [[kernix::shape("x")]] double *y) {
  int i = threadIdx.x;
  y[i] = even(x[i], 2) * x[i];
}
__device__ double partly(double a, int n) {
  double r = 1;
  if (n)
    NO_DIFF r = partly(a, n - 1);
  return a * r;
}
KERNEL by_recursion_in_a_statement(const double *x, [[kernix::shape("x")]] double *y) {
  int i = threadIdx.x;
  y[i] = partly(x[i], 2);
}

// A specialization says itself what is marked.
template <class T> NO_DIFF __device__ T same(T a) { return a; }
template <> __device__ double same<double>(double a) { return a; }
KERNEL by_unmarked_specialization(const double *x, [[kernix::shape("x")]] double *y) {
  int i = threadIdx.x;
  y[i] = same(x[i]) * x[i];
}
template <class T> __device__ T product(NO_DIFF T a, T b) { return a * b; }
template <> __device__ double product<double>(double a, NO_DIFF double b);
template <> __device__ double product<double>(double a, double b) { return a * a * b; }
KERNEL by_specialized_parameters(const double *x, [[kernix::shape("x")]] double *y) {
  int i = threadIdx.x;
  y[i] = product(x[i], x[i]);
}
template <class T> struct Held {
  T value;
  NO_DIFF __device__ T get() const { return value; }
  NO_DIFF __device__ T twice() const;
};
template <class T> __device__ T Held<T>::twice() const { return value + value; }
template <> __device__ double Held<double>::get() const { return value; }
KERNEL by_specialized_member(const double *x, [[kernix::shape("x")]] double *y) {
  int i = threadIdx.x;
  Held<double> held{x[i]};
  y[i] = held.get() * held.twice();
}

// A statement in the argument of a macro, and one in a function that debug information leaves out.
#define DISPATCHED(name, ...)                                                                                          \
  [&] {                                                                                                                \
    constexpr int name = 1;                                                                                            \
    (void)name;                                                                                                        \
    __VA_ARGS__                                                                                                        \
  }()
inline __device__ double squared(double v) { return v * v; }
KERNEL in_argument(const double *x, [[kernix::shape("x")]] double *y) {
  int i = threadIdx.x;
  double w = 0;
  DISPATCHED(width, NO_DIFF w = squared(x[i]););
  y[i] = w * x[i];
}

__attribute__((always_inline, nodebug)) inline __device__ double times_square(double v) {
  double w = 0;
  NO_DIFF w = squared(v);
  return w * v;
}
KERNEL in_nodebug(const double *x, [[kernix::shape("x")]] double *y) { y[threadIdx.x] = times_square(x[threadIdx.x]); }
