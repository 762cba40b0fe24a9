// Expressions become postfix code: operators, precedence, associativity, every operand.
// RUN: %cpu-host -S -emit-llvm -o - %s | %python %S/Inputs/postfix.py | FileCheck %s
// REQUIRES: cpu
#include <kernix/kernix.h>

#define VALUE(name, text)                                                                                              \
  [[kernix::bind]] int name(const kernix::Tensor x, int n, [[kernix::value(text)]] long v) { return 0; }
// CHECK: {{^}}9223372036854775807{{$}}
VALUE(constant, "9223372036854775807")
// CHECK-NEXT: {{^}}p1{{$}}
VALUE(scalar, "n")
// CHECK-NEXT: {{^}}p0.size(2){{$}}
VALUE(size, "x.size(2)")
// CHECK-NEXT: {{^}}p0.size(-1){{$}}
VALUE(sizeFromEnd, "x.size(-1)")
// CHECK-NEXT: {{^}}p0.rank{{$}}
VALUE(rank, "x.rank()")
// CHECK-NEXT: {{^}}p0.numel{{$}}
VALUE(numel, "x.numel()")
// CHECK-NEXT: {{^}}p1 1 +{{$}}
VALUE(add, "n + 1")
// CHECK-NEXT: {{^}}p1 1 -{{$}}
VALUE(subtract, "n - 1")
// CHECK-NEXT: {{^}}p1 2 *{{$}}
VALUE(multiply, "n * 2")
// CHECK-NEXT: {{^}}p1 2 /{{$}}
VALUE(divide, "n / 2")
// CHECK-NEXT: {{^}}p1 2 %{{$}}
VALUE(remainder, "n % 2")
// CHECK-NEXT: {{^}}p1 neg{{$}}
VALUE(negate, "-n")
// CHECK-NEXT: {{^}}p1 neg neg{{$}}
VALUE(doubleNegate, "- -n")
// CHECK-NEXT: {{^}}p1 2 ceil_div{{$}}
VALUE(ceilDiv, "ceil_div(n, 2)")
// CHECK-NEXT: {{^}}p1 2 min{{$}}
VALUE(minimum, "min(n, 2)")
// CHECK-NEXT: {{^}}p1 2 max{{$}}
VALUE(maximum, "max(n, 2)")
// CHECK-NEXT: {{^}}p1 1 - 2 -{{$}}
VALUE(leftAssociative, "n - 1 - 2")
// CHECK-NEXT: {{^}}p1 2 / 3 *{{$}}
VALUE(leftAssociativeProduct, "n / 2 * 3")
// CHECK-NEXT: {{^}}1 p1 2 * + 3 -{{$}}
VALUE(productFirst, "1 + n * 2 - 3")
// CHECK-NEXT: {{^}}p1 neg 2 neg *{{$}}
VALUE(negateFirst, "-n * -2")
// CHECK-NEXT: {{^}}1 p1 + 2 3 - *{{$}}
VALUE(parentheses, "(1 + n) * (2 - 3)")
// CHECK-NEXT: {{^}}p1 1 min 2 + 3 4 ceil_div max{{$}}
VALUE(nestedCalls, "max(min(n, 1) + 2, ceil_div(3, 4))")
// CHECK-NEXT: {{^}}p1 1 +{{$}}
VALUE(blanks, "	n+ 1")
// CHECK-NEXT: {{^}}0 p1 /{{$}}
VALUE(zeroOverN, "0 / n")
// CHECK-NEXT: {{^}}p0 p1 +{{$}}
[[kernix::bind]] int hiddenWords(int min, int block, [[kernix::value("min + block")]] int v) { return 0; }
// CHECK-NEXT: {{^}}block.x{{$}}
// CHECK-NEXT: {{^}}block.y{{$}}
// CHECK-NEXT: {{^}}block.z{{$}}
[[kernix::bind, kernix::grid("block.x", "block.y", "block.z")]] __global__ void blockSizes(float *y) { *y = 1; }
