//===- Rematerialize.cpp - values that are cheaper to compute again than to keep ---------------------------------===//

#include "CpuTarget/Rematerialize.h"
#include "CpuTarget/CallGraph.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace kernix {

namespace {

constexpr unsigned LargestTree = 16;

std::optional<GeometryItem> geometryOf(const Instruction &I) {
  const auto *Call = dyn_cast<CallBase>(&I);
  const Function *Callee = Call ? calledFunction(*Call) : nullptr;
  return Callee ? geometryItem(*Callee) : std::nullopt;
}

bool isPure(const Instruction &I) {
  if (const auto *Load = dyn_cast<LoadInst>(&I)) {
    if (Load->isVolatile() || Load->isAtomic())
      return false;
    // The block's arena, and structs passed by value: nobody writes either while the kernel runs.
    const auto *Argument = dyn_cast<llvm::Argument>(Load->getPointerOperand()->stripInBoundsConstantOffsets());
    return Load->hasMetadata(LLVMContext::MD_invariant_load) ||
           (Argument && Argument->hasNoAliasAttr() && Argument->onlyReadsMemory() &&
            Argument->getDereferenceableBytes() != 0);
  }
  if (const auto *Intrinsic = dyn_cast<IntrinsicInst>(&I))
    return Intrinsic->getIntrinsicID() == Intrinsic::threadlocal_address || isa<MinMaxIntrinsic>(Intrinsic);
  if (const auto *Binary = dyn_cast<BinaryOperator>(&I))
    return !Binary->isIntDivRem(); // slow, and not to be done where they were not
  return isa<CastInst, CmpInst, GetElementPtrInst, SelectInst, UnaryOperator>(&I) || geometryOf(I);
}

bool check(const Value *V, Terms In, unsigned &Budget) {
  const auto *I = dyn_cast<Instruction>(V);
  if (!I)
    return true; // parameters and constants
  if (isa<AllocaInst>(I))
    return In == Terms::OfItsFunction;
  if (Budget == 0 || !isPure(*I))
    return false;
  --Budget;
  if (std::optional<GeometryItem> Item = geometryOf(*I))
    return In != Terms::OfBlock || Item->Field != SF_ThreadIdx;
  return all_of(I->operands(), [&](const Use &U) { return check(U, In, Budget); });
}

Value *copy(Value *V, IRBuilder<> &Builder, function_ref<Value *(GeometryItem)> Geometry,
            DenseMap<Value *, Value *> &Done) {
  auto *I = dyn_cast<Instruction>(V);
  if (!I || isa<AllocaInst>(I))
    return V;
  auto It = Done.find(V);
  if (It != Done.end())
    return It->second;
  if (std::optional<GeometryItem> Item = geometryOf(*I); Item && Geometry)
    return Done[V] = Geometry(*Item);
  Instruction *New = I->clone();
  for (Use &U : New->operands())
    if (isa<Instruction>(U))
      U.set(copy(U, Builder, Geometry, Done));
  Builder.Insert(New);
  Done[V] = New;
  return New;
}

} // namespace

bool canRematerialize(const Value *V, Terms In) {
  unsigned Budget = LargestTree;
  return check(V, In, Budget);
}

Value *rematerialize(Value *V, IRBuilder<> &Builder, function_ref<Value *(GeometryItem)> Geometry) {
  DenseMap<Value *, Value *> Done;
  return copy(V, Builder, Geometry, Done);
}

bool dependsOnThread(const Value *V) {
  const auto *I = dyn_cast<Instruction>(V);
  if (!I)
    return false;
  if (std::optional<GeometryItem> Item = geometryOf(*I))
    return Item->Field == SF_ThreadIdx;
  return any_of(I->operands(), [](const Use &U) { return dependsOnThread(U); });
}

} // namespace kernix
