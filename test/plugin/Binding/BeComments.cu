// brainevent's comments bind what they name: functions, those that macros make, overloads, with an arg_spec and without.
// RUN: %cpu-host -fsyntax-only -fplugin-arg-kernix-dump=json %s | %python %S/Inputs/record.py | FileCheck %s
// RUN: %cpu-device -fsyntax-only -fplugin-arg-kernix-dump=json %s | %python %S/Inputs/record.py | FileCheck %s
// REQUIRES: cpu
#include <brainevent/common.h>

// Functions with attributes come first.
// CHECK: host both = both({{.*}}) [ret attr.a:float32]
// CHECK: host called = other({{.*}}) [ret attr.a:float32]
// CHECK: kernel first = first(const float *x, float *y) [arg ret]
// @BE first arg ret
__global__ void first(const float *x, float *y) { y[0] = x[0]; }

// CHECK: host second = second(int a) [attr.a:int32]
//@BE second attr.a
int second(int a) { return a; } // see @BE, which is no binding

#define MAKE(SUFFIX, TYPE)                                                                                             \
  void made##SUFFIX(const BE::Tensor x, BE::Tensor y, TYPE factor, int64_t stream) {}
// CHECK: host made_f32 = made_f32({{.*}}) [arg ret attr.factor:float32 stream]
// @BE made_f32
MAKE(_f32, float)
// CHECK: host made_f64 = made_f64({{.*}}) [arg ret attr.factor:float64 stream]
	/// @BE	made_f64 	 args  rets attrs.factor ctx.stream 	
MAKE(_f64, double)

namespace inner {
namespace {
// CHECK: host hidden = inner::hidden({{.*}}) [ret]
void hidden(BE::Tensor y) {} // @BE hidden
} // namespace
// CHECK: host inner::shown = inner::shown({{.*}}) [ret]
void shown(BE::Tensor y) {}
} // namespace inner
// @BE inner::shown

// A comment and an attribute say one thing together.
// @BE both ret attr.a
[[kernix::bind]] void both(BE::Tensor y, float a) {}
// @BE called ret attr.a
[[kernix::bind("called")]] void other(BE::Tensor y, float a) {}

// Before the function or behind it.
// @BE late
// CHECK: host late = late({{.*}}) [ret]
void late(BE::Tensor y) {}

/* @BE third */
/*
// @BE third
*/
// @BEAT third
// see // @BE third
const char *Text = "// @BE fourth";
#if 0
// @BE fifth
#endif
// CHECK-NOT: host
