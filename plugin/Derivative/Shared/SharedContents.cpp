//===- SharedContents.cpp - what shared memory holds while iterations are computed again ------------------------===//

#include "Derivative/Shared/SharedContents.h"
#include "Derivative/Addresses/IndexForms.h"
#include "Derivative/Canonical/Collectives.h"
#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"
#include <deque>

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace kernix;

SharedContents::~SharedContents() = default;

SharedContents::SharedContents(const Prepared &P, MemoryObjects &Objects, Activity &Active, const LoopNeeds &Needs,
                               FunctionAnalysisManager &FAM, Refusals &Refused)
    : Objects(Objects), Active(Active), Needs(Needs), Refused(Refused), Loops(FAM.getResult<LoopAnalysis>(*P.F)),
      Evolution(FAM.getResult<ScalarEvolutionAnalysis>(*P.F)), Dominators(FAM.getResult<DominatorTreeAnalysis>(*P.F)) {
  for (const Instruction &I : instructions(*P.F)) {
    if (collectiveCall(I))
      Special.insert(&I);
    if (const CallInst *Ordering = orderingCall(I))
      Orderings.push_back(Ordering);
    for (const Value *Written : pointersWritten(I, Objects.rules()))
      for (const MemoryObject *O : Objects.of(Written)) {
        Mirrors |= O->isExchanged() && Active.isActiveAccess(I);
        if (O->Kind != MemoryObject::Local && O->Kind != MemoryObject::Shared)
          continue;
        Writers[O].push_back(&I);
        if (O->Kind == MemoryObject::Shared)
          Special.insert(&I);
      }
    for (const Value *Read : valuesReadFrom(I))
      for (const MemoryObject *O : Objects.of(Read))
        if (O->Kind == MemoryObject::Local || O->Kind == MemoryObject::Shared) {
          Readers[O].push_back(&I);
          Mirrors |= O->Kind == MemoryObject::Shared && Active.isActiveAccess(I);
        }
  }
  if (Special.empty())
    return;
  Controls.emplace(*P.F, FAM.getResult<PostDominatorTreeAnalysis>(*P.F));
  findUndone();
  Mirrors |= !Undone.empty();
  findSeparators();
}

/// What an atomic addition adds to is stored again before: isCleared.
SmallVector<const Value *, 2> SharedContents::valuesReadFrom(const Instruction &I) const {
  return isa<AtomicRMWInst, AtomicCmpXchgInst>(I) ? SmallVector<const Value *, 2>() : pointersRead(I, Objects.rules());
}

bool SharedContents::hasWork(const Loop &L) const {
  return any_of(Orderings, [&](const CallInst *Call) { return Mirrors && L.contains(Call); }) ||
         any_of(Undone, [&](const Instruction *I) { return L.contains(I); });
}

bool SharedContents::runs(const Loop *L, const Instruction &I) const {
  if (!Needs.of(L).contains(&I))
    return false;
  const Loop *Inner = Loops.getLoopFor(I.getParent());
  if (Inner == L)
    return true;
  while (Inner->getParentLoop() != L)
    Inner = Inner->getParentLoop();
  return outputsOf(L, *Inner).contains(&I);
}

