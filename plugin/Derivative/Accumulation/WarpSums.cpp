//===- WarpSums.cpp - sums over a warp before memory is touched -------------------------------------------------===//

#include "Derivative/Accumulation/WarpSums.h"
#include "Derivative/Accumulation/FloatGradients.h"
#include "Derivative/Canonical/MathFunctions.h"
#include "GradientAddition.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"
#include <array>

using namespace llvm;
using namespace kernix;

namespace {

Value *special(IRBuilder<> &B, Intrinsic::ID Id) { return B.CreateIntrinsic(Id, ArrayRef<Type *>(), {}); }

/// V of the lane numbered By; what comes from one that Mask does not name is of no use.
Value *fromLane(IRBuilder<> &B, Value *Mask, Value *V, Value *By) {
  return shuffled(B, {Intrinsic::nvvm_shfl_sync_idx_f32, Intrinsic::nvvm_shfl_sync_idx_i32}, Mask, V, By);
}

/// For each step of sumOfGroup(), the lane whose sum is added, or 32.
using Successors = std::array<Value *, 5>;

/// The next lane of the group, the one after 2 more, 4, 8, 16. Every lane that Mask names is here.
Successors successorsIn(IRBuilder<> &B, Value *Mask, Value *Group, Value *Lane) {
  Value *None = B.getInt32(32);
  Value *Later = B.CreateAnd(Group, B.CreateShl(B.getInt32(~1U), Lane));
  Successors Result;
  Result[0] = B.CreateBinaryIntrinsic(Intrinsic::cttz, Later, B.getFalse());
  for (unsigned Step = 1; Step < Result.size(); ++Step) {
    Value *Known = Result[Step - 1];
    Result[Step] = B.CreateSelect(B.CreateICmpEQ(Known, None), None, fromLane(B, Mask, Known, Known));
  }
  return Result;
}

/// The sum over the lanes of each group, in the first of them. A lane adds what its successor has, then what the
/// successor of that has, which halves the way to the end each time.
Value *sumOfGroup(IRBuilder<> &B, Value *Mask, const Successors &Next, Value *V) {
  for (Value *From : Next) {
    Value *Other = fromLane(B, Mask, V, From);
    Value *IsLast = B.CreateICmpEQ(From, B.getInt32(32));
    V = B.CreateFAdd(V, B.CreateSelect(IsLast, ConstantFP::getNegativeZero(V->getType()), Other));
  }
  return V;
}

/// Whether Lane is the first that Group names.
Value *isFirst(IRBuilder<> &B, Value *Group, Value *Lane) {
  Value *Before = B.CreateNot(B.CreateShl(B.getInt32(~0U), Lane));
  return B.CreateICmpEQ(B.CreateAnd(Group, Before), B.getInt32(0));
}

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

/// Lanes that are here together, and how those of them that add to one place add up: what several sums have in common.
/// { lanes, lanes of the group, successors }
Function *groupOfLanes(Module &M, bool HasKey) {
  Function *F = nullptr;
  Type *Int32 = Type::getInt32Ty(M.getContext()), *Int64 = Type::getInt64Ty(M.getContext());
  SmallVector<Type *, 7> Fields(7, Int32);
  StructType *Result = StructType::get(M.getContext(), Fields);
  if (!newHelper(M, HasKey ? "kernix_lanes_by_key" : "kernix_lanes", Result,
                 HasKey ? ArrayRef<Type *>(Int64) : ArrayRef<Type *>(), F))
    return F;
  // Asked twice in one block it is asked once.
  F->setDoesNotAccessMemory();
  F->setWillReturn();
  IRBuilder<> B(&F->getEntryBlock());
  BasicBlock *Whole = newBlock(B, "whole"), *Some = newBlock(B, "some");
  Value *Mask = special(B, Intrinsic::nvvm_activemask), *All = B.getInt32(~0U);
  Value *Lane = special(B, Intrinsic::nvvm_read_ptx_sreg_laneid), *AreSame = B.getTrue();
  if (HasKey) {
    Value *Match = B.CreateIntrinsic(Intrinsic::nvvm_match_all_sync_i64p, ArrayRef<Type *>(), {Mask, F->getArg(0)});
    AreSame = B.CreateExtractValue(Match, 1);
  }
  B.CreateCondBr(B.CreateAnd(AreSame, B.CreateICmpEQ(Mask, All)), Whole, Some);
  auto Return = [&](Value *Group, const Successors &Next) {
    Value *Both = B.CreateInsertValue(PoisonValue::get(Result), Mask, 0U);
    Both = B.CreateInsertValue(Both, Group, 1U);
    for (unsigned K = 0; K < Next.size(); ++K)
      Both = B.CreateInsertValue(Both, Next[K], K + 2);
    B.CreateRet(Both);
  };
  B.SetInsertPoint(Whole);
  Successors OfWhole;
  for (unsigned K = 0; K < OfWhole.size(); ++K)
    OfWhole[K] = B.CreateBinaryIntrinsic(Intrinsic::umin, B.CreateAdd(Lane, B.getInt32(1U << K)), B.getInt32(32));
  Return(All, OfWhole);
  B.SetInsertPoint(Some);
  Value *Group = Mask;
  if (HasKey) {
    BasicBlock *Differ = newBlock(B, "differ"), *Found = newBlock(B, "found");
    B.CreateCondBr(AreSame, Found, Differ);
    B.SetInsertPoint(Differ);
    Value *Equal = B.CreateIntrinsic(Intrinsic::nvvm_match_any_sync_i64, ArrayRef<Type *>(), {Mask, F->getArg(0)});
    B.CreateBr(Found);
    B.SetInsertPoint(Found);
    PHINode *Either = B.CreatePHI(B.getInt32Ty(), 2);
    Either->addIncoming(Mask, Some);
    Either->addIncoming(Equal, Differ);
    Group = Either;
  }
  Return(Group, successorsIn(B, Mask, Group, Lane));
  return F;
}

/// The sum over each group of lanes, in the first of them; nothing in the others.
Function *sumOfLanesFunction(Module &M, Type *T) {
  Function *F = nullptr;
  Type *Lanes = groupOfLanes(M, false)->getReturnType();
  if (!newHelper(M, "kernix_sum_over_lanes_" + typeSuffix(T), T, {Lanes, T}, F))
    return F;
  F->setDoesNotAccessMemory();
  F->setWillReturn();
  IRBuilder<> B(&F->getEntryBlock());
  Value *Mask = B.CreateExtractValue(F->getArg(0), 0U), *Group = B.CreateExtractValue(F->getArg(0), 1U);
  Successors Next;
  for (unsigned K = 0; K < Next.size(); ++K)
    Next[K] = B.CreateExtractValue(F->getArg(0), K + 2);
  Value *Sum = sumOfGroup(B, Mask, Next, F->getArg(1));
  Value *Lane = special(B, Intrinsic::nvvm_read_ptx_sreg_laneid);
  B.CreateRet(B.CreateSelect(isFirst(B, Group, Lane), Sum, ConstantFP::getNegativeZero(T)));
  return F;
}

/// Adds, unless there is nothing to add.
Function *additionOfSomething(Module &M, Type *T, NumberInMemory Number) {
  Function *F = nullptr;
  std::string Name = ("kernix_add_something_" + typeSuffix(Number.Type) + (Number.MayBeFloat ? "_or_float" : "")).str();
  if (!newHelper(M, Name, Type::getVoidTy(M.getContext()), {PointerType::getUnqual(M.getContext()), T}, F))
    return F;
  IRBuilder<> B(&F->getEntryBlock());
  BasicBlock *Add = newBlock(B, "add"), *Done = newBlock(B, "done");
  B.CreateCondBr(B.CreateFCmpUNE(F->getArg(1), Constant::getNullValue(T)), Add, Done);
  B.SetInsertPoint(Add);
  addAtomically(B, F->getArg(0), F->getArg(1), Number);
  B.CreateBr(Done);
  B.SetInsertPoint(Done);
  B.CreateRetVoid();
  return F;
}

} // namespace

