//===- SumLanes.cpp - sums over the lanes of a warp at the end of reversed iterations ---------------------------===//

#include "Derivative/Accumulation/WarpTotals.h"
#include "Derivative/Canonical/Geometry.h"
#include "Derivative/Canonical/Libdevice.h"
#include "Derivative/Reverse/ReverseWriter.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace kernix;

/// Whether the adjoint of what Load reads is given in the reversed iteration that reads it, and not before: by what is
/// behind the loop, or by the next iteration.
static bool isGivenInIteration(const LoadInst &Load, const Loop &L) {
  return all_of(Load.users(), [&](const User *U) {
    const auto *I = cast<Instruction>(U);
    return L.contains(I) && !(isa<PHINode>(I) && I->getParent() == L.getHeader());
  });
}

void ReverseWriter::planLaneSums(FunctionAnalysisManager &FAM) {
  PostDominatorTree &PostDominators = FAM.getResult<PostDominatorTreeAnalysis>(*P.F);
  bool HasRows = false;
  for (const auto &[L, Plan] : Lanes.plans()) {
    AllocaInst *HasGiven = nullptr;
    for (const LaneSums::Item &Item : Plan.Items) {
      Type *T = typeInShadow(*Item.Load);
      VariableOfLanes[Item.Load] = newVariable(T, "lane");
      bool IsSeldom = !PostDominators.dominates(Item.Load->getParent(), L->getHeader()) ||
                      givesOnlyBehindBranches(*Item.Load, PostDominators);
      if (!Plan.AreSure && IsSeldom && isGivenInIteration(*Item.Load, *L)) {
        if (!HasGiven)
          HasGiven = newVariable(B.getInt1Ty(), "gives");
        HasGivenToLanes[Item.Load] = HasGiven;
      }
      HasRows |= Item.IsCountedAtLaunch;
    }
  }
  if (VariableOfLanes.empty())
    return;
  auto Extent = [&](StringRef Name) {
    return Entry.CreateCall(declareGeometry(*Body.getParent(), *findGeometry(Name)));
  };
  Value *Width = Extent("block_dim.x");
  Value *Threads = Entry.CreateMul(Width, Entry.CreateMul(Extent("block_dim.y"), Extent("block_dim.z")));
  // All lanes of the last warp are there.
  WarpsAreWhole = Entry.CreateICmpEQ(Entry.CreateAnd(Threads, Entry.getInt32(31)), Entry.getInt32(0));
  if (Lanes.assumeWidth())
    WarpsAreWhole = Entry.CreateAnd(WarpsAreWhole,
                                    Entry.CreateICmpEQ(Width, Entry.getInt32(static_cast<uint32_t>(Request.Block[0]))));
  if (HasRows) {
    // Rows of this many lanes begin at multiples of it.
    Value *Power = Entry.CreateAnd(Width, Entry.CreateNeg(Width));
    LanesOfRow = Entry.CreateBinaryIntrinsic(Intrinsic::umin, Power, Entry.getInt32(32));
    Value *AreWide = Entry.CreateICmpUGE(LanesOfRow, Entry.getInt32(LeastLanesOfGroup));
    WarpsAreWhole = Entry.CreateAnd(WarpsAreWhole, AreWide);
  }
  Usual.assumeTrue(WarpsAreWhole);
}

/// At the beginning of a reversed iteration.
void ReverseWriter::clearLaneSums(Region &R) {
  const LaneSums::Plan *Plan = Lanes.of(R.L);
  if (!Plan)
    return;
  for (const LaneSums::Item &Item : Plan->Items) {
    AllocaInst *Variable = VariableOfLanes.lookup(Item.Load);
    B.CreateStore(ConstantFP::getNegativeZero(Variable->getAllocatedType()), Variable);
    if (AllocaInst *HasGiven = HasGivenToLanes.lookup(Item.Load))
      B.CreateStore(B.getFalse(), HasGiven);
  }
}

/// The last iteration of any lane of the warp. Null: all threads have the same number of iterations.
AllocaInst *ReverseWriter::lastStepOf(const Region &R) {
  const LaneSums::Plan *Plan = Lanes.of(R.L);
  if (!Plan || !Plan->InStep)
    return nullptr;
  AllocaInst *Step = newVariable(CountType, "step");
  Value *Count = B.CreateLoad(CountType, R.Count);
  BasicBlock *From = B.GetInsertBlock(), *Together = newBlock("in.step"), *Go = newBlock("reverse.loop");
  B.CreateCondBr(WarpsAreWhole, Together, Go);
  B.SetInsertPoint(Together);
  Value *Most = mostOfWarp(B, Count, architectureOf(Body));
  B.CreateBr(Go);
  B.SetInsertPoint(Go);
  PHINode *Steps = B.CreatePHI(CountType, 2);
  Steps->addIncoming(Count, From);
  Steps->addIncoming(Most, Together);
  B.CreateStore(B.CreateSub(Steps, ConstantInt::get(CountType, 1)), Step);
  return Step;
}

