//===- CopiedBytes.cpp - floating-point memory that is moved as bytes or integers -------------------------------===//

#include "Derivative/CopiedBytes.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include <map>

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace kernix;

namespace {

constexpr uint64_t UnrolledElements = 16;
constexpr unsigned MostFields = 64;

/// The type of all elements behind a pointer, if every object that it may mean agrees.
Type *elementBehind(MemoryObjects &Objects, const Value *Pointer) {
  Type *Scalar = nullptr;
  for (const MemoryObject *O : Objects.of(Pointer)) {
    if (!O->Scalar || (Scalar && Scalar != O->Scalar))
      return nullptr;
    Scalar = O->Scalar;
  }
  return Scalar;
}

void copyElements(MemIntrinsic &I, Value *Source, Type *Element, const DataLayout &DL) {
  uint64_t Size = DL.getTypeStoreSize(Element);
  IRBuilder<> B(&I);
  Value *Target = I.getRawDest();
  auto CopyOne = [&](IRBuilder<> &At, Value *Index) {
    Value *Number = Constant::getNullValue(Element);
    if (Source)
      Number = At.CreateAlignedLoad(Element, At.CreateInBoundsGEP(Element, Source, Index), Align(Size));
    At.CreateAlignedStore(Number, At.CreateInBoundsGEP(Element, Target, Index), Align(Size));
  };
  auto *Constant = dyn_cast<ConstantInt>(I.getLength());
  if (Constant && Constant->getZExtValue() / Size <= UnrolledElements) {
    // All loads first: the ranges of memmove may overlap.
    uint64_t Count = Constant->getZExtValue() / Size;
    SmallVector<Value *, 16> Numbers;
    for (uint64_t K = 0; K < Count && Source; ++K)
      Numbers.push_back(B.CreateAlignedLoad(Element, B.CreateConstInBoundsGEP1_64(Element, Source, K), Align(Size)));
    for (uint64_t K = 0; K < Count; ++K)
      B.CreateAlignedStore(Source ? Numbers[K] : Constant::getNullValue(Element),
                           B.CreateConstInBoundsGEP1_64(Element, Target, K), Align(Size));
    return;
  }
  Type *IndexType = I.getLength()->getType();
  Value *Count = B.CreateUDiv(I.getLength(), ConstantInt::get(IndexType, Size));
  BasicBlock *Before = I.getParent();
  BasicBlock *After = SplitBlock(Before, I.getIterator());
  BasicBlock *Body = BasicBlock::Create(I.getContext(), "", Before->getParent(), After);
  Before->getTerminator()->eraseFromParent();
  B.SetInsertPoint(Before);
  B.SetCurrentDebugLocation(I.getDebugLoc());
  B.CreateCondBr(B.CreateICmpEQ(Count, ConstantInt::get(IndexType, 0)), After, Body);
  IRBuilder<> InBody(Body);
  InBody.SetCurrentDebugLocation(I.getDebugLoc());
  PHINode *Index = InBody.CreatePHI(IndexType, 2);
  CopyOne(InBody, Index);
  Value *Next = InBody.CreateNUWAdd(Index, ConstantInt::get(IndexType, 1));
  InBody.CreateCondBr(InBody.CreateICmpEQ(Next, Count), After, Body);
  Index->addIncoming(ConstantInt::get(IndexType, 0), Before);
  Index->addIncoming(Next, Body);
}

/// Appends the scalars of T that lie in [Begin, End), with their offsets; false if one crosses the border.
bool scalarsIn(Type *T, uint64_t At, uint64_t Begin, uint64_t End, const DataLayout &DL,
               SmallVectorImpl<std::pair<Type *, uint64_t>> &Scalars) {
  uint64_t Size = DL.getTypeAllocSize(T);
  if (At + Size <= Begin || At >= End)
    return true;
  if (auto *Struct = dyn_cast<StructType>(T)) {
    const StructLayout *Layout = DL.getStructLayout(Struct);
    for (unsigned K = 0; K < Struct->getNumElements(); ++K)
      if (!scalarsIn(Struct->getElementType(K), At + Layout->getElementOffset(K), Begin, End, DL, Scalars))
        return false;
    return true;
  }
  if (auto *Array = dyn_cast<ArrayType>(T)) {
    for (uint64_t K = 0; K < Array->getNumElements(); ++K)
      if (!scalarsIn(Array->getElementType(), At + K * DL.getTypeAllocSize(Array->getElementType()), Begin, End, DL,
                     Scalars))
        return false;
    return true;
  }
  if (At < Begin || At + Size > End || Scalars.size() >= MostFields || T->isVectorTy())
    return false;
  Scalars.push_back({T, At - Begin});
  return true;
}

/// Copies or clears the fields of a local struct one by one.
bool expandFields(MemIntrinsic &I, Value *Source, MemoryObjects &Objects, const DataLayout &DL) {
  auto *Length = dyn_cast<ConstantInt>(I.getLength());
  if (!Length)
    return false;
  SmallVector<std::pair<Type *, uint64_t>, 16> Scalars;
  bool Found = false;
  for (Value *Side : {I.getRawDest(), Source}) {
    if (Found)
      break;
    const MemoryObject *O = Side ? Objects.only(Side) : nullptr;
    const auto *Variable = O ? dyn_cast<AllocaInst>(O->Base) : nullptr;
    APInt Offset(DL.getIndexTypeSizeInBits(I.getRawDest()->getType()), 0);
    Type *Whole = nullptr;
    uint64_t Place = 0;
    Scalars.clear();
    if (Variable && Side->stripAndAccumulateConstantOffsets(DL, Offset, true) == Variable && !Offset.isNegative())
      Found = scalarsIn(Variable->getAllocatedType(), 0, Offset.getZExtValue(),
                        Offset.getZExtValue() + Length->getZExtValue(), DL, Scalars);
    else if (Variable && placeInVariable(Side, *Variable, DL, Whole, Place))
      Found = scalarsIn(Whole, 0, Place, Place + Length->getZExtValue(), DL, Scalars) &&
              Place + Length->getZExtValue() <= DL.getTypeAllocSize(Whole);
  }
  if (!Found)
    return false;
  IRBuilder<> B(&I);
  SmallVector<Value *, 16> Values;
  auto At = [&](Value *Base, uint64_t Offset) { return B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Base, Offset); };
  for (auto [T, Offset] : Scalars)
    Values.push_back(Source ? static_cast<Value *>(B.CreateAlignedLoad(T, At(Source, Offset), Align(1)))
                            : Constant::getNullValue(T));
  for (unsigned K = 0; K < Scalars.size(); ++K)
    B.CreateAlignedStore(Values[K], At(I.getRawDest(), Scalars[K].second), Align(1));
  return true;
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

private:
  Value *build(Instruction &I, unsigned Bit, unsigned Bits, Type *T) {
    unsigned Width = I.getType()->getScalarSizeInBits();
    Value *A, *B2;
    uint64_t Shift;
    if (auto *Cast = dyn_cast<BitCastInst>(&I))
      return Cast->getSrcTy() == T ? Cast->getOperand(0) : nullptr;
    if (auto *Load = dyn_cast<LoadInst>(&I)) {
      if (!Load->isSimple() || elementBehind(Objects, Load->getPointerOperand()) != T || Bit % Bits || Width % Bits)
        return nullptr;
      IRBuilder<> At(Load);
      Value *Place = At.CreateConstInBoundsGEP1_64(T, Load->getPointerOperand(), Bit / Bits);
      return At.CreateAlignedLoad(T, Place, commonAlignment(Load->getAlign(), Bit / 8));
    }
    if (auto *Phi = dyn_cast<PHINode>(&I)) {
      PHINode *New = PHINode::Create(T, Phi->getNumIncomingValues(), "", Phi->getIterator());
      Known[std::make_tuple(static_cast<Value *>(Phi), Bit, T)] = New;
      for (unsigned K = 0; K < Phi->getNumIncomingValues(); ++K) {
        Value *Part = number(Phi->getIncomingValue(K), Bit, T);
        if (!Part) { // leave a phi of nothing, which dies
          New->replaceAllUsesWith(PoisonValue::get(T));
          New->eraseFromParent();
          Known.clear(); // what was built on it is worth nothing
          return nullptr;
        }
        New->addIncoming(Part, Phi->getIncomingBlock(K));
      }
      return New;
    }
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
    if (match(&I, m_Or(m_Value(A), m_Value(B2)))) {
      if (isZeroAt(B2, Bit, Bits))
        return number(A, Bit, T);
      if (isZeroAt(A, Bit, Bits))
        return number(B2, Bit, T);
    }
    return nullptr;
  }

