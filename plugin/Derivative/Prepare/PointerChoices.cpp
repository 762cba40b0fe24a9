//===- PointerChoices.cpp - accesses through a pointer that leads to one of several places ----------------------===//

#include "Derivative/Prepare/PointerChoices.h"
#include "Derivative/Prepare/SourceReads.h"
#include "Derivative/Prepare/StoredNumbers.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/Utils/Local.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"
#include <optional>

using namespace llvm;
using namespace kernix;

namespace {

/// A pointer without the additions to it.
struct Source {
  Value *Base;
  SmallVector<GEPOperator *, 2> Additions; ///< the last one first
};

Source sourceOf(Value *Pointer) {
  Source S{Pointer, {}};
  while (auto *Gep = dyn_cast<GEPOperator>(S.Base)) {
    S.Additions.push_back(Gep);
    S.Base = Gep->getPointerOperand();
  }
  return S;
}

/// One place that a choice may lead to.
struct Place {
  enum KindType {
    Nowhere, ///< null, or a value that is not there
    Fixed,   ///< Base and a constant
    Given,   ///< the pointer Base itself
    Moving   ///< Base and what the choice has been moved by
  };
  KindType Kind = Nowhere;
  Value *Base = nullptr;
  APInt Offset = APInt();
  bool operator==(const Place &Other) const {
    return Kind == Other.Kind && Base == Other.Base && (Kind != Fixed || Offset == Other.Offset);
  }
};

/// Choices that depend on each other.
struct Family {
  SmallVector<Instruction *, 4> Choices, Accesses;
  bool IsMoved = false;   ///< additions between two choices
  bool IsCarried = false; ///< by a loop
  bool IsUsable = true;
  DenseSet<const Value *> MovingBases;
  SmallVector<Place, 4> Places;
};

class Splitter {
public:
  Splitter(Function &F, const DominatorTree &Dominators, const LoopInfo &Loops)
      : F(F), Dominators(Dominators), Loops(Loops), DL(F.getDataLayout()) {}

  bool run() {
    findTables();
    SmallVector<std::pair<Instruction *, unsigned>, 16> Accesses;
    for (Instruction &I : instructions(F))
      for (unsigned Operand : pointerOperands(I))
        if (isChoice(sourceOf(I.getOperand(Operand)).Base))
          Accesses.push_back({&I, Operand});
    if (Accesses.empty())
      return false;
    for (auto [I, Operand] : Accesses)
      collect(*cast<Instruction>(sourceOf(I->getOperand(Operand)).Base));
    makeFamilies(Accesses);
    // Which accesses are split is decided before the first one is: the dominator tree is that of the function as it
    // was.
    SmallVector<std::tuple<Instruction *, unsigned, SmallVector<unsigned, 4>>, 16> Chosen;
    for (auto [I, Operand] : Accesses)
      if (SmallVector<unsigned, 4> Numbers = placesOf(*I, I->getOperand(Operand)); !Numbers.empty())
        if (Chosen.empty() || std::get<0>(Chosen.back()) != I)
          Chosen.push_back({I, Operand, Numbers});
    if (Chosen.empty())
      return false;
    // The other end of a copy comes in the next round. A pointer that is chosen itself may be the base of other
    // accesses, so that it goes alone.
    auto Pointer = find_if(Chosen, [](const auto &Choice) { return std::get<0>(Choice)->getType()->isPointerTy(); });
    if (Pointer != Chosen.end())
      Chosen = {*Pointer};
    compareWithNull();
    for (auto &[I, Operand, Numbers] : Chosen)
      split(*I, Operand, Numbers);
    for (Instruction *Choice : Known)
      if (auto *Phi = dyn_cast<PHINode>(Choice))
        Handles.push_back(Phi);
    for (WeakTrackingVH &Handle : Handles)
      if (auto *Phi = dyn_cast_or_null<PHINode>(static_cast<Value *>(Handle)))
        RecursivelyDeleteDeadPHINode(Phi);
    return true;
  }

private:
  /// A local array that only holds pointers: a pointer that is read there is one of those that are written there.
  void findTables() {
    for (Instruction &I : F.getEntryBlock())
      if (auto *Variable = dyn_cast<AllocaInst>(&I); Variable && DL.getPointerSize() == 8) {
        SmallVector<StoreInst *, 4> Writes;
        if (holdsPointersOnly(*Variable, Writes) && !Writes.empty())
          Tables[Variable] = Writes;
      }
  }

