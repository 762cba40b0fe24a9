//===- CopiedBytes.cpp - floating-point memory that is moved as bytes or integers -------------------------------===//

#include "Derivative/Prepare/CopiedBytes.h"
#include "Derivative/Analysis/Constants.h"
#include "Derivative/Analysis/ReferenceLayout.h"
#include "Derivative/Canonical/Collectives.h"
#include "Derivative/Canonical/MathFunctions.h"
#include "Derivative/Prepare/LocalLayout.h"
#include "Derivative/Prepare/Multiples.h"
#include "Derivative/Shared/SharedPools.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/IR/ValueHandle.h"
#include "llvm/Support/KnownBits.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include <map>
#include <optional>

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace kernix;

namespace {

/// Of a copy, and of a local array that is cleared: one that is indexed by unrolled loops is in registers then.
constexpr uint64_t UnrolledElements = 16, UnrolledZeros = 128;

/// Whether numbers of this type are behind the pointer as a whole, if there are any. Constants may be cut in any way.
bool startsNumber(MemoryObjects &Objects, const Value *Pointer, const Type *T, const DataLayout &DL) {
  auto IsConstant = [](const MemoryObject *O) {
    return O->Kind == MemoryObject::Constant || O->Kind == MemoryObject::Opaque;
  };
  return all_of(Objects.of(Pointer), IsConstant) ||
         Multiples(DL).isWhole(Pointer, DL.getTypeAllocSize(const_cast<Type *>(T)));
}

/// The type of all elements behind a pointer, if every object that it may mean agrees. Size: none if not constant.
Type *elementBehind(MemoryObjects &Objects, const Value *Pointer, std::optional<uint64_t> Size, const DataLayout &DL) {
  Type *Scalar = nullptr;
  for (const MemoryObject *O : Objects.of(Pointer)) {
    Type *Found = O->Scalar && startsNumber(Objects, Pointer, O->Scalar, DL) ? O->Scalar : nullptr;
    if (const auto *Variable = dyn_cast<AllocaInst>(O->Base); Variable && Size && !O->Scalar)
      Found = numbersInLocal(Pointer, *Variable, *Size);
    else if (const bool IsOfParameter = O->Kind == MemoryObject::Reference || O->Kind == MemoryObject::Parameter;
             IsOfParameter && Size && !O->Scalar)
      Found = cellInReference(Pointer, *O, *Size, Objects, DL).Scalar;
    if (!Found || (Scalar && Scalar != Found))
      return nullptr;
    Scalar = Found;
  }
  return Scalar;
}

/// Scalars of an element, with their places in it.
using Fields = SmallVector<std::pair<Type *, uint64_t>, 16>;

Value *after(IRBuilder<> &B, Value *Base, Value *Bytes) { return B.CreateInBoundsGEP(B.getInt8Ty(), Base, Bytes); }

Align sourceAlign(const MemIntrinsic &I) {
  const auto *Transfer = dyn_cast<MemTransferInst>(&I);
  return Transfer ? Transfer->getSourceAlign().valueOrOne() : Align();
}

/// Copies Count elements of Size bytes, or clears them (Source is null).
void copyInLoop(MemIntrinsic &I, Value *Source, uint64_t Size, const Fields &Scalars, bool Downwards = false) {
  IRBuilder<> B(&I);
  Type *IndexType = I.getLength()->getType();
  Value *Count = B.CreateUDiv(I.getLength(), ConstantInt::get(IndexType, Size));
  BasicBlock *Before = I.getParent();
  BasicBlock *After = SplitBlock(Before, I.getIterator());
  BasicBlock *Body = BasicBlock::Create(I.getContext(), "", Before->getParent(), After);
  Before->getTerminator()->eraseFromParent();
  B.SetInsertPoint(Before);
  B.SetCurrentDebugLocation(I.getDebugLoc());
  B.CreateCondBr(B.CreateICmpEQ(Count, ConstantInt::get(IndexType, 0)), After, Body);
  IRBuilder<> In(Body);
  In.SetCurrentDebugLocation(I.getDebugLoc());
  PHINode *Index = In.CreatePHI(IndexType, 2);
  Value *Element = Index;
  if (Downwards)
    Element = In.CreateSub(In.CreateSub(Count, ConstantInt::get(IndexType, 1)), Index);
  Value *Start = In.CreateNUWMul(Element, ConstantInt::get(IndexType, Size));
  SmallVector<Value *, 16> Values;
  auto At = [&](Value *Base, uint64_t Offset) {
    Value *Element = after(In, Base, Start);
    return Offset ? after(In, Element, In.getInt64(Offset)) : Element;
  };
  const Align From = commonAlignment(sourceAlign(I), Size), To = commonAlignment(I.getDestAlign().valueOrOne(), Size);
  for (auto [T, Offset] : Scalars)
    Values.push_back(
        Source ? static_cast<Value *>(In.CreateAlignedLoad(T, At(Source, Offset), commonAlignment(From, Offset)))
               : Constant::getNullValue(T));
  for (unsigned K = 0; K < Scalars.size(); ++K)
    In.CreateAlignedStore(Values[K], At(I.getRawDest(), Scalars[K].second), commonAlignment(To, Scalars[K].second));
  Value *Next = In.CreateNUWAdd(Index, ConstantInt::get(IndexType, 1));
  In.CreateCondBr(In.CreateICmpEQ(Next, Count), After, Body);
  Index->addIncoming(ConstantInt::get(IndexType, 0), Before);
  Index->addIncoming(Next, Body);
}

/// Copies or clears scalars one by one. All loads first: the ranges of memmove may overlap.
void copyOnce(MemIntrinsic &I, Value *Source, const Fields &Scalars) {
  IRBuilder<> B(&I);
  SmallVector<Value *, 16> Values;
  const Align From = sourceAlign(I), To = I.getDestAlign().valueOrOne();
  for (auto [T, Offset] : Scalars)
    Values.push_back(Source ? static_cast<Value *>(B.CreateAlignedLoad(T, after(B, Source, B.getInt64(Offset)),
                                                                       commonAlignment(From, Offset)))
                            : Constant::getNullValue(T));
  for (unsigned K = 0; K < Scalars.size(); ++K)
    B.CreateAlignedStore(Values[K], after(B, I.getRawDest(), B.getInt64(Scalars[K].second)),
                         commonAlignment(To, Scalars[K].second));
}

/// False for a memmove whose ranges may overlap.
bool mayCopyUpwards(const MemIntrinsic &I, const Value *Source, MemoryObjects &Objects) {
  if (!isa<MemMoveInst>(I))
    return true;
  const auto To = Objects.of(I.getRawDest()), From = Objects.of(Source);
  return To.size() == 1 && From.size() == 1 && To[0] != From[0] && To[0]->Kind != MemoryObject::Unknown &&
         From[0]->Kind != MemoryObject::Unknown;
}

/// In the direction in which no element is overwritten before it is copied.
void copyManyInLoop(MemIntrinsic &I, Value *Source, uint64_t Size, const Fields &Scalars, MemoryObjects &Objects) {
  if (mayCopyUpwards(I, Source, Objects))
    return copyInLoop(I, Source, Size, Scalars);
  IRBuilder<> B(&I);
  Instruction *Down = nullptr, *Up = nullptr;
  SplitBlockAndInsertIfThenElse(B.CreateICmpUGT(I.getRawDest(), Source), I.getIterator(), &Down, &Up);
  for (Instruction *Where : {Down, Up}) {
    auto *Copy = cast<MemIntrinsic>(I.clone());
    Copy->insertBefore(Where->getIterator());
    copyInLoop(*Copy, Source, Size, Scalars, Where == Down);
    Copy->eraseFromParent();
  }
}

bool expandElements(MemIntrinsic &I, Value *Source, Type *Element, MemoryObjects &Objects, const DataLayout &DL) {
  uint64_t Size = DL.getTypeAllocSize(Element); // from one to the next, which may be more than an access takes
  auto *Length = dyn_cast<ConstantInt>(I.getLength());
  if (!Multiples(DL).isMultiple(I.getLength(), Size) || !startsNumber(Objects, I.getRawDest(), Element, DL) ||
      (Source && !startsNumber(Objects, Source, Element, DL)))
    return false;
  const MemoryObject *O = Source ? nullptr : Objects.only(I.getRawDest());
  uint64_t Most = O && isa<AllocaInst>(O->Base) ? UnrolledZeros : UnrolledElements;
  if (Length && Length->getZExtValue() / Size <= Most) {
    Fields Scalars;
    for (uint64_t At = 0; At < Length->getZExtValue(); At += Size)
      Scalars.push_back({Element, At});
    copyOnce(I, Source, Scalars);
    return true;
  }
  copyManyInLoop(I, Source, Size, {{Element, 0}}, Objects);
  return true;
}

/// The largest element of T or of an array in it that begins at Offset, of which Length is a multiple, with its
/// scalars; its size, or 0.
uint64_t elementAt(Type *T, uint64_t Offset, const Value *Length, const DataLayout &DL, Fields &Scalars) {
  bool HasFollowers = true; // behind a member that is no array lies something else
  while (true) {
    uint64_t Size = DL.getTypeAllocSize(T);
    if (Offset >= Size)
      return 0;
    Scalars.clear();
    if (HasFollowers && Offset == 0 && (isa<StructType>(T) || T->isFloatingPointTy()) &&
        Multiples(DL).isMultiple(Length, Size) && scalarsIn(T, 0, Size, DL, Scalars)) {
      addGaps(Size, T->getContext(), DL, Scalars);
      return Size;
    }
    HasFollowers = isa<ArrayType>(T);
    if (auto *Array = dyn_cast<ArrayType>(T)) {
      T = Array->getElementType();
      Offset %= DL.getTypeAllocSize(T);
      continue;
    }
    auto *Struct = dyn_cast<StructType>(T);
    if (!Struct)
      return 0;
    const StructLayout *Layout = DL.getStructLayout(Struct);
    unsigned Field = Layout->getElementContainingOffset(Offset);
    Offset -= Layout->getElementOffset(Field);
    T = Struct->getElementType(Field);
  }
}

/// Copies or clears the members of local structs and of shared arrays of structs, as Side of the copy is declared.
bool expandFieldsOf(MemIntrinsic &I, Value *Side, Value *Source, MemoryObjects &Objects, const DataLayout &DL) {
  const MemoryObject *O = Objects.only(Side);
  if (O && O->Kind == MemoryObject::Shared && !O->Scalar && isa<ConstantInt>(I.getLength())) {
    Fields Members;
    if (!membersInShared(*Side, *cast<GlobalVariable>(O->Base), cast<ConstantInt>(I.getLength())->getZExtValue(),
                         Members))
      return false;
    copyOnce(I, Source, Members);
    return true;
  }
  const auto *Variable = O ? dyn_cast<AllocaInst>(O->Base) : nullptr;
  SmallVector<LocalPlace, 4> Places;
  if (!Variable || !placesInLocal(Side, *Variable, Places))
    return false;
  if (any_of(Places, [&](const LocalPlace &P) { return P.T != Places[0].T || P.Offset != Places[0].Offset; }))
    return false;
  LocalPlace Place = Places[0];
  auto *Length = dyn_cast<ConstantInt>(I.getLength());
  Fields Scalars;
  const Value *Other = Side == Source ? I.getRawDest() : Source;
  auto OtherIsAlike = [&] {
    return !Other || all_of(Scalars, [&](const auto &Member) {
      return !Member.first->isFloatingPointTy() || startsNumber(Objects, Other, Member.first, DL);
    });
  };
  if (Length && Place.Offset + Length->getZExtValue() <= DL.getTypeAllocSize(Place.T) &&
      scalarsIn(Place.T, Place.Offset, Place.Offset + Length->getZExtValue(), DL, Scalars)) {
    if (!OtherIsAlike())
      return false;
    addGaps(Length->getZExtValue(), I.getContext(), DL, Scalars);
    copyOnce(I, Source, Scalars);
    return true;
  }
  // Several elements of an array.
  uint64_t Size = elementAt(Place.T, Place.Offset, I.getLength(), DL, Scalars);
  if (!Size || !OtherIsAlike())
    return false;
  copyManyInLoop(I, Source, Size, Scalars, Objects);
  return true;
}

/// In a local variable that is declared as bytes: a part of a struct, perhaps, that LLVM has cut off.
bool isOfBytes(const Value &Pointer, MemoryObjects &Objects) {
  const MemoryObject *O = Objects.only(&Pointer);
  const auto *Variable = O ? dyn_cast<AllocaInst>(O->Base) : nullptr;
  const auto *Array = Variable ? dyn_cast<ArrayType>(Variable->getAllocatedType()) : nullptr;
  return Array && Array->getElementType()->isIntegerTy(8);
}

bool isIntegerShuffle(const Instruction &I) {
  const auto *Call = dyn_cast<CallInst>(&I);
  return Call && Call->getCalledFunction() && isShuffle(*Call->getCalledFunction()) && I.getType()->isIntegerTy();
}

/// The type of numbers that are moved as an integer of their size.
Type *movedNumber(MemoryObjects &Objects, const Value &V, const DataLayout &DL) {
  Type *T = nullptr;
  if (const auto *Cast = dyn_cast<BitCastInst>(&V))
    T = Cast->getSrcTy();
  else if (const auto *Load = dyn_cast<LoadInst>(&V))
    T = elementBehind(Objects, Load->getPointerOperand(), V.getType()->getIntegerBitWidth() / 8, DL);
  if (const auto *Vector = dyn_cast_or_null<FixedVectorType>(T))
    T = Vector->getElementType();
  return T && T->isFloatingPointTy() && V.getType()->getIntegerBitWidth() % T->getScalarSizeInBits() == 0 ? T : nullptr;
}

/// An element of a shared array of structs, moved as one integer: its members are moved.
bool splitMembers(StoreInst &Store, MemoryObjects &Objects) {
  auto *Load = dyn_cast<LoadInst>(Store.getValueOperand());
  if (!Load || !Load->isSimple() || !Store.isSimple())
    return false;
  Fields Members;
  auto Find = [&](const Value *Pointer) {
    const MemoryObject *O = Objects.only(Pointer);
    Members.clear();
    return O && O->Kind == MemoryObject::Shared && !O->Scalar &&
           membersInShared(*Pointer, *cast<GlobalVariable>(O->Base),
                           Store.getValueOperand()->getType()->getIntegerBitWidth() / 8, Members);
  };
  if (!Find(Store.getPointerOperand()) && !Find(Load->getPointerOperand()))
    return false;
  if (all_of(Members, [](const auto &Member) { return Member.first->isIntegerTy(); }) &&
      movedNumber(Objects, *Load, Store.getDataLayout()))
    return false; // words of numbers
  IRBuilder<> From(Load), To(&Store);
  for (auto [T, Offset] : Members) {
    Value *Member = From.CreateAlignedLoad(T, after(From, Load->getPointerOperand(), From.getInt64(Offset)),
                                           commonAlignment(Load->getAlign(), Offset));
    To.CreateAlignedStore(Member, after(To, Store.getPointerOperand(), To.getInt64(Offset)),
                          commonAlignment(Store.getAlign(), Offset));
  }
  Store.eraseFromParent();
  return true;
}

/// The number that so many bytes of a shared array of structs are declared to be; null: they are something else.
Type *memberInShared(const Value &Pointer, const GlobalVariable &Variable, uint64_t Bytes) {
  Fields Found;
  return membersInShared(Pointer, Variable, Bytes, Found) && Found.size() == 1 && Found[0].first->isFloatingPointTy()
             ? Found[0].first
             : nullptr;
}

/// The integer whose bits I takes one number out of: extractelement (bitcast i32 to <2 x half>), 1.
Value *elementOfInteger(const Instruction &I) {
  const auto *Element = dyn_cast<ExtractElementInst>(&I);
  const auto *Cast = Element ? dyn_cast<BitCastInst>(Element->getVectorOperand()) : nullptr;
  bool Found = Cast && isa<ConstantInt>(Element->getIndexOperand()) && Cast->getSrcTy()->isIntegerTy() &&
               I.getType()->isFloatingPointTy();
  return Found ? Cast->getOperand(0) : nullptr;
}

/// Removes shuffles of integers that nothing needs any more but they themselves, going around a loop.
void removeUnusedShuffles(Function &F) {
  SmallVector<Instruction *, 8> Shuffles;
  for (Instruction &I : instructions(F))
    if (const auto *Call = dyn_cast<CallInst>(&I))
      if (Call->getCalledFunction() && isShuffle(*Call->getCalledFunction()))
        Shuffles.push_back(&I);
  DenseSet<Instruction *> Gone;
  for (Instruction *Shuffle : Shuffles) {
    if (Gone.contains(Shuffle))
      continue;
    SetVector<Instruction *> Users;
    Users.insert(Shuffle);
    bool Used = false;
    for (unsigned K = 0; K < Users.size() && !Used; ++K) {
      Instruction *I = Users[K];
      Used = I->isTerminator() || (I->mayHaveSideEffects() && !is_contained(Shuffles, I));
      for (User *U : I->users())
        Users.insert(cast<Instruction>(U));
    }
    if (Used)
      continue;
    for (Instruction *I : Users)
      I->replaceAllUsesWith(PoisonValue::get(I->getType()));
    for (Instruction *I : Users)
      I->eraseFromParent();
    Gone.insert_range(Users);
  }
}

/// Reads floating-point numbers out of integers that carry them.
class Carriers {
public:
  Carriers(MemoryObjects &Objects, const DataLayout &DL) : Objects(Objects), DL(DL) {}