  static bool isZeroAt(Value *V, unsigned Bit, unsigned Bits) {
    Value *A;
    uint64_t Shift;
    if (auto *C = dyn_cast<ConstantInt>(V))
      return C->getValue().extractBits(Bits, Bit).isZero();
    if (match(V, m_ZExt(m_Value(A))))
      return Bit >= A->getType()->getScalarSizeInBits();
    if (match(V, m_Shl(m_Value(A), m_ConstantInt(Shift))))
      return Bit + Bits <= Shift || (Bit >= Shift && isZeroAt(A, Bit - static_cast<unsigned>(Shift), Bits));
    return false;
  }

  MemoryObjects &Objects;
  const DataLayout &DL;
  std::map<std::tuple<Value *, unsigned, Type *>, Value *> Known;
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
    Type *Element = elementBehind(Objects, Copy->getRawDest());
    if (auto *Transfer = dyn_cast<MemTransferInst>(Copy)) {
      Source = Transfer->getRawSource();
      Type *Other = elementBehind(Objects, Source);
      // One side may have mixed fields of which the copied ones are numbers of the other side's type.
      Element = Element ? Element : Other;
      if (Other && Element != Other)
        Element = nullptr;
    } else if (auto *Byte = dyn_cast<ConstantInt>(cast<MemSetInst>(Copy)->getValue()); !Byte || !Byte->isZero()) {
      continue;
    }
    if (!Element) {
      if (expandFields(*Copy, Source, Objects, DL))
        Copy->eraseFromParent();
      continue;
    }
    auto *Constant = dyn_cast<ConstantInt>(Copy->getLength());
    uint64_t Size = DL.getTypeStoreSize(Element);
    if (Constant && Constant->getZExtValue() % Size)
      continue;
    // The loop copies upwards, which an overlapping memmove must not do.
    bool Small = Constant && Constant->getZExtValue() / Size <= UnrolledElements;
    if (isa<MemMoveInst>(Copy) && !Small) {
      const MemoryObject *To = Objects.only(Copy->getRawDest()), *From = Objects.only(Source);
      if (!To || !From || To == From)
        continue;
    }
    copyElements(*Copy, Source, Element, DL);
    Copy->eraseFromParent();
  }
}

