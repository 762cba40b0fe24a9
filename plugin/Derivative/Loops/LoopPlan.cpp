//===- LoopPlan.cpp - how each loop is reversed -----------------------------------------------------------------===//

#include "Derivative/Loops/LoopPlan.h"
#include "Derivative/Addresses/SingleStores.h"
#include "Derivative/Analysis/ControlDependence.h"
#include "Derivative/Prepare/Prepare.h"
#include "Derivative/Prepare/StorageMarks.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/LoopIterator.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace kernix;

namespace {

/// Up to here each iteration of a bounded loop has a place on its tape; loops that may run longer take checkpoints.
constexpr uint64_t MostExactIterations = 256;
constexpr uint64_t MostSnapshotBytes = 1024;
constexpr uint64_t IterationsWithUndo = 256;

} // namespace

LoopPlans::LoopPlans(const Prepared &P, MemoryObjects &Objects, Activity &Active, const LoopNeeds &Needs,
                     SharedContents &Contents, const SingleStores &Stores, FunctionAnalysisManager &FAM,
                     Refusals &Refused)
    : P(P), Objects(Objects), Active(Active), Needs(Needs), Contents(Contents), Stores(Stores),
      Loops(FAM.getResult<LoopAnalysis>(*P.F)), Evolution(FAM.getResult<ScalarEvolutionAnalysis>(*P.F)),
      Dominators(FAM.getResult<DominatorTreeAnalysis>(*P.F)), Refused(Refused) {
  for (Loop *L : Loops.getLoopsInPreorder())
    plan(*L);
}

/// Whether the value ends up as one that it keeps, after as many steps as it has bits.
static bool losesBits(const Value *Next, const PHINode &Phi) {
  const auto *I = dyn_cast<BinaryOperator>(Next);
  const APInt *C = nullptr;
  if (!I || I->getOperand(0) != &Phi || !match(I->getOperand(1), m_APInt(C)) || C->isZero())
    return false;
  switch (I->getOpcode()) {
  case Instruction::Shl:
  case Instruction::LShr:
  case Instruction::AShr:
    return true;
  case Instruction::Mul:
    return !(*C)[0];
  case Instruction::UDiv:
    return !C->isOne();
  case Instruction::SDiv:
    return C->isStrictlyPositive() && !C->isOne();
  default:
    return false;
  }
}

/// How often the header of `for (step = 1; step < n; step *= 2)` runs at most, if the loop ends at all: what it
/// compares does not change any more once all bits have been shifted out. 0: it is not such a loop.
static uint64_t mostDoublings(const Loop &L, const DominatorTree &Dominators) {
  const BasicBlock *Exiting = L.getExitingBlock();
  const auto *Branch = Exiting ? dyn_cast<BranchInst>(Exiting->getTerminator()) : nullptr;
  const auto *Compare = Branch && Branch->isConditional() ? dyn_cast<ICmpInst>(Branch->getCondition()) : nullptr;
  // A test that some iterations leave out may end the loop at any time.
  if (!Compare || !L.getLoopLatch() || !Dominators.dominates(Exiting, L.getLoopLatch()))
    return 0;
  for (unsigned K : {0, 1}) {
    const Value *Moving = Compare->getOperand(K);
    while (const auto *Cast = dyn_cast<CastInst>(Moving))
      Moving = Cast->getOperand(0);
    for (const PHINode &Phi : L.getHeader()->phis())
      if (const Value *Next = Phi.getIncomingValueForBlock(L.getLoopLatch());
          Phi.getType()->isIntegerTy() && losesBits(Next, Phi) && (Moving == &Phi || Moving == Next) &&
          L.isLoopInvariant(Compare->getOperand(1 - K)))
        return Phi.getType()->getIntegerBitWidth() + 2;
  }
  return 0;
}

/// Whether V says which way an iteration has gone, as after `break` out of a scope of variables.
static bool tellsWay(const Value *V, const Loop &L, SmallPtrSetImpl<const Value *> &Seen) {
  const auto *I = dyn_cast<Instruction>(V);
  if (!I || !L.contains(I) || !Seen.insert(I).second)
    return false;
  const auto *Phi = dyn_cast<PHINode>(I);
  if (!Phi)
    return isa<CastInst, CmpInst, BinaryOperator>(I) &&
           any_of(I->operands(), [&](const Value *Operand) { return tellsWay(Operand, L, Seen); });
  return I->getParent() != L.getHeader() && any_of(Phi->incoming_values(), [&](const Value *Incoming) {
           return isa<Constant>(Incoming) || tellsWay(Incoming, L, Seen);
         });
}

