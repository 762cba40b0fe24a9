// Differentiable functions of a project's header, of which several files have the same.
template <class T>
[[kernix::bind, kernix::differentiable(2), kernix::instantiate("float", "double")]] __global__ void kernel(const T *x, T *y) {
  *y = *x * *x;
}
template <class T> __global__ void named(const T *x, T *y) { *y = *x * *x * *x; }
[[kernix::bind, kernix::differentiable]] constexpr auto by_variable = named<float>;
template <class T> __global__ void explicitly(const T *x, T *y) { *y = 2 * *x; }
template __global__ void explicitly<double>(const double *, double *);
[[kernix::bind("explicitly"), kernix::differentiable]] constexpr auto explicit_one = explicitly<double>;
template <class T> struct Members {
  static __device__ T device(T x) { return x * x; }
  static T host(T x) { return x * x; }
};
[[kernix::bind("member"), kernix::differentiable]] constexpr auto member = Members<float>::device;
[[kernix::bind("host_member"), kernix::differentiable]] constexpr auto host_member = Members<float>::host;
[[kernix::bind, kernix::differentiable]] inline __device__ float inline_function(float x) { return x * x; }
