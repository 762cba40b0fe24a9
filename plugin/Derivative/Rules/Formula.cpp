//===- Formula.cpp - formulas over values of LLVM IR ------------------------------------------------------------===//

#include "Derivative/Rules/Formula.h"
#include "Derivative/Canonical/MathFunctions.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace kernix;

namespace {

RuleContext &contextOf(const Term &A, const Term &B) {
  RuleContext *C = A.context() ? A.context() : B.context();
  assert(C && "a formula of literals alone");
  return *C;
}

template <class Make> Term binary(const Term &A, const Term &B, Make Emit) {
  RuleContext &C = contextOf(A, B);
  if (C.isDry())
    return Term(C, C.poison());
  return Term(C, Emit(C.builder(), A.value(C), B.value(C)));
}

Condition compare(const Term &A, const Term &B, CmpInst::Predicate Predicate) {
  RuleContext &C = contextOf(A, B);
  if (C.isDry())
    return Condition(C, PoisonValue::get(CmpInst::makeCmpResultType(C.type())));
  return Condition(C, C.builder().CreateFCmp(Predicate, A.value(C), B.value(C)));
}

Type *workingType(const CallBase &Call) {
  // An integer result (ilogb) says nothing about the precision, nor does an integer operand (jn).
  if (Call.getType()->isFPOrFPVectorTy())
    return Call.getType();
  for (const Use &Argument : Call.args())
    if (Argument->getType()->isFPOrFPVectorTy())
      return Argument->getType();
  return Call.getType();
}

} // namespace

Value *Term::value(RuleContext &Context) const {
  assert(!isZero() && "an identical zero has no value");
  return IsLiteral ? ConstantFP::get(Context.type(), Literal) : V;
}

RuleContext::RuleContext(IRBuilderBase *Builder, const CallBase &Call, ArrayRef<Value *> Operands, Value *Result)
    : Builder(Builder), Call(Call), Operands(Operands), Result(Result), Type(workingType(Call)) {
  Needs.Operands.resize(Call.arg_size());
  const Function *Callee = Call.getCalledFunction();
  std::optional<CanonicalName> Name = Callee ? parseCanonicalName(*Callee) : std::nullopt;
  IsFast = Name && Name->IsFast;
}

Term RuleContext::operand(unsigned I) {
  Needs.Operands.set(I);
  return Term(*this, isDry() ? poison() : Operands[I]);
}

Value *RuleContext::integer(unsigned I) {
  Needs.Operands.set(I);
  return isDry() ? PoisonValue::get(Call.getArgOperand(I)->getType()) : Operands[I];
}

Term RuleContext::result() {
  Needs.Result = true;
  return Term(*this, isDry() ? poison() : Result);
}

Term RuleContext::call(StringRef Name, std::initializer_list<Term> Arguments) {
  if (isDry())
    return Term(*this, poison());
  const MathFunction *Math = findMathFunction(Name);
  assert(Math && "a rule calls an unknown function");
  Function *F =
      declareMath(*Builder->GetInsertBlock()->getModule(), *Math, Type, IsFast && !fastLibdeviceName(Name).empty());
  SmallVector<Value *, 4> Values;
  for (const Term &Argument : Arguments)
    Values.push_back(Argument.value(*this));
  return Term(*this, Builder->CreateCall(F, Values));
}

Term RuleContext::callWithInteger(StringRef Name, Term Argument, Value *Integer, unsigned IntegerPlace) {
  if (isDry())
    return Term(*this, poison());
  Function *F = declareMath(*Builder->GetInsertBlock()->getModule(), *findMathFunction(Name), Type, false);
  Value *Values[2];
  Values[IntegerPlace] = Builder->CreateSExtOrTrunc(Integer, Builder->getInt32Ty());
  Values[1 - IntegerPlace] = Argument.value(*this);
  return Term(*this, Builder->CreateCall(F, Values));
}

Value *RuleContext::callForInteger(StringRef Name, Term Argument) {
  if (isDry())
    return PoisonValue::get(IntegerType::getInt32Ty(Call.getContext()));
  Function *F = declareMath(*Builder->GetInsertBlock()->getModule(), *findMathFunction(Name), Type, false);
  return Builder->CreateCall(F, {Argument.value(*this)});
}

Value *RuleContext::negated(Value *Integer) { return isDry() ? Integer : Builder->CreateNeg(Integer); }

