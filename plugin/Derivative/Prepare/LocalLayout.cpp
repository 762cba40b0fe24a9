//===- LocalLayout.cpp - what a local variable is declared to hold where a pointer points -----------------------===//

#include "Derivative/Prepare/LocalLayout.h"
#include "Derivative/Canonical/NarrowTypes.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace kernix;

namespace {

constexpr unsigned MostPlaces = 16;
constexpr unsigned MostScalars = 64;

/// The addresses Start + sum of any multiples of the strides.
struct Walk {
  APInt Start;
  SmallVector<uint64_t, 4> Strides;
};

class Walker {
public:
  Walker(const AllocaInst &Variable, const DataLayout &DL)
      : Variable(Variable), DL(DL), Bits(DL.getIndexTypeSizeInBits(Variable.getType())) {}

  bool collect(const Value *At, Walk Way, SmallVectorImpl<Walk> &Ways) {
    while (At != &Variable) {
      if (const auto *Gep = dyn_cast<GEPOperator>(At)) {
        SmallMapVector<Value *, APInt, 4> Indices;
        if (!Gep->collectOffset(DL, Bits, Indices, Way.Start))
          return false;
        for (const auto &[Index, Scale] : Indices)
          addIndex(Index, Scale, Way);
        At = Gep->getPointerOperand();
        continue;
      }
      if (const auto *Select = dyn_cast<SelectInst>(At))
        return collect(Select->getTrueValue(), Way, Ways) && collect(Select->getFalseValue(), Way, Ways);
      const auto *Phi = dyn_cast<PHINode>(At);
      return Phi && collectPhi(*Phi, Way, Ways);
    }
    if (Ways.size() == MostPlaces)
      return false;
    Ways.push_back(Way);
    return true;
  }

private:
  /// A counter that starts and steps by constants says where the walk begins.
  void addIndex(const Value *Index, APInt Scale, Walk &Way) {
    // Bytes are counted in multiples of what is copied.
    const Value *Factor;
    const APInt *Times;
    uint64_t Shift;
    while (true) {
      if (match(Index, m_Mul(m_Value(Factor), m_APInt(Times))))
        Scale *= Times->sextOrTrunc(Bits);
      else if (match(Index, m_Shl(m_Value(Factor), m_ConstantInt(Shift))) && Shift < Bits)
        Scale <<= static_cast<unsigned>(Shift);
      else
        break;
      Index = Factor;
    }
    const auto *Phi = dyn_cast<PHINode>(Index);
    BinaryOperator *Next = nullptr;
    Value *Start = nullptr, *Step = nullptr;
    if (Phi && matchSimpleRecurrence(const_cast<PHINode *>(Phi), Next, Start, Step) &&
        Next->getOpcode() == Instruction::Add && isa<ConstantInt>(Start) && isa<ConstantInt>(Step)) {
      auto Constant = [&](Value *V) { return cast<ConstantInt>(V)->getValue().sextOrTrunc(Bits); };
      Way.Start += Constant(Start) * Scale;
      addStride(Constant(Step) * Scale, Way);
      return;
    }
    addStride(Scale, Way);
  }

  void addStride(const APInt &Stride, Walk &Way) {
    if (!Stride.isZero())
      Way.Strides.push_back(Stride.abs().getLimitedValue());
  }

  bool collectPhi(const PHINode &Phi, Walk Way, SmallVectorImpl<Walk> &Ways) {
    if (!Active.insert(&Phi).second)
      return false; // around a loop by more than additions
    SmallVector<const Value *, 4> Sources;
    for (const Value *Incoming : Phi.incoming_values()) {
      // What comes from the phi itself by additions is a stride.
      Walk Round{APInt(Bits, 0), {}};
      const Value *At = Incoming;
      while (const auto *Gep = dyn_cast<GEPOperator>(At)) {
        SmallMapVector<Value *, APInt, 4> Indices;
        if (!Gep->collectOffset(DL, Bits, Indices, Round.Start))
          return false;
        for (const auto &[Index, Scale] : Indices)
          addStride(Scale, Round);
        At = Gep->getPointerOperand();
      }
      if (At == &Phi) {
        addStride(Round.Start, Way);
        append_range(Way.Strides, Round.Strides);
      } else if (!is_contained(Sources, Incoming)) {
        Sources.push_back(Incoming);
      }
    }
    bool Known = all_of(Sources, [&](const Value *Source) { return collect(Source, Way, Ways); });
    Active.erase(&Phi);
    return Known;
  }