  static bool holdsPointersOnly(Value &Place, SmallVectorImpl<StoreInst *> &Writes) {
    for (Use &U : Place.uses()) {
      if (isa<GetElementPtrInst>(U.getUser())) {
        if (!holdsPointersOnly(*U.getUser(), Writes))
          return false;
      } else if (auto *Load = dyn_cast<LoadInst>(U.getUser())) {
        if (!Load->isSimple() || !Load->getType()->isPointerTy())
          return false;
      } else {
        auto *Store = dyn_cast<StoreInst>(U.getUser());
        if (!Store || !Store->isSimple() || U.getOperandNo() != 1 ||
            !Store->getValueOperand()->getType()->isPointerTy())
          return false;
        Writes.push_back(Store);
      }
    }
    return true;
  }

  AllocaInst *tableOf(const Value *V) const {
    const auto *Load = dyn_cast<LoadInst>(V);
    auto *Variable =
        Load ? dyn_cast<AllocaInst>(sourceOf(const_cast<Value *>(Load->getPointerOperand())).Base) : nullptr;
    return Variable && Tables.contains(Variable) ? Variable : nullptr;
  }

  bool isChoice(const Value *V) const {
    return (isa<PHINode, SelectInst>(V) && V->getType()->isPointerTy()) || tableOf(V);
  }

  SmallVector<Use *, 4> sourcesOf(Instruction &Choice) const {
    SmallVector<Use *, 4> Sources;
    if (auto *Phi = dyn_cast<PHINode>(&Choice))
      for (Use &Incoming : Phi->incoming_values())
        Sources.push_back(&Incoming);
    else if (AllocaInst *Table = tableOf(&Choice))
      for (StoreInst *Write : Tables.find(Table)->second)
        Sources.push_back(&Write->getOperandUse(0));
    else
      Sources = {&Choice.getOperandUse(1), &Choice.getOperandUse(2)};
    return Sources;
  }

  static SmallVector<unsigned, 2> pointerOperands(const Instruction &I) {
    if (isa<LoadInst, AtomicRMWInst, AtomicCmpXchgInst>(I))
      return {0};
    if (isa<StoreInst>(I))
      return {1};
    if (isa<MemTransferInst>(I))
      return {0, 1};
    if (isa<MemSetInst>(I))
      return {0};
    if (const auto *Call = dyn_cast<CallInst>(&I); Call && Call->isIndirectCall())
      return {Call->getCalledOperandUse().getOperandNo()};
    if (isReadMark(I) && I.getOperand(0)->getType()->isPointerTy())
      return {0};
    if (isStoredNumber(I))
      return {PlaceOfStoredNumber};
    return {};
  }

  void collect(Instruction &First) {
    SmallVector<Instruction *, 8> Work = {&First};
    while (!Work.empty()) {
      Instruction *Choice = Work.pop_back_val();
      if (!Known.insert(Choice))
        continue;
      Related.insert(Choice);
      // All that is read from a table shares its numbers.
      if (AllocaInst *Table = tableOf(Choice))
        Related.unionSets(FirstReads.try_emplace(Table, Choice).first->second, Choice);
      for (Use *From : sourcesOf(*Choice))
        if (auto *Other = dyn_cast<Instruction>(sourceOf(From->get()).Base); Other && isChoice(Other)) {
          Related.unionSets(Choice, Other);
          Work.push_back(Other);
        }
    }
  }

