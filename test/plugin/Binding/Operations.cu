// Functions bound under one name are variants that the arguments have to tell apart.
// RUN: not %cpu-host -fsyntax-only -ferror-limit=0 %s 2>&1 | FileCheck %s --implicit-check-not=error:
// REQUIRES: cpu
#include <kernix/kernix.h>

[[kernix::bind("kinds")]] float first(float x) { return x; }
// CHECK: :[[#@LINE+2]]:3: error: functions bound as 'kinds' are variants of one operation and need the same kind and the same parameter names; bind this one under another name
// CHECK: :[[#@LINE-2]]:33: note: first(float x) is bound as 'kinds' too
[[kernix::bind("kinds")]] __global__ void second(float *x) { *x = 1; }

[[kernix::bind("names")]] float third(float x) { return x; }
// CHECK: :[[#@LINE+2]]:3: error: functions bound as 'names' are variants of one operation and need the same kind and the same parameter names; bind this one under another name
// CHECK: :[[#@LINE-2]]:33: note: third(float x) is bound as 'names' too
[[kernix::bind("names")]] double fourth(double y) { return y; }

// CHECK: :[[#@LINE+2]]:20: error: no argument tells sameTypes<2>(float *y) from sameTypes<1>(float *y), and both are bound as 'sameTypes'; bind this one through a variable of another name
// CHECK: :[[#@LINE+1]]:51: note: sameTypes<1>(float *y) is bound as 'sameTypes' too
template <int N> [[kernix::bind]] __global__ void sameTypes(float *y) { *y = N; }
template __global__ void sameTypes<1>(float *);
template __global__ void sameTypes<2>(float *);

template <class T> [[kernix::bind]] __global__ void fine(T *y) { *y = T(); }
template __global__ void fine(float *);
template __global__ void fine(float4 *);
template __global__ void fine(int *);