/// What the copy of Outer has to run of Inner, whose iterations are computed again later: what decides how it goes on,
/// what it starts its iterations from, and what is read after it.
const DenseSet<const Instruction *> &SharedContents::outputsOf(const Loop *Outer, const Loop &Inner) const {
  auto [Entry, IsNew] = Outputs.try_emplace({Outer, &Inner});
  if (!IsNew)
    return *Entry->second;
  Entry->second = std::make_unique<DenseSet<const Instruction *>>();
  DenseSet<const Instruction *> &Found = *Entry->second;
  const Need &Wanted = Needs.of(Outer), &Repeated = Needs.of(&Inner);
  SmallVector<const Instruction *, 16> Work;
  auto Add = [&](const Value *V) {
    const auto *I = dyn_cast<Instruction>(V);
    if (I && Inner.contains(I) && Found.insert(I).second)
      Work.push_back(I);
  };
  auto AddWriters = [&](const MemoryObject *O) {
    if (auto Written = Writers.find(O); Written != Writers.end())
      for (const Instruction *Writer : Written->second)
        if (Wanted.contains(Writer))
          Add(Writer);
  };
  for (const BasicBlock *Block : Inner.blocks()) {
    if (Block->getTerminator()->getNumSuccessors() > 1)
      Add(Block->getTerminator()->getOperand(0));
    for (const Instruction &I : *Block) {
      bool IsStart = Block == Inner.getHeader() && isa<PHINode>(I) && Repeated.contains(&I);
      bool IsUsed = Wanted.contains(&I) && any_of(I.users(), [&](const User *U) {
                      return !Inner.contains(cast<Instruction>(U)) && Wanted.contains(U);
                    });
      if (IsStart || IsUsed)
        Add(&I);
    }
  }
  for (auto &[O, Reads] : Readers)
    if (any_of(Reads, [&](const Instruction *Read) {
          // Local variables are kept for each iteration where that is necessary.
          return Inner.contains(Read) ? O->Kind == MemoryObject::Local && Repeated.contains(Read)
                                      : Wanted.contains(Read);
        }))
      AddWriters(O);
  for (const Instruction *I : Undone)
    if (Wanted.contains(I))
      Add(I);
  bool TouchesShared = false;
  while (!Work.empty()) {
    const Instruction *I = Work.pop_back_val();
    for (const Use &Operand : I->operands())
      Add(Operand);
    for (const Value *Read : valuesReadFrom(*I))
      for (const MemoryObject *O : Objects.of(Read)) {
        AddWriters(O);
        TouchesShared |= O->Kind == MemoryObject::Shared;
      }
    TouchesShared |= Special.contains(I) && !collectiveCall(*I);
    if (TouchesShared)
      for (const CallInst *Ordering : Orderings)
        if (Wanted.contains(Ordering))
          Add(Ordering);
  }
  return Found;
}

bool SharedContents::leavesUndo(const Loop *Outer, const Loop &Inner) const {
  if (Undone.empty())
    return false;
  auto Leaves = [&](const Instruction *I) { return Inner.contains(I) && runs(Outer, *I); };
  return any_of(Undone, Leaves) || any_of(Orderings, Leaves);
}

SmallVector<uint64_t, 4> SharedContents::undoneSizes() const {
  SmallVector<uint64_t, 4> Sizes;
  for (const Instruction *I : Undone) {
    uint64_t Size = I->getDataLayout().getTypeStoreSize(cast<StoreInst>(I)->getValueOperand()->getType());
    if (!is_contained(Sizes, Size))
      Sizes.push_back(Size);
  }
  return Sizes;
}

void SharedContents::findSeparators() {
  for (const Loop *L : Loops.getLoopsInPreorder()) {
    const CallInst *Found = nullptr;
    bool SameMask = true;
    for (const CallInst *Call : Orderings) {
      if (!L->contains(Call) || (!Mirrors && !Needs.of(L).contains(Call)))
        continue;
      bool IsBlock = isBarrier(*Call->getCalledFunction());
      if (!Found || (IsBlock && !isBarrier(*Found->getCalledFunction())))
        Found = Call;
      else if (!IsBlock && !isBarrier(*Found->getCalledFunction()))
        SameMask &= Call->getArgOperand(0) == Found->getArgOperand(0);
    }
    if (!Found)
      continue;
    if (!isBarrier(*Found->getCalledFunction()) && !(SameMask && L->isLoopInvariant(Found->getArgOperand(0))))
      Refused.error(*Found, "the mask of __syncwarp changes in a loop that is reversed");
    Separators[L] = Found;
  }
}

/// Whether there is a way from First to Second that does not begin another iteration of Within.
bool SharedContents::comesAfter(const Instruction &First, const Instruction &Second, const Loop *Within) const {
  if (First.getParent() == Second.getParent() && First.comesBefore(&Second))
    return true;
  SmallPtrSet<const BasicBlock *, 16> Seen;
  SmallVector<const BasicBlock *, 16> Work(successors(First.getParent()));
  if (Within)
    Seen.insert(Within->getHeader());
  while (!Work.empty()) {
    const BasicBlock *Block = Work.pop_back_val();
    if (!Seen.insert(Block).second)
      continue;
    if (Block == Second.getParent())
      return true;
    append_range(Work, successors(Block));
  }
  return false;
}

namespace {

/// When a block of a loop's own runs in an iteration: always, or where the condition by which Branch ends has a value.
struct Guard {
  const BasicBlock *Branch = nullptr; ///< or the block itself
  const Value *Condition = nullptr;
  bool WhenTrue = true;

