// Attributes of statements that a macro makes, or a file that is included twice: they hold for all that is there.
// RUN: not %cuda-host -fsyntax-only %s 2>&1 | FileCheck %s
// RUN: %cuda-host -fsyntax-only -DPOSITIVE %s 2>&1 | count 0

__device__ float opaque(float);
__device__ float plain(float);
struct Plain {
  float x;
};
struct Made {
  float x;
  __device__ Made(float x) : x(opaque(x)) {}
};

#ifdef POSITIVE
#define ONE(a) [[kernix::no_diff]] a = opaque(x);
__device__ float statementAlone(float x, float y) {
  ONE(y)
  return plain(x) * y;
}
#define BOTH(a, b) [[kernix::no_diff]] a = opaque(x); [[kernix::no_diff]] b = opaque(plain(y));
__device__ float bothMarked(float x, float y) {
  BOTH(x, y)
  return x * y;
}
// What takes and gives no number is no other call.
#define WITHOUT_NUMBERS(name)                                                                                          \
  __device__ float name(float x, float y) {                                                                            \
    Plain p;                                                                                                           \
    __syncthreads();                                                                                                   \
    [[kernix::no_diff]] p.x = opaque(x);                                                                               \
    return x * p.x;                                                                                                    \
  }
WITHOUT_NUMBERS(withoutNumbers)
// What stands in an argument is where it is written.
#define OTHERS(first, second) [[kernix::no_diff]] y = first; x = second;
__device__ float arguments(float x, float y) {
  OTHERS(opaque(x), plain(x))
  return x * y;
}
#define VARIABLE(name)                                                                                                 \
  __device__ float name(float x, float y) {                                                                            \
    [[kernix::no_diff]] float constant = opaque(x);                                                                    \
    return plain(x) * constant;                                                                                        \
  }
VARIABLE(variable)
#define SAME_LOOPS(name, n)                                                                                            \
  __device__ float name(float x) {                                                                                     \
    [[kernix::max_iters(n)]] while (x < 1) x *= 2;                                                                     \
    [[kernix::max_iters(n)]] while (x > 9) x *= 0.5f;                                                                  \
    return x;                                                                                                          \
  }
SAME_LOOPS(four, 4)
SAME_LOOPS(eight, 8)
template <class T> __device__ T inTemplate(T x, T y) {
  ONE(y)
  [[kernix::max_iters(3)]] while (x < y) x *= 2;
  return x;
}
template __device__ float inTemplate<float>(float, float);
#else

#define TWO(a, b) [[kernix::no_diff]] a = opaque(x); b = plain(x);
__device__ float oneOfTwo(float x, float y, float z) {
  TWO(y, z)
// CHECK: :[[@LINE-1]]:7: error: 'kernix::no_diff' on this statement would hold for other calls, too, which a macro or a second inclusion puts at its place; write it on a variable that takes the value
// CHECK: note: expanded from macro 'TWO'
// CHECK: :[[@LINE-3]]:3: note: such a call is here
  return y * z;
}
#define ARGUMENT(value) [[kernix::no_diff]] y = value; z = value;
__device__ float argumentTwice(float x, float y, float z) {
  ARGUMENT(opaque(x))
// CHECK: :[[@LINE-1]]:3: error: 'kernix::no_diff' on this statement would hold for other calls
// CHECK: :[[@LINE-2]]:12: note: such a call is here
  return y * z;
}
#define FUNCTION(name)                                                                                                 \
  template <class T> __device__ T name(T x, T y) {                                                                     \
    [[kernix::no_diff]] y = opaque(x);                                                                                 \
    return plain(x) * y;                                                                                               \
  }
FUNCTION(whole)
// CHECK: :[[@LINE-1]]:1: error: 'kernix::no_diff' on this statement would hold for other calls
template __device__ float whole<float>(float, float);
// A call in the other function that the macro makes.
#define FUNCTIONS(first, second)                                                                                       \
  __device__ float first(float x) { return Made(x).x; }                                                                \
  __device__ float second(float x, float y) { [[kernix::no_diff]] y = opaque(x); return x * y; }
FUNCTIONS(makes, calls)
// CHECK: :[[@LINE-1]]:1: error: 'kernix::no_diff' on this statement would hold for other calls
#define OUTER(name) FUNCTION(name)
OUTER(nested)
// CHECK: :[[@LINE-1]]:1: error: 'kernix::no_diff' on this statement would hold for other calls

#define LOOPS(name, attribute)                                                                                         \
  __device__ float name(float x) {                                                                                     \
    attribute while (x < 1) x *= 2;                                                                                    \
    for (int k = 0; k < 3; ++k) x += 1;                                                                                \
    return x;                                                                                                          \
  }
LOOPS(counted, [[kernix::max_iters(4)]])
// CHECK: :[[@LINE-1]]:1: error: 'kernix::max_iters' on this loop would hold for other loops, too, which a macro or a second inclusion puts at its place; write the same on all of them, or this loop in a function of its own
// CHECK: :[[@LINE-2]]:1: note: such a loop is here
LOOPS(recomputed, [[kernix::recompute]])
// CHECK: :[[@LINE-1]]:{{[0-9]+}}: error: 'kernix::recompute' on this loop would hold
LOOPS(stored, [[kernix::store]])
// CHECK: :[[@LINE-1]]:{{[0-9]+}}: error: 'kernix::store' on this loop would hold
#define TWO_COUNTS(name)                                                                                               \
  __device__ float name(float x) {                                                                                     \
    [[kernix::max_iters(4)]] while (x < 1) x *= 2;                                                                     \
    [[kernix::max_iters(5)]] while (x > 9) x *= 0.5f;                                                                  \
    return x;                                                                                                          \
  }
TWO_COUNTS(counts)
// CHECK: :[[@LINE-1]]:1: error: 'kernix::max_iters' on this loop would hold for other loops
// CHECK: :[[@LINE-2]]:1: error: 'kernix::max_iters' on this loop would hold for other loops

#define INCLUDED included
#define MARK [[kernix::no_diff]]
#include "Inputs/statement.h"
#undef INCLUDED
#undef MARK
#define INCLUDED again
#define MARK
#include "Inputs/statement.h"
// CHECK: Inputs/statement.h:5:8: error: 'kernix::no_diff' on this statement would hold for other calls
// CHECK: Inputs/statement.h:5:12: note: such a call is here
// Two files of one name.
#include "Inputs/first/statement.h"
#include "Inputs/second/statement.h"
// CHECK: Inputs/first/statement.h:4:{{[0-9]+}}: error: 'kernix::no_diff' on this statement would hold for other calls
// CHECK: Inputs/second/statement.h:4:{{[0-9]+}}: note: such a call is here
// CHECK: 12 errors generated
#endif
