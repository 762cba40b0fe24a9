// Every error of an expression, with its place inside the string.
// RUN: not %cpu-host -fsyntax-only -ferror-limit=0 %s 2>&1 | FileCheck %s --implicit-check-not=error:
// REQUIRES: cpu
#include <kernix/kernix.h>

enum class Mode { A };

// CHECK: :[[#@LINE+1]]:90: error: in '': the expression is empty
[[kernix::bind]] int f1(const kernix::Tensor x, int n, float f, Mode m, [[kernix::value("")]] int v) { return 0; }
// CHECK: :[[#@LINE+1]]:90: error: in ' ': the expression is empty
[[kernix::bind]] int f2(const kernix::Tensor x, int n, float f, Mode m, [[kernix::value(" ")]] int v) { return 0; }
// CHECK: :[[#@LINE+1]]:93: error: in 'n +': expected an operand
[[kernix::bind]] int f3(const kernix::Tensor x, int n, float f, Mode m, [[kernix::value("n +")]] int v) { return 0; }
// CHECK: :[[#@LINE+1]]:90: error: in '+ n': unexpected '+'
[[kernix::bind]] int f4(const kernix::Tensor x, int n, float f, Mode m, [[kernix::value("+ n")]] int v) { return 0; }
// CHECK: :[[#@LINE+1]]:92: error: in 'n n': expected an operator or the end of the expression
[[kernix::bind]] int f5(const kernix::Tensor x, int n, float f, Mode m, [[kernix::value("n n")]] int v) { return 0; }
// CHECK: :[[#@LINE+1]]:92: error: in 'n ^ 2': expected an operator or the end of the expression
[[kernix::bind]] int f6(const kernix::Tensor x, int n, float f, Mode m, [[kernix::value("n ^ 2")]] int v) { return 0; }
// CHECK: :[[#@LINE+1]]:92: error: in 'n 3': expected an operator or the end of the expression
[[kernix::bind]] int f7(const kernix::Tensor x, int n, float f, Mode m, [[kernix::value("n 3")]] int v) { return 0; }
// CHECK: :[[#@LINE+1]]:92: error: in '(n': expected ')'
[[kernix::bind]] int f8(const kernix::Tensor x, int n, float f, Mode m, [[kernix::value("(n")]] int v) { return 0; }
// CHECK: :[[#@LINE+1]]:91: error: in 'n)': expected an operator or the end of the expression
[[kernix::bind]] int f9(const kernix::Tensor x, int n, float f, Mode m, [[kernix::value("n)")]] int v) { return 0; }
// CHECK: :[[#@LINE+1]]:92: error: in '()': unexpected ')'
[[kernix::bind]] int f10(const kernix::Tensor x, int n, float f, Mode m, [[kernix::value("()")]] int v) { return 0; }
// CHECK: :[[#@LINE+1]]:91: error: in 'x': 'x' is a tensor; write x.size(k), x.rank() or x.numel()
[[kernix::bind]] int f11(const kernix::Tensor x, int n, float f, Mode m, [[kernix::value("x")]] int v) { return 0; }
// CHECK: :[[#@LINE+1]]:93: error: in 'x.': a tensor has size(k), rank() and numel()
[[kernix::bind]] int f12(const kernix::Tensor x, int n, float f, Mode m, [[kernix::value("x.")]] int v) { return 0; }
// CHECK: :[[#@LINE+1]]:97: error: in 'x.size': expected '('
[[kernix::bind]] int f13(const kernix::Tensor x, int n, float f, Mode m, [[kernix::value("x.size")]] int v) { return 0; }
// CHECK: :[[#@LINE+1]]:98: error: in 'x.size(': expected an integer
[[kernix::bind]] int f14(const kernix::Tensor x, int n, float f, Mode m, [[kernix::value("x.size(")]] int v) { return 0; }
// CHECK: :[[#@LINE+1]]:98: error: in 'x.size()': expected an integer
[[kernix::bind]] int f15(const kernix::Tensor x, int n, float f, Mode m, [[kernix::value("x.size()")]] int v) { return 0; }
// CHECK: :[[#@LINE+1]]:98: error: in 'x.size(n)': expected an integer
[[kernix::bind]] int f16(const kernix::Tensor x, int n, float f, Mode m, [[kernix::value("x.size(n)")]] int v) { return 0; }
// CHECK: :[[#@LINE+1]]:98: error: in 'x.size(8)': axis 8 is beyond rank 8
[[kernix::bind]] int f17(const kernix::Tensor x, int n, float f, Mode m, [[kernix::value("x.size(8)")]] int v) { return 0; }
// CHECK: :[[#@LINE+1]]:98: error: in 'x.size(-9)': axis -9 is beyond rank 8
[[kernix::bind]] int f18(const kernix::Tensor x, int n, float f, Mode m, [[kernix::value("x.size(-9)")]] int v) { return 0; }
// CHECK: :[[#@LINE+1]]:99: error: in 'x.size(0': expected ')'
[[kernix::bind]] int f19(const kernix::Tensor x, int n, float f, Mode m, [[kernix::value("x.size(0")]] int v) { return 0; }
// CHECK: :[[#@LINE+1]]:97: error: in 'x.rank': expected '('
[[kernix::bind]] int f20(const kernix::Tensor x, int n, float f, Mode m, [[kernix::value("x.rank")]] int v) { return 0; }
// CHECK: :[[#@LINE+1]]:98: error: in 'x.rank(1)': expected ')'
[[kernix::bind]] int f21(const kernix::Tensor x, int n, float f, Mode m, [[kernix::value("x.rank(1)")]] int v) { return 0; }
// CHECK: :[[#@LINE+1]]:93: error: in 'x.shape(0)': a tensor has size(k), rank() and numel()
[[kernix::bind]] int f22(const kernix::Tensor x, int n, float f, Mode m, [[kernix::value("x.shape(0)")]] int v) { return 0; }
// CHECK: :[[#@LINE+1]]:98: error: in 'x.numel': expected '('
[[kernix::bind]] int f23(const kernix::Tensor x, int n, float f, Mode m, [[kernix::value("x.numel")]] int v) { return 0; }
// CHECK: :[[#@LINE+1]]:91: error: in 'y': no parameter is called 'y'
[[kernix::bind]] int f24(const kernix::Tensor x, int n, float f, Mode m, [[kernix::value("y")]] int v) { return 0; }
// CHECK: :[[#@LINE+1]]:91: error: in 'N': no parameter is called 'N'; did you mean 'n'?
[[kernix::bind]] int f25(const kernix::Tensor x, int n, float f, Mode m, [[kernix::value("N")]] int v) { return 0; }
// CHECK: :[[#@LINE+1]]:91: error: in 'num': no parameter is called 'num'
[[kernix::bind]] int f26(const kernix::Tensor x, int n, float f, Mode m, [[kernix::value("num")]] int v) { return 0; }
// CHECK: :[[#@LINE+1]]:92: error: in 'n.size(0)': expected an operator or the end of the expression
[[kernix::bind]] int f27(const kernix::Tensor x, int n, float f, Mode m, [[kernix::value("n.size(0)")]] int v) { return 0; }
// CHECK: :[[#@LINE+1]]:91: error: in 'f': 'f' of type 'float' is not an integer
[[kernix::bind]] int f28(const kernix::Tensor x, int n, float f, Mode m, [[kernix::value("f")]] int v) { return 0; }
// CHECK: :[[#@LINE+1]]:99: error: in 'ceil_div': expected '('
[[kernix::bind]] int f29(const kernix::Tensor x, int n, float f, Mode m, [[kernix::value("ceil_div")]] int v) { return 0; }
// CHECK: :[[#@LINE+1]]:101: error: in 'ceil_div(n)': expected ','
[[kernix::bind]] int f30(const kernix::Tensor x, int n, float f, Mode m, [[kernix::value("ceil_div(n)")]] int v) { return 0; }
// CHECK: :[[#@LINE+1]]:104: error: in 'ceil_div(n, 2, 3)': expected ')'
[[kernix::bind]] int f31(const kernix::Tensor x, int n, float f, Mode m, [[kernix::value("ceil_div(n, 2, 3)")]] int v) { return 0; }
// CHECK: :[[#@LINE+1]]:95: error: in 'min()': unexpected ')'
[[kernix::bind]] int f32(const kernix::Tensor x, int n, float f, Mode m, [[kernix::value("min()")]] int v) { return 0; }
// CHECK: :[[#@LINE+1]]:97: error: in 'max(n 2)': expected ','
[[kernix::bind]] int f33(const kernix::Tensor x, int n, float f, Mode m, [[kernix::value("max(n 2)")]] int v) { return 0; }
// CHECK: :[[#@LINE+1]]:91: error: in '1.5': expected a decimal integer without leading zeros
[[kernix::bind]] int f34(const kernix::Tensor x, int n, float f, Mode m, [[kernix::value("1.5")]] int v) { return 0; }
// CHECK: :[[#@LINE+1]]:91: error: in '0x10': expected a decimal integer without leading zeros
[[kernix::bind]] int f35(const kernix::Tensor x, int n, float f, Mode m, [[kernix::value("0x10")]] int v) { return 0; }
// CHECK: :[[#@LINE+1]]:93: error: in '010': expected a decimal integer without leading zeros
[[kernix::bind]] int octal(const kernix::Tensor x, int n, float f, Mode m, [[kernix::value("010")]] int v) { return 0; }
// CHECK: :[[#@LINE+1]]:91: error: in '1e3': expected a decimal integer without leading zeros
[[kernix::bind]] int f36(const kernix::Tensor x, int n, float f, Mode m, [[kernix::value("1e3")]] int v) { return 0; }
// CHECK: :[[#@LINE+1]]:91: error: in '3n': expected a decimal integer without leading zeros
[[kernix::bind]] int f37(const kernix::Tensor x, int n, float f, Mode m, [[kernix::value("3n")]] int v) { return 0; }
// CHECK: :[[#@LINE+1]]:91: error: in '9223372036854775808': the integer does not fit into 64 bits
[[kernix::bind]] int f38(const kernix::Tensor x, int n, float f, Mode m, [[kernix::value("9223372036854775808")]] int v) { return 0; }
// CHECK: :[[#@LINE+1]]:91: error: in '99999999999999999999': the integer does not fit into 64 bits
[[kernix::bind]] int f39(const kernix::Tensor x, int n, float f, Mode m, [[kernix::value("99999999999999999999")]] int v) { return 0; }
// CHECK: :[[#@LINE+1]]:95: error: in 'n / 0': division by zero
[[kernix::bind]] int f40(const kernix::Tensor x, int n, float f, Mode m, [[kernix::value("n / 0")]] int v) { return 0; }
// CHECK: :[[#@LINE+1]]:95: error: in 'n % 0': division by zero
[[kernix::bind]] int f41(const kernix::Tensor x, int n, float f, Mode m, [[kernix::value("n % 0")]] int v) { return 0; }
// CHECK: :[[#@LINE+1]]:95: error: in 'n / (0)': division by zero
[[kernix::bind]] int f42(const kernix::Tensor x, int n, float f, Mode m, [[kernix::value("n / (0)")]] int v) { return 0; }
// CHECK: :[[#@LINE+1]]:103: error: in 'ceil_div(n, 0)': division by zero
[[kernix::bind]] int f43(const kernix::Tensor x, int n, float f, Mode m, [[kernix::value("ceil_div(n, 0)")]] int v) { return 0; }
// CHECK: :[[#@LINE+1]]:91: error: in 'block.x': 'block' is known only in grid and shared_bytes
[[kernix::bind]] int f44(const kernix::Tensor x, int n, float f, Mode m, [[kernix::value("block.x")]] int v) { return 0; }
// CHECK: :[[#@LINE+1]]:93: error: in 'n == 2': expected an operator or the end of the expression
[[kernix::bind]] int f45(const kernix::Tensor x, int n, float f, Mode m, [[kernix::value("n == 2")]] int v) { return 0; }
// CHECK: :[[#@LINE+1]]:92: error: in '-': expected an operand
[[kernix::bind]] int f46(const kernix::Tensor x, int n, float f, Mode m, [[kernix::value("-")]] int v) { return 0; }
// CHECK: :[[#@LINE+1]]:95: error: in '- - ': expected an operand
[[kernix::bind]] int f47(const kernix::Tensor x, int n, float f, Mode m, [[kernix::value("- - ")]] int v) { return 0; }
// CHECK: :[[#@LINE+1]]:93: error: in 'n ? 1 : 2': expected an operator or the end of the expression
[[kernix::bind]] int f48(const kernix::Tensor x, int n, float f, Mode m, [[kernix::value("n ? 1 : 2")]] int v) { return 0; }
// CHECK: :[[#@LINE+1]]:91: error: in 'ñ': no parameter is called 'ñ'
[[kernix::bind]] int f49(const kernix::Tensor x, int n, float f, Mode m, [[kernix::value("ñ")]] int v) { return 0; }
// CHECK: :[[#@LINE+1]]:90: error: the expression is nested too deeply
[[kernix::bind]] int parentheses(int n, [[kernix::value("((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((n))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))")]] int v) { return 0; }
// CHECK: :[[#@LINE+1]]:115: error: the expression is nested too deeply
[[kernix::bind]] int minus(int n, [[kernix::value("----------------------------------------------------------------------n")]] int v) { return 0; }