  void makeFamilies(ArrayRef<std::pair<Instruction *, unsigned>> Accesses) {
    for (Instruction *Choice : Known)
      familyOf(*Choice).Choices.push_back(Choice);
    for (auto [I, Operand] : Accesses)
      familyOf(*cast<Instruction>(sourceOf(I->getOperand(Operand)).Base)).Accesses.push_back(I);
    for (auto &[Leader, Members] : Families) {
      for (Instruction *Choice : Members.Choices) {
        Members.IsCarried |= isa<LoadInst>(Choice) || (isa<PHINode>(Choice) && Loops.isLoopHeader(Choice->getParent()));
        for (Use *From : sourcesOf(*Choice)) {
          Source S = sourceOf(From->get());
          Members.IsMoved |= isChoice(S.Base) && !S.Additions.empty();
        }
      }
      for (Instruction *Choice : Members.Choices)
        for (Use *From : sourcesOf(*Choice))
          if (Source S = sourceOf(From->get()); !isChoice(S.Base) && !isFixed(Members, S) && mustMove(Members, *From))
            Members.MovingBases.insert(S.Base);
      for (Instruction *Choice : Members.Choices)
        for (Use *From : sourcesOf(*Choice))
          if (Source S = sourceOf(From->get()); !isChoice(S.Base))
            NumbersOfSources[From] = addPlace(Members, placeOf(Members, *From));
    }
  }

  Family &familyOf(Instruction &Choice) { return Families[Related.getLeaderValue(&Choice)]; }

  std::optional<APInt> constantOffset(const Source &S) {
    APInt Offset(DL.getIndexTypeSizeInBits(S.Base->getType()), 0);
    for (GEPOperator *Gep : S.Additions)
      if (!Gep->accumulateConstantOffset(DL, Offset))
        return std::nullopt;
    return Offset;
  }

  bool isFixed(const Family &Members, const Source &S) { return !Members.IsMoved && constantOffset(S); }

  /// The pointer itself says where it leads, unless it is not there at an access, or a later iteration computes another
  /// one in its place.
  bool mustMove(const Family &Members, const Use &From) {
    const auto *I = dyn_cast<Instruction>(From.get());
    return Members.IsMoved || Members.IsCarried || isa<Constant>(From.get()) ||
           (I && any_of(Members.Accesses, [&](Instruction *Access) { return !Dominators.dominates(I, Access); }));
  }

  /// A value that is the same wherever the choice is used.
  bool isSteady(const Value *Base) {
    if (isa<Argument, Constant>(Base))
      return true;
    const auto *I = dyn_cast<Instruction>(Base);
    return I && !Loops.getLoopFor(I->getParent());
  }

  Place placeOf(const Family &Members, const Use &From) {
    Source S = sourceOf(From.get());
    if (isa<ConstantPointerNull, UndefValue>(S.Base))
      return Place();
    if (Members.MovingBases.contains(S.Base))
      return {Place::Moving, S.Base, APInt()};
    if (isFixed(Members, S) && isSteady(S.Base))
      return {Place::Fixed, S.Base, *constantOffset(S)};
    return mustMove(Members, From) ? Place{Place::Moving, S.Base, APInt()} : Place{Place::Given, From.get(), APInt()};
  }

  /// Returns its number.
  unsigned addPlace(Family &Members, const Place &P) {
    // A base that a loop computes anew is not what it was when the choice was made.
    if ((P.Kind == Place::Fixed || P.Kind == Place::Moving) && !isSteady(P.Base))
      Members.IsUsable = false;
    const auto *Found = find(Members.Places, P);
    const auto Number = static_cast<unsigned>(Found - Members.Places.begin());
    if (Found == Members.Places.end())
      Members.Places.push_back(P);
    return Number;
  }

  /// Of a source that is no choice. As it was found in the function as it was: blocks that have been split since are
  /// not in the dominator tree.
  unsigned numberOf(const Use &From) const { return NumbersOfSources.at(&From); }

