//===- SharedWriters.cpp - elements of shared memory that several threads store ---------------------------------===//

#include "Derivative/Shared/SharedWriters.h"
#include "Derivative/Accumulation/Accumulation.h"
#include "Derivative/Addresses/DistinctAddresses.h"
#include "Derivative/Analysis/CollectivePaths.h"
#include "Derivative/Canonical/Collectives.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace kernix;

/// More stores than that are not compared one by one.
static constexpr size_t MostPairs = 8;

SharedWriters::SharedWriters(const Prepared &P, MemoryObjects &Objects, IndexForms &Forms)
    : Objects(Objects), Forms(Forms), UsedIds(idsRead(*P.F)) {
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

const std::optional<LaunchConditions> &SharedWriters::apartIf(const StoreInst &Store) {
  auto [Slot, New] = Known.insert({&Store, std::nullopt});
  if (!New)
    return Slot->second;
  SmallVector<const StoreInst *, 8> All = {&Store};
  for (const StoreInst *Other : Neighbours.lookup(&Store))
    if (!is_contained(All, Other))
      All.push_back(Other);
  std::optional<LaunchConditions> Result = prove(All);
  if (!Result && All.size() > 1 && All.size() <= MostPairs) {
    Result = prove(&Store);
    for (const StoreInst *Other : drop_begin(All))
      if (std::optional<LaunchConditions> Pair = Result ? prove({&Store, Other}) : std::nullopt)
        Result->insert(Pair->begin(), Pair->end());
      else
        Result.reset();
  }
  return Slot->second = std::move(Result);
}

namespace {

/// Which ids of threads a value tells apart, for all that is seen: `threadIdx.x / 32` has one value for many of them.
class ToldApart {
public:
  unsigned of(const Value *V) {
    if (std::optional<unsigned> Id = geometryAtom(V))
      return 1U << *Id & AllIds;
    const auto *I = dyn_cast<Instruction>(V);
    if (!I)
      return 0;
    if (isa<PHINode, LoadInst, CallBase>(I))
      return AllIds;
    if (auto Found = Known.find(I); Found != Known.end())
      return Found->second;
    unsigned Ids = 0;
    if (!isQuotient(*I))
      for (const Value *Operand : I->operands())
        Ids |= of(Operand);
    return Known[I] = Ids;
  }

  static constexpr unsigned AllIds = 7;

private:
  static bool isQuotient(const Instruction &I) {
    const auto *By = I.isBinaryOp() ? dyn_cast<ConstantInt>(I.getOperand(1)) : nullptr;
    if (!By)
      return false;
    bool IsDivision = I.getOpcode() == Instruction::UDiv || I.getOpcode() == Instruction::SDiv;
    bool IsRightShift = I.getOpcode() == Instruction::LShr || I.getOpcode() == Instruction::AShr;
    return (IsDivision && !By->isOne()) || (IsRightShift && !By->isZero());
  }

  DenseMap<const Value *, unsigned> Known;
};

} // namespace

/// But for threads that have nothing to do.
static bool isForMostThreads(const UniformValues &Uniform, const BasicBlock &Block) {
  return all_of(Uniform.controls(&Block), [&](const BasicBlock *Branch) {
    return Uniform.ofBranch(Branch) == UniformValues::Block || any_of(successors(Branch), onlyReturns);
  });
}

void kernix::refuseSharedStores(const Prepared &P, const UniformValues &Uniform, SharedWriters &Writers,
                                Activity &Active, const SharedContents &Contents, Refusals &Refused) {
  unsigned UsedIds = idsRead(*P.F) & ToldApart::AllIds;
  ToldApart Apart;
  for (const Instruction &I : instructions(*P.F)) {
    const auto *Store = dyn_cast<StoreInst>(&I);
    if (!Store || !Writers.isShared(Store->getPointerOperand()) ||
        (!Active.isActive(Store->getValueOperand()) && !Contents.isUndone(I)))
      continue;
    if (!Writers.apartIf(*Store) && isForMostThreads(Uniform, *Store->getParent()) &&
        (UsedIds & ~Apart.of(Store->getPointerOperand())))
      Refused.error(*Store, "several threads store to one element of shared memory here, which has no second "
                            "derivative; let one thread store it");
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
