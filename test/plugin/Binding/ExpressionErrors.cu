// Every error of an expression, with its place inside the string.
// RUN: not %cpu-host -fsyntax-only -ferror-limit=0 %s 2>&1 | FileCheck %s --implicit-check-not=error:
// REQUIRES: cpu
#include <kernix/kernix.h>

enum class Mode { A };

// CHECK: :[[#@LINE+1]]:90: error: the expression is empty in ''
[[kernix::bind]] int f1(const kernix::Tensor x, int n, float f, Mode m, [[kernix::value("")]] int v) { return 0; }
// CHECK: :[[#@LINE+1]]:90: error: the expression is empty in ' '
[[kernix::bind]] int f2(const kernix::Tensor x, int n, float f, Mode m, [[kernix::value(" ")]] int v) { return 0; }
// CHECK: :[[#@LINE+1]]:93: error: expected an operand in 'n +'
[[kernix::bind]] int f3(const kernix::Tensor x, int n, float f, Mode m, [[kernix::value("n +")]] int v) { return 0; }
// CHECK: :[[#@LINE+1]]:90: error: unexpected '+' in '+ n'
[[kernix::bind]] int f4(const kernix::Tensor x, int n, float f, Mode m, [[kernix::value("+ n")]] int v) { return 0; }
// CHECK: :[[#@LINE+1]]:92: error: expected an operator or the end of the expression in 'n n'
[[kernix::bind]] int f5(const kernix::Tensor x, int n, float f, Mode m, [[kernix::value("n n")]] int v) { return 0; }
// CHECK: :[[#@LINE+1]]:92: error: expected an operator or the end of the expression in 'n ^ 2'
[[kernix::bind]] int f6(const kernix::Tensor x, int n, float f, Mode m, [[kernix::value("n ^ 2")]] int v) { return 0; }
// CHECK: :[[#@LINE+1]]:92: error: expected an operator or the end of the expression in 'n 3'
[[kernix::bind]] int f7(const kernix::Tensor x, int n, float f, Mode m, [[kernix::value("n 3")]] int v) { return 0; }
// CHECK: :[[#@LINE+1]]:92: error: expected ')' in '(n'
[[kernix::bind]] int f8(const kernix::Tensor x, int n, float f, Mode m, [[kernix::value("(n")]] int v) { return 0; }
// CHECK: :[[#@LINE+1]]:91: error: expected an operator or the end of the expression in 'n)'
[[kernix::bind]] int f9(const kernix::Tensor x, int n, float f, Mode m, [[kernix::value("n)")]] int v) { return 0; }
// CHECK: :[[#@LINE+1]]:92: error: unexpected ')' in '()'
[[kernix::bind]] int f10(const kernix::Tensor x, int n, float f, Mode m, [[kernix::value("()")]] int v) { return 0; }
// CHECK: :[[#@LINE+1]]:91: error: 'x' is a tensor; write x.size(k), x.rank() or x.numel() in 'x'
[[kernix::bind]] int f11(const kernix::Tensor x, int n, float f, Mode m, [[kernix::value("x")]] int v) { return 0; }
// CHECK: :[[#@LINE+1]]:93: error: a tensor has size(k), rank() and numel() in 'x.'
[[kernix::bind]] int f12(const kernix::Tensor x, int n, float f, Mode m, [[kernix::value("x.")]] int v) { return 0; }
// CHECK: :[[#@LINE+1]]:97: error: expected '(' in 'x.size'
[[kernix::bind]] int f13(const kernix::Tensor x, int n, float f, Mode m, [[kernix::value("x.size")]] int v) { return 0; }
// CHECK: :[[#@LINE+1]]:98: error: expected an integer in 'x.size('
[[kernix::bind]] int f14(const kernix::Tensor x, int n, float f, Mode m, [[kernix::value("x.size(")]] int v) { return 0; }
// CHECK: :[[#@LINE+1]]:98: error: expected an integer in 'x.size()'
[[kernix::bind]] int f15(const kernix::Tensor x, int n, float f, Mode m, [[kernix::value("x.size()")]] int v) { return 0; }
// CHECK: :[[#@LINE+1]]:98: error: expected an integer in 'x.size(n)'
[[kernix::bind]] int f16(const kernix::Tensor x, int n, float f, Mode m, [[kernix::value("x.size(n)")]] int v) { return 0; }
// CHECK: :[[#@LINE+1]]:98: error: axis 8 is beyond rank 8 in 'x.size(8)'
[[kernix::bind]] int f17(const kernix::Tensor x, int n, float f, Mode m, [[kernix::value("x.size(8)")]] int v) { return 0; }
// CHECK: :[[#@LINE+1]]:98: error: axis -9 is beyond rank 8 in 'x.size(-9)'
[[kernix::bind]] int f18(const kernix::Tensor x, int n, float f, Mode m, [[kernix::value("x.size(-9)")]] int v) { return 0; }
// CHECK: :[[#@LINE+1]]:99: error: expected ')' in 'x.size(0'
[[kernix::bind]] int f19(const kernix::Tensor x, int n, float f, Mode m, [[kernix::value("x.size(0")]] int v) { return 0; }
// CHECK: :[[#@LINE+1]]:97: error: expected '(' in 'x.rank'
[[kernix::bind]] int f20(const kernix::Tensor x, int n, float f, Mode m, [[kernix::value("x.rank")]] int v) { return 0; }
// CHECK: :[[#@LINE+1]]:98: error: expected ')' in 'x.rank(1)'
[[kernix::bind]] int f21(const kernix::Tensor x, int n, float f, Mode m, [[kernix::value("x.rank(1)")]] int v) { return 0; }
// CHECK: :[[#@LINE+1]]:93: error: a tensor has size(k), rank() and numel() in 'x.shape(0)'
[[kernix::bind]] int f22(const kernix::Tensor x, int n, float f, Mode m, [[kernix::value("x.shape(0)")]] int v) { return 0; }
// CHECK: :[[#@LINE+1]]:98: error: expected '(' in 'x.numel'
[[kernix::bind]] int f23(const kernix::Tensor x, int n, float f, Mode m, [[kernix::value("x.numel")]] int v) { return 0; }
// CHECK: :[[#@LINE+1]]:91: error: no parameter is called 'y' in 'y'
[[kernix::bind]] int f24(const kernix::Tensor x, int n, float f, Mode m, [[kernix::value("y")]] int v) { return 0; }
// CHECK: :[[#@LINE+1]]:91: error: no parameter is called 'N'; did you mean 'n'? in 'N'
[[kernix::bind]] int f25(const kernix::Tensor x, int n, float f, Mode m, [[kernix::value("N")]] int v) { return 0; }
// CHECK: :[[#@LINE+1]]:91: error: no parameter is called 'num' in 'num'
[[kernix::bind]] int f26(const kernix::Tensor x, int n, float f, Mode m, [[kernix::value("num")]] int v) { return 0; }
// CHECK: :[[#@LINE+1]]:92: error: expected an operator or the end of the expression in 'n.size(0)'
[[kernix::bind]] int f27(const kernix::Tensor x, int n, float f, Mode m, [[kernix::value("n.size(0)")]] int v) { return 0; }
// CHECK: :[[#@LINE+1]]:91: error: 'f' of type 'float' is not an integer in 'f'
[[kernix::bind]] int f28(const kernix::Tensor x, int n, float f, Mode m, [[kernix::value("f")]] int v) { return 0; }
// CHECK: :[[#@LINE+1]]:99: error: expected '(' in 'ceil_div'
[[kernix::bind]] int f29(const kernix::Tensor x, int n, float f, Mode m, [[kernix::value("ceil_div")]] int v) { return 0; }
// CHECK: :[[#@LINE+1]]:101: error: expected ',' in 'ceil_div(n)'
[[kernix::bind]] int f30(const kernix::Tensor x, int n, float f, Mode m, [[kernix::value("ceil_div(n)")]] int v) { return 0; }
// CHECK: :[[#@LINE+1]]:104: error: expected ')' in 'ceil_div(n, 2, 3)'
[[kernix::bind]] int f31(const kernix::Tensor x, int n, float f, Mode m, [[kernix::value("ceil_div(n, 2, 3)")]] int v) { return 0; }
// CHECK: :[[#@LINE+1]]:95: error: unexpected ')' in 'min()'
[[kernix::bind]] int f32(const kernix::Tensor x, int n, float f, Mode m, [[kernix::value("min()")]] int v) { return 0; }
// CHECK: :[[#@LINE+1]]:97: error: expected ',' in 'max(n 2)'
[[kernix::bind]] int f33(const kernix::Tensor x, int n, float f, Mode m, [[kernix::value("max(n 2)")]] int v) { return 0; }
// CHECK: :[[#@LINE+1]]:91: error: expected a decimal integer in '1.5'
[[kernix::bind]] int f34(const kernix::Tensor x, int n, float f, Mode m, [[kernix::value("1.5")]] int v) { return 0; }
// CHECK: :[[#@LINE+1]]:91: error: expected a decimal integer in '0x10'
[[kernix::bind]] int f35(const kernix::Tensor x, int n, float f, Mode m, [[kernix::value("0x10")]] int v) { return 0; }
// CHECK: :[[#@LINE+1]]:91: error: expected a decimal integer in '1e3'
[[kernix::bind]] int f36(const kernix::Tensor x, int n, float f, Mode m, [[kernix::value("1e3")]] int v) { return 0; }
// CHECK: :[[#@LINE+1]]:91: error: expected a decimal integer in '3n'
[[kernix::bind]] int f37(const kernix::Tensor x, int n, float f, Mode m, [[kernix::value("3n")]] int v) { return 0; }
// CHECK: :[[#@LINE+1]]:91: error: the integer does not fit into 64 bits in '9223372036854775808'
[[kernix::bind]] int f38(const kernix::Tensor x, int n, float f, Mode m, [[kernix::value("9223372036854775808")]] int v) { return 0; }
// CHECK: :[[#@LINE+1]]:91: error: the integer does not fit into 64 bits in '99999999999999999999'
[[kernix::bind]] int f39(const kernix::Tensor x, int n, float f, Mode m, [[kernix::value("99999999999999999999")]] int v) { return 0; }
// CHECK: :[[#@LINE+1]]:95: error: division by zero in 'n / 0'
[[kernix::bind]] int f40(const kernix::Tensor x, int n, float f, Mode m, [[kernix::value("n / 0")]] int v) { return 0; }
// CHECK: :[[#@LINE+1]]:95: error: division by zero in 'n % 0'
[[kernix::bind]] int f41(const kernix::Tensor x, int n, float f, Mode m, [[kernix::value("n % 0")]] int v) { return 0; }
// CHECK: :[[#@LINE+1]]:95: error: division by zero in 'n / (0)'
[[kernix::bind]] int f42(const kernix::Tensor x, int n, float f, Mode m, [[kernix::value("n / (0)")]] int v) { return 0; }
// CHECK: :[[#@LINE+1]]:103: error: division by zero in 'ceil_div(n, 0)'
[[kernix::bind]] int f43(const kernix::Tensor x, int n, float f, Mode m, [[kernix::value("ceil_div(n, 0)")]] int v) { return 0; }
// CHECK: :[[#@LINE+1]]:91: error: 'block' is known only in grid and shared_bytes in 'block.x'
[[kernix::bind]] int f44(const kernix::Tensor x, int n, float f, Mode m, [[kernix::value("block.x")]] int v) { return 0; }
// CHECK: :[[#@LINE+1]]:93: error: expected an operator or the end of the expression in 'n == 2'
[[kernix::bind]] int f45(const kernix::Tensor x, int n, float f, Mode m, [[kernix::value("n == 2")]] int v) { return 0; }
// CHECK: :[[#@LINE+1]]:92: error: expected an operand in '-'
[[kernix::bind]] int f46(const kernix::Tensor x, int n, float f, Mode m, [[kernix::value("-")]] int v) { return 0; }
// CHECK: :[[#@LINE+1]]:95: error: expected an operand in '- - '
[[kernix::bind]] int f47(const kernix::Tensor x, int n, float f, Mode m, [[kernix::value("- - ")]] int v) { return 0; }
// CHECK: :[[#@LINE+1]]:93: error: expected an operator or the end of the expression in 'n ? 1 : 2'
[[kernix::bind]] int f48(const kernix::Tensor x, int n, float f, Mode m, [[kernix::value("n ? 1 : 2")]] int v) { return 0; }
// CHECK: :[[#@LINE+1]]:91: error: unexpected 'ñ' in 'ñ'
[[kernix::bind]] int f49(const kernix::Tensor x, int n, float f, Mode m, [[kernix::value("ñ")]] int v) { return 0; }
// CHECK: :[[#@LINE+1]]:90: error: the expression is nested too deeply in '((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((n))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))'
[[kernix::bind]] int parentheses(int n, [[kernix::value("((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((n))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))")]] int v) { return 0; }
// CHECK: :[[#@LINE+1]]:115: error: the expression is nested too deeply in '----------------------------------------------------------------------n'
[[kernix::bind]] int minus(int n, [[kernix::value("----------------------------------------------------------------------n")]] int v) { return 0; }
