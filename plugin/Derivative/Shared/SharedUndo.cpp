//===- SharedUndo.cpp - undoing stores to shared memory ---------------------------------------------------------===//
//
// Each thread keeps a list of what its stores have overwritten, with a mark for each barrier and each iteration, and
// takes the entries back in the opposite order: single stores where they are reversed, whole iterations before they are
// computed again. Since the barriers between them are run too, shared memory holds in each phase what it held in the
// primal.
//
//===------------------------------------------------------------------------------------------------------------===//

#include "Derivative/Canonical/Collectives.h"
#include "Derivative/Reverse/ReverseWriter.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace kernix;

namespace {

constexpr uint32_t MostEntries = 512;
/// Kinds of entries: 1 to 8 are bytes of a store, FirstMark and above iterations of each loop.
constexpr uint32_t BlockBarrier = 16, WarpBarrier = 17, FirstMark = 32;

} // namespace

int ReverseWriter::undoMark(const Region &R) const {
  for (unsigned K = 0; K < Regions.size(); ++K)
    if (Regions[K].get() == &R)
      return static_cast<int>(FirstMark + K);
  return 0;
}

/// An address: of the 32 bits of NVIDIA's shared memory there, of a pointer on the CPU target.
Type *ReverseWriter::placeInUndo() const {
  return Body.getParent()->getTargetTriple().isNVPTX() ? Type::getInt32Ty(Context)
                                                       : cast<Type>(PointerType::getUnqual(Context));
}

/// What has been overwritten, or the index of a mark.
Type *ReverseWriter::valueInUndo() const {
  bool IsWide = any_of(Contents.undoneSizes(), [](uint64_t Size) { return Size > sizeof(uint32_t); });
  return Type::getIntNTy(Context, IsWide ? 64 : 32);
}

/// The place of what another thread undoes.
Constant *ReverseWriter::nowhereInUndo() const {
  return placeInUndo()->isPointerTy() ? Constant::getNullValue(placeInUndo())
                                      : Constant::getAllOnesValue(placeInUndo());
}

/// MayBeNowhere: see nowhereInUndo.
void ReverseWriter::restore(Value *Old, Value *Depth, Align Alignment, bool MayBeNowhere) {
  Value *Place = B.CreateLoad(placeInUndo(), undoEntry(UndoPlaces, Depth));
  BasicBlock *Store = MayBeNowhere ? newBlock("undo.own") : nullptr,
             *Go = MayBeNowhere ? newBlock("undo.done") : nullptr;
  if (MayBeNowhere) {
    B.CreateCondBr(B.CreateICmpEQ(Place, nowhereInUndo()), Go, Store);
    B.SetInsertPoint(Store);
  }
  if (!Place->getType()->isPointerTy())
    Place = B.CreateIntToPtr(Place, B.getPtrTy(SharedSpace));
  B.CreateAlignedStore(Old, Place, Alignment);
  if (MayBeNowhere) {
    B.CreateBr(Go);
    B.SetInsertPoint(Go);
  }
}

Value *ReverseWriter::undoEntry(AllocaInst *List, Value *Depth) {
  return B.CreateInBoundsGEP(List->getAllocatedType(), List, {B.getInt32(0), Depth});
}

void ReverseWriter::pushUndo(Value *Kind, Value *Place, Value *Old, const Instruction &Where) {
  if (!UndoDepth) {
    UndoDepth = newVariable(B.getInt32Ty(), "undo.depth", B.getInt32(0));
    UndoPlaces = newVariable(ArrayType::get(placeInUndo(), MostEntries), "undo.places");
    UndoValues = newVariable(ArrayType::get(valueInUndo(), MostEntries), "undo.values");
    UndoKinds = newVariable(ArrayType::get(B.getInt16Ty(), MostEntries), "undo.kinds");
  }
  Value *Depth = B.CreateLoad(B.getInt32Ty(), UndoDepth);
  BasicBlock *Full = newBlock("undo.full"), *Go = newBlock("undo.keep");
  B.CreateCondBr(B.CreateICmpUGE(Depth, B.getInt32(MostEntries)), Full, Go);
  B.SetInsertPoint(Full);
  fail(Where, "more stores to shared memory have to be undone than there is room for: shorten the loop, or give the "
              "derivative by hand");
  B.SetInsertPoint(Go);
  B.CreateStore(Kind, undoEntry(UndoKinds, Depth));
  if (Place)
    B.CreateStore(Place, undoEntry(UndoPlaces, Depth));
  if (Old)
    B.CreateStore(Old, undoEntry(UndoValues, Depth));
  B.CreateStore(B.CreateAdd(Depth, B.getInt32(1)), UndoDepth);
}

