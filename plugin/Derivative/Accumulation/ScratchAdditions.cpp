//===- ScratchAdditions.cpp - additions to scratch memory in place of a gradient --------------------------------===//

#include "Derivative/Accumulation/WarpSums.h"
#include "Derivative/Canonical/Geometry.h"
#include "Derivative/Reverse/ReverseWriter.h"
#include "kernix/abi.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace kernix;

/// Threads that add to the same copy of an element.
static constexpr uint64_t ThreadsPerCopy = 32;

void ReverseWriter::planScratch() {
  if (Scratch.empty())
    return;
  Module &M = *Body.getParent();
  auto Read = [&](StringRef Name) {
    return Entry.CreateZExt(Entry.CreateCall(declareGeometry(M, *findGeometry(Name))), Entry.getInt64Ty());
  };
  auto Number = [&](StringRef Id, StringRef Extent) {
    Value *Plane = Entry.CreateMul(Read((Id + ".z").str()), Read((Extent + ".y").str()));
    Value *Row = Entry.CreateMul(Entry.CreateAdd(Read((Id + ".y").str()), Plane), Read((Extent + ".x").str()));
    return Entry.CreateAdd(Read((Id + ".x").str()), Row);
  };
  auto Product = [&](StringRef Extent) {
    return Entry.CreateMul(Read((Extent + ".x").str()),
                           Entry.CreateMul(Read((Extent + ".y").str()), Read((Extent + ".z").str())));
  };
  Value *OfBlock = Product("block_dim");
  NumberOfThread =
      Entry.CreateAdd(Entry.CreateMul(Number("block_idx", "grid_dim"), OfBlock), Number("thread_idx", "block_dim"));
  NumberOfThreads = Entry.CreateMul(OfBlock, Product("grid_dim"));
  for (const auto &[O, Way] : Scratch.all()) {
    if (Way.Kind == ScratchGradients::Way::Replicated) {
      Arguments.markOfScratch(*O);
      Value *Warp = Entry.CreateUDiv(NumberOfThread, Entry.getInt64(ThreadsPerCopy));
      CopyOfThread[O] = Entry.CreateURem(Warp, Entry.getInt64(Way.Count));
    } else {
      NotesOn[O] = {Arguments.notes(*O), newVariable(Entry.getInt64Ty(), "notes", Entry.getInt64(0))};
    }
  }
}

/// Where the number lies that stands for the one at Place: a float for one of 16 bits, or a copy, if the gradient's
/// pointer said so.
Value *ReverseWriter::placeInScratch(const Addition &A, Value *Place) {
  const MemoryObject &O = objectOf(A);
  bool IsFloat = Floats.contains(O);
  Value *Copy = CopyOfThread.lookup(&O);
  Type *Integer = DL.getIntPtrType(Place->getType());
  auto *Pointer = const_cast<Value *>(accessOf(*A.Access).Pointer);
  Value *First = B.CreateAddrSpaceCast(Addresses.baseOf(Pointer), Place->getType());
  Value *Way = B.CreateSub(B.CreatePtrToInt(Place, Integer), B.CreatePtrToInt(First, Integer));
  Value *There = B.CreateMul(Way, ConstantInt::get(Integer, IsFloat ? 2 : 1));
  if (Copy) {
    // A sector's copies lie side by side.
    constexpr uint64_t Within = KERNIX_SECTOR_BYTES - 1;
    Value *Sector = B.CreateMul(B.CreateAnd(There, ConstantInt::get(Integer, ~Within)),
                                ConstantInt::get(Integer, Scratch.of(O)->Count));
    Value *Begin = B.CreateAdd(
        Sector, B.CreateMul(B.CreateZExtOrTrunc(Copy, Integer), ConstantInt::get(Integer, KERNIX_SECTOR_BYTES)));
    There = B.CreateAdd(Begin, B.CreateAnd(There, ConstantInt::get(Integer, Within)));
  }
  Value *Farther = B.CreateSub(There, Way);
  if (IsFloat) // one to tell that it is a float
    Farther = B.CreateAdd(Farther, ConstantInt::get(Integer, 1));
  Value *Mark = B.CreateZExtOrTrunc(Arguments.markOfScratch(O), Integer);
  return B.CreateGEP(B.getInt8Ty(), Place, B.CreateMul(Farther, Mark));
}

void ReverseWriter::note(const Addition &A) {
  const NoteList &List = NotesOn.find(&objectOf(A))->second;
  Value *Place = placeOf(A);
  BasicBlock *Later = newBlock("note"), *Now = newBlock("gradient"), *Go = newBlock("reverse");
  Value *Used = B.CreateLoad(B.getInt64Ty(), List.Used);
  Value *HasRoom = B.CreateICmpULT(Used, B.getInt64(Scratch.of(objectOf(A))->Count));
  B.CreateCondBr(B.CreateAnd(B.CreateIsNotNull(List.Notes), HasRoom), Later, Now);
  B.SetInsertPoint(Later);
  Value *Index = B.CreateAdd(B.CreateMul(Used, NumberOfThreads), NumberOfThread);
  Value *Way =
      B.CreateAdd(B.CreateMul(Index, B.getInt64(sizeof(kernix_note))), B.getInt64(offsetof(kernix_notes, notes)));
  Value *Note = B.CreateGEP(B.getInt8Ty(), List.Notes, Way);
  B.CreateAlignedStore(B.CreateAddrSpaceCast(Place, B.getPtrTy()), Note, Align(8));
  Value *Added = B.CreateConstGEP1_64(B.getInt8Ty(), Note, offsetof(kernix_note, added));
  B.CreateAlignedStore(A.Added, Added, Align(8));
  B.CreateStore(B.CreateAdd(Used, B.getInt64(1)), List.Used);
  B.CreateBr(Go);
  B.SetInsertPoint(Now);
  addAtomically(B, Place, A.Added);
  B.CreateBr(Go);
  B.SetInsertPoint(Go);
}
