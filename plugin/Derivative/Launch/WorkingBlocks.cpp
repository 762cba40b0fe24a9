//===- WorkingBlocks.cpp - few blocks that do the work of all ---------------------------------------------------===//
//
// A sum over all threads has one atomic addition for each block, and thousands of blocks wait for each other at one
// address. On a GPU a backward kernel without loops, that only has sums which all blocks share, is therefore written
// as a loop over blocks: of each row of the grid, as many blocks as run at a time take the places of all in turn, with
// the sums in registers, and the others end at once. The launch stays as it is.
//
// Shared memory and barriers would have to be kept apart between the turns; such kernels have no loop here. Nor have
// kernels with loops of their own, whose threads do more for each addition, and blocks more or less of it.
//
//===------------------------------------------------------------------------------------------------------------===//

#include "Derivative/Accumulation/BlockTotals.h"
#include "Derivative/Canonical/Collectives.h"
#include "Derivative/Canonical/Geometry.h"
#include "Derivative/Canonical/Libdevice.h"
#include "Derivative/CustomRules/RuleCalls.h"
#include "Derivative/Reverse/ReverseWriter.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace kernix;

/// Whether a call does nothing that a loop around it, or another block id than the hardware's, would change.
static bool isIndifferent(const CallBase &Call) {
  const Function *Callee = Call.getCalledFunction();
  if (!Callee || !Callee->isDeclaration() || isCollective(*Callee))
    return false;
  if (Callee->getName().starts_with("kernix."))
    return !Call.isConvergent();
  return isa<AssumeInst>(Call) ||
         (isa<IntrinsicInst>(Call) && Call.doesNotAccessMemory() && !Callee->getName().starts_with("llvm.nvvm."));
}

bool ReverseWriter::canRepeatBlocks() {
  if (Request.Kind != DerivativeRequest::Kernel || !Body.getParent()->getTargetTriple().isNVPTX() ||
      Accumulations.isAllAtomic() || Request.IsDeterministic || !Scratch.empty() || Paths.endsAnyThreads() ||
      !Loops.empty() || OverBlock.dependOnBlock())
    return false;
  bool HasSums = false;
  for (const Instruction &I : instructions(*P.F)) {
    if (const auto *Call = dyn_cast<CallBase>(&I))
      if (ruleOf(Call, Objects.rules()) || !isIndifferent(*Call))
        return false;
    if (I.isVolatile() || isa<FenceInst>(I) || (I.isAtomic() && !I.use_empty()))
      return false;
    MemoryAccess Access = accessOf(I);
    if (!Access.Pointer)
      continue;
    for (const MemoryObject *O : Objects.of(Access.Pointer)) {
      if (O->Kind == MemoryObject::Shared || O->Kind == MemoryObject::Unknown)
        return false;
      HasSums |= Active.isActiveAccess(I) && (O->Kind == MemoryObject::Parameter || OverBlock.contains(Access.Pointer));
    }
  }
  return HasSums;
}

/// Instead of an addition over the block, at the end of each turn.
void ReverseWriter::keepBlockSums(ArrayRef<UniformAddition> Additions) {
  for (const UniformAddition &A : Additions) {
    AllocaInst *Sum = newVariable(A.Added->getType(), "block.sum");
    B.CreateStore(B.CreateFAdd(B.CreateLoad(A.Added->getType(), Sum), A.Added), Sum);
    BlockSumsKept.push_back({A, Sum});
  }
}