// Constants are computed here already.
// CHECK: :[[#@LINE+1]]:63: error: in '9223372036854775807 + 1': the result does not fit into 64 bits
[[kernix::bind]] int add([[kernix::value("9223372036854775807 + 1")]] int v) { return 0; }
// CHECK: :[[#@LINE+1]]:84: error: in 'n + (0 - 9223372036854775807 - 2)': the result does not fit into 64 bits
[[kernix::bind]] int subtract(int n, [[kernix::value("n + (0 - 9223372036854775807 - 2)")]] int v) { return 0; }
// CHECK: :[[#@LINE+1]]:59: error: in '4294967296 * 4294967296': the result does not fit into 64 bits
[[kernix::bind]] int multiply([[kernix::value("4294967296 * 4294967296")]] int v) { return 0; }
// CHECK: :[[#@LINE+1]]:46: error: in '-(-9223372036854775807 - 1)': the result does not fit into 64 bits
[[kernix::bind]] int negate([[kernix::value("-(-9223372036854775807 - 1)")]] int v) { return 0; }
// CHECK: :[[#@LINE+1]]:73: error: in '(-9223372036854775807 - 1) / -1': the result does not fit into 64 bits
[[kernix::bind]] int divide([[kernix::value("(-9223372036854775807 - 1) / -1")]] int v) { return 0; }
// CHECK: :[[#@LINE+1]]:69: error: in 'n / (1 - 1)': division by zero
[[kernix::bind]] int divideByDifference(int n, [[kernix::value("n / (1 - 1)")]] int v) { return 0; }
// CHECK: :[[#@LINE+1]]:74: error: in 'ceil_div(n, min(3, 0))': division by zero
[[kernix::bind]] int divideByMinimum(int n, [[kernix::value("ceil_div(n, min(3, 0))")]] int v) { return 0; }
// CHECK: :[[#@LINE+1]]:{{[0-9]+}}: error: '3000000000' is 3000000000, which does not fit 'v' of type 'int'
[[kernix::bind]] int large([[kernix::value("3000000000")]] int v) { return 0; }
// CHECK: :[[#@LINE+1]]:{{[0-9]+}}: error: '1 - 2' is -1, which does not fit 'v' of type 'unsigned char'
[[kernix::bind]] int negative([[kernix::value("1 - 2")]] unsigned char v) { return 0; }
// CHECK: :[[#@LINE+1]]:{{[0-9]+}}: error: '-129' is -129, which does not fit 'v' of type 'signed char'
[[kernix::bind]] int small([[kernix::value("-129")]] signed char v) { return 0; }
[[kernix::bind]] int limits([[kernix::value("-128")]] signed char a, [[kernix::value("255")]] unsigned char b,
                            [[kernix::value("-9223372036854775807 - 1")]] long c,
                            [[kernix::value("9223372036854775807")]] unsigned long d) { return 0; }
// CHECK: :[[#@LINE+1]]:{{[0-9]+}}: error: a grid has at most 2147483647 blocks in x, and 65535 in y and z
[[kernix::bind, kernix::grid("x.numel()", 65536)]] __global__ void wide(float *x) {}
// CHECK: :[[#@LINE+1]]:{{[0-9]+}}: error: a grid has at most 2147483647 blocks in x, and 65535 in y and z
[[kernix::bind, kernix::grid("65536 * 65536")]] __global__ void long_(float *x) {}
[[kernix::bind, kernix::grid(2147483647, 65535, 65535)]] __global__ void widest(float *x) {}
