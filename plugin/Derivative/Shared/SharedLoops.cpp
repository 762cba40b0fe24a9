//===- SharedLoops.cpp - loops over a tile that are unrolled before they are reversed ---------------------------===//

#include "Derivative/Shared/SharedLoops.h"
#include "Derivative/Canonical/Collectives.h"
#include "Derivative/Prepare/StorageMarks.h"
#include "Derivative/Shared/SharedSums.h"
#include "Derivative/Shared/SharedTurns.h"
#include "Derivative/Shared/SharedVariables.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/UnrollLoop.h"

using namespace llvm;
using namespace kernix;

namespace {

/// Of a loop that all threads leave together, and of one whose guard is another one for each thread.
constexpr unsigned MostIterations = 32, MostOwnIterations = 4;
/// Of the unrolled loop. A few times LLVM's own limit, since what is unrolled is reversed without a second run.
constexpr size_t MostInstructions = 1200, MostCalls = 16, MostLoads = 256;

/// How often L runs at most, if it is to be unrolled at all; 0: it is not.
unsigned iterationsOf(const Loop &L, ScalarEvolution &Evolution) {
  const BasicBlock *Latch = L.getLoopLatch();
  if (!L.isInnermost() || !Latch || !L.getLoopPreheader() || !L.isLoopExiting(Latch) || !L.isLoopSimplifyForm() ||
      hasUnrollTransformation(&L) != TM_Unspecified || maxIterationsOf(L.getLoopID()) ||
      isMarked(L.getLoopID(), StoreAnnotation) || isMarked(L.getLoopID(), RecomputeAnnotation))
    return 0;
  if (unsigned Count = Evolution.getSmallConstantTripCount(&L))
    return Count <= MostIterations ? Count : 0;
  unsigned Most = Evolution.getSmallConstantMaxTripCount(&L);
  return Most <= MostOwnIterations ? Most : 0;
}

/// Whether I loads a number from shared memory.
bool readsShared(const Instruction &I) {
  const auto *Load = dyn_cast<LoadInst>(&I);
  const auto *Variable = Load ? dyn_cast<GlobalVariable>(getUnderlyingObject(Load->getPointerOperand())) : nullptr;
  return Variable && isSharedVariable(*Variable) && Load->getType()->isFloatingPointTy();
}

/// The loads from shared memory; none if the loop is large, or if threads wait in it.
SmallVector<const LoadInst *, 8> sharedLoads(const Loop &L, unsigned Iterations) {
  SmallVector<const LoadInst *, 8> Loads;
  size_t Size = 0, Calls = 0;
  for (const BasicBlock *Block : L.blocks()) {
    Size += Block->size();
    for (const Instruction &I : *Block) {
      const auto *Load = dyn_cast<LoadInst>(&I);
      if (collectiveCall(I) || !storageMarkOf(I).Store.empty() || !storageMarkOf(I).Recompute.empty())
        return {};
      Calls += isa<CallInst>(I) && !isa<IntrinsicInst>(I);
      if (readsShared(I))
        Loads.push_back(Load);
    }
  }
  bool IsLarge =
      Size * Iterations > MostInstructions || Calls * Iterations > MostCalls || Loads.size() * Iterations > MostLoads;
  return IsLarge ? SmallVector<const LoadInst *, 8>() : Loads;
}

/// How many iterations give a place's worth of loads that many threads read, if all come to it; 1: they stay alone.
unsigned iterationsOfSum(const Loop &L, ScalarEvolution &Evolution, MemoryObjects &Objects, Activity &Active,
                         const UniformValues &Uniform, const FloatShadows &ShadowsInFloat, ThreadTables &Tables) {
  TransformationMode Asked = hasUnrollTransformation(&L);
  unsigned Count = Evolution.getSmallConstantTripCount(&L);
  if (!L.isInnermost() || !Count || L.getNumBlocks() != 1 || !L.isLoopSimplifyForm() ||
      maxIterationsOf(L.getLoopID()) || Asked == TM_Disable || Asked == TM_SuppressedByUser ||
      isMarked(L.getLoopID(), StoreAnnotation) || isMarked(L.getLoopID(), RecomputeAnnotation) ||
      !isForAllThreads(Uniform, *L.getHeader()))
    return 1;
  size_t Loads = 0;
  for (const Instruction &I : *L.getHeader()) {
    const auto *Load = dyn_cast<LoadInst>(&I);
    // Between the loads the block would wait.
    if (collectiveCall(I) || SharedTurnPlans::isBorder(I, Objects) || !storageMarkOf(I).Store.empty() ||
        !storageMarkOf(I).Recompute.empty())
      return 1;
    Loads += Load && Active.isActiveAccess(I) && manyReaders(*Load, Objects, ShadowsInFloat, Tables);
  }
  unsigned Most = 1;
  for (unsigned Joined = 2; Loads && Loads * Joined <= MostLoadsOfSum && Joined <= Count; ++Joined)
    if (Count % Joined == 0 && L.getHeader()->size() * Joined <= MostInstructions)
      Most = Joined;
  return Loads * Most >= FewestLoadsOfSum ? Most : 1;
}

} // namespace

static constexpr char AgainMark[] = "kernix.again";

bool kernix::isReadAgain(const Instruction &I) { return I.hasMetadata(AgainMark); }

