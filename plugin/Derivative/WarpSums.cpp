//===- WarpSums.cpp - sums over a warp or a block before memory is touched --------------------------------------===//

#include "Derivative/WarpSums.h"
#include "Derivative/MathFunctions.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace kernix;

namespace {

Value *special(IRBuilder<> &B, Intrinsic::ID Id) { return B.CreateIntrinsic(Id, ArrayRef<Type *>(), {}); }

/// V of the lane that is `By` further (down) or of the lane numbered By (idx); what comes from beyond the last lane, or
/// from one that Mask does not name, is of no use.
Value *fromLane(IRBuilder<> &B, Value *Mask, Value *V, Value *By, bool ByNumber) {
  auto Shuffle = [&](Value *Word) -> Value * {
    bool IsFloat = Word->getType()->isFloatTy();
    Intrinsic::ID Id = ByNumber ? (IsFloat ? Intrinsic::nvvm_shfl_sync_idx_f32 : Intrinsic::nvvm_shfl_sync_idx_i32)
                                : (IsFloat ? Intrinsic::nvvm_shfl_sync_down_f32 : Intrinsic::nvvm_shfl_sync_down_i32);
    return B.CreateIntrinsic(Id, ArrayRef<Type *>(), {Mask, Word, By, B.getInt32(31)});
  };
  if (!V->getType()->isDoubleTy())
    return Shuffle(V);
  Value *Bits = B.CreateBitCast(V, B.getInt64Ty());
  Value *Low = Shuffle(B.CreateTrunc(Bits, B.getInt32Ty()));
  Value *High = Shuffle(B.CreateTrunc(B.CreateLShr(Bits, 32), B.getInt32Ty()));
  Value *Both = B.CreateOr(B.CreateZExt(Low, B.getInt64Ty()), B.CreateShl(B.CreateZExt(High, B.getInt64Ty()), 32));
  return B.CreateBitCast(Both, V->getType());
}

/// The sum over the first `Lanes` lanes, in lane 0. Lanes is null where all 32 are there.
Value *sumOfLanes(IRBuilder<> &B, Value *Mask, Value *Lane, Value *Lanes, Value *V) {
  for (unsigned By = 16; By; By /= 2) {
    Value *Other = fromLane(B, Mask, V, B.getInt32(By), /*ByNumber=*/false);
    if (Lanes)
      Other = B.CreateSelect(B.CreateICmpULT(B.CreateAdd(Lane, B.getInt32(By)), Lanes), Other,
                             ConstantFP::getNegativeZero(V->getType()));
    V = B.CreateFAdd(V, Other);
  }
  return V;
}

/// The sum over the lanes that Group names, in the first of them. Every lane that Mask names is here, each with the
/// group it belongs to. A lane adds what its successor has and then takes the successor's successor, which halves the
/// way to the end each time.
Value *sumOfGroup(IRBuilder<> &B, Value *Mask, Value *Group, Value *Lane, Value *V) {
  Value *None = B.getInt32(32);
  Value *Later = B.CreateAnd(Group, B.CreateShl(B.getInt32(~1U), Lane));
  Value *Next = B.CreateBinaryIntrinsic(Intrinsic::cttz, Later, B.getFalse());
  for (unsigned Step = 0; Step < 5; ++Step) {
    Value *IsLast = B.CreateICmpEQ(Next, None);
    Value *Other = fromLane(B, Mask, V, Next, /*ByNumber=*/true);
    V = B.CreateFAdd(V, B.CreateSelect(IsLast, ConstantFP::getNegativeZero(V->getType()), Other));
    if (Step < 4)
      Next = B.CreateSelect(IsLast, None, fromLane(B, Mask, Next, Next, /*ByNumber=*/true));
  }
  return V;
}

/// Whether Lane is the first that Group names.
Value *isFirst(IRBuilder<> &B, Value *Group, Value *Lane) {
  Value *Before = B.CreateNot(B.CreateShl(B.getInt32(~0U), Lane));
  return B.CreateICmpEQ(B.CreateAnd(Group, Before), B.getInt32(0));
}

/// Types of 16 bits are summed in float.
Type *typeOfSum(Type *T) { return T->isDoubleTy() || T->isFloatTy() ? T : Type::getFloatTy(T->getContext()); }

BasicBlock *newBlock(IRBuilder<> &B, const Twine &Name) {
  return BasicBlock::Create(B.getContext(), Name, B.GetInsertBlock()->getParent());
}

/// A function of ours that is inlined wherever it is called; null where M has it already.
Function *newHelper(Module &M, const Twine &Name, Type *Result, ArrayRef<Type *> Arguments, Function *&F) {
  SmallString<32> Text;
  F = M.getFunction(Name.toStringRef(Text));
  if (F)
    return nullptr;
  F = Function::Create(FunctionType::get(Result, Arguments, false), GlobalValue::InternalLinkage, Name, M);
  for (Attribute::AttrKind Kind : {Attribute::AlwaysInline, Attribute::Convergent, Attribute::NoUnwind})
    F->addFnAttr(Kind);
  BasicBlock::Create(M.getContext(), "entry", F);
  return F;
}

/// The sum over the lanes that are here, in one of them; nothing in the others.
Function *warpSum(Module &M, Type *T) {
  Function *F = nullptr;
  if (!newHelper(M, "kernix_sum_over_warp_" + typeSuffix(T), T, {T}, F))
    return F;
  // Of one value in one block it is one sum.
  F->setDoesNotAccessMemory();
  F->setWillReturn();
  IRBuilder<> B(&F->getEntryBlock());
  BasicBlock *Whole = newBlock(B, "whole"), *Some = newBlock(B, "some"), *Done = newBlock(B, "done");
  Value *Mask = special(B, Intrinsic::nvvm_activemask), *All = B.getInt32(~0U);
  Value *Lane = special(B, Intrinsic::nvvm_read_ptx_sreg_laneid);
  B.CreateCondBr(B.CreateICmpEQ(Mask, All), Whole, Some);
  B.SetInsertPoint(Whole);
  Value *OfWhole = sumOfLanes(B, All, Lane, nullptr, F->getArg(0));
  B.CreateBr(Done);
  B.SetInsertPoint(Some);
  Value *OfSome = sumOfGroup(B, Mask, Mask, Lane, F->getArg(0));
  B.CreateBr(Done);
  B.SetInsertPoint(Done);
  PHINode *Sum = B.CreatePHI(T, 2);
  Sum->addIncoming(OfWhole, Whole);
  Sum->addIncoming(OfSome, Some);
  B.CreateRet(B.CreateSelect(isFirst(B, Mask, Lane), Sum, ConstantFP::getNegativeZero(T)));
  return F;
}

/// Adds, unless there is nothing to add.
Function *additionOfSomething(Module &M, Type *T) {
  Function *F = nullptr;
  if (!newHelper(M, "kernix_add_something_" + typeSuffix(T), Type::getVoidTy(M.getContext()),
                 {PointerType::getUnqual(M.getContext()), T}, F))
    return F;
  IRBuilder<> B(&F->getEntryBlock());
  BasicBlock *Add = newBlock(B, "add"), *Done = newBlock(B, "done");
  B.CreateCondBr(B.CreateFCmpUNE(F->getArg(1), Constant::getNullValue(T)), Add, Done);
  B.SetInsertPoint(Add);
  addAtomically(B, F->getArg(0), F->getArg(1));
  B.CreateBr(Done);
  B.SetInsertPoint(Done);
  B.CreateRetVoid();
  return F;
}

Function *warpAddition(Module &M, Type *T) {
  Function *F = nullptr;
  LLVMContext &Context = M.getContext();
  if (!newHelper(M, "kernix_add_over_warp_" + typeSuffix(T), Type::getVoidTy(Context),
                 {PointerType::getUnqual(Context), T}, F))
    return F;
  Value *Place = F->getArg(0), *Added = F->getArg(1);
  IRBuilder<> B(&F->getEntryBlock());
  BasicBlock *Whole = newBlock(B, "whole"), *Some = newBlock(B, "some"), *Differ = newBlock(B, "differ"),
             *Groups = newBlock(B, "groups"), *Add = newBlock(B, "add"), *Done = newBlock(B, "done");
  // The lanes that are here at the same time: others add for themselves.
  Value *Mask = special(B, Intrinsic::nvvm_activemask), *All = B.getInt32(~0U);
  Value *Lane = special(B, Intrinsic::nvvm_read_ptx_sreg_laneid);
  Value *Address = B.CreatePtrToInt(Place, B.getInt64Ty());
  Value *Match = B.CreateIntrinsic(Intrinsic::nvvm_match_all_sync_i64p, ArrayRef<Type *>(), {Mask, Address});
  Value *AreSame = B.CreateExtractValue(Match, 1);
  B.CreateCondBr(B.CreateAnd(AreSame, B.CreateICmpEQ(Mask, All)), Whole, Some);
  B.SetInsertPoint(Whole);
  Value *OfWhole = sumOfLanes(B, All, Lane, nullptr, Added);
  B.CreateCondBr(B.CreateICmpEQ(Lane, B.getInt32(0)), Add, Done);
  B.SetInsertPoint(Some);
  B.CreateCondBr(AreSame, Groups, Differ);
  B.SetInsertPoint(Differ);
  Value *Equal = B.CreateIntrinsic(Intrinsic::nvvm_match_any_sync_i64, ArrayRef<Type *>(), {Mask, Address});
  B.CreateBr(Groups);
  B.SetInsertPoint(Groups);
  PHINode *Group = B.CreatePHI(B.getInt32Ty(), 2);
  Group->addIncoming(Mask, Some);
  Group->addIncoming(Equal, Differ);
  Value *OfGroup = sumOfGroup(B, Mask, Group, Lane, Added);
  B.CreateCondBr(isFirst(B, Group, Lane), Add, Done);
  B.SetInsertPoint(Add);
  PHINode *Sum = B.CreatePHI(T, 2);
  Sum->addIncoming(OfWhole, Whole);
  Sum->addIncoming(OfGroup, Groups);
  addAtomically(B, Place, Sum);
  B.CreateBr(Done);
  B.SetInsertPoint(Done);
  B.CreateRetVoid();
  return F;
}

} // namespace