  /// The number in the bits [Bit, Bit + size of T) of V; null if V is not made of such numbers.
  Value *number(Value *V, unsigned Bit, Type *T) {
    auto Key = std::make_tuple(V, Bit, T);
    if (auto Found = Known.find(Key); Found != Known.end())
      return Found->second;
    unsigned Bits = static_cast<unsigned>(DL.getTypeSizeInBits(T));
    if (auto *C = dyn_cast<ConstantInt>(V))
      return ConstantFP::get(V->getContext(), APFloat(T->getFltSemantics(), C->getValue().extractBits(Bits, Bit)));
    if (isa<UndefValue>(V))
      return PoisonValue::get(T);
    auto *I = dyn_cast<Instruction>(V);
    if (!I)
      return nullptr;
    Known[Key] = nullptr;
    Value *Result = build(*I, Bit, Bits, T);
    return Known[Key] = Result;
  }

  /// The bits [Bit, Bit + Bits) of V, an integer beside numbers, computed without these; null if they come from what is
  /// not made of such parts.
  Value *integer(Value *V, unsigned Bit, unsigned Bits) {
    auto Key = std::make_tuple(V, Bit, static_cast<Type *>(IntegerType::get(V->getContext(), Bits)));
    if (auto Found = Known.find(Key); Found != Known.end())
      return Found->second;
    auto *I = dyn_cast<Instruction>(V);
    if (Bit == 0 && V->getType()->isIntegerTy(Bits) && !(I && movesBits(*I)))
      return V;
    if (auto *C = dyn_cast<ConstantInt>(V))
      return ConstantInt::get(V->getContext(), C->getValue().extractBits(Bits, Bit));
    if (isa<UndefValue>(V))
      return PoisonValue::get(std::get<2>(Key));
    if (!I)
      return nullptr;
    Known[Key] = nullptr;
    Value *Result = buildInteger(*I, Bit, Bits);
    return Known[Key] = Result;
  }