/// What an address in the loop is made of, computed where lanes are that have not come to it. Null: as anywhere else.
Value *ReverseWriter::valueForLanes(Value *V) {
  auto *I = dyn_cast<Instruction>(V);
  if (!I || !SummedRegion || !SummedRegion->L->contains(I))
    return nullptr;
  if (Value *Known = ValuesForLanes.lookup(I))
    return Known;
  if (auto *Phi = dyn_cast<PHINode>(I))
    return SummedStep ? ValuesForLanes[I] = affineAt(*SummedRegion, *Phi, SummedStep) : nullptr;
  SmallVector<Value *, 3> Operands;
  for (Use &Operand : I->operands())
    Operands.push_back(valueOf(Operand));
  return ValuesForLanes[I] = copyWith(B, *I, Operands);
}

/// Where all threads are that have reversed an iteration. Step: which one, for threads that have waited, too.
void ReverseWriter::sumLanes(Region &R, Value *Step) {
  const LaneSums::Plan *Plan = Lanes.of(R.L);
  if (!Plan)
    return;
  // What is given behind branches only is asked of these, and all else of the number.
  Value *Gives = B.getInt1(Plan->AreSure), *HasGiven = nullptr;
  SummedRegion = &R;
  SummedStep = Step;
  // Of one type, and of lanes that have the same places.
  struct Sums {
    LaneGroup Group;
    Type *Of;
    SmallVector<UniformAddition, 8> Additions;
    SmallVector<bool, 8> AreAsked; ///< only if HasGiven
  };
  SmallVector<Sums, 2> All;
  for (const LaneSums::Item &Item : Plan->Items) {
    AllocaInst *Variable = VariableOfLanes.lookup(Item.Load);
    Type *T = Variable->getAllocatedType();
    Value *Added = B.CreateLoad(T, Variable);
    AllocaInst *Flag = HasGivenToLanes.lookup(Item.Load);
    if (Flag && !HasGiven) {
      HasGiven = B.CreateLoad(B.getInt1Ty(), Flag);
      Gives = B.CreateOr(Gives, HasGiven);
    } else if (!Flag && !Plan->AreSure) {
      Gives = B.CreateOr(Gives, B.CreateFCmpUNE(Added, Constant::getNullValue(T)));
    }
    Value *Place = Addresses.of(const_cast<Value *>(Item.Load->getPointerOperand()));
    LaneGroup Group = Item.Group;
    Group.AtLaunch = Item.IsCountedAtLaunch ? LanesOfRow : nullptr;
    auto Found = find_if(All, [&](const Sums &S) { return S.Of == T && S.Group == Group; });
    if (Found == All.end())
      Found = All.insert(All.end(), {Group, T, {}, {}});
    Found->Additions.push_back({Place, Added, {T}});
    Found->AreAsked.push_back(Flag);
  }
  SummedRegion = nullptr;
  ValuesForLanes.clear();
  auto Asked = [&](const Sums &S) {
    SmallVector<UniformAddition, 8> Additions = S.Additions;
    for (size_t K = 0; K < Additions.size(); ++K)
      if (S.AreAsked[K])
        Additions[K].Added = B.CreateSelect(HasGiven, Additions[K].Added, ConstantFP::getNegativeZero(S.Of));
    return Additions;
  };

  BasicBlock *Together = newBlock("lanes"), *Sum = newBlock("lanes.sum"), *Alone = newBlock("lanes.alone"),
             *Each = newBlock("lanes.each"), *Done = newBlock("lanes.done");
  B.CreateCondBr(WarpsAreWhole, Together, Alone);
  B.SetInsertPoint(Alone);
  B.CreateCondBr(Gives, Each, Done);
  B.SetInsertPoint(Each);
  for (const Sums &S : All)
    for (const UniformAddition &A : Asked(S))
      addToShared(B, A.Place, A.Added);
  B.CreateBr(Done);
  B.SetInsertPoint(Together);
  if (Plan->AreSure)
    B.CreateBr(Sum);
  else
    B.CreateCondBr(holdsForAny(B, Gives), Sum, Done);
  B.SetInsertPoint(Sum);
  for (const Sums &S : All)
    laneTotals(B, Asked(S), S.Group, [&](const LaneTotal &Total) {
      Value *IsSomething = B.CreateFCmpUNE(Total.Sum, Constant::getNullValue(Total.Sum->getType()));
      BasicBlock *Add = newBlock("lane.add"), *Added = newBlock("lane.added");
      B.CreateCondBr(B.CreateAnd(Total.IsHere, IsSomething), Add, Added);
      B.SetInsertPoint(Add);
      addToShared(B, Total.Place, Total.Sum);
      B.CreateBr(Added);
      B.SetInsertPoint(Added);
    });
  B.CreateBr(Done);
  B.SetInsertPoint(Done);
}
