// PTX in the source: what it computes becomes instructions, what only computes may be repeated, all else stays.
// REQUIRES: cuda
// RUN: %toolkit-device -O1 -Xclang -disable-llvm-passes -S -emit-llvm %s -o - | %opt -load-pass-plugin=%plugin \
// RUN:   -passes='function(sroa),kernix-raise,function(instcombine)' -S | FileCheck %s

#define F extern "C" __device__

// CHECK-LABEL: define {{.*}}@positive_shifts(
// CHECK: call i32 @llvm.fshl.i32(i32 %1, i32 %0, i32 %2)
// CHECK: call i32 @llvm.fshr.i32(i32 %1, i32 %0, i32 %2)
// CHECK: call i32 @llvm.umin.i32(i32 %2, i32 32)
// CHECK: ret
F unsigned positive_shifts(unsigned low, unsigned high, unsigned by) {
  unsigned a, b, c;
  asm("shf.l.wrap.b32 %0, %1, %2, %3;" : "=r"(a) : "r"(low), "r"(high), "r"(by));
  asm("shf.r.wrap.b32 %0, %1, %2, %3;" : "=r"(b) : "r"(low), "r"(high), "r"(by));
  asm("shf.r.clamp.b32 %0, %1, %2, %3;" : "=r"(c) : "r"(low), "r"(high), "r"(by));
  return a * b * c;
}

// CHECK-LABEL: define {{.*}}@positive_words(
// CHECK-NOT: asm
// CHECK: ret double
F double positive_words(double x, int by) {
  int low, high;
  asm volatile("mov.b64 {%0, %1}, %2;" : "=r"(low), "=r"(high) : "d"(x));
  low += by;
  asm volatile("mov.b64 %0, {%1,%2};" : "=d"(x) : "r"(low), "r"(high));
  return x;
}

// Only floats have fast functions.
// CHECK-LABEL: define {{.*}}@positive_doubles(
// CHECK: call double @kernix.fdivide.f64(double 1.000000e+00,
// CHECK: ret double
F double positive_doubles(double x) {
  double y;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
  return y;
}

// CHECK-LABEL: define {{.*}}@positive_numbers(
// CHECK: call float @kernix.exp2.f32(
// CHECK: call float @kernix.fast.tanh.f32(
// CHECK: call float @kernix.rsqrt.f32(
// CHECK: call float @llvm.fma.f32(
// CHECK: call float @llvm.maxnum.f32(
// CHECK: call float @kernix.fast.fdivide.f32(float 1.000000e+00,
// CHECK: ret float
F float positive_numbers(float x) {
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(x) : "f"(x));
  asm volatile("{ // in a block\n\ttanh.approx.f32 %0, %1; }" : "=f"(x) : "f"(x));
  asm("rsqrt.approx.f32 %0, %0;" : "+f"(x));
  asm("fma.rn.ftz.f32 %0, %0, %1, %0;" : "+f"(x) : "f"(x));
  asm("max.f32 %0, %1, %2;" : "=f"(x) : "f"(x), "f"(2.0f));
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(x) : "f"(x));
  return x;
}

// CHECK-LABEL: define {{.*}}@positive_pairs(
// CHECK-NOT: asm
// CHECK: fptrunc float %{{.*}} to half
// CHECK: fsub half
// CHECK: call half @llvm.fma.f16(
// CHECK-NOT: asm
// CHECK: ret i32
F unsigned positive_pairs(unsigned x, float a, float b) {
  unsigned y;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(y) : "f"(a), "f"(b));
  asm("sub.f16x2 %0, %1, %2;" : "=r"(y) : "r"(y), "r"(x));
  asm("fma.rn.f16x2 %0, %1, %2, %2;" : "=r"(y) : "r"(y), "r"(x));
  return y;
}

// CHECK-LABEL: define {{.*}}@positive_threads(
// CHECK: call void @kernix.barrier()
// CHECK: call void @kernix.syncwarp(i32 -1)
// CHECK: call {{.*}}i32 @llvm.nvvm.read.ptx.sreg.laneid()
// CHECK: call {{.*}}i32 @llvm.nvvm.read.ptx.sreg.lanemask.ge()
// CHECK: ret
F unsigned positive_threads(const float *x) {
  unsigned lane, mask;
  asm volatile("bar.sync 0;" ::: "memory");
  asm volatile("bar.warp.sync 0xffffffff;");
  asm volatile("prefetch.global.L2 [%0];" ::"l"(x));
  asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
  asm("mov.u32 %0, %%lanemask_ge;" : "=r"(mask));
  return lane ^ mask;
}

// Unknown to instructions, but nothing that a clock or another thread could change.
// CHECK-LABEL: define {{.*}}@positive_computation(
// CHECK: call i32 asm "lop3.b32 {{.*}}) #[[PURE:[0-9]+]]
// CHECK: call i32 asm "{ .reg .pred p;{{.*}}) #[[PURE]]
F unsigned positive_computation(unsigned x) {
  unsigned y, z;
  asm volatile("lop3.b32 %0, %1, 3, 5, 0x96;" : "=r"(y) : "r"(x));
  asm("{ .reg .pred p; setp.ne.s32 p, %1, 0;\n\t @p add.s32 %0, %1, %1; }" : "=r"(z) : "r"(y));
  return z;
}

// Other rounding, saturation, a barrier of some threads, a clock, memory.
// CHECK-LABEL: define {{.*}}@negative(
// CHECK-COUNT-2: call {{.*}}float asm {{.*}} #[[PURE]]
// CHECK: call void asm sideeffect "bar.sync 1
// CHECK: call i64 asm sideeffect "mov.u64
// CHECK: call {{.*}}float asm sideeffect "ld.shared
F float negative(float x, unsigned address) {
  long long t;
  asm("add.rz.f32 %0, %1, %1;" : "=f"(x) : "f"(x));
  asm("mul.sat.f32 %0, %1, %1;" : "=f"(x) : "f"(x));
  asm volatile("bar.sync 1, 64;");
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(t));
  float y;
  asm volatile("ld.shared.f32 %0, [%1];" : "=f"(y) : "r"(address));
  return x + y + t;
}

// CHECK: attributes #[[PURE]] = { {{(nounwind )?}}memory(none) }