  /// The numbers of the places that an access may lead to; empty if it cannot be split.
  SmallVector<unsigned, 4> placesOf(Instruction &Access, Value *Pointer) {
    auto *First = cast<Instruction>(sourceOf(Pointer).Base);
    Family &Members = familyOf(*First);
    if (!Members.IsUsable)
      return {};
    SmallSetVector<Instruction *, 8> Reached;
    Reached.insert(First);
    SmallVector<unsigned, 4> Numbers;
    for (unsigned K = 0; K < Reached.size(); ++K)
      for (Use *From : sourcesOf(*Reached[K])) {
        Source S = sourceOf(From->get());
        if (isChoice(S.Base)) {
          Reached.insert(cast<Instruction>(S.Base));
          continue;
        }
        unsigned Number = numberOf(*From);
        const Place &P = Members.Places[Number];
        if (P.Kind == Place::Nowhere || is_contained(Numbers, Number))
          continue;
        if (const auto *I = dyn_cast<Instruction>(P.Base); I && !Dominators.dominates(I, &Access))
          return {};
        Numbers.push_back(Number);
      }
    // One place, and null: where it is used it is not null.
    if (Numbers.size() == 1 && (Members.Places.size() == 1 || Members.Places[Numbers[0]].Kind == Place::Moving))
      return {};
    return Numbers.size() <= MostPlaces ? Numbers : SmallVector<unsigned, 4>();
  }

  /// A number made like the choice: of each source what OfSource says.
  Value *twin(Instruction &Choice, DenseMap<Instruction *, Value *> &Twins, Type *T,
              function_ref<Value *(IRBuilder<> &, Use &)> OfSource) {
    if (Value *Made = Twins.lookup(&Choice))
      return Made;
    SmallVector<Use *, 4> Sources = sourcesOf(Choice);
    if (auto *Phi = dyn_cast<PHINode>(&Choice)) {
      PHINode *New = PHINode::Create(T, Phi->getNumIncomingValues(), "", Phi->getIterator());
      New->setDebugLoc(Phi->getDebugLoc());
      Twins[&Choice] = New;
      DenseMap<BasicBlock *, Value *> ByBlock; // one block may lead here by several edges
      for (Use *From : Sources) {
        BasicBlock *Block = Phi->getIncomingBlock(*From);
        Value *&Number = ByBlock[Block];
        if (!Number) {
          IRBuilder<> B(Block->getTerminator());
          Value *Computed = OfSource(B, *From);
          Number = Computed;
        }
        New->addIncoming(Number, Block);
      }
      return New;
    }
    if (AllocaInst *Table = tableOf(&Choice))
      return Twins[&Choice] = twinOfRead(cast<LoadInst>(Choice), *Table, Twins, T, OfSource);
    IRBuilder<> B(&Choice);
    Value *True = OfSource(B, *Sources[0]), *False = OfSource(B, *Sources[1]);
    // Both are there before the choice; folding would be right too, but a select keeps the choice visible.
    return Twins[&Choice] = B.CreateSelect(Choice.getOperand(0), True, False);
  }

  /// Beside a table of pointers there is one of numbers, written and read in the same places.
  Value *twinOfRead(LoadInst &Read, AllocaInst &Table, DenseMap<Instruction *, Value *> &Twins, Type *T,
                    function_ref<Value *(IRBuilder<> &, Use &)> OfSource) {
    auto [Found, IsNew] = TwinTables.insert({{&Table, &Twins}, nullptr});
    Type *Wide = Type::getInt64Ty(F.getContext());
    auto Beside = [&](IRBuilder<> &B, Value *Pointer, AllocaInst *Numbers) {
      Value *Place = Numbers;
      for (GEPOperator *Gep : reverse(sourceOf(Pointer).Additions)) {
        SmallVector<Value *, 4> Indices(Gep->indices());
        Place = B.CreateGEP(Gep->getSourceElementType(), Place, Indices, "", Gep->getNoWrapFlags());
      }
      return Place;
    };
    if (IsNew) {
      AllocaInst *Numbers = new AllocaInst(Table.getAllocatedType(), Table.getAddressSpace(), Table.getArraySize(),
                                           Table.getAlign(), "", Table.getIterator());
      Numbers->setAllocatedType(ArrayType::get(Wide, (DL.getTypeAllocSize(Table.getAllocatedType()) + 7) / 8));
      Found->second = Numbers;
      for (StoreInst *Write : Tables.find(&Table)->second) {
        IRBuilder<> B(Write);
        Value *Number = OfSource(B, Write->getOperandUse(0));
        B.CreateStore(B.CreateZExtOrTrunc(Number, Wide), Beside(B, Write->getPointerOperand(), Numbers));
      }
    }
    IRBuilder<> B(&Read);
    AllocaInst *Numbers = TwinTables.lookup({&Table, &Twins});
    return B.CreateZExtOrTrunc(B.CreateLoad(Wide, Beside(B, Read.getPointerOperand(), Numbers)), T);
  }

