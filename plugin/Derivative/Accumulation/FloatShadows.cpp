//===- FloatShadows.cpp - variables of 16-bit numbers whose adjoints are summed in float ------------------------===//

#include "Derivative/Accumulation/FloatShadows.h"
#include "Derivative/Accumulation/FloatGradients.h"
#include "Derivative/Shared/SharedVariables.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;
using namespace kernix;

FloatShadows::FloatShadows(const Prepared &P, MemoryObjects &Objects, Activity &Active) {
  MapVector<const MemoryObject *, const Instruction *> Reads;
  SmallPtrSet<const MemoryObject *, 4> Given;
  SmallMapVector<const MemoryObject *, bool, 4> HasShadow; // of static shared variables
  for (const Instruction &I : instructions(*P.F)) {
    // A derivative that the source has written takes the shadow for a variable of the same type.
    if (const auto *Call = dyn_cast<CallBase>(&I))
      for (const Use &Argument : Call->args())
        if (Argument->getType()->isPointerTy())
          Given.insert_range(Objects.of(Argument.get()));
    MemoryAccess Access = accessOf(I);
    if (!Access.Pointer)
      continue;
    for (const MemoryObject *O : Objects.of(Access.Pointer)) {
      if (O->Kind == MemoryObject::Shared && !isDynamicShared(*cast<GlobalVariable>(O->Base)))
        HasShadow[O] |= Active.isActive(O);
      bool IsVariable = O->Kind == MemoryObject::Shared || O->Kind == MemoryObject::Local;
      if (IsVariable && isa<LoadInst>(I) && isNarrow(Access.Type) && Active.isActiveAccess(I))
        Reads.insert({O, &I});
    }
  }
  auto SizeOf = [&](const MemoryObject &O) {
    return P.F->getDataLayout().getTypeAllocSize(cast<GlobalVariable>(O.Base)->getValueType()).getFixedValue();
  };
  uint64_t Static = 0;
  for (auto [O, Has] : HasShadow)
    Static += SizeOf(*O) * (Has ? 2 : 1);
  for (auto [O, Read] : Reads) {
    uint64_t More = HasShadow.contains(O) ? SizeOf(*O) : 0;
    if (Given.contains(O))
      Others[O] = {Read, "its address is given to a function that has a derivative of its own"};
    else if (Static + More > MostStaticBytes)
      Others[O] = {Read,
                   "a kernel may declare no more than " + std::to_string(MostStaticBytes) + " bytes of shared memory"};
    else if (All.insert(O).second)
      Static += More;
  }
}

Type *kernix::typeOfFloatShadow(Type *T, Type *Scalar, const DataLayout &DL) {
  uint64_t Size = 2 * DL.getTypeAllocSize(T);
  Type *Element = Scalar ? typeOfSum(Scalar) : Type::getInt8Ty(T->getContext());
  return ArrayType::get(Element, Size / DL.getTypeAllocSize(Element));
}

Align kernix::alignOfFloatShadow(Align OfVariable) { return std::max(Align(2 * OfVariable.value()), Align(4)); }

Type *FloatShadows::typeIn(const MemoryObject &O, Type *Number) const {
  return contains(O) ? typeOfSum(Number) : Number;
}