  const AllocaInst &Variable;
  const DataLayout &DL;
  unsigned Bits;
  SmallPtrSet<const PHINode *, 4> Active;
};

/// The smallest declared type around the walk in which it stands still.
bool settle(Type *T, uint64_t Offset, SmallVector<uint64_t, 4> Strides, const DataLayout &DL, LocalPlace &Place) {
  while (true) {
    if (Strides.empty()) {
      Place = {T, Offset};
      return true;
    }
    if (Type *Scalar = homogeneousScalar(T, DL)) {
      uint64_t Size = DL.getTypeAllocSize(Scalar);
      if (any_of(Strides, [&](uint64_t Stride) { return Stride % Size != 0; }))
        return false;
      Place = {Scalar, Offset % Size};
      return true;
    }
    if (auto *Array = dyn_cast<ArrayType>(T)) {
      T = Array->getElementType();
      uint64_t Size = DL.getTypeAllocSize(T);
      if (!Size)
        return false;
      Offset %= Size;
      erase_if(Strides, [&](uint64_t Stride) { return Stride % Size == 0; });
      continue;
    }
    auto *Struct = dyn_cast<StructType>(T);
    if (!Struct || Offset >= DL.getTypeAllocSize(T))
      return false;
    const StructLayout *Layout = DL.getStructLayout(Struct);
    unsigned Field = Layout->getElementContainingOffset(Offset);
    Offset -= Layout->getElementOffset(Field);
    T = Struct->getElementType(Field);
  }
}

bool appendScalars(Type *T, uint64_t At, uint64_t Begin, uint64_t End, const DataLayout &DL,
                   SmallVectorImpl<std::pair<Type *, uint64_t>> &Scalars) {
  uint64_t Size = DL.getTypeAllocSize(T);
  if (At + Size <= Begin || At >= End)
    return true;
  if (Type *Narrow = narrowNumber(T))
    T = Narrow;
  if (auto *Struct = dyn_cast<StructType>(T)) {
    const StructLayout *Layout = DL.getStructLayout(Struct);
    for (unsigned K = 0; K < Struct->getNumElements(); ++K)
      if (!appendScalars(Struct->getElementType(K), At + Layout->getElementOffset(K), Begin, End, DL, Scalars))
        return false;
    return true;
  }
  if (auto *Array = dyn_cast<ArrayType>(T)) {
    uint64_t Each = DL.getTypeAllocSize(Array->getElementType());
    for (uint64_t K = 0; K < Array->getNumElements(); ++K)
      if (!appendScalars(Array->getElementType(), At + K * Each, Begin, End, DL, Scalars))
        return false;
    return true;
  }
  // Behind its bytes a scalar may have some that no access touches.
  if (At < Begin || At + DL.getTypeStoreSize(T) > End || Scalars.size() >= MostScalars || T->isVectorTy())
    return false;
  Scalars.push_back({T, At - Begin});
  return true;
}

/// The largest part of T around Offset that is all of one floating-point type.
Type *numbersAround(Type *T, uint64_t Offset, const DataLayout &DL) {
  while (true) {
    if (Type *Scalar = homogeneousScalar(T, DL))
      return Scalar;
    if (auto *Array = dyn_cast<ArrayType>(T)) {
      T = Array->getElementType();
      Offset %= std::max<uint64_t>(DL.getTypeAllocSize(T), 1);
      continue;
    }
    auto *Struct = dyn_cast<StructType>(T);
    if (!Struct || Offset >= DL.getTypeAllocSize(T))
      return nullptr;
    const StructLayout *Layout = DL.getStructLayout(Struct);
    unsigned Field = Layout->getElementContainingOffset(Offset);
    Offset -= Layout->getElementOffset(Field);
    T = Struct->getElementType(Field);
  }
}

/// Whether T at Offset holds nothing but padding and whole numbers of one type, which Scalar is or becomes.
bool holdsOnly(Type *&Scalar, Type *T, uint64_t Offset, const DataLayout &DL) {
  auto Fits = [&](uint64_t Bytes) { return !Scalar || Bytes % DL.getTypeAllocSize(Scalar) == 0; };
  if (Type *Found = homogeneousScalar(T, DL)) {
    Scalar = Scalar ? Scalar : Found;
    return Found == Scalar && Fits(Offset);
  }
  if (auto *Array = dyn_cast<ArrayType>(T)) {
    Type *Element = Array->getElementType();
    if (Element->isIntegerTy(8)) // padding, unless it begins or ends within such a number
      return Fits(Offset) && Fits(Array->getNumElements());
    return !Array->getNumElements() || (holdsOnly(Scalar, Element, Offset, DL) && Fits(DL.getTypeAllocSize(Element)));
  }
  auto *Struct = dyn_cast<StructType>(T);
  if (!Struct || Struct->isOpaque())
    return false;
  const StructLayout *Layout = DL.getStructLayout(Struct);
  for (unsigned K = 0; K < Struct->getNumElements(); ++K)
    if (!holdsOnly(Scalar, Struct->getElementType(K), Offset + Layout->getElementOffset(K), DL))
      return false;
  return true;
}

LocalCell cellAt(const LocalPlace &Place, uint64_t Size, const DataLayout &DL) {
  SmallVector<std::pair<Type *, uint64_t>, 4> Scalars;
  uint64_t End = Place.Offset + Size;
  if (End > DL.getTypeAllocSize(Place.T))
    return {};
  if (!scalarsIn(Place.T, Place.Offset, End, DL, Scalars)) {
    // An access that cuts a scalar: fine where that is no number.
    if (Size > 8)
      return {};
    for (uint64_t At = Place.Offset; At < End; ++At)
      if (numbersAround(Place.T, At, DL))
        return {};
    return {LocalCell::Beside, nullptr};
  }
  if (Scalars.size() == 1 && Scalars[0].first->isFloatingPointTy() && DL.getTypeStoreSize(Scalars[0].first) == Size)
    return {LocalCell::Number, Scalars[0].first};
  if (any_of(Scalars, [](const auto &Scalar) { return Scalar.first->isFloatingPointTy(); }))
    return {};
  return {LocalCell::Beside, nullptr};
}

} // namespace

