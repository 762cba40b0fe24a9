// What is wrong in brainevent's comments is said where it stands.
// RUN: split-file %s %t
// RUN: not %cpu-host -fsyntax-only %t/names.cu 2>&1 | FileCheck %t/names.cu --implicit-check-not=error:
// RUN: not %cpu-host -fsyntax-only %t/functions.cu 2>&1 | FileCheck %t/functions.cu --implicit-check-not=error:
// RUN: not %cpu-device -fsyntax-only %t/functions.cu 2>&1 | FileCheck %t/functions.cu --implicit-check-not=error:
// RUN: not %cpu-host -fsyntax-only %t/broken.cu 2>&1 | FileCheck %t/broken.cu --implicit-check-not=error:
// REQUIRES: cpu

//--- names.cu
#include <brainevent/common.h>
// CHECK: names.cu:[[#@LINE+1]]:8: error: '@BE' needs the name of a function
// @BE 
// CHECK: names.cu:[[#@LINE+1]]:9: error: 'f,' is not a name: '@BE' takes the name of a function, and tokens after blanks
// @BE f, ret
// CHECK: names.cu:[[#@LINE+1]]:9: error: 'f()' is not a name
// @BE f()
// @BE g
// CHECK: names.cu:[[#@LINE+2]]:8: error: Duplicate @BE annotation for 'g'
// CHECK: names.cu:[[#@LINE-2]]:8: note: the first is here
// @BE g
void g(BE::Tensor y) {}

//--- functions.cu
#include <brainevent/common.h>
// CHECK: functions.cu:[[#@LINE+1]]:8: error: the source declares no function 'scael'; did you mean 'scale'?
// @BE scael
void scale(BE::Tensor y) {}
// CHECK: functions.cu:[[#@LINE+1]]:8: error: 'Extent' is a type: only functions can be bound
// @BE Extent
struct Extent {};
// CHECK: functions.cu:[[#@LINE+2]]:8: error: 'surface' is bound as 'area'
// CHECK: functions.cu:[[#@LINE+2]]:3: note: bound here
// @BE surface
[[kernix::bind("area")]] void surface(BE::Tensor y) {}
// CHECK: functions.cu:[[#@LINE+2]]:13: error: 'said' has another arg_spec already
// CHECK: functions.cu:[[#@LINE+2]]:24: note: it is given here
// @BE said ret attr.b
[[kernix::bind("said", "ret attr.a")]] void said(BE::Tensor y, int a) {}
namespace one { void twice(BE::Tensor y) {} }
namespace two { void twice(BE::Tensor y) {} }
// CHECK: functions.cu:[[#@LINE+1]]:8: error: 'twice' is ambiguous: write 'one::twice' or 'two::twice'
// @BE twice

//--- broken.cu
#include <brainevent/common.h>
// Only the function's own error is reported.
// @BE broken
// CHECK: broken.cu:[[#@LINE+1]]:13: error: unknown type name 'Unknown'
void broken(Unknown y) {}