/// Whether L is left at the end of an iteration only, and not for what has happened before.
static bool runsWhole(const Loop &L) {
  const BasicBlock *Exiting = L.getExitingBlock();
  if (!Exiting || Exiting != L.getLoopLatch())
    return false;
  SmallPtrSet<const Value *, 8> Seen;
  const Value *Condition = conditionOf(*Exiting);
  return Condition && !tellsWay(Condition, L, Seen);
}

void LoopPlans::plan(Loop &L) {
  LoopPlan &Plan = Plans[&L];
  Plan.Inside = Contents.hasWork(L) ? &Needs.whole() : &Needs.of(&L);
  bool HasWork = Contents.hasWork(L);
  for (BasicBlock *Block : L.blocks())
    for (Instruction &I : *Block)
      HasWork |= Active.isActive(&I) || Active.isActiveAccess(I);
  if (!HasWork)
    return;
  findKept(L, Plan);
  bool AreSums = true;
  for (PHINode &Phi : L.getHeader()->phis())
    AreSums &= !Active.isActive(&Phi) || followSum(L, Phi, Plan);
  if (AreSums && Plan.Kept.empty() && runsForwards(L, Plan)) {
    Plan.Order = LoopPlan::Forwards;
  } else {
    Plan.Order = LoopPlan::Backwards;
    for (PHINode &Phi : L.getHeader()->phis())
      Plan.Carried[&Phi] = carried(L, Plan, Phi);
  }
  if (unsigned Most = Evolution.getSmallConstantMaxTripCount(&L); Most && Most < (1U << 30))
    Plan.Bound = Most + 1; // the header may run once more than the latch
  else
    Plan.Bound = mostDoublings(L, Dominators);
  if (int64_t Promised = maxIterationsOf(L.getLoopID())) {
    // The source counts whole bodies: where the loop may be left before the end of one, another may have begun.
    Plan.Bound = static_cast<uint64_t>(Promised) + !runsWhole(L);
    Plan.BoundIsPromised = true;
  }
  planMemory(L, Plan);
  choose(L, Plan);
  checkMemory(L, Plan);
}

/// What is marked in this loop itself, and read again by its adjoints.
void LoopPlans::findKept(Loop &L, LoopPlan &Plan) {
  for (BasicBlock *Block : L.blocks()) {
    if (Loops.getLoopFor(Block) != &L)
      continue;
    for (Instruction &I : *Block) {
      StringRef Name = storageMarkOf(I).Store;
      // A phi of the header is what the loop carries, and a store's value has a mark of its own.
      if (Name.empty() || I.getType()->isVoidTy() || (isa<PHINode>(I) && Block == L.getHeader()) ||
          !Plan.Inside->contains(&I))
        continue;
      if (I.mayWriteToMemory() || Contents.isSpecial(I))
        Refused.error(I, "[[kernix::store]] on '" + Name +
                             "', whose value comes from an operation that has to run again, too, since it concerns "
                             "other memory or other threads; mark what is computed from it");
      else
        Plan.Kept.insert(&I);
    }
  }
}

namespace {

/// What the source asks for, and where.
struct Asked {
  const Instruction *Where = nullptr;
  std::string Of; ///< "on a loop", "on 's' in a loop"
  explicit operator bool() const { return Where; }
};

/// The marks of a loop and of what it carries.
struct AskedOfLoop {
  Asked Store, Recompute;

  void add(const Instruction &I) {
    StorageMark Mark = storageMarkOf(I);
    if (!Mark.Store.empty() && !Store)
      Store = {&I, "on '" + Mark.Store.str() + "' in a loop"};
    if (!Mark.Recompute.empty() && !Recompute)
      Recompute = {&I, "on '" + Mark.Recompute.str() + "' in a loop"};
  }

