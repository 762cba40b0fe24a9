// An arg_spec that was written comes before the signature.
// RUN: %cpu-host -fsyntax-only -fplugin-arg-kernix-dump=json %s 2>%t.log | %python %S/Inputs/record.py | FileCheck %s
// RUN: FileCheck %s --check-prefix=SAID --implicit-check-not=warning: < %t.log
// REQUIRES: cpu
#include <kernix/kernix.h>

// CHECK: host plain = plain({{.*}}) [arg ret attr.a:float32 stream]
[[kernix::bind("plain", "args rets attrs.a ctx.stream")]] void plain(const kernix::Tensor x, kernix::Tensor y, float a, cudaStream_t s) {}

// CHECK: host constant = constant({{.*}}) [arg ret]
// CHECK-NEXT: x: arg tensor
// CHECK-NEXT: y: ret tensor {{.*}}written
// SAID: :[[#@LINE+2]]:33: warning: 'y' is an output by its arg_spec, and const in the signature [-Wkernix-arg-spec]
// SAID: :[[#@LINE+1]]:100: note: 'y' of type 'kernix::Tensor' is declared here
[[kernix::bind("constant", "arg ret")]] void constant(const kernix::Tensor x, const kernix::Tensor y);

// CHECK: host input = input({{.*}}) [arg ret]
// SAID: :[[#@LINE+1]]:26: warning: 'x' is an input by its arg_spec, and not const in the signature
[[kernix::bind("input", "arg ret")]] void input(kernix::Tensor x, kernix::Tensor y);

// CHECK: host converted = converted({{.*}}) [ret attr.a:float64]
// CHECK: a: attr scalar float64
// SAID: :[[#@LINE+1]]:34: warning: 'a' is float64 by its arg_spec and float32 in the signature; it is converted
[[kernix::bind("converted", "ret attr.a:float64")]] void converted(kernix::Tensor y, float a);

// The bits of a half type are no other type.
// CHECK: host bits = bits({{.*}}) [ret attr.a:float16 attr.b:bfloat16]
[[kernix::bind("bits", "ret attr.a:float16 attr.b:bfloat16")]] void bits(kernix::Tensor y, unsigned short a, unsigned short b);

// CHECK: host named = named({{.*}}) [ret attr.factor:float32]
[[kernix::bind("named", "ret attr.factor:float32")]] void named(kernix::Tensor y, float);

// CHECK: host streams = streams({{.*}}) [stream attr.stream:int64]
[[kernix::bind("streams", "stream attr.stream")]] int streams(long s, long stream) { return 1; }

// CHECK: kernel kernel = kernel({{.*}}) [arg ret attr.n:int32]
[[kernix::bind("kernel", "arg ret attr.n:int32")]] __global__ void kernel(const float *x, float *y, int n) { y[n] = x[n]; }

// CHECK: host texts = texts({{.*}}) [attr.s:string]
[[kernix::bind("texts", "attr.s:string")]] int texts(const char *s) { return 1; }
