//===- PointersOfParameters.cpp
//------------------------------------------------------------------------------------===//

#include "Batched/PointersOfParameters.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"

using namespace llvm;
using namespace kernix;

namespace {

/// Offsets of the pointers in an object.
void collectPointers(Type *T, uint64_t Offset, const DataLayout &Layout, SmallVectorImpl<uint64_t> &Offsets) {
  if (T->isPointerTy()) {
    Offsets.push_back(Offset);
  } else if (auto *Struct = dyn_cast<StructType>(T)) {
    for (unsigned K = 0; K != Struct->getNumElements(); ++K)
      collectPointers(Struct->getElementType(K), Offset + Layout.getStructLayout(Struct)->getElementOffset(K), Layout,
                      Offsets);
  } else if (auto *Array = dyn_cast<ArrayType>(T)) {
    SmallVector<uint64_t> Inner;
    collectPointers(Array->getElementType(), 0, Layout, Inner);
    uint64_t Size = Layout.getTypeAllocSize(Array->getElementType());
    for (uint64_t K = 0; !Inner.empty() && K != Array->getNumElements(); ++K)
      for (uint64_t At : Inner)
        Offsets.push_back(Offset + K * Size + At);
  }
}

/// What is done with an object of which only the pointer at its start matters.
class ObjectUses {
public:
  ObjectUses(const DataLayout &Layout, SmallVectorImpl<Value *> &Pointers) : Layout(Layout), Pointers(Pointers) {}

  /// Place is the object's start and Offset bytes, at least: exactly, unless IsPast.
  bool collect(Value &Place, uint64_t Offset, bool IsPast) {
    for (User *U : Place.users())
      if (!collectUse(*U, Offset, IsPast))
        return false;
    return true;
  }

private:
  const DataLayout &Layout;
  SmallVectorImpl<Value *> &Pointers;

  bool isBehindPointer(uint64_t Offset) const { return Offset >= Layout.getPointerSize(); }

  bool collectUse(User &U, uint64_t Offset, bool IsPast) {
    if (auto *Load = dyn_cast<LoadInst>(&U)) {
      if (isBehindPointer(Offset))
        return true;
      if (IsPast || Offset != 0 || !Load->getType()->isPointerTy())
        return false;
      Pointers.push_back(Load);
      return true;
    }
    if (isa<AddrSpaceCastInst>(U))
      return collect(U, Offset, IsPast);
    auto *Address = dyn_cast<GEPOperator>(&U);
    if (!Address || !Address->isInBounds())
      return false;
    SmallMapVector<Value *, APInt, 4> Variable;
    APInt Constant(Layout.getIndexTypeSizeInBits(Address->getType()), 0);
    if (!Address->collectOffset(Layout, Constant.getBitWidth(), Variable, Constant) || Constant.isNegative())
      return false;
    // An index of C++ counts elements of an array, none of which lies before it.
    return collect(U, Offset + Constant.getZExtValue(), IsPast || !Variable.empty());
  }
};

} // namespace

std::optional<SmallVector<ParameterPointer>> kernix::pointersOfParameters(Function &Kernel) {
  const DataLayout &Layout = Kernel.getParent()->getDataLayout();
  SmallVector<ParameterPointer> Found;
  for (Argument &Parameter : Kernel.args()) {
    SmallVector<uint64_t> Offsets;
    if (!Parameter.hasByValAttr()) {
      collectPointers(Parameter.getType(), 0, Layout, Offsets);
      if (!Offsets.empty() && !Parameter.getType()->isPointerTy())
        return std::nullopt;
      if (!Offsets.empty())
        Found.push_back({&Parameter, {&Parameter}});
      continue;
    }
    collectPointers(Parameter.getParamByValType(), 0, Layout, Offsets);
    if (Offsets.empty())
      continue;
    ParameterPointer Pointer = {&Parameter, {}};
    if (Offsets.size() != 1 || Offsets.front() != 0 || !ObjectUses(Layout, Pointer.Values).collect(Parameter, 0, false))
      return std::nullopt;
    Found.push_back(std::move(Pointer));
  }
  return Found;
}