/// The index of the last entry, which is taken away.
Value *ReverseWriter::popUndo() {
  Value *Depth = B.CreateSub(B.CreateLoad(B.getInt32Ty(), UndoDepth), B.getInt32(1));
  B.CreateStore(Depth, UndoDepth);
  return Depth;
}

/// Before a copied store is inserted.
void ReverseWriter::keepOverwritten(const StoreInst &Store, StoreInst &Copy) {
  Value *Stored = Copy.getValueOperand(), *Place = Copy.getPointerOperand();
  auto Bytes = static_cast<uint8_t>(DL.getTypeStoreSize(Stored->getType()));
  Type *Bits = B.getIntNTy(8U * Bytes);
  Value *Kept = placeInUndo()->isPointerTy()
                    ? B.CreateAddrSpaceCast(Place, B.getPtrTy())
                    : B.CreatePtrToInt(B.CreateAddrSpaceCast(Place, B.getPtrTy(SharedSpace)), placeInUndo());
  Value *Old = nullptr;
  if (isStoredAlone(Store)) {
    Old = B.CreateAlignedLoad(Bits, Place, Copy.getAlign());
  } else {
    // Of several threads that store one value, the first finds what was there; the others have nothing to undo.
    Value *New = Stored->getType()->isIntegerTy() ? B.CreateZExt(Stored, Bits) : B.CreateBitOrPointerCast(Stored, Bits);
    Old = exchangeInShared(B, Place, New);
    Kept = B.CreateSelect(B.CreateICmpEQ(Old, New), nowhereInUndo(), Kept);
  }
  pushUndo(B.getInt16(Bytes), Kept, B.CreateZExt(Old, valueInUndo()), Copy);
}

/// A mark knows where the one before it is. Mask: of a barrier of a warp.
void ReverseWriter::pushMark(uint32_t Kind, Value *Mask, const Instruction &Where) {
  if (!LastMark)
    LastMark = newVariable(B.getInt32Ty(), "undo.mark", B.getInt32(~0U));
  Value *Before = B.CreateZExt(B.CreateLoad(B.getInt32Ty(), LastMark), valueInUndo());
  pushUndo(B.getInt16(static_cast<uint16_t>(Kind)), Mask, Before, Where);
  B.CreateStore(B.CreateSub(B.CreateLoad(B.getInt32Ty(), UndoDepth), B.getInt32(1)), LastMark);
}

/// Takes the last mark away, above which there is nothing any more, and tells its index.
Value *ReverseWriter::popMark() {
  Value *Mark = B.CreateLoad(B.getInt32Ty(), LastMark);
  B.CreateStore(Mark, UndoDepth);
  Value *Before = B.CreateLoad(valueInUndo(), undoEntry(UndoValues, Mark));
  B.CreateStore(B.CreateTrunc(Before, B.getInt32Ty()), LastMark);
  return Mark;
}

/// After a copied barrier.
void ReverseWriter::keepOrdering(CallInst &Copy) {
  if (!Contents.undoesAny())
    return;
  bool IsBlock = isBarrier(*Copy.getCalledFunction());
  pushMark(IsBlock ? BlockBarrier : WarpBarrier, IsBlock ? nullptr : Copy.getArgOperand(0), Copy);
}

/// At the beginning of an iteration of R that the copy of its parent runs.
void ReverseWriter::beginUndo(const Region &R) {
  if (Contents.leavesUndo(R.Parent->L, *R.L))
    pushMark(static_cast<uint32_t>(undoMark(R)), nullptr, *R.header()->getTerminator());
}

