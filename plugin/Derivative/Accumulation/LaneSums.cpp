//===- LaneSums.cpp - gradients of shared elements that the lanes of a warp sum in each iteration ---------------===//

#include "Derivative/Accumulation/LaneSums.h"
#include "Derivative/Accumulation/Accumulation.h"
#include "Derivative/Accumulation/FloatShadows.h"
#include "Derivative/Analysis/CollectivePaths.h"
#include "Derivative/Canonical/Collectives.h"
#include "Derivative/Shared/SharedSums.h"
#include "Derivative/Shared/SharedTurns.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace kernix;

/// Each is a register of every thread while an iteration is reversed.
static constexpr size_t MostLoads = 64;

/// Whether V is computed from what the block has in common and from thread ids that are right, and from nothing else.
bool LaneSums::isComputedFrom(const Value *V, function_ref<bool(StringRef Id)> IsRight) const {
  if (Uniform.of(V) == UniformValues::Block)
    return true;
  if (const auto *Call = dyn_cast<CallBase>(V)) {
    StringRef Name = Call->getCalledFunction() ? Call->getCalledFunction()->getName() : "";
    return Name.consume_front("kernix.thread_idx.") && IsRight(Name);
  }
  return isa<GetElementPtrInst, CastInst, BinaryOperator>(V) &&
         all_of(cast<Instruction>(V)->operands(), [&](const Use &Operand) { return isComputedFrom(Operand, IsRight); });
}

/// Which lanes read the element that a lane reads.
std::optional<LaneSums::Item> LaneSums::itemFor(const LoadInst &Load) {
  const Value *Pointer = Load.getPointerOperand();
  Item Result = {&Load, LaneGroup(), false, false};
  if (Uniform.of(Pointer) == UniformValues::Block)
    return Result;
  // How many lanes beside each other are always of one row; with a width that is not known, at least one.
  uint64_t Width = 1;
  while (Block[0] && Width < WarpSize && static_cast<uint64_t>(Block[0]) % (2 * Width) == 0)
    Width *= 2;
  Result.AssumesWidth = Block[0] != 0;
  if (isComputedFrom(Pointer, [](StringRef Id) { return Id != "x"; })) {
    Result.IsCountedAtLaunch = !Block[0];
    Result.Group.Lanes = Block[0] ? static_cast<unsigned>(Width) : LeastLanesOfGroup;
  } else if (Block[0] && isComputedFrom(Pointer, [](StringRef Id) { return Id == "x"; })) {
    // Rows that are parts of a warp.
    if (Width != static_cast<uint64_t>(Block[0]))
      return std::nullopt;
    Result.Group.Apart = static_cast<unsigned>(Width);
    Result.Group.Lanes /= Result.Group.Apart;
  } else {
    return std::nullopt;
  }
  if (Result.Group.Lanes == 1)
    return std::nullopt;
  return Result;
}

/// What keeps the threads of a block from being together at the end of each reversed iteration. InStep: they are if
/// they go in step.
std::string LaneSums::obstacleIn(const Loop &L, bool &InStep) const {
  auto IsUniform = [&](const BasicBlock &Block) {
    return all_of(Uniform.controls(&Block),
                  [&](const BasicBlock *Branch) { return Uniform.ofBranch(Branch) == UniformValues::Block; });
  };
  if (!IsUniform(*L.getLoopPreheader()))
    return "the threads of a block may come to the loop on different ways";
  if (Contents.separator(L))
    return "the iterations of the loop are kept apart by barriers";
  bool HasCollective = false;
  for (const BasicBlock *Block : L.blocks())
    for (const Instruction &I : *Block) {
      // What it takes away from the gradient, or lets others read, has to be there by then.
      if (SharedTurnPlans::isBorder(I, Objects))
        return "the loop stores to shared memory, has a barrier or calls a function";
      HasCollective |= collectiveCall(I) != nullptr;
    }
  SmallVector<BasicBlock *, 4> Exiting;
  L.getExitingBlocks(Exiting);
  InStep = any_of(Exiting, [&](const BasicBlock *Block) {
    return !IsUniform(*Block) || Uniform.ofBranch(Block) != UniformValues::Block;
  });
  if (!InStep)
    return "";
  if (HasCollective)
    return "threads may leave the loop in different iterations, and it has warp functions";
  return Plans.of(&L).Order == LoopPlan::Backwards
             ? ""
             : "threads may leave the loop in different iterations, which are reversed in the order of the source";
}