  /// Whether there is a number in V, put together with others by shifts and the like, or chosen.
  bool holdsNumber(const Value *V) {
    SmallVector<const Value *, 8> Work = {V};
    SmallPtrSet<const Value *, 16> Seen;
    while (!Work.empty()) {
      const auto *I = dyn_cast<Instruction>(Work.pop_back_val());
      if (!I || !Seen.insert(I).second)
        continue;
      if (isa<BitCastInst>(I) && I->getOperand(0)->getType()->isFloatingPointTy())
        return true;
      if (const auto *Load = dyn_cast<LoadInst>(I); Load && isOfNumber(*Load))
        return true;
      if (movesBits(*I))
        append_range(Work, I->operand_values());
    }
    return false;
  }

private:
  /// Whether the bits are those of a number in memory.
  bool isOfNumber(const LoadInst &Load) {
    if (!Load.getType()->isIntegerTy())
      return false;
    const uint64_t Bytes = DL.getTypeStoreSize(Load.getType());
    if (elementBehind(Objects, Load.getPointerOperand(), Bytes, DL))
      return true;
    const MemoryObject *O = Objects.only(Load.getPointerOperand());
    return O && O->Kind == MemoryObject::Shared &&
           memberInShared(*Load.getPointerOperand(), *cast<GlobalVariable>(O->Base), Bytes);
  }