  /// The values that an iteration may hand to the next as this phi, also through phis of branches and inner loops.
  void addValuesOf(const PHINode &Phi, const Loop &L) {
    add(Phi);
    SmallVector<const Value *, 8> Work = {Phi.getIncomingValueForBlock(L.getLoopLatch())};
    SmallPtrSet<const Value *, 8> Seen = {&Phi};
    while (!Work.empty()) {
      const auto *I = dyn_cast<Instruction>(Work.pop_back_val());
      if (!I || !L.contains(I) || !Seen.insert(I).second)
        continue;
      add(*I);
      if (const auto *Merge = dyn_cast<PHINode>(I))
        append_range(Work, Merge->incoming_values());
    }
  }
};

} // namespace

/// Bounded loops keep every iteration if they are short; the source may know better.
void LoopPlans::choose(Loop &L, LoopPlan &Plan) {
  const Instruction &Place = *L.getHeader()->getTerminator();
  AskedOfLoop Asks;
  if (isMarked(L.getLoopID(), StoreAnnotation))
    Asks.Store = {&Place, "on a loop"};
  if (isMarked(L.getLoopID(), RecomputeAnnotation))
    Asks.Recompute = {&Place, "on a loop"};
  for (const Instruction *I : Plan.Kept)
    Asks.add(*I);
  for (auto &[Phi, How] : Plan.Carried)
    if (How.Kind == CarriedValue::Stored || How.Kind == CarriedValue::Kept)
      Asks.addValuesOf(*Phi, L);
  for (const CarriedMemory &M : Plan.MemoryOfIterations)
    for (BasicBlock *Block : L.blocks())
      for (const Instruction &I : *Block)
        if (const auto *Store = dyn_cast<StoreInst>(&I);
            Store && any_of(Objects.of(Store->getPointerOperand()),
                            [&](const MemoryObject *O) { return O->Base == M.Variable; }))
          Asks.add(I);
  bool LeavesUndo = Contents.leavesUndo(L.getParentLoop(), L);
  if (Asks.Store && Asks.Recompute) {
    Refused.error(*Asks.Recompute.Where, "[[kernix::recompute]] " + Asks.Recompute.Of + " and [[kernix::store]] " +
                                             Asks.Store.Of +
                                             ": what an iteration starts from is kept as a whole, or "
                                             "not at all");
  } else if (Asks.Store) {
    if (!Plan.Bound && Plan.Order == LoopPlan::Backwards) {
      // A short loop becomes part of the loop around it: say which is meant.
      bool IsElsewhere = Asks.Store.Where != &Place && Place.getDebugLoc();
      Refused.error(*Asks.Store.Where,
                    "[[kernix::store]] " + Asks.Store.Of +
                        (IsElsewhere ? " (of line " + std::to_string(Place.getDebugLoc().getLine()) + ")" : "") +
                        " of which it is not known how often it runs at most; bound it with "
                        "[[kernix::max_iters(N)]]");
    }
  } else if (Asks.Recompute) {
    if (Plan.BoundIsPromised)
      Refused.error(*Asks.Recompute.Where, "[[kernix::recompute]] " + Asks.Recompute.Of +
                                               " that has [[kernix::max_iters]]: the bound is for what is stored");
    if (LeavesUndo)
      Refused.error(*Asks.Recompute.Where,
                    "[[kernix::recompute]] " + Asks.Recompute.Of +
                        " whose changes to shared memory have to be undone, for which each iteration is stored");
    Plan.Bound = 0;
  } else if (!Plan.BoundIsPromised && Plan.Bound > MostExactIterations + 1) {
    Plan.Bound = 0;
  }
  if (!Plan.Bound && LeavesUndo) {
    Plan.Bound = IterationsWithUndo;
    Plan.BoundIsOfUndo = true;
  }
}

