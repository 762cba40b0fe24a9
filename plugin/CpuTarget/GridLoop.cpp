//===- GridLoop.cpp - the function that runs a range of blocks --------------------------------------------------===//

#include "CpuTarget/GridLoop.h"
#include "CpuTarget/DebugInfo.h"
#include "llvm/IR/MDBuilder.h"

using namespace llvm;

namespace kernix {

Function *makeFunction(Function &Kernel, FunctionType *Type, StringRef Suffix) {
  Function *Made = Function::Create(Type, GlobalValue::InternalLinkage, Kernel.getName() + Suffix, Kernel.getParent());
  AttrBuilder Attributes(Kernel.getContext(), Kernel.getAttributes().getFnAttrs());
  for (Attribute::AttrKind Kind :
       {Attribute::Convergent, Attribute::Memory, Attribute::NoSync, Attribute::Speculatable})
    Attributes.removeAttribute(Kind);
  Attributes.removeAttribute("uniform-work-group-size");
  Attributes.removeAttribute(Attribute::AlwaysInline);
  Made->addFnAttrs(Attributes);
  return Made;
}

CallInst *callKernel(IRBuilder<> &Builder, Function &Kernel) {
  Function *Caller = Builder.GetInsertBlock()->getParent();
  SmallVector<Value *> Arguments;
  for (const Argument &Parameter : Kernel.args())
    Arguments.push_back(Caller->getArg(Parameter.getArgNo()));
  CallInst *Call = Builder.CreateCall(&Kernel, Arguments);
  Call->setAttributes(Kernel.getAttributes().removeFnAttributes(Kernel.getContext()));
  return Call;
}

/// Takes the parameter attributes over; a struct in memory becomes a pointer to storage that nobody writes.
static void copyParameterAttributes(Function &To, const Function &Kernel) {
  LLVMContext &Context = Kernel.getContext();
  for (const Argument &Parameter : Kernel.args()) {
    unsigned Number = Parameter.getArgNo();
    AttrBuilder Attributes(Context, Kernel.getAttributes().getParamAttrs(Number));
    if (Type *Struct = Kernel.getParamByValType(Number)) {
      Attributes.removeAttribute(Attribute::ByVal);
      Attributes.addAttribute(Attribute::NoAlias);
      Attributes.addAttribute(Attribute::ReadOnly);
      Attributes.addCapturesAttr(CaptureInfo::none());
      Attributes.addDereferenceableAttr(Kernel.getDataLayout().getTypeAllocSize(Struct));
    }
    To.addParamAttrs(Number, Attributes);
  }
}

GridLoop::GridLoop(Function &Kernel, const ObjectLayout &Layout)
    : Layout(Layout), Context(Kernel.getContext()), Builder(Context) {
  SmallVector<Type *> Parameters(Kernel.getFunctionType()->params());
  Type *Int64 = Builder.getInt64Ty();
  Parameters.append({Builder.getPtrTy(), Int64, Int64});
  Made = makeFunction(Kernel, FunctionType::get(Builder.getVoidTy(), Parameters, false), ".blocks");
  Made->addFnAttr(Attribute::NoInline);
  copyParameterAttributes(*Made, Kernel);
  unsigned Count = Kernel.arg_size();
  State = Made->getArg(Count);
  First = Made->getArg(Count + 1);
  Last = Made->getArg(Count + 2);
  Location = describeAs(*Made, Kernel);
  Builder.SetCurrentDebugLocation(Location);
  Builder.SetInsertPoint(BasicBlock::Create(Context, "entry", Made));
}

Value *GridLoop::dimension(StateField Field, unsigned Axis, uint64_t Limit) {
  LoadInst *Load = Builder.CreateLoad(Builder.getInt32Ty(), stateField(Builder, Layout, State, Field, Axis));
  // Checked at the launch; without it no 32-bit index is known not to wrap.
  Load->setMetadata(LLVMContext::MD_range, MDBuilder(Context).createRange(APInt(32, 1), APInt(32, Limit + 1)));
  return Load;
}

void GridLoop::loadDimensions() {
  constexpr uint64_t BlockLimit[] = {1024, 1024, 64};
  constexpr uint64_t GridLimit[] = {0x7fffffff, 65535, 65535};
  for (unsigned Axis = 0; Axis != 3; ++Axis) {
    BlockDim[Axis] = dimension(SF_BlockDim, Axis, BlockLimit[Axis]);
    GridDim[Axis] = dimension(SF_GridDim, Axis, GridLimit[Axis]);
  }
  DynamicSharedSize =
      Builder.CreateLoad(Builder.getInt32Ty(), stateField(Builder, Layout, State, SF_DynamicSharedSize));
}

void GridLoop::open(unsigned StripWidth, unsigned MostBlocks) {
  loadDimensions();
  BasicBlock *Entry = Builder.GetInsertBlock();
  Type *Int32 = Builder.getInt32Ty();
  Type *Int64 = Builder.getInt64Ty();
  Value *Width = Builder.CreateZExt(GridDim[0], Int64);
  Value *Height = Builder.CreateZExt(GridDim[1], Int64);
  Value *Row = Builder.CreateUDiv(First, Width);
  Value *Start[] = {Builder.CreateTrunc(Builder.CreateURem(First, Width), Int32),
                    Builder.CreateTrunc(Builder.CreateURem(Row, Height), Int32),
                    Builder.CreateTrunc(Builder.CreateUDiv(Row, Height), Int32)};
  Value *Most = Builder.getInt32(MostBlocks);
  if (StripWidth != 0)
    Most = Builder.CreateBinaryIntrinsic(Intrinsic::umax, Most,
                                         Builder.CreateUDiv(Builder.getInt32(StripWidth), BlockDim[0]));
  StripHeader = BasicBlock::Create(Context, "strip", Made);
  StripLatch = BasicBlock::Create(Context, "strip.next", Made);
  Exit = BasicBlock::Create(Context, "done", Made);
  Builder.CreateBr(StripHeader);
  Builder.SetInsertPoint(StripHeader);
  Linear = Builder.CreatePHI(Int64, 2);
  Linear->addIncoming(First, Entry);
  for (unsigned Axis = 0; Axis != 3; ++Axis) {
    StripStart[Axis] = Builder.CreatePHI(Int32, 2);
    StripStart[Axis]->addIncoming(Start[Axis], Entry);
  }
  Value *InRow = Builder.CreateBinaryIntrinsic(Intrinsic::umin, Most, Builder.CreateSub(GridDim[0], StripStart[0]));
  Value *Left = Builder.CreateSub(Last, Linear);
  StripLength = Builder.CreateTrunc(
      Builder.CreateBinaryIntrinsic(Intrinsic::umin, Builder.CreateZExt(InRow, Int64), Left), Int32);
}

void GridLoop::close() {
  Builder.SetInsertPoint(StripLatch);
  Value *Zero = Builder.getInt32(0);
  Value *Carry = StripLength;
  for (unsigned Axis = 0; Axis != 3; ++Axis) {
    Value *Next = Builder.CreateNUWAdd(StripStart[Axis], Carry);
    Value *Wraps = Builder.CreateICmpEQ(Next, GridDim[Axis]);
    StripStart[Axis]->addIncoming(Axis == 2 ? Next : Builder.CreateSelect(Wraps, Zero, Next), StripLatch);
    Carry = Builder.CreateZExt(Wraps, Builder.getInt32Ty());
  }
  Value *Next = Builder.CreateNUWAdd(Linear, Builder.CreateZExt(StripLength, Builder.getInt64Ty()));
  Linear->addIncoming(Next, StripLatch);
  Builder.CreateCondBr(Builder.CreateICmpULT(Next, Last), StripHeader, Exit);
  Builder.SetInsertPoint(Exit);
  Builder.CreateRetVoid();
}

Value *GridLoop::geometry(GeometryItem Item, ArrayRef<Value *> Block, ArrayRef<Value *> Thread) {
  switch (Item.Field) {
  case SF_ThreadIdx:
    return Thread[Item.Axis];
  case SF_BlockIdx:
    return Block[Item.Axis];
  case SF_BlockDim:
    return BlockDim[Item.Axis];
  case SF_GridDim:
    return GridDim[Item.Axis];
  default:
    return DynamicSharedSize;
  }
}

void GridLoop::storePlace(Instruction &Before, ArrayRef<Value *> Block, ArrayRef<Value *> Thread) {
  IRBuilder<> Builder(&Before);
  Builder.SetCurrentDebugLocation(Location);
  Value *Current = currentState(Builder);
  for (unsigned Axis = 0; Axis != 3; ++Axis) {
    Builder.CreateStore(Thread[Axis], stateField(Builder, Layout, Current, SF_ThreadIdx, Axis));
    Builder.CreateStore(Block[Axis], stateField(Builder, Layout, Current, SF_BlockIdx, Axis));
  }
}

} // namespace kernix