  /// What integer() looks through.
  static bool movesBits(const Instruction &I) {
    switch (I.getOpcode()) {
    case Instruction::Trunc:
    case Instruction::ZExt:
    case Instruction::LShr:
    case Instruction::Shl:
    case Instruction::And:
    case Instruction::Or:
    case Instruction::PHI:
    case Instruction::Select:
      return I.getType()->isIntegerTy();
    default:
      return isa<MinMaxIntrinsic>(I) || isIntegerShuffle(I);
    }
  }

  Value *buildInteger(Instruction &I, unsigned Bit, unsigned Bits) {
    const unsigned Width = I.getType()->getIntegerBitWidth();
    Type *T = IntegerType::get(I.getContext(), Bits);
    Value *A, *B;
    uint64_t Shift;
    const APInt *Mask;
    if (!movesBits(I) || Bit + Bits > Width)
      return nullptr;
    if (isZeroAt(&I, Bit, Bits))
      return ConstantInt::get(T, 0);
    if (match(&I, m_Trunc(m_Value(A))))
      return integer(A, Bit, Bits);
    if (match(&I, m_ZExt(m_Value(A))) && Bit + Bits <= A->getType()->getIntegerBitWidth())
      return integer(A, Bit, Bits);
    if (match(&I, m_LShr(m_Value(A), m_ConstantInt(Shift))) && Bit + Shift + Bits <= Width)
      return integer(A, Bit + static_cast<unsigned>(Shift), Bits);
    if (match(&I, m_Shl(m_Value(A), m_ConstantInt(Shift))) && Bit >= Shift)
      return integer(A, Bit - static_cast<unsigned>(Shift), Bits);
    if (match(&I, m_And(m_Value(A), m_APInt(Mask))) && Mask->extractBits(Bits, Bit).isAllOnes())
      return integer(A, Bit, Bits);
    if (match(&I, m_Or(m_Value(A), m_Value(B)))) {
      if (isZeroAt(B, Bit, Bits))
        return integer(A, Bit, Bits);
      if (isZeroAt(A, Bit, Bits))
        return integer(B, Bit, Bits);
    }
    if (auto *Phi = dyn_cast<PHINode>(&I))
      return chosenPart(*Phi, Bit, T, [&](Value *V) { return integer(V, Bit, Bits); });
    auto *Select = dyn_cast<SelectInst>(&I);
    auto *Order = dyn_cast<MinMaxIntrinsic>(&I);
    if (Select || Order) {
      Value *True = integer(Select ? Select->getTrueValue() : Order->getLHS(), Bit, Bits);
      Value *False = integer(Select ? Select->getFalseValue() : Order->getRHS(), Bit, Bits);
      if (!True || !False)
        return nullptr;
      IRBuilder<> At = after(I);
      Value *Condition =
          Select ? Select->getCondition() : At.CreateICmp(Order->getPredicate(), Order->getLHS(), Order->getRHS());
      return At.CreateSelect(Condition, True, False);
    }
    if (isIntegerShuffle(I) && Bits == 32)
      if (Value *Part = integer(I.getOperand(1), Bit, Bits))
        return shuffle(cast<CallInst>(I), Part);
    return nullptr;
  }