/// Of each row of the grid along x, how many blocks work: all rows together as many as run at a time. One eighth of the
/// places is left to blocks that end at once.
static Value *workingBlocks(IRBuilder<> &B) {
  Module &M = *B.GetInsertBlock()->getModule();
  auto Read = [&](StringRef Name) { return B.CreateCall(declareGeometry(M, *findGeometry(Name))); };
  unsigned Model = architectureOf(*B.GetInsertBlock()->getParent());
  unsigned ThreadsAtATime = Model < 800 ? 1024 : Model == 800 || (Model >= 900 && Model < 1200) ? 2048 : 1536;
  Value *Threads = B.CreateMul(Read("block_dim.x"), B.CreateMul(Read("block_dim.y"), Read("block_dim.z")));
  Value *Large = B.CreateICmpUGT(Threads, B.getInt32(ThreadsAtATime / 8));
  Value *Places = B.CreateSelect(Large, B.getInt32(ThreadsAtATime), B.getInt32(ThreadsAtATime / 8 * 7));
  Value *OfOne = B.CreateBinaryIntrinsic(Intrinsic::umax, B.CreateUDiv(Places, Threads), B.getInt32(1));
  Value *Processors = B.CreateIntrinsic(Intrinsic::nvvm_read_ptx_sreg_nsmid, ArrayRef<Type *>(), {});
  Value *OfAll = B.CreateMul(OfOne, Processors);
  Value *Rows = B.CreateMul(Read("grid_dim.y"), Read("grid_dim.z"));
  Value *OfRow = B.CreateBinaryIntrinsic(Intrinsic::umax, B.CreateUDiv(OfAll, Rows), B.getInt32(1));
  return B.CreateBinaryIntrinsic(Intrinsic::umin, OfRow, Read("grid_dim.x"));
}

/// First: the entry, which has been written; Start, which follows; Turn, where a block has been reversed.
void ReverseWriter::repeatBlocks(BasicBlock &First, BasicBlock &Start, BasicBlock &Turn, BasicBlock &Return) {
  Module &M = *Body.getParent();
  Function *BlockId = declareGeometry(M, *findGeometry("block_idx.x"));
  auto IsOwn = [](const Value *Pointer) { return isa<AllocaInst>(Pointer->stripPointerCasts()); };
  auto *Again = newBlock("block");
  AllocaInst *Block = newVariable(B.getInt32Ty(), "block");
  // What each turn starts with.
  SmallVector<Instruction *, 16> Initial;
  for (Instruction &I : First) {
    const auto *Store = dyn_cast<StoreInst>(&I);
    const auto *Set = dyn_cast<MemSetInst>(&I);
    if ((Store && IsOwn(Store->getPointerOperand())) || (Set && IsOwn(Set->getRawDest())))
      Initial.push_back(&I);
  }
  B.SetInsertPoint(BranchInst::Create(&Start, Again));
  Value *Now = B.CreateLoad(B.getInt32Ty(), Block);
  for (Instruction *I : Initial)
    I->moveBefore(Again->getTerminator()->getIterator());
  // What has been computed of the hardware's block id before the loop is right for that block alone.
  bool IsForOne = false;
  for (User *U : make_early_inc_range(BlockId->users())) {
    auto *Call = dyn_cast<CallInst>(U);
    if (!Call || Call->getFunction() != &Body)
      continue;
    if (Call->getParent() == &First) {
      IsForOne = true;
      continue;
    }
    Call->replaceAllUsesWith(Now);
    Call->eraseFromParent();
  }

  forgetValues(*Regions.front()->Current);

  Entry.SetInsertPoint(First.getTerminator());
  for (auto [Addition, Sum] : BlockSumsKept)
    Entry.CreateStore(ConstantFP::getNegativeZero(Sum->getAllocatedType()), Sum);
  Value *Blocks = Entry.CreateCall(declareGeometry(M, *findGeometry("grid_dim.x")));
  Value *Working = IsForOne ? Blocks : workingBlocks(Entry), *Own = Entry.CreateCall(BlockId);
  Entry.CreateStore(Own, Block);
  Entry.CreateCondBr(Entry.CreateICmpULT(Own, Working), Again, &Return);
  First.getTerminator()->eraseFromParent();

  BasicBlock *Done = newBlock("blocks.done");
  B.SetInsertPoint(&Turn);
  Value *Next = B.CreateAdd(Now, Working);
  B.CreateStore(Next, Block);
  B.CreateCondBr(B.CreateICmpULT(Next, Blocks), Again, Done);
  B.SetInsertPoint(Done);
  SmallVector<UniformAddition, 4> Additions;
  for (auto [Addition, Sum] : BlockSumsKept)
    Additions.push_back(
        {Addition.Place, B.CreateLoad(Sum->getAllocatedType(), Sum), Addition.Number, Addition.IsWanted});
  if (!Additions.empty())
    addOverBlock(B, Additions);
  B.CreateBr(&Return);
}
