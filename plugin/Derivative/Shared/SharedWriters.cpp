//===- SharedWriters.cpp - elements of shared memory that several threads store ---------------------------------===//

#include "Derivative/Shared/SharedWriters.h"
#include "Derivative/Accumulation/Accumulation.h"
#include "Derivative/Addresses/DistinctAddresses.h"
#include "Derivative/Canonical/Collectives.h"
#include "Derivative/Shared/SharedTurns.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace kernix;

/// More stores than that are not compared one by one.
static constexpr size_t MostPairs = 8;

SharedWriters::SharedWriters(const DerivativeRequest &Request, const Prepared &P, MemoryObjects &Objects,
                             IndexForms &Forms, const UniformValues &Uniform, FunctionAnalysisManager &FAM)
    : Request(Request), Objects(Objects), Forms(Forms), Tables(*P.F, Uniform, FAM), UsedIds(idsRead(*P.F) & ThreadIds) {
  for (const Instruction &I : instructions(*P.F))
    if (const auto *Store = dyn_cast<StoreInst>(&I); Store && isShared(Store->getPointerOperand()))
      addReachable(*Store);
}

bool SharedWriters::isShared(const Value *Pointer) const {
  return all_of(Objects.of(Pointer), [](const MemoryObject *O) { return O->Kind == MemoryObject::Shared; });
}

bool SharedWriters::mayMeet(const StoreInst &A, const StoreInst &B) const {
  return any_of(Objects.of(A.getPointerOperand()),
                [&](const MemoryObject *O) { return is_contained(Objects.of(B.getPointerOperand()), O); });
}

/// Another thread may be at any store that is reached without a barrier of the block, and the other way round.
void SharedWriters::addReachable(const StoreInst &From) {
  SmallPtrSet<const BasicBlock *, 16> Seen;
  SmallVector<const Instruction *, 16> Work = {From.getNextNode()};
  while (!Work.empty()) {
    const Instruction *I = Work.pop_back_val();
    bool Waits = false;
    for (; I && !Waits; I = I->getNextNode()) {
      const CallInst *Ordering = orderingCall(*I);
      Waits = Ordering && isBarrier(*Ordering->getCalledFunction());
      const auto *Store = dyn_cast<StoreInst>(I);
      if (Store && Store != &From && isShared(Store->getPointerOperand()) && mayMeet(From, *Store)) {
        Neighbours[&From].push_back(Store);
        Neighbours[Store].push_back(&From);
      }
      if (!Waits && I->isTerminator())
        for (const BasicBlock *Next : successors(I))
          if (Seen.insert(Next).second)
            Work.push_back(&Next->front());
    }
  }
}

std::optional<LaunchConditions> SharedWriters::prove(ArrayRef<const StoreInst *> Stores) {
  LaunchConditions Assumed;
  SmallVector<AccessForm, 8> Places;
  for (const StoreInst *Store : Stores) {
    const MemoryObject *O = Objects.only(Store->getPointerOperand());
    std::optional<Polynomial> Offset =
        O ? Forms.offset(Store->getPointerOperand(), O->Base, Assumed, IndexForms::Digits::Split) : std::nullopt;
    if (!Offset)
      return std::nullopt;
    auto Size = static_cast<int64_t>(Store->getDataLayout().getTypeStoreSize(Store->getValueOperand()->getType()));
    Places.push_back({*Offset, Size, Forms.factsAt(Store->getParent())});
  }
  std::optional<LaunchConditions> Apart = apartInBlock(Forms, Places, UsedIds);
  if (!Apart)
    return std::nullopt;
  Assumed.insert(Apart->begin(), Apart->end());
  return Assumed;
}

/// Blocks of which threads are gone through: what the source says, or else usual ones, the largest first.
SmallVector<std::array<int64_t, 3>, 8> SharedWriters::shapes() const {
  if (Request.Block[0])
    return {Request.extentsOfBlock()};
  // Along each axis that is read.
  static constexpr int64_t Usual[][3] = {{1024, 1, 1}, {512, 1, 1}, {256, 1, 1}, {128, 1, 1}, {64, 1, 1},
                                         {32, 1, 1},   {32, 32, 1}, {32, 16, 1}, {16, 16, 1}, {32, 8, 1},
                                         {16, 8, 1},   {8, 8, 1},   {8, 8, 8},   {8, 8, 4},   {4, 4, 4}};
  SmallVector<unsigned, 3> Axes;
  for (unsigned Axis = 0; Axis < 3; ++Axis)
    if (UsedIds >> Axis & 1)
      Axes.push_back(Axis);
  SmallVector<std::array<int64_t, 3>, 8> Result;
  for (const auto &Extents : Usual)
    if (Axes.size() == static_cast<size_t>(count_if(Extents, [](int64_t Extent) { return Extent > 1; }))) {
      Result.push_back({1, 1, 1});
      for (unsigned K = 0; K < Axes.size(); ++K)
        Result.back()[Axes[K]] = Extents[K];
    }
  return Result;
}