  /// A phi of the parts, of type T, of what comes in.
  Value *chosenPart(PHINode &Phi, unsigned Bit, Type *T, function_ref<Value *(Value *)> Part) {
    PHINode *New = PHINode::Create(T, Phi.getNumIncomingValues(), "", Phi.getIterator());
    Known[std::make_tuple(static_cast<Value *>(&Phi), Bit, T)] = New;
    for (unsigned K = 0; K < Phi.getNumIncomingValues(); ++K) {
      Value *Incoming = Part(Phi.getIncomingValue(K));
      if (!Incoming) { // leave a phi of nothing, which dies
        New->replaceAllUsesWith(PoisonValue::get(T));
        New->eraseFromParent();
        Known.clear(); // what was built on it is worth nothing
        return nullptr;
      }
      New->addIncoming(Incoming, Phi.getIncomingBlock(K));
    }
    return New;
  }

  Value *build(Instruction &I, unsigned Bit, unsigned Bits, Type *T) {
    unsigned Width = I.getType()->getScalarSizeInBits();
    if (!I.getType()->isIntegerTy() || Bit + Bits > Width)
      return nullptr;
    if (isZeroAt(&I, Bit, Bits))
      return ConstantFP::getZero(T);
    // A bfloat16 number above zeros is the same number as a float.
    if (T->isFloatTy() && isZeroAt(&I, Bit, 16))
      if (Value *High = number(&I, Bit + 16, Type::getBFloatTy(I.getContext())))
        return IRBuilder<>(I.getParent(), *I.getInsertionPointAfterDef()).CreateFPExt(High, T);
    Value *A, *B2;
    uint64_t Shift;
    if (auto *Cast = dyn_cast<BitCastInst>(&I)) {
      const auto *Vector = dyn_cast<FixedVectorType>(Cast->getSrcTy());
      if (Vector && Vector->getElementType() == T && Bit % Bits == 0)
        return findScalarElement(Cast->getOperand(0), Bit / Bits);
      return Cast->getSrcTy() == T ? Cast->getOperand(0) : nullptr;
    }
    if (auto *Load = dyn_cast<LoadInst>(&I)) {
      Type *Found = elementBehind(Objects, Load->getPointerOperand(), Width / 8, DL);
      const MemoryObject *O = Objects.only(Load->getPointerOperand());
      // In shared memory of words, or that is cut into several arrays, what is read as a number is one.
      bool IsPool = !Found && O && O->Kind == MemoryObject::Shared && !O->Scalar;
      if (!Load->isSimple() || (Found != T && !IsPool) || Bit % Bits || Width % Bits)
        return nullptr;
      IRBuilder<> At(Load);
      Value *Place = At.CreateConstInBoundsGEP1_64(T, Load->getPointerOperand(), Bit / Bits);
      return At.CreateAlignedLoad(T, Place, commonAlignment(Load->getAlign(), Bit / 8));
    }
    if (isConstantBits(&I)) {
      IRBuilder<> At = after(I);
      Value *Moved = Bit ? At.CreateLShr(&I, Bit) : &I;
      return At.CreateBitCast(At.CreateTrunc(Moved, At.getIntNTy(Bits)), T);
    }
    if (auto *Phi = dyn_cast<PHINode>(&I))
      return chosenPart(*Phi, Bit, T, [&](Value *V) { return number(V, Bit, T); });
    if (auto *Select = dyn_cast<SelectInst>(&I)) {
      Value *True = number(Select->getTrueValue(), Bit, T), *False = number(Select->getFalseValue(), Bit, T);
      return True && False ? IRBuilder<>(Select).CreateSelect(Select->getCondition(), True, False) : nullptr;
    }
    if (match(&I, m_Trunc(m_Value(A))))
      return number(A, Bit, T);
    if (match(&I, m_ZExt(m_Value(A))))
      return Bit + Bits <= A->getType()->getScalarSizeInBits() ? number(A, Bit, T) : nullptr;
    if (match(&I, m_LShr(m_Value(A), m_ConstantInt(Shift))))
      return Bit + Shift + Bits <= Width ? number(A, Bit + static_cast<unsigned>(Shift), T) : nullptr;
    if (match(&I, m_Shl(m_Value(A), m_ConstantInt(Shift))))
      return Bit >= Shift ? number(A, Bit - static_cast<unsigned>(Shift), T) : nullptr;
    const APInt *Mask;
    if (match(&I, m_And(m_Value(A), m_APInt(Mask)))) {
      APInt Kept = Mask->extractBits(Bits, Bit);
      Value *Number = Kept.isAllOnes() || Kept.isMaxSignedValue() ? number(A, Bit, T) : nullptr;
      return Number && !Kept.isAllOnes() ? after(I).CreateUnaryIntrinsic(Intrinsic::fabs, Number) : Number;
    }
    if (match(&I, m_Or(m_Value(A), m_Value(B2))) || match(&I, m_Xor(m_Value(A), m_Value(B2)))) {
      if (isZeroAt(B2, Bit, Bits))
        return number(A, Bit, T);
      if (isZeroAt(A, Bit, Bits))
        return number(B2, Bit, T);
    }
    if (Value *Joined = T->isDoubleTy() ? twoWords(I, Bit, T) : ofBytes(I, Bit, Bits, T))
      return Joined;
    if (Value *Changed = signOrExponent(I, Bit, Bits, T))
      return Changed;
    // The larger of two keys: a number above the index that it came with.
    if (auto *Order = dyn_cast<MinMaxIntrinsic>(&I)) {
      Value *Left = number(Order->getLHS(), Bit, T), *Right = number(Order->getRHS(), Bit, T);
      if (!Left || !Right)
        return nullptr;
      IRBuilder<> At = after(I);
      return At.CreateSelect(At.CreateICmp(Order->getPredicate(), Order->getLHS(), Order->getRHS()), Left, Right);
    }
    if (auto *Call = dyn_cast<CallInst>(&I); Call && Call->getIntrinsicID() == Intrinsic::nvvm_prmt)
      return bytes(*Call, Bit, Bits, T);
    if (isIntegerShuffle(I))
      return shuffled(cast<CallInst>(I), Bit, T);
    if (match(&I, m_FShl(m_Value(A), m_Value(B2), m_ConstantInt(Shift))))
      return funnel(A, B2, Width - static_cast<unsigned>(Shift % Width), Width, Bit, Bits, T);
    if (match(&I, m_FShr(m_Value(A), m_Value(B2), m_ConstantInt(Shift))))
      return Shift % Width ? funnel(A, B2, static_cast<unsigned>(Shift % Width), Width, Bit, Bits, T)
                           : number(B2, Bit, T);
    return nullptr;
  }

