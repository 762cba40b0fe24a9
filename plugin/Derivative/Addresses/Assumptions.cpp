//===- Assumptions.cpp - what the arguments of a call have to satisfy -------------------------------------------===//

#include "Derivative/Addresses/Assumptions.h"
#include "Derivative/Addresses/Steps.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"

using namespace llvm;
using namespace kernix;

namespace {

/// Where in the storage of a parameter V was read; null if V is anything else.
const Argument *argumentRead(const Value *V, APInt &Offset, MemoryObjects &Objects) {
  const auto *Load = dyn_cast<LoadInst>(V);
  if (!Load || !Load->getType()->isIntegerTy())
    return nullptr;
  const MemoryObject *Holder = Objects.only(Load->getPointerOperand());
  if (!Holder || Holder->Kind != MemoryObject::Parameter)
    return nullptr;
  const DataLayout &DL = Load->getDataLayout();
  Offset = APInt(DL.getIndexTypeSizeInBits(Load->getPointerOperandType()), 0);
  const Value *Base = Load->getPointerOperand()->stripAndAccumulateConstantOffsets(DL, Offset, true);
  return dyn_cast<Argument>(Base);
}

bool isOfArguments(const SCEV *S, MemoryObjects &Objects) {
  if (isa<SCEVConstant>(S))
    return true;
  if (const auto *Unknown = dyn_cast<SCEVUnknown>(S)) {
    APInt Offset;
    return argumentRead(Unknown->getValue(), Offset, Objects) != nullptr;
  }
  if (!isa<SCEVIntegralCastExpr, SCEVAddExpr, SCEVMulExpr>(S))
    return false;
  return all_of(S->operands(), [&](const SCEV *Operand) { return isOfArguments(Operand, Objects); });
}

class Evaluator {
public:
  Evaluator(MemoryObjects &Objects, IRBuilderBase &B, function_ref<Value *(const Argument &)> ArgumentOf)
      : Objects(Objects), B(B), ArgumentOf(ArgumentOf) {}

  Value *evaluate(const SCEV *S) {
    if (const auto *C = dyn_cast<SCEVConstant>(S))
      return C->getValue();
    if (const auto *Unknown = dyn_cast<SCEVUnknown>(S)) {
      APInt Offset;
      const Argument *A = argumentRead(Unknown->getValue(), Offset, Objects);
      return B.CreateLoad(S->getType(), B.CreatePtrAdd(ArgumentOf(*A), B.getInt(Offset)));
    }
    if (isa<SCEVSignExtendExpr>(S))
      return B.CreateSExt(evaluate(S->operands()[0]), S->getType());
    if (isa<SCEVZeroExtendExpr>(S))
      return B.CreateZExt(evaluate(S->operands()[0]), S->getType());
    if (isa<SCEVTruncateExpr>(S))
      return B.CreateTrunc(evaluate(S->operands()[0]), S->getType());
    Value *Result = nullptr;
    for (const SCEV *Operand : S->operands()) {
      Value *V = evaluate(Operand);
      Result = !Result ? V : isa<SCEVAddExpr>(S) ? B.CreateAdd(Result, V) : B.CreateMul(Result, V);
    }
    return Result;
  }

private:
  MemoryObjects &Objects;
  IRBuilderBase &B;
  function_ref<Value *(const Argument &)> ArgumentOf;
};

} // namespace

std::optional<Assumption> kernix::assumeApart(const SCEV *First, const SCEV *Second, uint64_t Size,
                                              MemoryObjects &Objects, ScalarEvolution &Evolution) {
  LinearForm Form = linearForm(First, Evolution);
  LinearForm Other = linearForm(Second, Evolution);
  Form.Constant -= Other.Constant;
  for (auto &[Term, Factor] : Other.Terms)
    if ((Form.Terms[Term] -= Factor) == 0)
      Form.Terms.erase(Term);
  if (Form.Terms.empty()) {
    if (static_cast<uint64_t>(std::abs(Form.Constant)) < Size)
      return std::nullopt;
    return Assumption{nullptr, 0};
  }
  Type *Wide = Type::getInt64Ty(Evolution.getContext());
  SmallVector<const SCEV *, 4> Parts;
  for (auto &[Term, Factor] : Form.Terms) {
    if (!isOfArguments(Term, Objects))
      return std::nullopt;
    // y[a * n + i] and y[b * n + i] for many a and b share the one assumption, n != 0.
    if (Form.Terms.size() == 1 && Form.Constant == 0 && static_cast<uint64_t>(std::abs(Factor)) >= Size)
      return Assumption{Term, 1};
    Parts.push_back(
        Evolution.getMulExpr(Evolution.getConstant(Wide, Factor, true), Evolution.getNoopOrSignExtend(Term, Wide)));
  }
  Parts.push_back(Evolution.getConstant(Wide, Form.Constant, true));
  return Assumption{Evolution.getAddExpr(Parts), Size};
}

std::optional<Assumptions> kernix::assumeStep(const SCEV *Step, uint64_t Size, MemoryObjects &Objects) {
  if (isNonZeroStep(Step, Size))
    return Assumptions();
  if (constantFactor(Step) < Size || !isOfArguments(Step, Objects))
    return std::nullopt;
  return Assumptions{Assumption{Step, Size}};
}

Value *kernix::whetherHolds(const Assumptions &All, MemoryObjects &Objects, IRBuilderBase &B,
                            function_ref<Value *(const Argument &)> ArgumentOf) {
  Value *Holds = B.getTrue();
  for (const Assumption &A : All) {
    // -Size < Distance < Size, in one comparison.
    Value *Distance = Evaluator(Objects, B, ArgumentOf).evaluate(A.Distance);
    Value *Shifted = B.CreateAdd(Distance, ConstantInt::get(Distance->getType(), A.Size - 1));
    Value *Apart = B.CreateICmpUGT(Shifted, ConstantInt::get(Distance->getType(), 2 * (A.Size - 1)));
    Holds = B.CreateAnd(Holds, Apart);
  }
  return Holds;
}

void kernix::addAssumptions(Assumptions &To, const Assumptions &From) {
  for (const Assumption &A : From)
    if (A.Size && !is_contained(To, A))
      To.push_back(A);
}