namespace {

/// Whether I may change what is in O.
bool mayWrite(const Instruction &I, const MemoryObject &O, MemoryObjects &Objects) {
  if (kernix::MemoryAccess Access = accessOf(I); Access.Pointer)
    return Access.Stored && any_of(Objects.of(Access.Pointer), [&](const MemoryObject *Written) {
             return Written == &O || Written->Kind == MemoryObject::Unknown;
           });
  return I.mayWriteToMemory() && !collectiveCall(I) && !isa<AssumeInst>(I);
}

/// Marks the loads from what nothing writes any more when the loop has begun, and products with constants or of two of
/// them. False if there is another load from shared memory.
bool markReadAgain(Loop &L, ArrayRef<const LoadInst *> Loads, const Prepared &P, MemoryObjects &Objects,
                   const DominatorTree &Dominators, const LoopInfo &Loops) {
  SmallDenseMap<const MemoryObject *, bool> IsFinal;
  for (const LoadInst *Load : Loads) {
    const MemoryObject *O = Objects.only(Load->getPointerOperand());
    if (!O || !Load->isSimple())
      return false;
    if (!IsFinal.contains(O))
      IsFinal[O] = none_of(instructions(*P.F), [&](const Instruction &I) {
        return mayWrite(I, *O, Objects) &&
               (L.contains(&I) || isPotentiallyReachable(&L.getHeader()->front(), &I, nullptr, &Dominators, &Loops));
      });
    if (!IsFinal[O])
      return false;
  }
  MDNode *Mark = MDNode::get(P.F->getContext(), {});
  for (BasicBlock *Block : L.blocks())
    for (Instruction &I : *Block) {
      auto IsAtHand = [](const Value *V) {
        const auto *Operand = dyn_cast<Instruction>(V);
        return isa<Constant>(V) || (Operand && isReadAgain(*Operand));
      };
      if (is_contained(Loads, &I) || (I.getOpcode() == Instruction::FMul && all_of(I.operands(), IsAtHand)))
        I.setMetadata(AgainMark, Mark);
    }
  return true;
}

} // namespace

bool kernix::unrollSharedLoops(const DerivativeRequest &Request, const Prepared &P, FunctionAnalysisManager &FAM) {
  if (Request.Kind != DerivativeRequest::Kernel || Request.IsDifferentiated ||
      !P.F->getParent()->getTargetTriple().isNVPTX())
    return false;
  auto &Loops = FAM.getResult<LoopAnalysis>(*P.F);
  auto &Evolution = FAM.getResult<ScalarEvolutionAnalysis>(*P.F);
  struct Found {
    Loop *L = nullptr;
    unsigned Iterations = 0;
    SmallVector<const LoadInst *, 8> Loads;
  };
  SmallVector<Found, 4> All;
  for (Loop *L : Loops.getLoopsInPreorder())
    if (unsigned Iterations = iterationsOf(*L, Evolution))
      if (auto Loads = sharedLoads(*L, Iterations); !Loads.empty())
        All.push_back({L, Iterations, std::move(Loads)});
  bool MayHaveSums = hasSizeForSums(Request) && !Request.IsDeterministic && any_of(instructions(*P.F), readsShared);
  if (All.empty() && !MayHaveSums)
    return false;

  MemoryObjects Objects(P, Request);
  Activity Active(P, Request, Objects);
  UniformValues Uniform(P, Objects, FAM);
  IndexForms Forms(P, Objects, FAM);
  auto &Dominators = FAM.getResult<DominatorTreeAnalysis>(*P.F);
  unsigned UsedIds = idsRead(*P.F);
  erase_if(All, [&](const Found &F) {
    const DomTreeNode *Above = Dominators.getNode(F.L->getLoopPreheader());
    while (Above && (Loops.getLoopFor(Above->getBlock()) != F.L->getParentLoop() ||
                     !isForAllThreads(Uniform, *Above->getBlock())))
      Above = Above->getIDom();
    if (!Above)
      return true;
    LaunchConditions Assumed;
    bool HasActive = false;
    for (const LoadInst *Load : F.Loads) {
      if (!Active.isActiveAccess(*Load))
        continue;
      HasActive = true;
      std::optional<FormOfTurn> Form = formOfTurn(Forms, *Load, Objects, UsedIds, F.L);
      if (!Form)
        return true;
      Assumed.insert(Form->Assumed.begin(), Form->Assumed.end());
    }
    return !HasActive || !shapeOfTurns(Assumed, Request, UsedIds) ||
           !markReadAgain(*F.L, F.Loads, P, Objects, Dominators, Loops);
  });
  if (MayHaveSums) {
    ThreadTables Tables(Request.extentsOfBlock(), Uniform, P.F->getDataLayout());
    FloatShadows ShadowsInFloat(P, Objects, Active);
    for (Loop *L : Loops.getLoopsInPreorder())
      if (none_of(All, [&](const Found &F) { return F.L == L; }))
        if (unsigned Joined = iterationsOfSum(*L, Evolution, Objects, Active, Uniform, ShadowsInFloat, Tables);
            Joined > 1)
          All.push_back({L, Joined, {}});
  }
  if (All.empty())
    return false;

  auto &Assumptions = FAM.getResult<AssumptionAnalysis>(*P.F);
  auto &Target = FAM.getResult<TargetIRAnalysis>(*P.F);
  OptimizationRemarkEmitter Remarks(P.F);
  bool Changed = false;
  for (const Found &F : All) {
    UnrollLoopOptions Options = {};
    Options.Count = F.Iterations;
    Options.Force = true;
    Options.ForgetAllSCEV = true;
    Changed |= UnrollLoop(F.L, Options, &Loops, &Evolution, &Dominators, &Assumptions, &Target, &Remarks,
                          /*PreserveLCSSA=*/true) != LoopUnrollResult::Unmodified;
  }
  if (Changed)
    FAM.invalidate(*P.F, PreservedAnalyses::none());
  return Changed;
}