  /// The number in the bits [From + Bit, ...) of High and Low, one behind the other.
  Value *funnel(Value *High, Value *Low, unsigned From, unsigned Width, unsigned Bit, unsigned Bits, Type *T) {
    Bit += From;
    if (Bit + Bits <= Width)
      return number(Low, Bit, T);
    return Bit >= Width ? number(High, Bit - Width, T) : nullptr;
  }

  static IRBuilder<> after(Instruction &I) { return IRBuilder<>(I.getParent(), *I.getInsertionPointAfterDef()); }

  /// The sign of a number that is set or turned, or a step of its exponent that is added.
  Value *signOrExponent(Instruction &I, unsigned Bit, unsigned Bits, Type *T) {
    unsigned Fraction = T->getFPMantissaWidth() - 1;
    bool IsWhole = Bit == 0 && Bits == I.getType()->getIntegerBitWidth();
    bool Turns = I.getOpcode() == Instruction::Xor, Sets = I.getOpcode() == Instruction::Or;
    bool Adds = I.getOpcode() == Instruction::Add && IsWhole && (T->isFloatTy() || T->isDoubleTy());
    if (!Turns && !Sets && !Adds)
      return nullptr;
    for (unsigned Side : {0, 1}) {
      Value *Rest = I.getOperand(1 - Side);
      if (!isZeroAt(Rest, Bit, Adds ? Fraction : Bits - 1))
        continue;
      Value *Number = number(I.getOperand(Side), Bit, T);
      if (!Number)
        continue;
      IRBuilder<> B = after(I);
      bool IsSign = isZeroAt(Rest, Bit, Bits - 1);
      if (Adds && !IsSign) {
        if (!isStepOfExponent(Rest, Fraction) || isOfConstantBits(Number))
          continue;
        Value *Step = B.CreateSExtOrTrunc(B.CreateAShr(Rest, Fraction), B.getInt32Ty());
        // Steps are added before any of them is taken: on the way the exponent may be out of range.
        if (is_contained(StepsTaken, Number)) {
          Step = B.CreateAdd(cast<CallInst>(Number)->getArgOperand(1), Step);
          Number = cast<CallInst>(Number)->getArgOperand(0);
        }
        StepsTaken.emplace_back(
            B.CreateCall(declareMath(*I.getModule(), *findMathFunction("ldexp"), T, false), {Number, Step}));
        return StepsTaken.back();
      }
      Value *Sign = B.CreateTrunc(B.CreateLShr(Rest, Bit), B.getIntNTy(Bits));
      Value *Unsigned = !Sets ? Number : B.CreateUnaryIntrinsic(Intrinsic::fabs, Number);
      return B.CreateSelect(B.CreateICmpSLT(Sign, ConstantInt::get(Sign->getType(), 0)), B.CreateFNeg(Unsigned),
                            Number);
    }
    return nullptr;
  }

  /// What is marked [[kernix::no_diff]].
  static bool isConstantBits(const Value *V) {
    const auto *Call = dyn_cast<CallInst>(V);
    return Call && Call->getCalledFunction() && isConstantMark(*Call->getCalledFunction());
  }

  /// A number that only moves them: with them any integer may be made.
  static bool isOfConstantBits(const Value *Number) {
    const Value *Bits = Number;
    while (isa<BitCastInst, TruncInst>(Bits) || match(Bits, m_LShr(m_Value(), m_ConstantInt())))
      Bits = cast<Instruction>(Bits)->getOperand(0);
    return isConstantBits(Bits);
  }

  /// Whether the highest bit of what is added to a number's bits, where the number has its sign, is that of a step of
  /// the exponent: of a small integer that is shifted there.
  static bool isStepOfExponent(const Value *Added, unsigned Fraction) {
    if (const auto *C = dyn_cast<ConstantInt>(Added))
      return C->getValue().getNumSignBits() >= 2;
    const Value *Shifted;
    uint64_t Shift;
    if (!match(Added, m_Shl(m_Value(Shifted), m_ConstantInt(Shift))))
      return isa<Instruction>(Added) &&
             computeKnownBits(Added, cast<Instruction>(Added)->getDataLayout()).isNonNegative();
    if (Shift >= Fraction)
      return Shift <= Fraction + 2;
    // The high word of a double is shifted once more.
    const auto *Cast = dyn_cast<CastInst>(Shifted);
    const Value *Word = Cast ? Cast->getOperand(0) : Shifted;
    return isa<Instruction>(Word) && match(Word, m_Shl(m_Value(), m_Value())) &&
           isStepOfExponent(Word, Fraction - static_cast<unsigned>(Shift));
  }

