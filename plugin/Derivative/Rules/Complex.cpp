//===- Complex.cpp - functions of complex numbers ---------------------------------------------------------------===//
//
// Each has a derivative g that is a complex number: f(z + h) - f(z) is g h. Along a real h the parts of f change by the
// parts of g, along an imaginary one by those of i g. Canonical functions are the parts of f, each by itself, and their
// operands the parts of the arguments.
//
//===------------------------------------------------------------------------------------------------------------===//

#include "Derivative/Rules/Formula.h"
#include "Derivative/Rules/Tables.h"

using namespace llvm;
using namespace kernix;

namespace {

struct Complex {
  Term Real, Imaginary;
};

Complex operator+(Term A, Complex B) { return {A + B.Real, B.Imaginary}; }
Complex operator-(Complex A) { return {-A.Real, -A.Imaginary}; }
Complex operator-(Term A, Complex B) { return {A - B.Real, -B.Imaginary}; }
Complex operator-(Complex A, Term B) { return {A.Real - B, A.Imaginary}; }
Complex operator*(Complex A, Complex B) {
  return {A.Real * B.Real - A.Imaginary * B.Imaginary, A.Real * B.Imaginary + A.Imaginary * B.Real};
}
Complex operator*(Term A, Complex B) { return {A * B.Real, A * B.Imaginary}; }
Complex select(Condition If, Complex Then, Complex Else) {
  return {select(If, Then.Real, Else.Real), select(If, Then.Imaginary, Else.Imaginary)};
}

Condition isNull(Complex A) { return both(isEqual(A.Real, 0.0), isEqual(A.Imaginary, 0.0)); }

/// 1 / A, without the square of its size, which might be infinite or nothing. Of 0 it is infinite, as PyTorch has it.
Complex inverse(RuleContext &C, Complex A) {
  Term Size = C.call("complex_abs", {A.Real, A.Imaginary});
  Condition IsNull = isEqual(Size, 0.0);
  return {select(IsNull, 1.0 / Size, A.Real / Size / Size), select(IsNull, 0.0, -(A.Imaginary / Size / Size))};
}

/// 1 / (A B): of large numbers the product is infinite. Where one of them is 0 the inverse would be infinite times 0.
Complex inverse(RuleContext &C, Complex A, Complex B) {
  Complex OfA = inverse(C, A), OfB = inverse(C, B);
  return select(isNull(A), OfA, select(isNull(B), OfB, OfA * OfB));
}

Complex argument(RuleContext &C, unsigned I) { return {C.operand(2 * I), C.operand(2 * I + 1)}; }
Complex z(RuleContext &C) { return argument(C, 0); }

Complex call(RuleContext &C, const char *Name, std::initializer_list<Term> Arguments) {
  const std::string Function = std::string("complex_") + Name;
  return {C.call(Function + "_real", Arguments), C.call(Function + "_imaginary", Arguments)};
}
Complex call(RuleContext &C, const char *Name, Complex A) { return call(C, Name, {A.Real, A.Imaginary}); }
Complex call(RuleContext &C, const char *Name, Complex A, Complex B) {
  return call(C, Name, {A.Real, A.Imaginary, B.Real, B.Imaginary});
}

// The derivatives, by the argument of that number.

Complex exp(RuleContext &C, unsigned) { return call(C, "exp", z(C)); }
Complex log(RuleContext &C, unsigned) { return inverse(C, z(C)); }
Complex sqrt(RuleContext &C, unsigned) { return Term(0.5) * inverse(C, call(C, "sqrt", z(C))); }

Complex sin(RuleContext &C, unsigned) { return call(C, "cos", z(C)); }
Complex cos(RuleContext &C, unsigned) { return -call(C, "sin", z(C)); }
Complex tan(RuleContext &C, unsigned) {
  Complex Y = call(C, "tan", z(C));
  return Term(1.0) + Y * Y;
}
Complex sinh(RuleContext &C, unsigned) { return call(C, "cosh", z(C)); }
Complex cosh(RuleContext &C, unsigned) { return call(C, "sinh", z(C)); }
Complex tanh(RuleContext &C, unsigned) {
  Complex Y = call(C, "tanh", z(C));
  return Term(1.0) - Y * Y;
}

// As products: 1 - z * z would cancel near 1. One root of the product would be that on the other side of a cut.
Complex asin(RuleContext &C, unsigned) {
  return inverse(C, call(C, "sqrt", Term(1.0) - z(C)), call(C, "sqrt", Term(1.0) + z(C)));
}
Complex acos(RuleContext &C, unsigned) { return -asin(C, 0); }
Complex acosh(RuleContext &C, unsigned) {
  return inverse(C, call(C, "sqrt", z(C) - Term(1.0)), call(C, "sqrt", Term(1.0) + z(C)));
}
Complex asinh(RuleContext &C, unsigned) {
  Complex Turned = {-C.operand(1), C.operand(0)}; // i z
  return inverse(C, call(C, "sqrt", Term(1.0) - Turned), call(C, "sqrt", Term(1.0) + Turned));
}
Complex atan(RuleContext &C, unsigned) {
  Complex Turned = {-C.operand(1), C.operand(0)};
  return inverse(C, Term(1.0) - Turned, Term(1.0) + Turned);
}
Complex atanh(RuleContext &C, unsigned) { return inverse(C, Term(1.0) - z(C), Term(1.0) + z(C)); }

Complex div(RuleContext &C, unsigned Argument) {
  Complex Inverse = inverse(C, argument(C, 1));
  return Argument == 0 ? Inverse : -(call(C, "div", z(C), argument(C, 1)) * Inverse);
}

/// Of 0, as the power of a real number has them: a power of 0 has no slope, and 0 to a positive power stays 0.
Complex pow(RuleContext &C, unsigned Argument) {
  Complex Exponent = argument(C, 1);
  if (Argument == 0) {
    Complex Power = call(C, "pow", z(C), Exponent - Term(1.0));
    return Exponent * select(both(isNull(z(C)), isNull(Exponent)), {0.0, 0.0}, Power);
  }
  Complex Slope = call(C, "pow", z(C), Exponent) * call(C, "log", z(C));
  return select(both(isNull(z(C)), isAtMost(0.0, Exponent.Real)), {0.0, 0.0}, Slope);
}

/// With a real exponent, which is operand 2.
Complex powOfReal(RuleContext &C, unsigned Argument) {
  Term Exponent = C.z();
  if (Argument == 0) {
    Complex Power = call(C, "pow_of_real", {C.x(), C.y(), Exponent - 1.0});
    return Exponent * select(both(isNull(z(C)), isEqual(Exponent, 0.0)), {0.0, 0.0}, Power);
  }
  Complex Slope = call(C, "pow_of_real", {C.x(), C.y(), Exponent}) * call(C, "log", z(C));
  return select(both(isNull(z(C)), isAtMost(0.0, Exponent)), {0.0, 0.0}, Slope);
}

template <Complex (*Derivative)(RuleContext &, unsigned), bool OfImaginary>
Term part(RuleContext &C, unsigned Operand, Term By) {
  Complex G = Derivative(C, Operand / 2);
  bool ByImaginary = Operand % 2 != 0;
  return By * (OfImaginary == ByImaginary ? G.Real : OfImaginary ? G.Imaginary : -G.Imaginary);
}

#define PARTS(name, arity, function)                                                                                   \
  {"complex_" name "_real", arity, part<function, false>}, { "complex_" name "_imaginary", arity, part<function, true> }

const Rule Table[] = {
    // 0 at the origin, as in PyTorch.
    {"complex_abs", 2,
     [](RuleContext &C, unsigned Operand, Term By) {
       return By * select(isEqual(C.result(), 0.0), 0.0, C.operand(Operand) / C.result());
     }},
    PARTS("acos", 2, acos),
    PARTS("acosh", 2, acosh),
    PARTS("asin", 2, asin),
    PARTS("asinh", 2, asinh),
    PARTS("atan", 2, atan),
    PARTS("atanh", 2, atanh),
    PARTS("cos", 2, cos),
    PARTS("cosh", 2, cosh),
    PARTS("div", 4, div),
    PARTS("exp", 2, exp),
    PARTS("log", 2, log),
    PARTS("pow", 4, pow),
    PARTS("pow_of_real", 3, powOfReal),
    PARTS("sin", 2, sin),
    PARTS("sinh", 2, sinh),
    PARTS("sqrt", 2, sqrt),
    PARTS("tan", 2, tan),
    PARTS("tanh", 2, tanh),
};

} // namespace

ArrayRef<Rule> kernix::complexRules() { return Table; }