  bool asksLike(const Guard &Other) const { return Condition == Other.Condition && WhenTrue == Other.WhenTrue; }
};

/// Nothing where it is more than one condition that decides, or something other than one of two ways.
std::optional<Guard> guardOf(const BasicBlock &Block, const Loop &L, const ControlDependence &Controls) {
  auto DecidesWithin = [&](const BasicBlock *Branch) { return L.contains(Branch) && !L.isLoopExiting(Branch); };
  Guard Result{&Block};
  for (const BasicBlock *Branch : Controls.of(&Block)) {
    if (!DecidesWithin(Branch))
      continue;
    const auto *End = dyn_cast<BranchInst>(Branch->getTerminator());
    if (Result.Condition || !End || any_of(Controls.of(Branch), DecidesWithin))
      return std::nullopt;
    bool WhenTrue = End->getSuccessor(0) == &Block;
    if (!WhenTrue && End->getSuccessor(1) != &Block)
      return std::nullopt;
    Result = {Branch, End->getCondition(), WhenTrue};
  }
  return Result;
}

} // namespace

/// Whether, before Read, each iteration of L stores to the places of Store, by the same threads: `parts[w] = a; ...
/// parts[w] = b;`.
bool SharedContents::isStoredAgain(const Loop &L, const Instruction &Read, const Instruction &Store) {
  auto PlaceOf = [&](const Instruction &I) {
    return Evolution.getSCEV(const_cast<Value *>(cast<StoreInst>(I).getPointerOperand()));
  };
  const MemoryObject *O = Objects.only(accessOf(Store).Pointer);
  if (!O || !isa<StoreInst>(Store) || Loops.getLoopFor(Store.getParent()) != &L || !repeats(Store, L))
    return false;
  std::optional<Guard> When = guardOf(*Store.getParent(), L, *Controls);
  return When && any_of(Writers.find(O)->second, [&](const Instruction *Other) {
           if (!isa<StoreInst>(Other) || Loops.getLoopFor(Other->getParent()) != &L ||
               accessOf(*Other).Type != accessOf(Store).Type || PlaceOf(*Other) != PlaceOf(Store))
             return false;
           std::optional<Guard> Its = guardOf(*Other->getParent(), L, *Controls);
           return Its && Its->asksLike(*When) && !comesAfter(Read, *Other, &L) &&
                  (Its->Branch == Read.getParent() || Dominators.dominates(Its->Branch, Read.getParent()));
         });
}

/// Whether Store may change what Read finds when an iteration of L is computed again.
bool SharedContents::isLost(const Loop &L, const Instruction &Read, const Instruction &Store) {
  const Loop *Common = &L;
  while (Common && !Common->contains(&Store))
    Common = Common->getParentLoop();
  bool ComesAfter = comesAfter(Common == &L ? Read : *L.getHeader()->begin(), Store, Common);
  if (ComesAfter && !(Common == &L && isStoredAgain(L, Read, Store)))
    return true;
  // It belongs to other iterations, and does no harm if this one does the same first.
  for (; Common; Common = Common->getParentLoop())
    if (!(repeats(Store, *Common) && (isa<StoreInst>(Store) || isCleared(Store, *Common))) &&
        !isOneOfAll(Store, *Common))
      return true;
  return false;
}

namespace {

/// What an integer or a condition is for the first thread of each block, if its number alone says so.
const APInt *ofFirstThread(const Value *V, const DataLayout &DL, std::deque<APInt> &Found, unsigned Depth = 0) {
  constexpr unsigned MostDepth = 12;
  const APInt *C = nullptr;
  if (match(V, m_APInt(C)))
    return C;
  const auto *I = dyn_cast<Instruction>(V);
  if (!I || Depth > MostDepth || !I->getType()->isIntegerTy())
    return nullptr;
  const unsigned Bits = I->getType()->getIntegerBitWidth();
  if (std::optional<unsigned> Atom = geometryAtom(I); Atom && *Atom < 3)
    return &Found.emplace_back(Bits, 0);
  if (!isa<BinaryOperator, CastInst, ICmpInst, SelectInst>(I))
    return nullptr;
  SmallVector<Constant *, 2> Operands;
  for (const Use &Operand : I->operands()) {
    const APInt *Its = ofFirstThread(Operand, DL, Found, Depth + 1);
    // Nothing times an extent.
    if (Its && Its->isZero() && (I->getOpcode() == Instruction::Mul || I->getOpcode() == Instruction::And))
      return &Found.emplace_back(Bits, 0);
    Operands.push_back(Its ? ConstantInt::get(Operand->getContext(), *Its) : nullptr);
  }
  if (is_contained(Operands, nullptr))
    return nullptr;
  const auto *Result = dyn_cast_or_null<ConstantInt>(ConstantFoldInstOperands(I, Operands, DL));
  return Result ? &Found.emplace_back(Result->getValue()) : nullptr;
}

/// Whether all threads of a block have this integer or address.
bool isSameInBlock(const Value *V, unsigned Depth = 0) {
  constexpr unsigned MostDepth = 12;
  const auto *I = dyn_cast<Instruction>(V);
  if (!I)
    return true;
  if (std::optional<unsigned> Atom = geometryAtom(I))
    return *Atom >= 3;
  return Depth < MostDepth && isa<BinaryOperator, CastInst, GetElementPtrInst>(I) &&
         all_of(I->operands(), [&](const Use &Operand) { return isSameInBlock(Operand, Depth + 1); });
}

} // namespace