  /// Bytes that a constant selects, if those of the number stay side by side.
  Value *bytes(CallInst &Call, unsigned Bit, unsigned Bits, Type *T) {
    const auto *Selector = dyn_cast<ConstantInt>(Call.getArgOperand(2));
    if (!Selector || Bit % 8)
      return nullptr;
    auto Byte = [&](unsigned K) { return static_cast<unsigned>(Selector->getZExtValue() >> (4 * K)) & 15; };
    unsigned First = Byte(Bit / 8);
    for (unsigned K = 0; K < Bits / 8; ++K)
      if (unsigned From = Byte(Bit / 8 + K); From > 7 || From != First + K || From / 4 != First / 4)
        return nullptr;
    return number(Call.getArgOperand(First / 4), First % 4 * 8, T);
  }

  static Value *shuffle(CallInst &Like, Value *Number) {
    StringRef Kind = Like.getCalledFunction()->getName().split("shfl.").second.split('.').first;
    Function *F = declareShuffle(*Like.getModule(), Kind, Number->getType());
    return F ? IRBuilder<>(&Like).CreateCall(
                   F, {Like.getArgOperand(0), Number, Like.getArgOperand(2), Like.getArgOperand(3)})
             : nullptr;
  }

  Value *shuffled(CallInst &Call, unsigned Bit, Type *T) {
    Value *Number = number(Call.getArgOperand(1), Bit, T);
    return Number ? shuffle(Call, Number) : nullptr;
  }

  /// Where the bits [Bit, Bit + Count) of V come from: bits of another value.
  std::pair<Value *, unsigned> sourceOf(Value *V, unsigned Bit, unsigned Count) const {
    Value *A, *B;
    uint64_t Shift;
    const APInt *Mask;
    auto Holds = [&](uint64_t From) { return From + Count <= A->getType()->getScalarSizeInBits(); };
    if ((match(V, m_Trunc(m_Value(A))) || match(V, m_ZExt(m_Value(A)))) && Holds(Bit))
      return sourceOf(A, Bit, Count);
    if (match(V, m_LShr(m_Value(A), m_ConstantInt(Shift))) && Holds(Bit + Shift))
      return sourceOf(A, Bit + static_cast<unsigned>(Shift), Count);
    if (match(V, m_Shl(m_Value(A), m_ConstantInt(Shift))) && Bit >= Shift)
      return sourceOf(A, Bit - static_cast<unsigned>(Shift), Count);
    if (match(V, m_And(m_Value(A), m_APInt(Mask))) && Mask->extractBits(Count, Bit).isAllOnes())
      return sourceOf(A, Bit, Count);
    if (match(V, m_Or(m_Value(A), m_Value(B)))) {
      if (isZeroAt(B, Bit, Count))
        return sourceOf(A, Bit, Count);
      if (isZeroAt(A, Bit, Count))
        return sourceOf(B, Bit, Count);
    }
    return {V, Bit};
  }

  /// The number where its bytes come one by one from where they lay side by side.
  Value *ofBytes(Instruction &I, unsigned Bit, unsigned Bits, Type *T) {
    auto [First, From] = sourceOf(&I, Bit, 8);
    if (First == &I)
      return nullptr;
    for (unsigned At = 8; At < Bits; At += 8)
      if (sourceOf(&I, Bit + At, 8) != std::pair(First, From + At))
        return nullptr;
    return number(First, From, T);
  }

  /// A number of 64 bits of two words, which may both have been shuffled alike.
  Value *twoWords(Instruction &I, unsigned Bit, Type *T) {
    if (I.getType()->getIntegerBitWidth() < Bit + 64)
      return nullptr;
    auto [Lower, LowBit] = sourceOf(&I, Bit, 32);
    auto [Upper, HighBit] = sourceOf(&I, Bit + 32, 32);
    if (Lower == Upper && Lower != &I && HighBit == LowBit + 32)
      return number(Lower, LowBit, T);
    auto *Low = dyn_cast<CallInst>(Lower), *High = dyn_cast<CallInst>(Upper);
    if (!Low || !High || LowBit || HighBit || !isIntegerShuffle(*Low) || !Low->getType()->isIntegerTy(32) ||
        Low->getCalledFunction() != High->getCalledFunction() || Low->getParent() != High->getParent())
      return nullptr;
    for (unsigned Operand : {0, 2, 3})
      if (Low->getArgOperand(Operand) != High->getArgOperand(Operand))
        return nullptr;
    CallInst *Last = Low->comesBefore(High) ? High : Low;
    IRBuilder<> B(Last);
    Value *Word = B.CreateShl(B.CreateZExt(High->getArgOperand(1), B.getInt64Ty()), 32);
    Word = B.CreateOr(Word, B.CreateZExt(Low->getArgOperand(1), B.getInt64Ty()));
    Value *Number = number(Word, 0, T);
    return Number ? shuffle(*Last, Number) : nullptr;
  }

  bool isZeroAt(const Value *V, unsigned Bit, unsigned Bits) const {
    return computeKnownBits(V, DL).Zero.extractBits(Bits, Bit).isAllOnes();
  }

  MemoryObjects &Objects;
  const DataLayout &DL;
  std::map<std::tuple<Value *, unsigned, Type *>, Value *> Known;
  SmallVector<WeakVH, 4> StepsTaken; ///< ldexp, for what is added to exponents
};

} // namespace

void kernix::expandCopies(Function &F, MemoryObjects &Objects) {
  const DataLayout &DL = F.getDataLayout();
  SmallVector<MemIntrinsic *, 8> Copies;
  for (Instruction &I : instructions(F))
    if (auto *Copy = dyn_cast<MemIntrinsic>(&I))
      Copies.push_back(Copy);
  for (MemIntrinsic *Copy : Copies) {
    if (Copy->isVolatile())
      continue;
    Value *Source = nullptr;
    auto *Length = dyn_cast<ConstantInt>(Copy->getLength());
    std::optional<uint64_t> Bytes;
    if (Length)
      Bytes = Length->getZExtValue();
    Type *Element = elementBehind(Objects, Copy->getRawDest(), Bytes, DL);
    if (auto *Transfer = dyn_cast<MemTransferInst>(Copy)) {
      Source = Transfer->getRawSource();
      Type *Other = elementBehind(Objects, Source, Bytes, DL);
      // One side may have mixed fields of which the copied ones are numbers of the other side's type.
      Element = Element ? Element : Other;
      if (Other && Element != Other)
        Element = nullptr;
    } else if (auto *Byte = dyn_cast<ConstantInt>(cast<MemSetInst>(Copy)->getValue()); !Byte || !Byte->isZero()) {
      continue;
    }
    bool Expanded = Element && expandElements(*Copy, Source, Element, Objects, DL);
    if (!Element) {
      SmallVector<Value *, 2> Sides = {Copy->getRawDest()};
      if (Source)
        Sides.push_back(Source);
      if (isOfBytes(*Sides.front(), Objects))
        std::reverse(Sides.begin(), Sides.end());
      Expanded = any_of(Sides, [&](Value *Side) { return expandFieldsOf(*Copy, Side, Source, Objects, DL); });
    }
    if (Expanded)
      Copy->eraseFromParent();
  }
}

