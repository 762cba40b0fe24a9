// CUDA's functions for integers are computed again. Assembly of the source may read what nobody finds again.
// REQUIRES: cuda
// RUN: %toolkit-device -O1 -S %s -o - | FileCheck %s
// RUN: not %toolkit-device -O1 -S -DASSEMBLY %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=ASSEMBLY
#include <kernix/kernix.h>

#ifdef ASSEMBLY
#define KEY(b)                                                                                                         \
  ({                                                                                                                   \
    int r;                                                                                                             \
    asm("{ .reg .u32 m; mov.u32 m, %%smid; add.u32 %0, m, %1; }" : "=r"(r) : "r"(b));                                                                       \
    r;                                                                                                                 \
  })
#else
#define KEY(b) (__ffs(b) + __popc(b) + __clz(b) + __brev(b) + __byte_perm(b, 3, 2) + __mulhi(b, 77) + __sad(b, 2, 3) +           \
             __funnelshift_rc(b, 5, 7) + __vmaxs2(b, 9) + __vabsdiffu4(b, 1) + __dp4a(b, b, 3))
#endif

// CHECK-LABEL: .entry _Z10chosen_bwd
// CHECK: bfind.shiftamt
// CHECK: ret;
// ASSEMBLY: .cu:[[#@LINE+6]]:{{[0-9]+}}: error: {{.*}}the backward needs the result of the inline assembly 'mov.u32'
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void chosen(const float *x, const int *k, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  int r = KEY(k[i]);
  float s = 1;
  for (int j = 0; j < 3 && j < r; ++j)
    s *= x[(i + (r & 7)) % n];
  y[i] = s;
}