/// By going through the threads. What is launched may be another block than the source says.
std::optional<LaunchConditions> SharedWriters::compute(ArrayRef<const StoreInst *> Stores) {
  const MemoryObject *O = Objects.only(Stores.front()->getPointerOperand());
  for (const std::array<int64_t, 3> &Shape : shapes()) {
    bool ReadsExtents = false;
    if (!O || !Tables.areApart(Stores, O->Base, Shape, ReadsExtents))
      continue;
    LaunchConditions Conditions;
    for (unsigned Axis = 0; Axis < 3; ++Axis) {
      Polynomial Extent = Polynomial::atom(FirstExtent + Axis), Known = Polynomial::constant(Shape[Axis]);
      Conditions.insert(Known - Extent);
      if (ReadsExtents)
        Conditions.insert(Extent - Known);
    }
    return Conditions;
  }
  return std::nullopt;
}

std::optional<LaunchConditions> SharedWriters::areApart(ArrayRef<const StoreInst *> Stores) {
  std::optional<LaunchConditions> Proven = prove(Stores);
  if (Proven && (Proven->empty() || shapeOfTurns(*Proven, Request, UsedIds)))
    return Proven;
  std::optional<LaunchConditions> Computed = compute(Stores);
  return Computed ? Computed : Proven;
}

const std::optional<LaunchConditions> &SharedWriters::apartIf(const StoreInst &Store) {
  auto [Slot, New] = Known.insert({&Store, std::nullopt});
  if (!New)
    return Slot->second;
  SmallVector<const StoreInst *, 8> All = {&Store};
  for (const StoreInst *Other : Neighbours.lookup(&Store))
    if (!is_contained(All, Other))
      All.push_back(Other);
  std::optional<LaunchConditions> Result = areApart(All);
  if (!Result && All.size() > 1 && All.size() <= MostPairs) {
    Result = areApart(&Store);
    for (const StoreInst *Other : drop_begin(All))
      if (std::optional<LaunchConditions> Pair = Result ? areApart({&Store, Other}) : std::nullopt)
        Result->insert(Pair->begin(), Pair->end());
      else
        Result.reset();
  }
  return Slot->second = std::move(Result);
}

bool kernix::isTakenBack(const StoreInst &Store, const SharedWriters &Writers, Activity &Active,
                         const SharedContents &Contents) {
  return Writers.isShared(Store.getPointerOperand()) &&
         (Active.isActive(Store.getValueOperand()) || Contents.isUndone(Store));
}

void kernix::refuseSharedStores(const Prepared &P, SharedWriters &Writers, Activity &Active,
                                const SharedContents &Contents, Refusals &Refused) {
  for (const Instruction &I : instructions(*P.F)) {
    const auto *Store = dyn_cast<StoreInst>(&I);
    if (Store && isTakenBack(*Store, Writers, Active, Contents) && !Writers.apartIf(*Store))
      Refused.error(*Store, "several threads may store to one element of shared memory here, which has no second "
                            "derivative; let one thread store it, and say how large the blocks are with "
                            "[[kernix::block(...)]]");
  }
}

Value *kernix::exchangeInShared(IRBuilder<> &B, Value *Place, Value *Stored) {
  Module &M = *B.GetInsertBlock()->getModule();
  const DataLayout &DL = M.getDataLayout();
  Type *T = Stored->getType();
  if (auto *Vector = dyn_cast<FixedVectorType>(T)) {
    Value *Result = PoisonValue::get(T);
    for (unsigned K = 0; K < Vector->getNumElements(); ++K) {
      Value *Element = B.CreateConstInBoundsGEP1_32(Vector->getElementType(), Place, K);
      Result = B.CreateInsertElement(Result, exchangeInShared(B, Element, B.CreateExtractElement(Stored, K)), K);
    }
    return Result;
  }
  SyncScope::ID Scope = B.getContext().getOrInsertSyncScopeID(M.getTargetTriple().isNVPTX() ? "block" : "");
  Type *Bits = B.getIntNTy(static_cast<unsigned>(DL.getTypeStoreSizeInBits(T).getFixedValue()));
  Value *Old = B.CreateAtomicRMW(AtomicRMWInst::Xchg, Place, B.CreateBitCast(Stored, Bits),
                                 Align(DL.getTypeStoreSize(T)), AtomicOrdering::Monotonic, Scope);
  return B.CreateBitCast(Old, T);
}