/// Whether each member adds to the newest one on every path, and the newest one is what goes on: to the next iteration,
/// and out of the loop if any does. `t = s + v; if (c) s = t;` adds v to nothing where c is false.
static bool isOneChain(const Loop &L, const PHINode &Phi, const DenseSet<const Value *> &Members, LoopInfo &Loops) {
  auto MergeIn = [&](const BasicBlock &Block) -> const PHINode * {
    for (const PHINode &Each : Block.phis())
      if (Members.contains(&Each))
        return &Each;
    return nullptr;
  };
  DenseMap<const BasicBlock *, const Value *> Before, After;
  LoopBlocksRPO Blocks(const_cast<Loop *>(&L));
  Blocks.perform(&Loops);
  for (const BasicBlock *Block : Blocks) {
    const Value *Newest = MergeIn(*Block);
    // Without a merge, what comes from one of the blocks before; whether the others agree is asked below.
    for (const BasicBlock *From : predecessors(Block))
      if (!Newest)
        Newest = After.lookup(From);
    Before[Block] = Newest;
    for (const Instruction &I : *Block) {
      if (isa<PHINode>(I) || !Members.contains(&I))
        continue;
      if (!is_contained(I.operand_values(), Newest))
        return false;
      Newest = &I;
    }
    After[Block] = Newest;
  }
  for (const BasicBlock *Block : Blocks) {
    for (const BasicBlock *From : predecessors(Block))
      for (const PHINode &Each : Block->phis())
        if (L.contains(From) && Members.contains(&Each) && Each.getIncomingValueForBlock(From) != After.lookup(From))
          return false;
    for (const BasicBlock *From : predecessors(Block))
      if (L.contains(From) && !MergeIn(*Block) && After.lookup(From) != Before.lookup(Block))
        return false;
  }
  SmallVector<Loop::Edge, 4> Exits;
  L.getExitEdges(Exits);
  for (auto [From, To] : Exits)
    for (const PHINode &Out : To->phis())
      if (const Value *Incoming = Out.getIncomingValueForBlock(From);
          Members.contains(Incoming) && Incoming != After.lookup(From))
        return false;
  return After.lookup(L.getLoopLatch()) == Phi.getIncomingValueForBlock(L.getLoopLatch());
}

bool LoopPlans::followSum(Loop &L, PHINode &Phi, LoopPlan &Plan) {
  SmallVector<Instruction *, 8> Work = {&Phi};
  DenseSet<const Value *> Members = {&Phi};
  while (!Work.empty()) {
    Instruction *Member = Work.pop_back_val();
    for (const Use &U : Member->uses()) {
      auto *User = cast<Instruction>(U.getUser());
      if (!L.contains(User))
        continue; // a phi of LCSSA form, checked below
      if (!isa<PHINode>(User) && Plan.Inside->contains(User))
        return false;
      unsigned Operand = U.getOperandNo();
      bool Passes = false;
      if (User->getOpcode() == Instruction::FAdd)
        Passes = User->getOperand(0) != User->getOperand(1);
      else if (User->getOpcode() == Instruction::FSub)
        Passes = Operand == 0 && User->getOperand(0) != User->getOperand(1);
      else if (auto *Call = dyn_cast<IntrinsicInst>(User))
        Passes = (Call->getIntrinsicID() == Intrinsic::fma || Call->getIntrinsicID() == Intrinsic::fmuladd) &&
                 Operand == 2 && Call->getArgOperand(0) != Member && Call->getArgOperand(1) != Member;
      else
        Passes = isa<PHINode>(User);
      if (!Passes)
        return false;
      if (Members.insert(User).second)
        Work.push_back(User);
    }
  }
  // A member has exactly one operand in the sum; all incoming values of a merge are in it.
  for (const Value *V : Members) {
    const auto *I = cast<Instruction>(V);
    if (Plan.Inside->contains(I))
      return false;
    if (const auto *Merge = dyn_cast<PHINode>(I)) {
      for (const Value *Incoming : Merge->incoming_values())
        if (Merge != &Phi && !Members.contains(Incoming))
          return false;
    } else {
      unsigned Inside = 0;
      for (const Use &Operand : I->operands())
        Inside += Members.contains(Operand);
      if (Inside != 1)
        return false;
    }
    if (Plan.Sums.contains(V))
      return false;
  }
  if (!isOneChain(L, Phi, Members, Loops))
    return false;
  for (const Value *V : Members)
    Plan.Sums[V] = &Phi;
  return true;
}