/// Whether what Addition adds to is stored anew in each iteration of L, before: by the same thread, or the first one.
bool SharedContents::isCleared(const Instruction &Addition, const Loop &L) {
  auto *Pointer = const_cast<Value *>(accessOf(Addition).Pointer);
  const MemoryObject *O = Objects.only(Pointer);
  return O && any_of(Writers.find(O)->second, [&](const Instruction *Store) {
           const Loop *Inside = Loops.getLoopFor(Store->getParent());
           if (!isa<StoreInst>(Store) || !Inside || !L.contains(Inside) || !Inside->contains(&Addition) ||
               accessOf(*Store).Type != accessOf(Addition).Type ||
               Evolution.getSCEV(const_cast<Value *>(accessOf(*Store).Pointer)) != Evolution.getSCEV(Pointer) ||
               !Needs.whole().contains(Store))
             return false;
           if (Dominators.dominates(Store, &Addition))
             return true;
           std::optional<Guard> When = guardOf(*Store->getParent(), *Inside, *Controls);
           std::deque<APInt> Found;
           const APInt *OfFirst =
               When && When->Condition ? ofFirstThread(When->Condition, Store->getDataLayout(), Found) : nullptr;
           return OfFirst && OfFirst->isZero() != When->WhenTrue && isSameInBlock(Pointer) &&
                  Dominators.dominates(When->Branch, Addition.getParent()) && !comesAfter(Addition, *Store, Inside);
         });
}

bool SharedContents::repeats(const Instruction &I, const Loop &L) {
  SmallPtrSet<const Value *, 16> Assumed;
  const Value *Pointer = accessOf(I).Pointer;
  return Pointer && repeatsValue(Pointer, L, Assumed) && repeatsControl(*I.getParent(), L, Assumed);
}

/// Whether every iteration of L stores to the place of Store, by this or another of a group: `if (c) s[t] = a; else
/// s[t] = b;`.
bool SharedContents::isOneOfAll(const Instruction &Store, const Loop &L) {
  SmallPtrSet<const Value *, 16> Assumed;
  auto *Pointer = const_cast<Value *>(accessOf(Store).Pointer);
  if (!isa<StoreInst>(Store) || !repeatsValue(Pointer, L, Assumed) || !Evolution.isSCEVable(Pointer->getType()))
    return false;
  const SCEV *Place = Evolution.getSCEV(Pointer);
  Type *T = accessOf(Store).Type;
  SmallPtrSet<const BasicBlock *, 8> Storing;
  for (const BasicBlock *Block : L.blocks())
    for (const Instruction &I : *Block)
      if (const auto *Other = dyn_cast<StoreInst>(&I);
          Other && Other->getValueOperand()->getType() == T &&
          Evolution.getSCEV(const_cast<Value *>(Other->getPointerOperand())) == Place)
        Storing.insert(Block);
  SmallPtrSet<const BasicBlock *, 16> Seen;
  SmallVector<const BasicBlock *, 16> Work = {L.getHeader()};
  while (!Work.empty()) {
    const BasicBlock *Block = Work.pop_back_val();
    if (!L.contains(Block) || Storing.contains(Block) || !Seen.insert(Block).second)
      continue;
    if (Block == L.getLoopLatch())
      return false;
    append_range(Work, successors(Block));
  }
  return true;
}

/// Whether all iterations of L run Block alike.
bool SharedContents::repeatsControl(const BasicBlock &Block, const Loop &L, SmallPtrSetImpl<const Value *> &Assumed) {
  if (!Assumed.insert(&Block).second)
    return true;
  for (const BasicBlock *Control : Controls->of(&Block)) {
    if (!L.contains(Control))
      continue;
    if (L.isLoopExiting(Control)) {
      // How often there are iterations is not how they are.
      if (Control != L.getLoopLatch() && Control != L.getHeader())
        return false;
      continue;
    }
    if (!repeatsValue(conditionOf(*Control), L, Assumed) || !repeatsControl(*Control, L, Assumed))
      return false;
  }
  return true;
}

