//===- GradientSums.cpp - where a thread's contributions to a gradient are added up -----------------------------===//
//
// What a thread gives to one address several times, in the branches of an `if` or in a loop that does not move the
// address, is summed in a register first, and added to memory where the block that dominates all of it is reversed.
//
//===------------------------------------------------------------------------------------------------------------===//

#include "Derivative/Reverse/ReverseWriter.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace kernix;

void ReverseWriter::planGradientSums(FunctionAnalysisManager &FAM) {
  DominatorTree &Dominators = FAM.getResult<DominatorTreeAnalysis>(*P.F);
  PostDominatorTree &PostDominators = FAM.getResult<PostDominatorTreeAnalysis>(*P.F);
  MapVector<std::pair<const Value *, Type *>, SmallVector<Instruction *, 4>> Reads;
  for (Instruction &I : instructions(*P.F)) {
    auto *Load = dyn_cast<LoadInst>(&I);
    if (!Load || !Active.isActiveAccess(I))
      continue;
    // A store in between would take the gradient away; memory of the thread's own costs nothing.
    if (all_of(Objects.of(Load->getPointerOperand()), [](const MemoryObject *O) {
          return O->Kind == MemoryObject::Parameter || (O->isTensorLike() && O->TheLeaf->Access == Leaf::In);
        }))
      Reads[{Load->getPointerOperand(), Load->getType()}].push_back(Load);
  }
  for (auto &[Place, List] : Reads) {
    BasicBlock *Where = List.front()->getParent();
    for (Instruction *I : List)
      Where = Dominators.findNearestCommonDominator(Where, I->getParent());
    // All threads come to the entry in the end, and there a whole block can add together.
    APInt Offset(DL.getIndexTypeSizeInBits(Place.first->getType()), 0);
    bool IsScalar = isa<Argument>(Place.first->stripAndAccumulateConstantOffsets(DL, Offset, true)) &&
                    Objects.of(Place.first).front()->Kind == MemoryObject::Parameter;
    if (IsScalar || OverBlock.contains(Place.first))
      Where = &P.F->getEntryBlock();
    const auto *Defined = dyn_cast<Instruction>(Place.first);
    for (Loop *L = Loops.getLoopFor(Where); L && (!Defined || !L->contains(Defined)); L = L->getParentLoop())
      Where = L->getLoopPreheader();
    if (all_of(List, [&](const Instruction *I) { return I->getParent() == Where; }) && List.size() == 1) {
      if (!Request.IsDifferentiated && givesOnlyBehindBranches(*List.front(), PostDominators))
        GivesSeldom.insert(List.front());
      continue;
    }
    GradientSums.push_back(std::make_unique<GradientSum>());
    GradientSum &Sum = *GradientSums.back();
    Sum.Access = List.front();
    Sum.MayBeNothing = !IsScalar && none_of(List, [&](const Instruction *I) {
      return PostDominators.dominates(I->getParent(), Where);
    });
    Type *T = typeOfSum(Place.second);
    Sum.Variable = newVariable(T, "gradient", ConstantFP::getNegativeZero(T));
    // A sum of 0 may have been assigned, and its derivative need not be 0.
    bool IsFlagged = Request.IsDifferentiated ||
                     Accumulations.of(*Objects.of(Place.first).front()).Way == Accumulation::Choice::Once;
    if (Sum.MayBeNothing && IsFlagged)
      Sum.HasRun = newVariable(B.getInt1Ty(), "gradient.given", B.getFalse());
    SumsAt[Where].push_back(&Sum);
    for (Instruction *I : List)
      SumOf[I] = &Sum;
  }
}

void ReverseWriter::finishGradientSums(BasicBlock &Block) {
  auto Found = SumsAt.find(&Block);
  if (Found != SumsAt.end())
    for (GradientSum *Sum : Found->second) {
      Type *T = Sum->Variable->getAllocatedType();
      Value *IsSomething = Sum->HasRun ? B.CreateLoad(B.getInt1Ty(), Sum->HasRun) : nullptr;
      Additions.push_back({Sum->Access, B.CreateLoad(T, Sum->Variable), Sum->MayBeNothing, IsSomething});
      B.CreateStore(ConstantFP::getNegativeZero(T), Sum->Variable);
      if (Sum->HasRun)
        B.CreateStore(B.getFalse(), Sum->HasRun);
    }
  writeAdditions(&Block == &P.F->getEntryBlock() && !Paths.endsAnyThreads());
}

void ReverseWriter::addToMemory(Instruction &I, Value *Added) {
  auto *Pointer = const_cast<Value *>(accessOf(I).Pointer);
  const MemoryObject &O = *Objects.of(Pointer).front();
  if (hasOptionalShadow(O) && !VariableOfTurn.contains(&I) && !VariableOfLanes.contains(&I)) {
    GradientSum *Sum = SumOf.lookup(&I);
    if (!Sum) {
      Additions.push_back({&I, Added});
      return;
    }
    B.CreateStore(B.CreateFAdd(B.CreateLoad(Added->getType(), Sum->Variable), Added), Sum->Variable);
    if (Sum->HasRun)
      B.CreateStore(B.getTrue(), Sum->HasRun);
    return;
  }
  if (Type *T = typeInShadow(I); Added->getType() != T)
    Added = B.CreateFPTrunc(Added, T);
  if (AllocaInst *Turn = VariableOfTurn.lookup(&I)) {
    B.CreateStore(B.CreateFAdd(B.CreateLoad(Added->getType(), Turn), Added), Turn);
    return;
  }
  if (AllocaInst *Sum = VariableOfLanes.lookup(&I)) {
    B.CreateStore(B.CreateFAdd(B.CreateLoad(Added->getType(), Sum), Added), Sum);
    return;
  }
  Value *Place = Addresses.of(Pointer);
  if (O.Kind != MemoryObject::Shared)
    B.CreateStore(B.CreateFAdd(B.CreateLoad(Added->getType(), Place), Added), Place);
  else if (Body.getParent()->getTargetTriple().isNVPTX() && !Accumulations.isAllAtomic() && isSameForWarp(I))
    addOverWarp(I, Place, Added, /*MayBeFloat=*/false);
  else
    addToShared(B, Place, Added);
}