Type *kernix::homogeneousScalar(Type *T, const DataLayout &DL) {
  if (T->isFloatingPointTy())
    return T;
  if (Type *Narrow = narrowNumber(T))
    return Narrow;
  if (auto *Array = dyn_cast<ArrayType>(T))
    return Array->getNumElements() ? homogeneousScalar(Array->getElementType(), DL) : nullptr;
  if (auto *Vector = dyn_cast<FixedVectorType>(T))
    return DL.getTypeAllocSize(T) == Vector->getNumElements() * DL.getTypeAllocSize(Vector->getElementType())
               ? homogeneousScalar(Vector->getElementType(), DL)
               : nullptr;
  auto *Struct = dyn_cast<StructType>(T);
  if (!Struct || Struct->isOpaque() || !Struct->getNumElements())
    return nullptr;
  Type *Scalar = nullptr;
  uint64_t Bytes = 0;
  for (Type *Field : Struct->elements()) {
    Type *Found = homogeneousScalar(Field, DL);
    if (!Found || (Scalar && Found != Scalar))
      return nullptr;
    Scalar = Found;
    Bytes += DL.getTypeAllocSize(Field);
  }
  return Bytes == DL.getTypeAllocSize(T) ? Scalar : nullptr;
}

Type *kernix::paddedScalar(Type *T, const DataLayout &DL) {
  Type *Scalar = nullptr;
  // Twice: the first time, what comes before the first number is not known to fit.
  if (!holdsOnly(Scalar, T, 0, DL) || !Scalar || !holdsOnly(Scalar, T, 0, DL))
    return nullptr;
  return DL.getTypeAllocSize(T) % DL.getTypeAllocSize(Scalar) == 0 ? Scalar : nullptr;
}

