//===- SharedUndo.cpp - undoing stores to shared memory ---------------------------------------------------------===//
//
// Each thread keeps a list of what its stores have overwritten, with a mark for each barrier and each iteration, and
// takes the entries back in the opposite order: single stores where they are reversed, whole iterations before they are
// computed again. Since the barriers between them are run too, shared memory holds in each phase what it held in the
// primal.
//
//===------------------------------------------------------------------------------------------------------------===//

#include "Derivative/Collectives.h"
#include "Derivative/ReverseWriter.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace kernix;

namespace {

constexpr uint32_t MostEntries = 512;
/// Kinds of entries: 1 to 8 are bytes of a store.
constexpr uint32_t BlockBarrier = 16, WarpBarrier = 17, FirstMark = 32;

} // namespace

int ReverseWriter::undoMark(const Region &R) const {
  for (unsigned K = 0; K < Regions.size(); ++K)
    if (Regions[K].get() == &R)
      return static_cast<int>(FirstMark + K);
  return 0;
}

Value *ReverseWriter::undoEntry(AllocaInst *List, Value *Depth) {
  return B.CreateInBoundsGEP(List->getAllocatedType(), List, {B.getInt32(0), Depth});
}

void ReverseWriter::pushUndo(Value *Kind, Value *Place, Value *Old, const Instruction &Where) {
  if (!UndoDepth) {
    UndoDepth = newVariable(B.getInt32Ty(), "undo.depth", B.getInt32(0));
    UndoPlaces = newVariable(ArrayType::get(B.getPtrTy(), MostEntries), "undo.places");
    UndoValues = newVariable(ArrayType::get(B.getInt64Ty(), MostEntries), "undo.values");
    UndoKinds = newVariable(ArrayType::get(B.getInt8Ty(), MostEntries), "undo.kinds");
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
void ReverseWriter::keepOverwritten(StoreInst &Copy) {
  Type *T = Copy.getValueOperand()->getType();
  auto Bytes = static_cast<uint8_t>(DL.getTypeStoreSize(T));
  Value *Place = Copy.getPointerOperand();
  Value *Old = B.CreateAlignedLoad(B.getIntNTy(8U * Bytes), Place, Copy.getAlign());
  pushUndo(B.getInt8(Bytes), B.CreateAddrSpaceCast(Place, B.getPtrTy()), B.CreateZExt(Old, B.getInt64Ty()), Copy);
}

/// After a copied barrier.
void ReverseWriter::keepOrdering(CallInst &Copy) {
  if (!Contents.undoesAny())
    return;
  bool IsBlock = isBarrier(*Copy.getCalledFunction());
  pushUndo(B.getInt8(IsBlock ? BlockBarrier : WarpBarrier), nullptr,
           IsBlock ? nullptr : B.CreateZExt(Copy.getArgOperand(0), B.getInt64Ty()), Copy);
}

/// At the beginning of an iteration of R that the copy of its parent runs.
void ReverseWriter::beginUndo(const Region &R) {
  if (Contents.leavesUndo(R.Parent->L, *R.L))
    pushUndo(B.getInt8(static_cast<uint8_t>(undoMark(R))), nullptr, nullptr, *R.header()->getTerminator());
}

void ReverseWriter::undoStore(const StoreInst &Store) {
  Value *Depth = popUndo();
  Type *T = Store.getValueOperand()->getType();
  Type *Bits = B.getIntNTy(static_cast<unsigned>(8 * DL.getTypeStoreSize(T).getFixedValue()));
  Value *Old = B.CreateTrunc(B.CreateLoad(B.getInt64Ty(), undoEntry(UndoValues, Depth)), Bits);
  B.CreateAlignedStore(Old, B.CreateLoad(B.getPtrTy(), undoEntry(UndoPlaces, Depth)), Store.getAlign());
}

/// Takes back what the last iteration of R that is not yet undone has stored, in loops inside it too.
void ReverseWriter::undoIteration(const Region &R) {
  if (!Contents.leavesUndo(R.Parent->L, *R.L))
    return;
  BasicBlock *Again = newBlock("undo"), *Done = newBlock("undo.done");
  B.CreateBr(Again);
  B.SetInsertPoint(Again);
  Value *Depth = popUndo();
  Value *Kind = B.CreateLoad(B.getInt8Ty(), undoEntry(UndoKinds, Depth));
  SwitchInst *Choose = B.CreateSwitch(Kind, Again);
  Choose->addCase(B.getInt8(static_cast<uint8_t>(undoMark(R))), Done);
  auto Case = [&](uint32_t Kind, function_ref<void()> Write) {
    BasicBlock *Block = newBlock("undo.entry");
    Choose->addCase(B.getInt8(static_cast<uint8_t>(Kind)), Block);
    B.SetInsertPoint(Block);
    Write();
    B.CreateBr(Again);
  };
  for (unsigned Bytes : {1U, 2U, 4U, 8U})
    Case(Bytes, [&] {
      Value *Old = B.CreateTrunc(B.CreateLoad(B.getInt64Ty(), undoEntry(UndoValues, Depth)), B.getIntNTy(8 * Bytes));
      B.CreateAlignedStore(Old, B.CreateLoad(B.getPtrTy(), undoEntry(UndoPlaces, Depth)), Align(Bytes));
    });
  Module &M = *Body.getParent();
  Case(BlockBarrier, [&] {
    B.CreateCall(declareCollective(M, "kernix.barrier_diverged", FunctionType::get(B.getVoidTy(), false), {}));
  });
  if (const Function *Sync = M.getFunction("kernix.syncwarp"))
    Case(WarpBarrier, [&] {
      Value *Mask = B.CreateTrunc(B.CreateLoad(B.getInt64Ty(), undoEntry(UndoValues, Depth)), B.getInt32Ty());
      B.CreateCall(const_cast<Function *>(Sync), {Mask});
    });
  B.SetInsertPoint(Done);
}
