//===- Formula.h - formulas over values of LLVM IR --------------------------------------------------------------===//
//
// What rules are written in: `By * (1.0 - C.result() * C.result())` emits instructions. Terms are floating-point values
// of one type, literals take the type of the other side, and a Term without a value is an identical zero.
//
// In a dry run (RuleContext without a builder) nothing is emitted and only the reading of operands and result is noted.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_DERIVATIVE_RULES_FORMULA_H
#define KERNIX_DERIVATIVE_RULES_FORMULA_H

#include "Derivative/Rules/Rule.h"
#include "llvm/IR/IRBuilder.h"
#include <initializer_list>

namespace kernix {

class Term {
public:
  Term() = default;
  Term(double Literal) : Literal(Literal), IsLiteral(true) {}
  Term(RuleContext &C, llvm::Value *V) : C(&C), V(V) {}

  bool isZero() const { return !V && !IsLiteral; }
  bool isLiteral(double Value) const { return IsLiteral && Literal == Value; }
  RuleContext *context() const { return C; }
  /// As a value in Context's type.
  llvm::Value *value(RuleContext &Context) const;

private:
  RuleContext *C = nullptr;
  llvm::Value *V = nullptr;
  double Literal = 0.0;
  bool IsLiteral = false;
};

/// An i1, or a vector of them.
class Condition {
public:
  Condition(RuleContext &C, llvm::Value *V) : C(&C), V(V) {}
  RuleContext &context() const { return *C; }
  llvm::Value *value() const { return V; }

private:
  RuleContext *C;
  llvm::Value *V;
};

/// Where a rule is applied.
class RuleContext {
public:
  RuleContext(llvm::IRBuilderBase *Builder, const llvm::CallBase &Call, llvm::ArrayRef<llvm::Value *> Operands,
              llvm::Value *Result);

  Term operand(unsigned I);
  Term x() { return operand(0); }
  Term y() { return operand(1); }
  Term z() { return operand(2); }
  Term w() { return operand(3); }
  llvm::Value *integer(unsigned I);
  Term result();

  /// `kernix.<Name>` in the type of the rule; the fast version where the rule is applied to a fast function.
  Term call(llvm::StringRef Name, std::initializer_list<Term> Arguments);
  /// The same with an integer as operand number IntegerPlace.
  Term callWithInteger(llvm::StringRef Name, Term Argument, llvm::Value *Integer, unsigned IntegerPlace);
  Term intrinsic(llvm::Intrinsic::ID ID, std::initializer_list<Term> Arguments);

  llvm::Value *callForInteger(llvm::StringRef Name, Term Argument);

  llvm::Value *negated(llvm::Value *Integer);
  llvm::Value *integerConstant(int Value);
  /// Integer + Value; no wrap at the least integer.
  llvm::Value *addSaturating(llvm::Value *Integer, int Value);
  Term fromInteger(llvm::Value *Integer);
  Condition integerIs(llvm::Value *Integer, int Value);
  /// The operand, if it is a constant.
  const llvm::ConstantFP *constantOperand(unsigned I);

  llvm::Type *type() const { return Type; }
  bool isSingle() const { return Type->getScalarType()->isFloatTy(); }
  bool isDry() const { return !Builder; }
  llvm::IRBuilderBase &builder() { return *Builder; }
  llvm::Value *poison() const { return llvm::PoisonValue::get(Type); }

  RuleNeeds Needs; ///< what has been read

private:
  llvm::IRBuilderBase *Builder;
  const llvm::CallBase &Call;
  llvm::ArrayRef<llvm::Value *> Operands;
  llvm::Value *Result;
  llvm::Type *Type;
  bool IsFast;
};

Term operator+(Term A, Term B);
Term operator-(Term A, Term B);
Term operator*(Term A, Term B);
Term operator/(Term A, Term B);
Term operator-(Term A);
inline Term square(Term A) { return A * A; }

// Ordered: false if a side is a NaN. isNot is true then, as != is in C.
Condition isLess(Term A, Term B);
Condition isAtMost(Term A, Term B);
Condition isEqual(Term A, Term B);
Condition isNot(Term A, Term B);
Condition isNan(Term A);
Condition both(Condition A, Condition B);
Condition either(Condition A, Condition B);
Term select(Condition If, Term Then, Term Else);

} // namespace kernix

#endif // KERNIX_DERIVATIVE_RULES_FORMULA_H