/// Of a loop that carries no active values but sums.
bool LoopPlans::runsForwards(Loop &L, LoopPlan &Plan) {
  if (!Contents.runsForwards(L) || Contents.leavesUndo(L.getParentLoop(), L))
    return false;
  for (BasicBlock *Block : L.blocks())
    for (Instruction &I : *Block) {
      // Values of the last iteration that are used after the loop belong to that iteration only.
      if (Active.isActive(&I) && !Plan.Sums.contains(&I))
        for (const User *U : I.users())
          if (!L.contains(cast<Instruction>(U)))
            return false;
      // The order in which an object's own gradients are made is that of the reversed source.
      if (const CustomRule *Rule = ruleOf(&I, Objects.rules());
          Rule && Active.isActive(&I) && (Rule->holdsGradient() || Rule->WritesMemory))
        return false;
      MemoryAccess Access = accessOf(I);
      if (!Access.Pointer || !Access.Stored || !Active.isActiveAccess(I))
        continue;
      for (const MemoryObject *O : Objects.of(Access.Pointer))
        if (O->Kind == MemoryObject::Local || (O->isTensorLike() && O->TheLeaf->Access == Leaf::InOut))
          return false;
      // Of several values of one element the last counts, which is met first in the reversed order.
      const auto *Store = dyn_cast<StoreInst>(&I);
      if (const StoreGroup *Group = Store ? Stores.groupOf(*Store) : nullptr; Group && !Group->variesIn(L))
        return false;
    }
  return true;
}

CarriedValue LoopPlans::carried(Loop &L, const LoopPlan &Plan, PHINode &Phi) {
  CarriedValue Result;
  if (!Plan.Inside->contains(&Phi))
    return Result;
  Result.Kind = CarriedValue::Stored;
  auto *Next = dyn_cast<Instruction>(Phi.getIncomingValueForBlock(L.getLoopLatch()));
  if (!Next)
    return Result;
  if (Plan.Kept.contains(Next))
    Result.Kind = CarriedValue::Kept;
  auto Invariant = [&](Value *V) { return L.isLoopInvariant(V); };
  if (Phi.getType()->isIntegerTy() &&
      (Next->getOpcode() == Instruction::Add || Next->getOpcode() == Instruction::Sub)) {
    Value *A = Next->getOperand(0), *B = Next->getOperand(1);
    if (A == &Phi && Invariant(B))
      Result = {CarriedValue::Affine, B, Next->getOpcode() == Instruction::Sub};
    else if (B == &Phi && Invariant(A) && Next->getOpcode() == Instruction::Add)
      Result = {CarriedValue::Affine, A, false};
    return Result;
  }
  if (auto *Gep = dyn_cast<GetElementPtrInst>(Next); Gep && Gep->getPointerOperand() == &Phi) {
    const DataLayout &DL = P.F->getDataLayout();
    APInt Bytes(DL.getIndexTypeSizeInBits(Phi.getType()), 0);
    if (Gep->accumulateConstantOffset(DL, Bytes))
      Result = {CarriedValue::Affine, ConstantInt::get(Phi.getContext(), Bytes), false};
  }
  return Result;
}

bool LoopPlans::readsBeforeWriting(Loop &L, const MemoryObject &O) {
  // Harmless only if one store in the iteration writes all that is read: same address, and it dominates the load.
  for (BasicBlock *Block : L.blocks())
    for (Instruction &I : *Block) {
      if (!Needs.whole().reads(I))
        continue;
      const auto *Load = dyn_cast<LoadInst>(&I);
      if (!Load) {
        for (const Value *Read : pointersRead(I, Objects.rules()))
          if (is_contained(Objects.of(Read), &O))
            return true;
        continue;
      }
      if (!is_contained(Objects.of(Load->getPointerOperand()), &O))
        continue;
      bool Covered = false;
      for (BasicBlock *Other : L.blocks())
        for (Instruction &J : *Other) {
          const auto *Store = dyn_cast<StoreInst>(&J);
          Covered |= Store && Store->getPointerOperand() == Load->getPointerOperand() &&
                     Store->getValueOperand()->getType() == Load->getType() && Dominators.dominates(Store, Load);
        }
      if (!Covered)
        return true;
    }
  return false;
}