void kernix::retypeCopies(Function &F, MemoryObjects &Objects) {
  const DataLayout &DL = F.getDataLayout();
  Carriers Numbers(Objects, DL);
  SmallVector<Instruction *, 16> Work;
  for (Instruction &I : instructions(F))
    if ((isa<StoreInst>(I) && cast<StoreInst>(I).getValueOperand()->getType()->isIntegerTy()) ||
        (isa<BitCastInst>(I) && I.getType()->isFloatingPointTy() && I.getOperand(0)->getType()->isIntegerTy()))
      Work.push_back(&I);
  for (Instruction *I : Work) {
    if (auto *Cast = dyn_cast<BitCastInst>(I)) {
      if (Value *Number = Numbers.number(Cast->getOperand(0), 0, Cast->getType())) {
        Cast->replaceAllUsesWith(Number);
        Cast->eraseFromParent();
      }
      continue;
    }
    auto *Store = cast<StoreInst>(I);
    Type *T = elementBehind(Objects, Store->getPointerOperand());
    unsigned Width = Store->getValueOperand()->getType()->getIntegerBitWidth();
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
  // Integer loads that nothing reads any more would look like uses of the numbers.
  for (Instruction &I : make_early_inc_range(instructions(F)))
    if (I.getType()->isIntegerTy() && I.use_empty() && !I.mayHaveSideEffects() && !I.isTerminator())
      I.eraseFromParent();
}