Term RuleContext::intrinsic(Intrinsic::ID ID, std::initializer_list<Term> Arguments) {
  if (isDry())
    return Term(*this, poison());
  SmallVector<Value *, 4> Values;
  for (const Term &Argument : Arguments)
    Values.push_back(Argument.value(*this));
  return Term(*this, Builder->CreateIntrinsic(ID, {Type}, Values));
}

Value *RuleContext::integerConstant(int Value) {
  return ConstantInt::getSigned(IntegerType::getInt32Ty(Call.getContext()), Value);
}

Value *RuleContext::addSaturating(Value *Integer, int Addend) {
  if (isDry())
    return Integer;
  if (auto *Constant = dyn_cast<ConstantInt>(Integer))
    return ConstantInt::get(Integer->getContext(),
                            Constant->getValue().sadd_sat(APInt(Constant->getBitWidth(), Addend, true)));
  return Builder->CreateBinaryIntrinsic(Intrinsic::sadd_sat, Integer,
                                        ConstantInt::getSigned(Integer->getType(), Addend));
}

Term RuleContext::fromInteger(Value *Integer) {
  return Term(*this, isDry() ? poison() : Builder->CreateSIToFP(Integer, Type));
}

Condition RuleContext::integerIs(Value *Integer, int Expected) {
  if (isDry())
    return Condition(*this, PoisonValue::get(IntegerType::getInt1Ty(Integer->getContext())));
  return Condition(*this, Builder->CreateICmpEQ(Integer, ConstantInt::getSigned(Integer->getType(), Expected)));
}

const ConstantFP *RuleContext::constantOperand(unsigned I) { return dyn_cast<ConstantFP>(Call.getArgOperand(I)); }

Term kernix::operator+(Term A, Term B) {
  if (A.isZero())
    return B;
  if (B.isZero())
    return A;
  return binary(A, B, [](IRBuilderBase &Builder, Value *L, Value *R) { return Builder.CreateFAdd(L, R); });
}

Term kernix::operator-(Term A, Term B) {
  if (A.isZero())
    return -B;
  if (B.isZero())
    return A;
  return binary(A, B, [](IRBuilderBase &Builder, Value *L, Value *R) { return Builder.CreateFSub(L, R); });
}

Term kernix::operator*(Term A, Term B) {
  if (A.isZero() || B.isZero())
    return Term();
  if (A.isLiteral(1.0))
    return B;
  if (B.isLiteral(1.0))
    return A;
  return binary(A, B, [](IRBuilderBase &Builder, Value *L, Value *R) { return Builder.CreateFMul(L, R); });
}

Term kernix::operator/(Term A, Term B) {
  if (A.isZero() || B.isLiteral(1.0))
    return A;
  return binary(A, B, [](IRBuilderBase &Builder, Value *L, Value *R) { return Builder.CreateFDiv(L, R); });
}

Term kernix::operator-(Term A) {
  if (A.isZero())
    return A;
  RuleContext &C = contextOf(A, A);
  return Term(C, C.isDry() ? C.poison() : C.builder().CreateFNeg(A.value(C)));
}

Condition kernix::isLess(Term A, Term B) { return compare(A, B, CmpInst::FCMP_OLT); }
Condition kernix::isAtMost(Term A, Term B) { return compare(A, B, CmpInst::FCMP_OLE); }
Condition kernix::isEqual(Term A, Term B) { return compare(A, B, CmpInst::FCMP_OEQ); }
Condition kernix::isNot(Term A, Term B) { return compare(A, B, CmpInst::FCMP_UNE); }
Condition kernix::isNan(Term A) { return compare(A, A, CmpInst::FCMP_UNO); }

Condition kernix::both(Condition A, Condition B) {
  RuleContext &C = A.context();
  return Condition(C, C.isDry() ? A.value() : C.builder().CreateAnd(A.value(), B.value()));
}

Condition kernix::either(Condition A, Condition B) {
  RuleContext &C = A.context();
  return Condition(C, C.isDry() ? A.value() : C.builder().CreateOr(A.value(), B.value()));
}

Term kernix::select(Condition If, Term Then, Term Else) {
  RuleContext &C = If.context();
  if (C.isDry())
    return Term(C, C.poison());
  auto Value = [&](Term T) { return T.isZero() ? ConstantFP::get(C.type(), 0.0) : T.value(C); };
  return Term(C, C.builder().CreateSelect(If.value(), Value(Then), Value(Else)));
}