void LoopPlans::planMemory(Loop &L, LoopPlan &Plan) {
  const DataLayout &DL = P.F->getDataLayout();
  DenseSet<const MemoryObject *> Seen;
  for (BasicBlock *Block : L.blocks())
    for (Instruction &I : *Block) {
      if (!Needs.whole().reads(I))
        continue;
      SmallVector<const MemoryObject *, 2> Found;
      for (const Value *Read : pointersRead(I, Objects.rules()))
        append_range(Found, Objects.of(Read));
      for (const MemoryObject *O : Found) {
        if (O->Kind != MemoryObject::Local || !Seen.insert(O).second || !readsBeforeWriting(L, *O))
          continue;
        const auto *Variable = cast<AllocaInst>(O->Base);
        bool WrittenInside = false, WrittenLater = false;
        for (Instruction &J : instructions(*P.F)) {
          if (none_of(pointersWritten(J, Objects.rules()),
                      [&](const Value *Written) { return is_contained(Objects.of(Written), O); }))
            continue;
          WrittenInside |= L.contains(&J);
          // What the next iteration of the loop around writes is not there when this one is computed again.
          SmallPtrSet<BasicBlock *, 1> Around;
          if (L.getParentLoop())
            Around.insert(L.getParentLoop()->getHeader());
          WrittenLater |=
              !L.contains(&J) && isPotentiallyReachable(&*L.getHeader()->begin(), &J, &Around, &Dominators, &Loops);
        }
        if (!WrittenInside && !WrittenLater)
          continue;
        std::optional<TypeSize> Size = Variable->getAllocationSize(DL);
        if (!Size || Size->isScalable()) {
          Refused.error(I, "a local array of a size that is not constant changes in a loop that is reversed");
          continue;
        }
        CarriedMemory Memory = {Variable, Size->getFixedValue()};
        if (WrittenInside && Plan.Order == LoopPlan::Backwards) {
          Plan.MemoryOfIterations.push_back(Memory);
        } else {
          Plan.MemoryAtEntry.push_back(Memory);
          if (WrittenInside && !L.isInnermost())
            Plan.MemoryHandedOn.push_back(Memory);
        }
      }
    }
}

/// A GPU gives a thread this much local memory; elsewhere it is the stack, of which nobody has more.
static uint64_t mostKeptBytes(const Function &F) {
  return F.getParent()->getTargetTriple().isNVPTX() ? uint64_t(512) << 10 : uint64_t(1) << 30;
}

void LoopPlans::checkMemory(Loop &L, const LoopPlan &Plan) {
  uint64_t Bytes = 0;
  for (const CarriedMemory &M : Plan.MemoryOfIterations)
    Bytes += M.Size;
  const bool IsTooMany = Bytes > MostSnapshotBytes && !(Plan.Bound && Plan.Bound * Bytes <= 65536);
  // A first derivative has kept there what loops compute.
  if (IsTooMany && Refused.request().FactsOfPrimal)
    Refused.error(*L.getHeader()->getTerminator(),
                  "here the first derivative keeps in local arrays what it computes in loops, " + Twine(Bytes) +
                      " bytes for each iteration, too many for a second derivative; let a thread take one element "
                      "('if (i < n)' instead of a loop over the grid), or let the loops have fewer iterations");
  else if (IsTooMany)
    Refused.error(
        *L.getHeader()->getTerminator(),
        "this loop changes local arrays of " + Twine(Bytes) +
            " bytes that its later iterations read, too many to keep for each iteration; use smaller arrays, or "
            "bound the loop with [[kernix::max_iters(N)]]");
  if (Plan.Order != LoopPlan::Backwards || !Plan.Bound)
    return;
  const Function &F = *L.getHeader()->getParent();
  for (const auto &[Phi, How] : Plan.Carried)
    if (How.Kind == CarriedValue::Stored)
      Bytes += F.getDataLayout().getTypeStoreSize(Phi->getType());
  for (const Instruction *I : Plan.Kept)
    Bytes += F.getDataLayout().getTypeStoreSize(I->getType());
  if (Bytes && Plan.Bound > mostKeptBytes(F) / Bytes)
    Refused.error(*L.getHeader()->getTerminator(),
                  "this loop keeps " + Twine(Bytes) + " bytes for each of at most " + Twine(Plan.Bound) +
                      " iterations, and a thread has at most " + Twine(mostKeptBytes(F)) +
                      " bytes; give it a smaller bound, or let [[kernix::recompute]] keep checkpoints");
}