/// What keeps the address from being computed at the end of an iteration, by lanes that did not come to the load as
/// well.
std::string LaneSums::obstacleOf(const Value &Pointer, const Loop &L, bool InStep) const {
  SmallVector<const Value *, 8> Work = {&Pointer};
  SmallPtrSet<const Value *, 8> Seen;
  while (!Work.empty()) {
    const auto *I = dyn_cast<Instruction>(Work.pop_back_val());
    if (!I || !L.contains(I) || !Seen.insert(I).second)
      continue;
    if (const auto *Phi = dyn_cast<PHINode>(I); Phi && Phi->getParent() == L.getHeader()) {
      const auto &Carried = Plans.of(&L).Carried;
      auto How = Carried.find(const_cast<PHINode *>(Phi));
      if (!InStep || (How != Carried.end() && How->second.Kind == CarriedValue::Affine))
        continue;
      return "the address depends on what the loop carries";
    }
    if (!isa<GetElementPtrInst, CastInst, BinaryOperator>(I) || I->isIntDivRem())
      return "the address is computed by more than sums and products of counters";
    append_range(Work, I->operands());
  }
  return "";
}

LaneSums::LaneSums(const DerivativeRequest &Request, const Prepared &P, MemoryObjects &Objects, Activity &Active,
                   const UniformValues &Uniform, const CollectivePaths &Paths, const SharedContents &Contents,
                   const LoopPlans &Plans, const Accumulation &Accumulations, const FloatShadows &ShadowsInFloat,
                   const SharedTurnPlans &Turns, const SharedSumPlans &Sums, FunctionAnalysisManager &FAM)
    : Objects(Objects), Block(Request.Block), Uniform(Uniform), Contents(Contents), Plans(Plans),
      Loops(FAM.getResult<LoopAnalysis>(*P.F)) {
  if (Request.Kind != DerivativeRequest::Kernel || Request.IsDeterministic ||
      !P.F->getParent()->getTargetTriple().isNVPTX() || Accumulations.isAllAtomic())
    return;
  const DominatorTree &Dominators = FAM.getResult<DominatorTreeAnalysis>(*P.F);
  MapVector<const Loop *, SmallVector<Item, 8>> Candidates;
  for (const Instruction &I : instructions(*P.F)) {
    const auto *Load = dyn_cast<LoadInst>(&I);
    const Loop *L = Load ? Loops.getLoopFor(Load->getParent()) : nullptr;
    if (!L || !Active.isActiveAccess(I))
      continue;
    const Value *Pointer = Load->getPointerOperand();
    const MemoryObject *O = Objects.only(Pointer);
    if (!O || O->Kind != MemoryObject::Shared || Turns.contains(Load) || Sums.contains(Load))
      continue;
    if (Type *T = ShadowsInFloat.typeIn(*O, I.getType()); !T->isFloatTy() && !T->isDoubleTy())
      continue;
    if (std::optional<Item> Found = itemFor(*Load))
      Candidates[L].push_back(*Found);
  }
  for (auto &[L, List] : Candidates) {
    Plan &Result = Found[L];
    Result.Stopped = List.front().Load;
    Result.Reason = Paths.endsAnyThreads()    ? "threads return before the barriers"
                    : List.size() > MostLoads ? "it has too many loads of them"
                                              : obstacleIn(*L, Result.InStep);
    if (!Result.Reason.empty())
      continue;
    Result.AreSure = !Result.InStep && all_of(List, [&, L = L](const Item &Each) {
      return Dominators.dominates(Each.Load->getParent(), L->getLoopLatch());
    });
    for (const Item &Each : List)
      if (std::string Reason = obstacleOf(*Each.Load->getPointerOperand(), *L, Result.InStep); Reason.empty()) {
        Result.Items.push_back(Each);
        AssumeWidth |= Each.AssumesWidth;
      } else {
        Result.Reason = std::move(Reason);
        Result.Stopped = Each.Load;
      }
  }
}
