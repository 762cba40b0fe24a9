//===- ShadowArguments.cpp - parameters and shadows of a derivative ---------------------------------------------===//

#include "Derivative/ShadowArguments.h"
#include "kernix/abi.h"

using namespace llvm;
using namespace kernix;

Value *ShadowArguments::primal(const Argument &A) {
  Value *&Known = Primals[&A];
  if (Known)
    return Known;
  const PreparedArgument &Meaning = P.Arguments[A.getArgNo()];
  Known = Request.Body->getArg(2 * Meaning.Parameter);
  if (Meaning.Leaf >= 0) {
    const Leaf &L = Request.Parameters[Meaning.Parameter].Leaves[Meaning.Leaf];
    Value *Place = L.Offset ? Entry.CreateConstInBoundsGEP1_64(Entry.getInt8Ty(), Known, L.Offset) : Known;
    Known = Entry.CreateLoad(Entry.getPtrTy(), Place);
    Tensors.push_back({&L, Known});
  }
  return Known;
}

uint64_t ShadowArguments::sizeOfStorage(const Argument &A) const {
  return Request.Parameters[P.Arguments[A.getArgNo()].Parameter].Size;
}

StringRef ShadowArguments::nameOfStorage(const Argument &A) const {
  return Request.Parameters[P.Arguments[A.getArgNo()].Parameter].Name;
}

Value *ShadowArguments::shadow(const MemoryObject &Object) {
  Value *&Known = Shadows[Object.Base];
  if (Known)
    return Known;
  Known = Request.Body->getArg(2 * Object.ParameterIndex + 1);
  if (Object.Kind == MemoryObject::Tensor) {
    int64_t Offset = Object.TheLeaf->Offset;
    Value *Place = Offset ? Entry.CreateConstInBoundsGEP1_64(Entry.getInt8Ty(), Known, Offset) : Known;
    Known = Entry.CreateLoad(Entry.getPtrTy(), Place);
    ShadowsOfTensors.push_back({&Object, Known});
  }
  return Known;
}

Value *ShadowArguments::markOfOverlap(const MemoryObject &Object) {
  Value *&Known = Marks[Object.Base];
  if (Known)
    return Known;
  Value *Marked = shadow(Object);
  Known = Entry.CreateAnd(Entry.CreatePtrToInt(Marked, Entry.getInt64Ty()), Entry.getInt64(1));
  Shadows[Object.Base] = Entry.CreateGEP(Entry.getInt8Ty(), Marked, Entry.CreateNeg(Known));
  return Known;
}

Value *ShadowArguments::markOfScratch(const MemoryObject &Object) {
  MayBeScratch.insert(Object.Base);
  return markOfOverlap(Object);
}

Value *ShadowArguments::notes(const MemoryObject &Object) {
  HaveNotes.insert(Object.Base);
  Value *Given = shadow(Object);
  Value *Mark = Entry.CreateAnd(Entry.CreatePtrToInt(Given, Entry.getInt64Ty()), Entry.getInt64(1));
  Value *HasNotes = Entry.CreateICmpNE(Mark, Entry.getInt64(0));
  Value *Notes = Entry.CreateGEP(Entry.getInt8Ty(), Given, Entry.CreateNeg(Mark));
  // Their first member is the gradient, and without any it is what was given.
  static_assert(offsetof(kernix_notes, gradient) == 0);
  BasicBlock &First = *Entry.GetInsertBlock();
  unsigned Space = First.getDataLayout().getAllocaAddrSpace();
  auto *Own = new AllocaInst(Entry.getPtrTy(), Space, nullptr, Align(8), "gradient", First.begin());
  Entry.CreateStore(Given, Own);
  Value *Place = Entry.CreateSelect(HasNotes, Notes, Entry.CreateAddrSpaceCast(Own, Notes->getType()));
  Shadows[Object.Base] = Entry.CreateLoad(Entry.getPtrTy(), Place);
  return Entry.CreateSelect(HasNotes, Notes, Constant::getNullValue(Notes->getType()));
}

void ShadowArguments::describe(UsualLaunch &Usual,
                               function_ref<UsualLaunch::Others(const MemoryObject &)> OthersOf) const {
  for (auto [L, Address] : Tensors)
    Usual.addMemory(Address, UsualLaunch::Others::Apart, L->Kind == Leaf::Pointer);
  for (auto [Object, Address] : ShadowsOfTensors) {
    if (HaveNotes.contains(Object->Base))
      continue;
    if (MayBeScratch.contains(Object->Base)) {
      Usual.addMemory(Shadows.lookup(Object->Base), OthersOf(*Object), Object->TheLeaf->Kind == Leaf::Pointer);
      continue;
    }
    if (Marks.contains(Object->Base))
      Usual.assumeEqual(Shadows.lookup(Object->Base), Address);
    Usual.addMemory(Address, OthersOf(*Object), Object->TheLeaf->Kind == Leaf::Pointer);
  }
}

Value *ShadowArguments::shadowStride(LoadInst &Load) {
  Value *&Known = Strides[&Load];
  if (Known)
    return Known;
  const DataLayout &DL = Load.getDataLayout();
  APInt Offset(DL.getIndexTypeSizeInBits(Load.getPointerOperandType()), 0);
  auto *A = cast<Argument>(Load.getPointerOperand()->stripAndAccumulateConstantOffsets(DL, Offset, true));
  Value *Shadow = Request.Body->getArg(2 * P.Arguments[A->getArgNo()].Parameter + 1);
  Value *Place = Entry.CreateConstInBoundsGEP1_64(Entry.getInt8Ty(), Shadow, Offset.getZExtValue());
  return Known = Entry.CreateAlignedLoad(Load.getType(), Place, Load.getAlign());
}

Value *ShadowArguments::hasStridesOfPrimal(unsigned Parameter) {
  Argument *Primal = Request.Body->getArg(2 * Parameter), *Shadow = Request.Body->getArg(2 * Parameter + 1);
  Value *AreSame = Entry.getTrue();
  for (const Leaf &L : Request.Parameters[Parameter].Leaves) {
    if (L.Kind == Leaf::Pointer) {
      Value *Place = Entry.CreateConstInBoundsGEP1_64(Entry.getInt8Ty(), Shadow, L.Offset);
      AreSame = Entry.CreateOr(AreSame, Entry.CreateIsNull(Entry.CreateLoad(Entry.getPtrTy(), Place)));
    }
    for (int64_t Axis = 0; L.Kind == Leaf::Stride && Axis < L.Count; ++Axis) {
      auto Read = [&](Value *View, int64_t Begin) {
        Value *Place = Entry.CreateConstInBoundsGEP1_64(Entry.getInt8Ty(), View, Begin + 8 * Axis);
        return Entry.CreateLoad(Entry.getInt64Ty(), Place);
      };
      // Along an axis of one element nothing is moved.
      int64_t Sizes = L.Offset - static_cast<int64_t>(offsetof(kernix_tensor_view, strides)) +
                      static_cast<int64_t>(offsetof(kernix_tensor_view, shape));
      Value *IsOne = Entry.CreateICmpSLE(Read(Primal, Sizes), Entry.getInt64(1));
      Value *IsSame = Entry.CreateICmpEQ(Read(Primal, L.Offset), Read(Shadow, L.Offset));
      AreSame = Entry.CreateAnd(AreSame, Entry.CreateOr(IsOne, IsSame));
    }
  }
  return AreSame;
}