  Value *number(Instruction &Choice) {
    Type *T = Type::getInt32Ty(F.getContext());
    return twin(Choice, Numbers, T, [&](IRBuilder<> &, Use &From) -> Value * {
      Source S = sourceOf(From.get());
      if (isChoice(S.Base))
        return number(*cast<Instruction>(S.Base));
      return ConstantInt::get(T, numberOf(From));
    });
  }

  /// How far the choice is from the base of its place; only Moving places read it.
  Value *offset(Instruction &Choice) {
    Family &Members = familyOf(Choice);
    Type *T = DL.getIndexType(Choice.getType());
    return twin(Choice, Offsets, T, [&](IRBuilder<> &B, Use &From) -> Value * {
      Source S = sourceOf(From.get());
      Value *Sum;
      if (isChoice(S.Base))
        Sum = offset(*cast<Instruction>(S.Base));
      else if (Members.Places[numberOf(From)].Kind == Place::Moving)
        Sum = ConstantInt::get(T, 0);
      else
        return ConstantInt::get(T, 0);
      for (GEPOperator *Gep : S.Additions)
        Sum = B.CreateAdd(Sum, llvm::emitGEPOffset(&B, DL, Gep, /*NoAssumptions=*/true));
      return Sum;
    });
  }

  /// `if (p)`, where p is null or the address of a variable.
  void compareWithNull() {
    for (Instruction *Choice : Known) {
      Family &Members = familyOf(*Choice);
      if (!Members.IsUsable || Members.IsMoved ||
          any_of(Members.Places, [](const Place &P) { return P.Kind != Place::Nowhere && !isa<AllocaInst>(P.Base); }))
        continue;
      auto Nowhere = find_if(Members.Places, [](const Place &P) { return P.Kind == Place::Nowhere; });
      for (User *U : make_early_inc_range(Choice->users())) {
        auto *Compare = dyn_cast<ICmpInst>(U);
        if (!Compare || !Compare->isEquality() || !isa<ConstantPointerNull>(Compare->getOperand(1)))
          continue;
        IRBuilder<> B(Compare);
        Value *Number = number(*Choice);
        Value *Result =
            B.CreateICmp(Compare->getPredicate(), Number,
                         ConstantInt::get(Number->getType(), static_cast<uint64_t>(Nowhere - Members.Places.begin())));
        Compare->replaceAllUsesWith(Result);
        Compare->eraseFromParent();
      }
    }
  }

  /// What is passed by value can be read wherever the choice leads.
  static bool isParameter(const Place &P) {
    const auto *A = dyn_cast_or_null<Argument>(P.Base);
    return A && A->onlyReadsMemory() && P.Kind == Place::Fixed;
  }