bool kernix::placesInLocal(const Value *Pointer, const AllocaInst &Variable, SmallVectorImpl<LocalPlace> &Places) {
  const DataLayout &DL = Variable.getDataLayout();
  SmallVector<Walk, 4> Ways;
  APInt Zero(DL.getIndexTypeSizeInBits(Variable.getType()), 0);
  if (!Walker(Variable, DL).collect(Pointer, {Zero, {}}, Ways))
    return false;
  for (Walk &Way : Ways) {
    // A constant that was split off an index may lead out: any element stands for all.
    if (Way.Start.isNegative() && !Way.Strides.empty()) {
      uint64_t Stride = *min_element(Way.Strides);
      Way.Start += APInt(Zero.getBitWidth(), (Way.Start.abs().getLimitedValue() + Stride - 1) / Stride * Stride);
    }
    LocalPlace &Place = Places.emplace_back();
    if (Way.Start.isNegative() ||
        !settle(Variable.getAllocatedType(), Way.Start.getLimitedValue(), Way.Strides, DL, Place))
      return false;
  }
  return true;
}

bool kernix::scalarsIn(Type *T, uint64_t Begin, uint64_t End, const DataLayout &DL,
                       SmallVectorImpl<std::pair<Type *, uint64_t>> &Scalars) {
  return appendScalars(T, 0, Begin, End, DL, Scalars);
}

void kernix::addGaps(uint64_t Bytes, LLVMContext &C, const DataLayout &DL,
                     SmallVectorImpl<std::pair<Type *, uint64_t>> &Scalars) {
  const SmallVector<std::pair<Type *, uint64_t>, 16> Declared(Scalars.begin(), Scalars.end()); // they are in order
  uint64_t At = 0;
  auto FillTo = [&](uint64_t End) {
    while (At < End) {
      uint64_t Size = std::min<uint64_t>(bit_floor(End - At), 8);
      if (At)
        Size = std::min(Size, uint64_t(1) << countr_zero(At));
      Scalars.push_back({IntegerType::get(C, static_cast<unsigned>(8 * Size)), At});
      At += Size;
    }
  };
  for (auto [T, Offset] : Declared) {
    FillTo(Offset);
    At = std::max<uint64_t>(At, Offset + DL.getTypeStoreSize(T));
  }
  FillTo(Bytes);
}

LocalCell kernix::cellInLocal(const Value *Pointer, const AllocaInst &Variable, uint64_t Size) {
  SmallVector<LocalPlace, 4> Places;
  if (!placesInLocal(Pointer, Variable, Places))
    return {};
  std::optional<LocalCell> Found;
  for (const LocalPlace &Place : Places) {
    LocalCell Cell = cellAt(Place, Size, Variable.getDataLayout());
    if (Found && (Found->Kind != Cell.Kind || Found->Scalar != Cell.Scalar))
      return {};
    Found = Cell;
  }
  return *Found;
}

Type *kernix::numbersInLocal(const Value *Pointer, const AllocaInst &Variable, uint64_t Size) {
  const DataLayout &DL = Variable.getDataLayout();
  SmallVector<LocalPlace, 4> Places;
  if (!placesInLocal(Pointer, Variable, Places))
    return nullptr;
  Type *Found = nullptr;
  for (const LocalPlace &Place : Places) {
    Type *Scalar = numbersAround(Place.T, Place.Offset, DL);
    if (!Scalar || (Found && Scalar != Found))
      return nullptr;
    Found = Scalar;
    // A scalar that strides through numbers of its type.
    if (Place.T == Scalar && Place.Offset == 0)
      continue;
    SmallVector<std::pair<Type *, uint64_t>, 16> Scalars;
    if (Place.Offset + Size > DL.getTypeAllocSize(Place.T) ||
        !scalarsIn(Place.T, Place.Offset, Place.Offset + Size, DL, Scalars) ||
        any_of(Scalars, [&](const auto &Other) { return Other.first != Scalar; }) ||
        Scalars.size() * DL.getTypeAllocSize(Scalar) != Size)
      return nullptr;
  }
  return Found;
}