Value *kernix::shuffled(IRBuilder<> &B, ShuffleOf Kind, Value *Mask, Value *V, Value *By) {
  auto Shuffle = [&](Value *Word) -> Value * {
    Intrinsic::ID Id = Word->getType()->isFloatTy() ? Kind.Float : Kind.Integer;
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

void kernix::addAtomically(IRBuilder<> &B, Value *Place, Value *Added) {
  // Threads of other blocks add too; nothing else is ordered by it.
  SyncScope::ID Scope = B.getContext().getOrInsertSyncScopeID(
      B.GetInsertBlock()->getModule()->getTargetTriple().isNVPTX() ? "device" : "");
  Align Alignment(B.GetInsertBlock()->getDataLayout().getTypeStoreSize(Added->getType()));
  Instruction *Addition =
      B.CreateAtomicRMW(AtomicRMWInst::FAdd, Place, Added, Alignment, AtomicOrdering::Monotonic, Scope);
  Addition->setMetadata(GradientAddition, MDNode::get(B.getContext(), {}));
}

void kernix::branchOnFloat(IRBuilder<> &B, Value *Place, function_ref<void(Value *Float)> Then,
                           function_ref<void()> Else) {
  Value *IsFloat = B.CreateTrunc(B.CreatePtrToInt(Place, B.getInt64Ty()), B.getInt1Ty());
  BasicBlock *Float = newBlock(B, "float"), *Narrow = newBlock(B, "narrow"), *Done = newBlock(B, "added");
  B.CreateCondBr(IsFloat, Float, Narrow);
  B.SetInsertPoint(Float);
  Then(B.CreateConstGEP1_64(B.getInt8Ty(), Place, static_cast<uint64_t>(-1)));
  B.CreateBr(Done);
  B.SetInsertPoint(Narrow);
  Else();
  B.CreateBr(Done);
  B.SetInsertPoint(Done);
}

void kernix::addAtomically(IRBuilder<> &B, Value *Place, Value *Added, NumberInMemory Number) {
  auto AddAsItLies = [&] {
    addAtomically(B, Place, Added->getType() == Number.Type ? Added : B.CreateFPTrunc(Added, Number.Type));
  };
  if (Number.MayBeFloat)
    branchOnFloat(B, Place, [&](Value *Float) { addAtomically(B, Float, Added); }, AddAsItLies);
  else
    AddAsItLies();
}

void kernix::addOverWarp(IRBuilder<> &B, Value *Place, Value *Added, NumberInMemory Number, Value *Key) {
  Type *T = Added->getType();
  if (!T->isFloatTy() && !T->isDoubleTy()) {
    addAtomically(B, Place, Added, Number);
    return;
  }
  Module &M = *B.GetInsertBlock()->getModule();
  Place = B.CreateAddrSpaceCast(Place, B.getPtrTy());
  SmallVector<Value *, 1> Keys;
  if (Key)
    Keys.push_back(Key->getType()->isPointerTy() ? B.CreatePtrToInt(Key, B.getInt64Ty())
                                                 : B.CreateZExtOrTrunc(Key, B.getInt64Ty()));
  Value *Lanes = B.CreateCall(groupOfLanes(M, Key), Keys);
  Value *Sum = B.CreateCall(sumOfLanesFunction(M, T), {Lanes, Added});
  B.CreateCall(additionOfSomething(M, T, Number), {Place, Sum});
}