  void split(Instruction &Access, unsigned Operand, ArrayRef<unsigned> Numbers) {
    Source S = sourceOf(Access.getOperand(Operand));
    auto &Choice = *cast<Instruction>(S.Base);
    Family &Members = familyOf(Choice);
    Value *Offset =
        any_of(Numbers, [&](unsigned K) { return Members.Places[K].Kind == Place::Moving; }) ? offset(Choice) : nullptr;
    auto PointerTo = [&](IRBuilder<> &B, const Place &P) {
      Value *Pointer = P.Base;
      if (P.Kind == Place::Fixed && !P.Offset.isZero())
        Pointer = B.CreatePtrAdd(Pointer, B.getInt(P.Offset));
      else if (P.Kind == Place::Moving)
        Pointer = B.CreatePtrAdd(Pointer, Offset);
      for (GEPOperator *Gep : reverse(S.Additions)) {
        SmallVector<Value *, 4> Indices(Gep->indices());
        Pointer = B.CreateGEP(Gep->getSourceElementType(), Pointer, Indices, "", Gep->getNoWrapFlags());
      }
      return Pointer;
    };
    if (Numbers.size() == 1) {
      IRBuilder<> B(&Access);
      Access.setOperand(Operand, PointerTo(B, Members.Places[Numbers[0]]));
      return;
    }
    Value *Number = number(Choice);
    // A pointer read on one of several ways would not be there where those meet, and what is accessed by it could not
    // be split in its turn.
    if (Access.getType()->isPointerTy() && isa<LoadInst>(Access) &&
        all_of(Numbers, [&](unsigned K) { return isParameter(Members.Places[K]); }) && constantOffset(S)) {
      IRBuilder<> B(&Access);
      Value *Chosen = nullptr;
      for (unsigned K : Numbers) {
        Instruction *Copy = Access.clone();
        Copy->setOperand(Operand, PointerTo(B, Members.Places[K]));
        B.Insert(Copy);
        Chosen = Chosen ? B.CreateSelect(B.CreateICmpEQ(Number, B.getInt32(K)), Copy, Chosen) : Copy;
      }
      Access.replaceAllUsesWith(Chosen);
      Access.eraseFromParent();
      return;
    }
    BasicBlock *Before = Access.getParent();
    BasicBlock *After = SplitBlock(Before, Access.getIterator());
    Before->getTerminator()->eraseFromParent();
    IRBuilder<> B(Before);
    B.SetCurrentDebugLocation(Access.getDebugLoc());
    SmallVector<BasicBlock *, 4> Blocks;
    for (unsigned K = 0; K < Numbers.size(); ++K)
      Blocks.push_back(BasicBlock::Create(F.getContext(), "", &F, After));
    if (Numbers.size() == 2) {
      B.CreateCondBr(B.CreateICmpEQ(Number, ConstantInt::get(Number->getType(), Numbers[0])), Blocks[0], Blocks[1]);
    } else {
      SwitchInst *Choose = B.CreateSwitch(Number, Blocks.back(), static_cast<unsigned>(Numbers.size()));
      for (unsigned K = 0; K + 1 < Numbers.size(); ++K)
        Choose->addCase(B.getInt32(Numbers[K]), Blocks[K]);
    }
    PHINode *Either = nullptr;
    if (!Access.getType()->isVoidTy()) {
      Either = PHINode::Create(Access.getType(), static_cast<unsigned>(Numbers.size()), "", After->begin());
      Either->setDebugLoc(Access.getDebugLoc());
    }
    for (unsigned K = 0; K < Numbers.size(); ++K) {
      B.SetInsertPoint(Blocks[K]);
      B.SetCurrentDebugLocation(Access.getDebugLoc());
      Value *Pointer = PointerTo(B, Members.Places[Numbers[K]]);
      Instruction *Copy = Access.clone();
      Copy->setOperand(Operand, Pointer);
      B.Insert(Copy);
      B.CreateBr(After);
      if (Either)
        Either->addIncoming(Copy, Blocks[K]);
    }
    if (Either)
      Access.replaceAllUsesWith(Either);
    Access.eraseFromParent();
  }