void ReverseWriter::undoStore(const StoreInst &Store) {
  Value *Depth = popUndo();
  Type *T = Store.getValueOperand()->getType();
  Type *Bits = B.getIntNTy(static_cast<unsigned>(8 * DL.getTypeStoreSize(T).getFixedValue()));
  Value *Old = B.CreateTrunc(B.CreateLoad(valueInUndo(), undoEntry(UndoValues, Depth)), Bits);
  restore(Old, Depth, Store.getAlign(), !isStoredAlone(Store));
}

/// Takes back what the last iteration of R that is not yet undone has stored, in loops inside it too.
void ReverseWriter::undoIteration(const Region &R) {
  if (!Contents.leavesUndo(R.Parent->L, *R.L))
    return;
  // Threads have stored different numbers of times, but all come to the same marks: together, behind a loop of its own.
  BasicBlock *Again = newBlock("undo"), *Stores = newBlock("undo.stores"), *Store = newBlock("undo.store"),
             *Mark = newBlock("undo.mark"), *Done = newBlock("undo.done");
  B.CreateBr(Again);
  B.SetInsertPoint(Again);
  Value *Bottom = B.CreateAdd(B.CreateLoad(B.getInt32Ty(), LastMark), B.getInt32(1));
  B.CreateBr(Stores);
  B.SetInsertPoint(Stores);
  B.CreateCondBr(B.CreateICmpEQ(B.CreateLoad(B.getInt32Ty(), UndoDepth), Bottom), Mark, Store);
  B.SetInsertPoint(Store);
  Value *Depth = popUndo();
  Value *Bytes = B.CreateLoad(B.getInt16Ty(), undoEntry(UndoKinds, Depth));
  Value *Old = B.CreateLoad(valueInUndo(), undoEntry(UndoValues, Depth));
  SmallVector<uint64_t, 4> Sizes = Contents.undoneSizes();
  auto Restore = [&](uint64_t Size) {
    restore(B.CreateTrunc(Old, B.getIntNTy(static_cast<unsigned>(8 * Size))), Depth, Align(Size),
            /*MayBeNowhere=*/!Request.IsDifferentiated);
    B.CreateBr(Stores);
  };
  for (uint64_t Size : drop_end(Sizes)) {
    BasicBlock *Own = newBlock("undo.bytes"), *Otherwise = newBlock("undo.store");
    B.CreateCondBr(B.CreateICmpEQ(Bytes, B.getInt16(static_cast<uint16_t>(Size))), Own, Otherwise);
    B.SetInsertPoint(Own);
    Restore(Size);
    B.SetInsertPoint(Otherwise);
  }
  Restore(Sizes.back());
  B.SetInsertPoint(Mark);
  Value *Index = popMark();
  Value *Kind = B.CreateLoad(B.getInt16Ty(), undoEntry(UndoKinds, Index));
  auto If = [&](uint32_t Wanted) {
    BasicBlock *Then = newBlock("undo.wait"), *Otherwise = newBlock("undo.mark");
    B.CreateCondBr(B.CreateICmpEQ(Kind, B.getInt16(static_cast<uint16_t>(Wanted))), Then, Otherwise);
    B.SetInsertPoint(Then);
    return Otherwise;
  };
  Module &M = *Body.getParent();
  BasicBlock *Otherwise = If(static_cast<uint32_t>(undoMark(R)));
  B.CreateBr(Done);
  B.SetInsertPoint(Otherwise);
  Otherwise = If(BlockBarrier);
  createBarrier(B);
  B.CreateBr(Again);
  B.SetInsertPoint(Otherwise);
  if (Function *Sync = M.getFunction("kernix.syncwarp")) {
    Otherwise = If(WarpBarrier);
    B.CreateCall(Sync, {B.CreateLoad(B.getInt32Ty(), undoEntry(UndoPlaces, Index))});
    B.CreateBr(Again);
    B.SetInsertPoint(Otherwise);
  }
  B.CreateBr(Again);
  B.SetInsertPoint(Done);
}
