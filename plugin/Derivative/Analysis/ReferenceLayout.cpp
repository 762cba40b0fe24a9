//===- ReferenceLayout.cpp - what a result is declared to hold where a pointer points ---------------------------===//

#include "Derivative/Analysis/ReferenceLayout.h"
#include "llvm/IR/DataLayout.h"

using namespace llvm;
using namespace kernix;

LocalCell kernix::cellInReference(const Value *Pointer, const MemoryObject &Reference, uint64_t Size,
                                  MemoryObjects &Objects, const DataLayout &DL) {
  bool Exact = false;
  const Leaf *L = Objects.leafAt(Pointer, Reference, Size, Exact);
  if (!Exact)
    return {};
  if (!L)
    return {LocalCell::Beside, nullptr};
  APInt Offset(DL.getIndexTypeSizeInBits(Pointer->getType()), 0);
  Pointer->stripAndAccumulateConstantOffsets(DL, Offset, true);
  if (!L->Scalar || (L->Kind != Leaf::Memory && L->Kind != Leaf::Value) || Offset != static_cast<uint64_t>(L->Offset) ||
      DL.getTypeStoreSize(L->Scalar) != Size)
    return {};
  return {LocalCell::Number, L->Scalar};
}
