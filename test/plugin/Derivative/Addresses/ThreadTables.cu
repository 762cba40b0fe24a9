// Which element each thread of a block of known size reads is computed, however the index is written. Here all of a
// kernel's indices say that groups of threads read one element, or the kernel's sums are none over its readers.
// REQUIRES: cuda
// RUN: %toolkit-device -O3 -S -fplugin-arg-kernix-Rkernix %s -o %t.ptx 2>%t.txt
// RUN: FileCheck %s --input-file %t.txt
#include <kernix/kernix.h>

// The tile is staged by numbers of threads; INDEX is of unsigned t, the thread's number, and k, the counter.
#define READS(name, INDEX)                                                                                             \
  [[kernix::bind, kernix::differentiable(backward), kernix::block(128)]]                                               \
  __global__ void name(const float *x, [[kernix::no_diff]] const int *given, float *y, int n) {                        \
    __shared__ float tile[512];                                                                                        \
    const unsigned t = threadIdx.x;                                                                                    \
    for (unsigned e = t; e < 512; e += 128)                                                                            \
      tile[e] = x[e];                                                                                                  \
    __syncthreads();                                                                                                   \
    float sum = 0;                                                                                                     \
    for (int k = 0; k < 16; ++k)                                                                                       \
      sum += tile[INDEX] * t;                                                                                          \
    y[t] = sum;                                                                                                        \
  }

// Quotients and remainders, of numbers with and without a sign, also by what is no power of two.
// CHECK: 'quotient': gradients of shared memory: what 16 loads give is summed over the threads that read one element
READS(quotient, t / 8 + 16 * k)
// CHECK: 'remainder': gradients of shared memory: what 16 loads give is summed over the threads that read one element
READS(remainder, int(t) % 32 * 15 + k)
// Bits, in another order and by way of their complement.
// CHECK: 'bits': gradients of shared memory: what 16 loads give is summed over the threads that read one element
READS(bits, ((t & 3) << 2 | t >> 5) * 16 + k)
// CHECK: 'flipped': gradients of shared memory: what 16 loads give is summed over the threads that read one element
READS(flipped, ((~t & 31) ^ 5) * 16 + k)
// Numbers that wrap around, and comparisons.
// CHECK: 'wrapped': gradients of shared memory: what 16 loads give is summed over the threads that read one element
READS(wrapped, ((t / 4 - 7u) & 31u) * 16 + k)
// CHECK: 'compared': gradients of shared memory: what 16 loads give is summed over the threads that read one element
READS(compared, (t / 8 ^ (t < 64) * 7) * 16 + k)
// What all threads have in common is added, whatever it is.
// CHECK: 'common': gradients of shared memory: what 16 loads give is summed over the threads that read one element
READS(common, static_cast<long long>(n) + t / 8 + 16 * k)

// What memory says of the thread; a sum in 32 bits that may wrap around; an index that is multiplied by what is not known;
// groups of readers that are no bits of the thread's number.
// CHECK-NOT: {{'(found|unsure|scaled|thirds)'}}: gradients of shared memory: {{.*}} over the threads that read
READS(found, given[t / 8] + k)
READS(unsure, t / 8 + 16 * k + n)
READS(scaled, t / 8 * n + k)
READS(thirds, t / 3 + k)