/// Reads integers that lie in one with numbers without these.
static void separateIntegers(Function &F, Carriers &Parts) {
  SmallVector<Instruction *, 16> Work;
  for (Instruction &I : instructions(F))
    if (I.getType()->isIntegerTy() && (isa<TruncInst>(I) || match(&I, m_Shr(m_Value(), m_ConstantInt())) ||
                                       match(&I, m_And(m_Value(), m_ConstantInt()))))
      Work.push_back(&I);
  for (Instruction *I : Work) {
    Value *Whole = I->getOperand(0);
    const unsigned Width = Whole->getType()->getIntegerBitWidth();
    unsigned Bit = 0, Bits = I->getType()->getIntegerBitWidth();
    const auto *C = isa<TruncInst>(I) ? nullptr : cast<ConstantInt>(I->getOperand(1));
    if (I->isShift()) {
      Bit = static_cast<unsigned>(C->getValue().getLimitedValue(Width));
      Bits = Width - Bit;
    } else if (C) {
      unsigned First = 0, Count = 0;
      if (!C->getValue().isShiftedMask(First, Count))
        continue;
      Bit = First;
      Bits = Count;
    }
    if (!Bits || Bits % 8 != 0 || Bits == Width || !Parts.holdsNumber(Whole))
      continue;
    Value *Part = Parts.integer(Whole, Bit, Bits);
    if (!Part || Part == I || Parts.holdsNumber(Part))
      continue;
    IRBuilder<> B(I->getParent(), *I->getInsertionPointAfterDef());
    Part = I->getOpcode() == Instruction::AShr ? B.CreateSExt(Part, I->getType()) : B.CreateZExt(Part, I->getType());
    I->replaceAllUsesWith(I->getOpcode() == Instruction::And ? B.CreateShl(Part, Bit) : Part);
  }
}

void kernix::retypeCopies(Function &F, MemoryObjects &Objects) {
  const DataLayout &DL = F.getDataLayout();
  Carriers Numbers(Objects, DL);
  separateIntegers(F, Numbers);
  SmallVector<Instruction *, 16> Work;
  for (Instruction &I : instructions(F))
    if ((isa<StoreInst>(I) && cast<StoreInst>(I).getValueOperand()->getType()->isIntegerTy()) ||
        (isa<BitCastInst>(I) && I.getType()->isFloatingPointTy() && I.getOperand(0)->getType()->isIntegerTy()) ||
        elementOfInteger(I))
      Work.push_back(&I);
  for (Instruction *I : Work) {
    if (auto *Element = dyn_cast<ExtractElementInst>(I)) {
      auto *Index = cast<ConstantInt>(Element->getIndexOperand());
      unsigned Bits = static_cast<unsigned>(DL.getTypeSizeInBits(Element->getType()));
      if (Value *Number = Numbers.number(elementOfInteger(*I), static_cast<unsigned>(Index->getZExtValue()) * Bits,
                                         Element->getType())) {
        Element->replaceAllUsesWith(Number);
        Element->eraseFromParent();
      }
      continue;
    }
    if (auto *Cast = dyn_cast<BitCastInst>(I)) {
      if (Value *Number = Numbers.number(Cast->getOperand(0), 0, Cast->getType())) {
        Cast->replaceAllUsesWith(Number);
        Cast->eraseFromParent();
      }
      continue;
    }
    auto *Store = cast<StoreInst>(I);
    unsigned Width = Store->getValueOperand()->getType()->getIntegerBitWidth();
    if (splitMembers(*Store, Objects))
      continue;
    Type *T = elementBehind(Objects, Store->getPointerOperand(), Width / 8, DL);
    if (const MemoryObject *O = Objects.only(Store->getPointerOperand()); !T && O && O->Kind == MemoryObject::Shared) {
      T = movedNumber(Objects, *Store->getValueOperand(), DL);
      T = T ? T : memberInShared(*Store->getPointerOperand(), *cast<GlobalVariable>(O->Base), Width / 8);
    }
    unsigned Bits = T ? static_cast<unsigned>(DL.getTypeSizeInBits(T)) : 0;
    if (!Store->isSimple() || !T || Width % Bits)
      continue;
    SmallVector<Value *, 4> Parts;
    for (unsigned Bit = 0; Bit < Width; Bit += Bits)
      Parts.push_back(Numbers.number(Store->getValueOperand(), Bit, T));
    if (is_contained(Parts, nullptr))
      continue;
    IRBuilder<> B(Store);
    for (unsigned K = 0; K < Parts.size(); ++K)
      B.CreateAlignedStore(Parts[K], B.CreateConstInBoundsGEP1_64(T, Store->getPointerOperand(), K),
                           commonAlignment(Store->getAlign(), K * Bits / 8));
    Store->eraseFromParent();
  }
  removeUnusedShuffles(F);
  // Integer loads that nothing reads any more would look like uses of the numbers.
  for (Instruction &I : make_early_inc_range(instructions(F)))
    if (I.getType()->isIntegerTy() && I.use_empty() && !I.mayHaveSideEffects() && !I.isTerminator())
      I.eraseFromParent();
}
