//===- LaneSums.cpp - gradients of shared elements that the lanes of a warp sum in each iteration ---------------===//

#include "Derivative/LaneSums.h"
#include "Derivative/Accumulation.h"
#include "Derivative/CollectivePaths.h"
#include "Derivative/Collectives.h"
#include "Derivative/SharedTurns.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace kernix;

/// Each is a register of every thread while an iteration is reversed.
static constexpr size_t MostLoads = 64;

/// Whether V is computed from threadIdx.y and z and what the block has in common, and from nothing else.
bool LaneSums::isOfRow(const Value *V) const {
  if (Uniform.of(V) != UniformValues::WarpOfRow)
    return Uniform.of(V) == UniformValues::Block;
  if (const auto *Call = dyn_cast<CallBase>(V))
    return Call->getCalledFunction() && Call->getCalledFunction()->getName().starts_with("kernix.thread_idx.");
  // `threadIdx.x / 32` is the same for a warp only if rows are whole warps.
  return isa<GetElementPtrInst, CastInst, BinaryOperator>(V) &&
         all_of(cast<Instruction>(V)->operands(), [&](const Use &Operand) { return isOfRow(Operand); });
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
                   const LoopPlans &Plans, const Accumulation &Accumulations, FunctionAnalysisManager &FAM)
    : Objects(Objects), Uniform(Uniform), Contents(Contents), Plans(Plans), Loops(FAM.getResult<LoopAnalysis>(*P.F)) {
  if (Request.Kind != DerivativeRequest::Kernel || Request.IsDeterministic ||
      !P.F->getParent()->getTargetTriple().isNVPTX() || Accumulations.isAllAtomic())
    return;
  const DominatorTree &Dominators = FAM.getResult<DominatorTreeAnalysis>(*P.F);
  MapVector<const Loop *, SmallVector<Item, 8>> Candidates;
  for (const Instruction &I : instructions(*P.F)) {
    const auto *Load = dyn_cast<LoadInst>(&I);
    const Loop *L = Load ? Loops.getLoopFor(Load->getParent()) : nullptr;
    if (!L || !Active.isActiveAccess(I) || !(I.getType()->isFloatTy() || I.getType()->isDoubleTy()))
      continue;
    const Value *Pointer = Load->getPointerOperand();
    const MemoryObject *O = Objects.only(Pointer);
    if (O && O->Kind == MemoryObject::Shared && isOfRow(Pointer))
      Candidates[L].push_back({Load, Uniform.of(Pointer) != UniformValues::Block});
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
      } else {
        Result.Reason = std::move(Reason);
        Result.Stopped = Each.Load;
      }
  }
}