Instruction *kernix::addAtomically(IRBuilder<> &B, Value *Place, Value *Added) {
  // Threads of other blocks add too; nothing else is ordered by it.
  SyncScope::ID Scope = B.getContext().getOrInsertSyncScopeID(
      B.GetInsertBlock()->getModule()->getTargetTriple().isNVPTX() ? "device" : "");
  Align Alignment(B.GetInsertBlock()->getDataLayout().getTypeStoreSize(Added->getType()));
  return B.CreateAtomicRMW(AtomicRMWInst::FAdd, Place, Added, Alignment, AtomicOrdering::Monotonic, Scope);
}

void kernix::addOverWarp(IRBuilder<> &B, Value *Place, Value *Added, bool IsOnePlace) {
  Type *T = Added->getType();
  if (!T->isFloatTy() && !T->isDoubleTy()) {
    addAtomically(B, Place, Added);
    return;
  }
  Module &M = *B.GetInsertBlock()->getModule();
  Place = B.CreateAddrSpaceCast(Place, B.getPtrTy());
  if (IsOnePlace)
    B.CreateCall(additionOfSomething(M, T), {Place, B.CreateCall(warpSum(M, T), {Added})});
  else
    B.CreateCall(warpAddition(M, T), {Place, Added});
}

void kernix::addOverBlock(IRBuilder<> &B, ArrayRef<UniformAddition> Additions) {
  Module &M = *B.GetInsertBlock()->getModule();
  BasicBlock *Work = newBlock(B, "block.sum"), *Done = newBlock(B, "block.done");
  Value *IsWanted = B.getFalse();
  for (const UniformAddition &A : Additions)
    IsWanted = B.CreateOr(IsWanted, B.CreateIsNotNull(A.Place));
  B.CreateCondBr(IsWanted, Work, Done);
  B.SetInsertPoint(Work);

  Value *Width = special(B, Intrinsic::nvvm_read_ptx_sreg_ntid_x),
        *Height = special(B, Intrinsic::nvvm_read_ptx_sreg_ntid_y);
  Value *Row = B.CreateAdd(B.CreateMul(special(B, Intrinsic::nvvm_read_ptx_sreg_tid_z), Height),
                           special(B, Intrinsic::nvvm_read_ptx_sreg_tid_y));
  Value *Thread = B.CreateAdd(B.CreateMul(Row, Width), special(B, Intrinsic::nvvm_read_ptx_sreg_tid_x));
  Value *Threads = B.CreateMul(B.CreateMul(Width, Height), special(B, Intrinsic::nvvm_read_ptx_sreg_ntid_z));
  Value *Lane = B.CreateAnd(Thread, B.getInt32(31)), *Warp = B.CreateLShr(Thread, B.getInt32(5));
  // The last warp may have fewer lanes.
  Value *Left = B.CreateSub(Threads, B.CreateAnd(Thread, B.getInt32(~31U)));
  Value *Lanes = B.CreateBinaryIntrinsic(Intrinsic::umin, Left, B.getInt32(32));
  Value *Mask = B.CreateLShr(B.getInt32(~0U), B.CreateSub(B.getInt32(32), Lanes));

  SmallVector<GlobalVariable *, 4> Partial;
  SmallVector<Value *, 4> Sums;
  for (const UniformAddition &A : Additions) {
    Type *T = typeOfSum(A.Added->getType());
    Type *Array = ArrayType::get(T, 32);
    Partial.push_back(new GlobalVariable(M, Array, false, GlobalValue::InternalLinkage, UndefValue::get(Array),
                                         "kernix_block_sums", nullptr, GlobalValue::NotThreadLocal, 3));
    Value *Own = A.Added->getType() == T ? A.Added : B.CreateFPExt(A.Added, T);
    Sums.push_back(sumOfLanes(B, Mask, Lane, Lanes, Own));
  }
  BasicBlock *First = newBlock(B, "block.first"), *Wait = newBlock(B, "block.wait"), *Last = newBlock(B, "block.last"),
             *Add = newBlock(B, "block.add");
  B.CreateCondBr(B.CreateICmpEQ(Lane, B.getInt32(0)), First, Wait);
  B.SetInsertPoint(First);
  for (auto [Sum, Array] : zip_equal(Sums, Partial))
    B.CreateStore(Sum, B.CreateGEP(Sum->getType(), Array, Warp));
  B.CreateBr(Wait);
  B.SetInsertPoint(Wait);
  B.CreateIntrinsic(Intrinsic::nvvm_barrier_cta_sync_all, ArrayRef<Type *>(), {B.getInt32(0)});
  B.CreateCondBr(B.CreateICmpEQ(Warp, B.getInt32(0)), Last, Done);
  B.SetInsertPoint(Last);
  Value *Warps = B.CreateLShr(B.CreateAdd(Threads, B.getInt32(31)), B.getInt32(5));
  for (auto [Sum, Array] : zip_equal(Sums, Partial)) {
    Value *At = B.CreateGEP(Sum->getType(), Array, Lane);
    Value *Read = B.CreateLoad(Sum->getType(), At);
    Read = B.CreateSelect(B.CreateICmpULT(Lane, Warps), Read, ConstantFP::getNegativeZero(Sum->getType()));
    Sum = sumOfLanes(B, Mask, Lane, Lanes, Read);
  }
  B.CreateCondBr(B.CreateICmpEQ(Lane, B.getInt32(0)), Add, Done);
  B.SetInsertPoint(Add);
  for (auto [Sum, A] : zip_equal(Sums, Additions)) {
    BasicBlock *Given = newBlock(B, "block.given"), *Next = newBlock(B, "block.next");
    B.CreateCondBr(B.CreateIsNotNull(A.Place), Given, Next);
    B.SetInsertPoint(Given);
    Type *T = A.Added->getType();
    addAtomically(B, A.Place, Sum->getType() == T ? Sum : B.CreateFPTrunc(Sum, T));
    B.CreateBr(Next);
    B.SetInsertPoint(Next);
  }
  B.CreateBr(Done);
  B.SetInsertPoint(Done);
}