bool SharedContents::repeatsValue(const Value *V, const Loop &L, SmallPtrSetImpl<const Value *> &Assumed) {
  const auto *I = dyn_cast<Instruction>(V);
  if (!I || !L.contains(I) || !Assumed.insert(I).second)
    return true;
  if (const auto *Phi = dyn_cast<PHINode>(I)) {
    if (Phi->getParent() == L.getHeader())
      return false;
    for (const BasicBlock *From : Phi->blocks()) {
      const Instruction *End = From->getTerminator();
      if (End->getNumSuccessors() > 1 && !repeatsValue(End->getOperand(0), L, Assumed))
        return false;
      if (!repeatsControl(*From, L, Assumed))
        return false;
    }
  } else if (const auto *Load = dyn_cast<LoadInst>(I)) {
    const MemoryObject *O = Objects.only(Load->getPointerOperand());
    if (!O || (O->Kind != MemoryObject::Parameter && O->Kind != MemoryObject::Constant))
      return false;
  } else if (const auto *Call = dyn_cast<CallBase>(I)) {
    if (!Call->doesNotAccessMemory() || Call->isConvergent())
      return false;
  } else if (I->mayReadOrWriteMemory() || isa<AllocaInst>(I)) {
    return false;
  }
  return all_of(I->operands(), [&](const Use &Operand) { return repeatsValue(Operand, L, Assumed); });
}

/// One that keeps what it overwrites in a word.
static bool isUndoable(const StoreInst &Store) {
  const TypeSize Size = Store.getDataLayout().getTypeStoreSize(Store.getValueOperand()->getType());
  return !Size.isScalable() && isPowerOf2_64(Size) && Size <= sizeof(uint64_t);
}

void SharedContents::findUndone() {
  for (auto &[O, Reads] : Readers) {
    if (O->Kind != MemoryObject::Shared)
      continue;
    bool Lost = false;
    for (const Instruction *Read : Reads)
      for (const Loop *L = Loops.getLoopFor(Read->getParent()); L && !Lost; L = L->getParentLoop())
        if (Needs.of(L).contains(Read))
          for (const Instruction *Store : Writers[O])
            Lost |= Needs.whole().contains(Store) && isLost(*L, *Read, *Store);
    if (!Lost)
      continue;
    for (const Instruction *Store : Writers[O]) {
      const auto *Undoable = dyn_cast<StoreInst>(Store);
      if (Undoable && Needs.whole().contains(Store) && !isUndoable(*Undoable))
        Refused.error(*Store, "the backward computes a loop again that reads '" + O->Name +
                                  "', whose contents this store changes, which writes more bytes than can be undone; "
                                  "store it in parts of at most eight bytes");
      else if (!Undoable)
        Refused.error(*Store, "the backward computes a loop again that reads '" + O->Name +
                                  "', whose contents this operation changes in a way that cannot be undone; in each "
                                  "iteration let a thread store to the element before it adds to it, or the first "
                                  "thread to one that all add to, or sum in registers");
      else if (Needs.whole().contains(Store))
        Undone.insert(Store);
    }
  }
}

bool SharedContents::runsForwards(const Loop &L) {
  for (auto &[O, Stores] : Writers) {
    if (O->Kind != MemoryObject::Shared)
      continue;
    auto ReadsActively = [&](const Instruction *Read) { return Active.isActiveAccess(*Read); };
    for (const Instruction *Store : Stores) {
      if (!L.contains(Store))
        continue;
      if (Undone.contains(Store))
        return false;
      if (!Active.isActiveAccess(*Store))
        continue;
      auto Found = Readers.find(O);
      if (Found == Readers.end())
        continue;
      for (const Instruction *Read : Found->second) {
        if (!ReadsActively(Read))
          continue;
        // The last iteration's elements belong to that one only; each iteration reads its own.
        if (!L.contains(Read) ? comesAfter(*L.getHeader()->begin(), *Read, nullptr)
                              : comesAfter(*Read, *Store, &L) || !isa<StoreInst>(Store) || !repeats(*Store, L))
          return false;
      }
    }
  }
  return none_of(Undone, [&](const Instruction *I) { return L.contains(I); });
}