  Function &F;
  const DominatorTree &Dominators;
  const LoopInfo &Loops;
  const DataLayout &DL;
  SmallSetVector<Instruction *, 16> Known;
  EquivalenceClasses<Instruction *> Related;
  MapVector<Instruction *, Family> Families;
  DenseMap<const Use *, unsigned> NumbersOfSources;
  DenseMap<Instruction *, Value *> Numbers, Offsets;
  SmallVector<WeakTrackingVH, 8> Handles;
  DenseMap<const AllocaInst *, SmallVector<StoreInst *, 4>> Tables;
  DenseMap<const AllocaInst *, Instruction *> FirstReads;
  DenseMap<std::pair<AllocaInst *, void *>, AllocaInst *> TwinTables;
};

} // namespace

/// On the CPU target only these variables have no value, or are declared as arrays of unknown bound.
static bool isShared(const Value *V) {
  const auto *Variable = dyn_cast<GlobalVariable>(V);
  if (!Variable || Variable->getAddressSpace() == 3)
    return Variable;
  return Variable->hasInitializer()
             ? isa<UndefValue>(Variable->getInitializer())
             : Variable->getValueType()->isArrayTy() && Variable->getValueType()->getArrayNumElements() == 0;
}

unsigned kernix::countPlaces(const Value &Pointer, const DataLayout &DL) {
  SmallSetVector<const Value *, 32> Seen;
  Seen.insert(&Pointer);
  SmallSet<std::pair<const Value *, int64_t>, 32> Places;
  for (size_t K = 0; K < Seen.size(); ++K) {
    const Value *From = Seen[K];
    if (const auto *Phi = dyn_cast<PHINode>(From)) {
      Seen.insert_range(Phi->incoming_values());
    } else if (const auto *Select = dyn_cast<SelectInst>(From)) {
      Seen.insert(Select->getTrueValue());
      Seen.insert(Select->getFalseValue());
    } else if (const auto *Gep = dyn_cast<GEPOperator>(From); Gep && !Gep->hasAllConstantIndices()) {
      Seen.insert(Gep->getPointerOperand());
    } else if (const auto *Load = dyn_cast<LoadInst>(From);
               Load && isa<PHINode, SelectInst>(Load->getPointerOperand())) {
      Seen.insert(Load->getPointerOperand());
    } else if (!isa<ConstantPointerNull, UndefValue>(From)) {
      int64_t Offset = 0;
      const Value *Base = GetPointerBaseWithConstantOffset(From, Offset, DL);
      Places.insert({Base, Offset});
    }
  }
  return static_cast<unsigned>(Places.size());
}

bool kernix::writeTables(Function &F) {
  bool Found = false;
  for (Instruction &I : make_early_inc_range(instructions(F))) {
    auto *Copy = dyn_cast<MemCpyInst>(&I);
    auto *Table = Copy ? dyn_cast<GlobalVariable>(Copy->getSource()) : nullptr;
    auto *Size = Copy ? dyn_cast<ConstantInt>(Copy->getLength()) : nullptr;
    if (!Table || !Size || !Table->isConstant() || !Table->hasInitializer())
      continue;
    auto *Entries = dyn_cast<ConstantArray>(Table->getInitializer());
    uint64_t Each = F.getDataLayout().getPointerSize();
    if (!Entries || Size->getZExtValue() != Each * Entries->getNumOperands() ||
        any_of(Entries->operands(), [](const Use &Entry) {
          return !Entry->getType()->isPointerTy() || !isShared(getUnderlyingObject(Entry));
        }))
      continue;
    IRBuilder<> Builder(Copy);
    for (const Use &Entry : Entries->operands())
      Builder.CreateStore(
          Entry, Builder.CreateConstInBoundsGEP1_64(Builder.getInt8Ty(), Copy->getDest(), Each * Entry.getOperandNo()));
    Copy->eraseFromParent();
    if (Table->hasLocalLinkage() && Table->use_empty())
      Table->eraseFromParent();
    Found = true;
  }
  return Found;
}

bool kernix::splitPointerChoices(Function &F, const DominatorTree &Dominators, const LoopInfo &Loops) {
  return Splitter(F, Dominators, Loops).run();
}
