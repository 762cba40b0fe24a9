//===- KernelBodies.cpp - the functions that the runtime calls to run a kernel
//---------------------------------------===//
//
// A kernel becomes two functions: an outer one that loads the parameters from the launch's argument list, and, for
// kernels whose threads never wait, an inner one with the kernel's own parameters that holds the loops. The inner one
// stays a function of its own because parameters say what loaded pointers cannot: that `__restrict__` pointers do not
// alias, and that the storage of structs passed by value is not written.
//
//===----------------------------------------------------------------------------------------------------------------===//

#include "CpuTarget/KernelBodies.h"
#include "CpuTarget/DebugInfo.h"
#include "CpuTarget/Geometry.h"
#include "CpuTarget/InlineTree.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/MDBuilder.h"

using namespace llvm;

namespace kernix {

namespace {

bool isOptimized(const Function &F) { return !F.hasFnAttribute(Attribute::OptimizeNone); }

Function *makeFunction(Function &Kernel, FunctionType *Type, StringRef Suffix) {
  Function *Made = Function::Create(Type, GlobalValue::InternalLinkage, Kernel.getName() + Suffix, Kernel.getParent());
  AttrBuilder Attributes(Kernel.getContext(), Kernel.getAttributes().getFnAttrs());
  Attributes.removeAttribute(Attribute::Convergent);
  Attributes.removeAttribute("uniform-work-group-size");
  Attributes.removeAttribute(Attribute::AlwaysInline);
  Made->addFnAttrs(Attributes);
  return Made;
}

/// Calls Callee, whose first parameters are those of Kernel, with their values loaded from the list Params.
CallInst *callWithParams(IRBuilder<> &Builder, Function &Callee, const Function &Kernel, Value *Params,
                         ArrayRef<Value *> More = {}) {
  Type *Pointer = Builder.getPtrTy();
  SmallVector<Value *> Arguments;
  for (const Argument &Parameter : Kernel.args()) {
    Value *Slot =
        Builder.CreateLoad(Pointer, Builder.CreateConstInBoundsGEP1_64(Pointer, Params, Parameter.getArgNo()));
    // The slot of a struct passed in memory holds its address, as that of any other pointer does.
    Arguments.push_back(Builder.CreateAlignedLoad(Parameter.getType(), Slot, Align(1)));
  }
  Arguments.append(More.begin(), More.end());
  CallInst *Call = Builder.CreateCall(&Callee, Arguments);
  Call->setAttributes(Callee.getAttributes().removeFnAttributes(Callee.getContext()));
  return Call;
}

/// Takes the parameter attributes over; a struct in memory becomes a pointer to storage that nobody writes.
void copyParameterAttributes(Function &To, const Function &Kernel) {
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

/// Builds the loops of one kernel.
class BlockLoops {
public:
  BlockLoops(Function &Kernel, const ObjectLayout &Layout)
      : Kernel(Kernel), Layout(Layout), Context(Kernel.getContext()), Builder(Context) {}

  Function *build(const DeviceCallGraph &Graph, const FunctionSet &PlaceReaders);

private:
  struct Level {
    BasicBlock *Header, *Latch;
    PHINode *Index;
  };
  void declare();
  void loadDimensions();
  Value *dimension(StateField Field, unsigned Axis, uint64_t Limit);
  void openBlockLoop(BasicBlock *Entry);
  void closeBlockLoop();
  Level openLevel(BasicBlock *From, StringRef Name);
  void closeLevel(const Level &L, Value *Count, BasicBlock *After, bool IsThreadLoop);
  void callKernel();
  Value *geometry(GeometryItem Item);
  void storePlace(Instruction &Before);

  Function &Kernel;
  const ObjectLayout &Layout;
  LLVMContext &Context;
  IRBuilder<> Builder;
  Function *Made = nullptr;
  DebugLoc Location;
  Value *State = nullptr, *First = nullptr, *Last = nullptr;
  Value *BlockDim[3], *GridDim[3], *DynamicSharedSize;
  PHINode *Linear = nullptr;
  PHINode *BlockIdx[3];
  BasicBlock *BlockHeader = nullptr, *BlockLatch = nullptr, *Exit = nullptr;
  Value *ThreadIdx[3];
};

void BlockLoops::declare() {
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
}

Value *BlockLoops::dimension(StateField Field, unsigned Axis, uint64_t Limit) {
  LoadInst *Load = Builder.CreateLoad(Builder.getInt32Ty(), stateField(Builder, Layout, State, Field, Axis));
  // Checked at the launch; without it no 32-bit index is known not to wrap.
  Load->setMetadata(LLVMContext::MD_range, MDBuilder(Context).createRange(APInt(32, 1), APInt(32, Limit + 1)));
  return Load;
}

void BlockLoops::loadDimensions() {
  constexpr uint64_t BlockLimit[] = {1024, 1024, 64};
  constexpr uint64_t GridLimit[] = {0x7fffffff, 65535, 65535};
  for (unsigned Axis = 0; Axis != 3; ++Axis) {
    BlockDim[Axis] = dimension(SF_BlockDim, Axis, BlockLimit[Axis]);
    GridDim[Axis] = dimension(SF_GridDim, Axis, GridLimit[Axis]);
  }
  DynamicSharedSize =
      Builder.CreateLoad(Builder.getInt32Ty(), stateField(Builder, Layout, State, SF_DynamicSharedSize));
}

void BlockLoops::openBlockLoop(BasicBlock *Entry) {
  Type *Int32 = Builder.getInt32Ty();
  Type *Int64 = Builder.getInt64Ty();
  Value *Width = Builder.CreateZExt(GridDim[0], Int64);
  Value *Height = Builder.CreateZExt(GridDim[1], Int64);
  Value *Row = Builder.CreateUDiv(First, Width);
  Value *Start[] = {Builder.CreateTrunc(Builder.CreateURem(First, Width), Int32),
                    Builder.CreateTrunc(Builder.CreateURem(Row, Height), Int32),
                    Builder.CreateTrunc(Builder.CreateUDiv(Row, Height), Int32)};
  BlockHeader = BasicBlock::Create(Context, "block", Made);
  BlockLatch = BasicBlock::Create(Context, "block.next", Made);
  Exit = BasicBlock::Create(Context, "done", Made);
  Builder.CreateBr(BlockHeader);
  Builder.SetInsertPoint(BlockHeader);
  Linear = Builder.CreatePHI(Int64, 2);
  Linear->addIncoming(First, Entry);
  for (unsigned Axis = 0; Axis != 3; ++Axis) {
    BlockIdx[Axis] = Builder.CreatePHI(Int32, 2);
    BlockIdx[Axis]->addIncoming(Start[Axis], Entry);
  }
}

void BlockLoops::closeBlockLoop() {
  Builder.SetInsertPoint(BlockLatch);
  Value *Zero = Builder.getInt32(0);
  Value *Carry = Builder.getInt32(1);
  for (unsigned Axis = 0; Axis != 3; ++Axis) {
    Value *Next = Builder.CreateNUWAdd(BlockIdx[Axis], Carry);
    Value *Wraps = Builder.CreateICmpEQ(Next, GridDim[Axis]);
    BlockIdx[Axis]->addIncoming(Axis == 2 ? Next : Builder.CreateSelect(Wraps, Zero, Next), BlockLatch);
    Carry = Builder.CreateZExt(Wraps, Builder.getInt32Ty());
  }
  Value *Next = Builder.CreateNUWAdd(Linear, Builder.getInt64(1));
  Linear->addIncoming(Next, BlockLatch);
  Builder.CreateCondBr(Builder.CreateICmpULT(Next, Last), BlockHeader, Exit);
  Builder.SetInsertPoint(Exit);
  Builder.CreateRetVoid();
}

BlockLoops::Level BlockLoops::openLevel(BasicBlock *From, StringRef Name) {
  Level L;
  L.Header = BasicBlock::Create(Context, "thread." + Name, Made, BlockLatch);
  L.Latch = BasicBlock::Create(Context, "thread." + Name + ".next", Made, BlockLatch);
  Builder.CreateBr(L.Header);
  Builder.SetInsertPoint(L.Header);
  L.Index = Builder.CreatePHI(Builder.getInt32Ty(), 2);
  L.Index->addIncoming(Builder.getInt32(0), From);
  return L;
}

void BlockLoops::closeLevel(const Level &L, Value *Count, BasicBlock *After, bool IsThreadLoop) {
  Builder.SetInsertPoint(L.Latch);
  Value *Next = Builder.CreateAdd(L.Index, Builder.getInt32(1), "", /*HasNUW=*/true, /*HasNSW=*/true);
  L.Index->addIncoming(Next, L.Latch);
  BranchInst *Branch = Builder.CreateCondBr(Builder.CreateICmpULT(Next, Count), L.Header, After);
  if (!IsThreadLoop)
    return;
  MDNode *Marker = MDNode::get(Context, MDString::get(Context, ThreadLoopMarker));
  MDNode *LoopId = MDNode::getDistinct(Context, {nullptr, Marker});
  LoopId->replaceOperandWith(0, LoopId);
  Branch->setMetadata(LLVMContext::MD_loop, LoopId);
}

void BlockLoops::callKernel() {
  SmallVector<Value *> Arguments;
  for (const Argument &Parameter : Kernel.args())
    Arguments.push_back(Made->getArg(Parameter.getArgNo()));
  CallInst *Call = Builder.CreateCall(&Kernel, Arguments);
  Call->setAttributes(Kernel.getAttributes().removeFnAttributes(Context));
}

Value *BlockLoops::geometry(GeometryItem Item) {
  switch (Item.Field) {
  case SF_ThreadIdx:
    return ThreadIdx[Item.Axis];
  case SF_BlockIdx:
    return BlockIdx[Item.Axis];
  case SF_BlockDim:
    return BlockDim[Item.Axis];
  case SF_GridDim:
    return GridDim[Item.Axis];
  default:
    return DynamicSharedSize;
  }
}

/// Writes down which thread runs, for a call that may ask. Through the thread-local variable, not through the
/// parameter: the callee may be inlined later, and these accesses must be known as what they are (see
/// ParallelThreads.cpp).
void BlockLoops::storePlace(Instruction &Before) {
  Builder.SetInsertPoint(&Before);
  Value *State = currentState(Builder);
  for (unsigned Axis = 0; Axis != 3; ++Axis) {
    Builder.CreateStore(ThreadIdx[Axis], stateField(Builder, Layout, State, SF_ThreadIdx, Axis));
    Builder.CreateStore(BlockIdx[Axis], stateField(Builder, Layout, State, SF_BlockIdx, Axis));
  }
}

Function *BlockLoops::build(const DeviceCallGraph &Graph, const FunctionSet &PlaceReaders) {
  declare();
  BasicBlock *Entry = BasicBlock::Create(Context, "entry", Made);
  Builder.SetInsertPoint(Entry);
  loadDimensions();
  openBlockLoop(Entry);
  Level Z = openLevel(BlockHeader, "z");
  Level Y = openLevel(Z.Header, "y");
  Level X = openLevel(Y.Header, "x");
  ThreadIdx[0] = X.Index;
  ThreadIdx[1] = Y.Index;
  ThreadIdx[2] = Z.Index;
  callKernel();
  Builder.CreateBr(X.Latch);
  closeLevel(X, BlockDim[0], Y.Latch, /*IsThreadLoop=*/true);
  closeLevel(Y, BlockDim[1], Z.Latch, false);
  closeLevel(Z, BlockDim[2], BlockLatch, false);
  closeBlockLoop();

  if (isOptimized(Kernel))
    inlineTree(*Made);
  for (Instruction &I : make_early_inc_range(instructions(*Made)))
    if (auto *Call = dyn_cast<CallBase>(&I))
      if (Graph.mayReach(*Call, PlaceReaders))
        storePlace(*Call);
  replaceGeometry(*Made, [&](GeometryItem Item) { return geometry(Item); });
  return Made;
}

/// The function with the type that the runtime calls: (params, MoreTypes...).
Function *makeEntry(Function &Kernel, ArrayRef<Type *> MoreTypes, StringRef Suffix) {
  LLVMContext &Context = Kernel.getContext();
  SmallVector<Type *> Types = {PointerType::getUnqual(Context)};
  Types.append(MoreTypes.begin(), MoreTypes.end());
  return makeFunction(Kernel, FunctionType::get(Type::getVoidTy(Context), Types, false), Suffix);
}

} // namespace

Function *buildRunBlocks(Function &Kernel, const ObjectLayout &Layout, const DeviceCallGraph &Graph,
                         const FunctionSet &PlaceReaders) {
  Function *Loops = BlockLoops(Kernel, Layout).build(Graph, PlaceReaders);
  LLVMContext &Context = Kernel.getContext();
  Type *Int64 = Type::getInt64Ty(Context);
  Function *Made = makeEntry(Kernel, {PointerType::getUnqual(Context), Int64, Int64}, ".run_blocks");
  IRBuilder<> Builder(BasicBlock::Create(Context, "entry", Made));
  Builder.SetCurrentDebugLocation(describeAs(*Made, Kernel));
  callWithParams(Builder, *Loops, Kernel, Made->getArg(0), {Made->getArg(1), Made->getArg(2), Made->getArg(3)});
  Builder.CreateRetVoid();
  return Made;
}

Function *buildRunThread(Function &Kernel, const ObjectLayout &Layout) {
  if (isOptimized(Kernel))
    inlineTree(Kernel);
  loadGeometry(Kernel, Layout);
  Function *Made = makeEntry(Kernel, {}, ".run_thread");
  IRBuilder<> Builder(BasicBlock::Create(Kernel.getContext(), "entry", Made));
  Builder.SetCurrentDebugLocation(describeAs(*Made, Kernel));
  callWithParams(Builder, Kernel, Kernel, Made->getArg(0));
  Builder.CreateRetVoid();
  return Made;
}

} // namespace kernix
