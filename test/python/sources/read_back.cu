// Functions that read back the integers they write through references and into arrays, for test_read_back.py.
#include <kernix/kernix.h>

#define COUNT [[kernix::intent(out_return), kernix::no_diff]] int &count

[[kernix::bind, kernix::differentiable(2)]] double in_a_loop(double x, COUNT) {
  count = 0;
  for (int i = 0; i < x; ++i)
    count += i;
  return x * x * x * count;
}

[[kernix::bind, kernix::differentiable(2)]] double in_each_iteration(double x, COUNT) {
  count = 1;
  double result = 1;
  [[kernix::max_iters(8)]] for (int i = 0; i < x; ++i) {
    count += i;
    result = result * x * count;
  }
  return result;
}

[[kernix::bind, kernix::differentiable(2)]] double in_a_branch(double x, COUNT) {
  count = 5;
  if (x > 3)
    count = 2;
  double result = x * x * count;
  count = 7;
  return result * x * count;
}

[[kernix::bind, kernix::differentiable(2)]] double decides(double x, COUNT) {
  count = 0;
  for (int i = 0; i < x; ++i)
    count += i;
  return count > 3 ? x * x : x * x * x;
}

[[kernix::bind, kernix::differentiable(2)]] double is_an_index(double x, COUNT) {
  double powers[4] = {x, x * x, x * x * x, 1};
  count = 0;
  for (int i = 0; i < x; ++i)
    count = (count + i) & 3;
  return powers[count];
}

[[kernix::bind, kernix::differentiable(2)]] double
of_an_array(double x, [[kernix::intent(out_array_return, 3), kernix::no_diff]] int (&count)[3]) {
  for (int i = 0; i < 3; ++i)
    count[i] = i + 1;
  double result = 0;
  for (int k = 0; k < x; ++k) {
    count[k % 3] += k;
    result += x * x * x * count[(k + 1) % 3];
  }
  return result;
}

static __attribute__((noinline)) void add_up(double x, int &count) {
  for (int i = 0; i < x; ++i)
    count += i;
}

[[kernix::bind, kernix::differentiable(2)]] double in_a_call(double x, COUNT) {
  count = 1;
  add_up(x, count);
  return x * x * count;
}

[[kernix::bind, kernix::differentiable(2)]] double from_before(double x, [[kernix::intent(inout_ptr)]] int &count) {
  double result = x * x * count;
  for (int i = 0; i < x; ++i)
    count += i;
  return result * x * count;
}

[[kernix::bind, kernix::differentiable(2)]] double one_of_two(double x, COUNT,
                                                              [[kernix::intent(out_return)]] int64_t &other) {
  count = 1;
  other = 2;
  for (int i = 0; i < x; ++i)
    if (i % 2)
      count += i;
    else
      other += count;
  return x * x * count + x * other;
}

[[kernix::bind, kernix::differentiable(2)]] double of_a_flag(double x, [[kernix::intent(out_return)]] bool &odd) {
  odd = false;
  for (int i = 0; i < x; ++i)
    odd = !odd;
  return odd ? x * x : x * x * x;
}

[[kernix::bind, kernix::differentiable(2)]]
__global__ void in_a_kernel(const double *x, [[kernix::shape("x")]] double *y,
                            [[kernix::no_diff, kernix::shape("x")]] int *count, [[kernix::value("x.numel()")]] int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  count[i] = 0;
  for (int k = 0; k < x[i]; ++k)
    count[i] += k;
  y[i] = x[i] * x[i] * count[i];
}
