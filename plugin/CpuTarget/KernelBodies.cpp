//===- KernelBodies.cpp - the functions that the runtime calls to run a kernel
//---------------------------------------===//
//
// A kernel becomes two functions: an outer one that loads the parameters from the launch's argument list, and, for
// kernels whose threads never wait, an inner one with the kernel's own parameters that holds the loops. The inner one
// stays a function of its own because parameters say what loaded pointers cannot: that `__restrict__` pointers do not
// alias, and that the storage of structs passed by value is not written.
//
// Threads that never wait may run in any order, those of different blocks too as long as they do not use shared memory.
// The loops then go along rows of the grid: neighbouring blocks of a row lie side by side in memory as a rule, and a
// block of 32 x 8 threads alone would touch eight short pieces.
//
//===----------------------------------------------------------------------------------------------------------------===//

#include "CpuTarget/KernelBodies.h"
#include "CpuTarget/DebugInfo.h"
#include "CpuTarget/Geometry.h"
#include "CpuTarget/GlobalIndex.h"
#include "CpuTarget/InlineTree.h"
#include "CpuTarget/ThreadLoop.h"
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

/// Threads in x direction that a strip of blocks has, about: long enough to read memory in order, short enough for what
/// the threads of a strip read in common to stay in the cache.
constexpr unsigned StripWidth = 1024;

/// Builds the loops of one kernel.
class BlockLoops {
public:
  BlockLoops(Function &Kernel, const ObjectLayout &Layout, bool UsesShared)
      : Kernel(Kernel), Layout(Layout), UsesShared(UsesShared), Context(Kernel.getContext()), Builder(Context) {}

  Function *build(const DeviceCallGraph &Graph, const FunctionSet &PlaceReaders);

private:
  struct Level {
    BasicBlock *Header, *Latch;
    PHINode *Index;
  };
  void declare();
  void loadDimensions();
  Value *dimension(StateField Field, unsigned Axis, uint64_t Limit);
  void openStripLoop(BasicBlock *Entry);
  void closeStripLoop();
  Level openLevel(BasicBlock *From, StringRef Name);
  ICmpInst *closeLevel(const Level &L, Value *Count, BasicBlock *After, bool IsThreadLoop);
  void mergeBlocksOfStrip(ArrayRef<Instruction *> Indices, ICmpInst *BlockTest, ICmpInst *ThreadTest);
  void callKernel();
  Value *geometry(GeometryItem Item);
  void storePlace(Instruction &Before);

  Function &Kernel;
  const ObjectLayout &Layout;
  const bool UsesShared;
  LLVMContext &Context;
  IRBuilder<> Builder;
  Function *Made = nullptr;
  DebugLoc Location;
  Value *State = nullptr, *First = nullptr, *Last = nullptr;
  Value *BlockDim[3], *GridDim[3], *DynamicSharedSize;
  PHINode *Linear = nullptr;
  PHINode *StripStart[3];       // blockIdx of the strip's first block
  Value *StripLength = nullptr; // blocks, all in one row
  BasicBlock *StripHeader = nullptr, *StripLatch = nullptr, *Exit = nullptr;
  Value *BlockIdx[3];
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

void BlockLoops::openStripLoop(BasicBlock *Entry) {
  Type *Int32 = Builder.getInt32Ty();
  Type *Int64 = Builder.getInt64Ty();
  Value *Width = Builder.CreateZExt(GridDim[0], Int64);
  Value *Height = Builder.CreateZExt(GridDim[1], Int64);
  Value *Row = Builder.CreateUDiv(First, Width);
  Value *Start[] = {Builder.CreateTrunc(Builder.CreateURem(First, Width), Int32),
                    Builder.CreateTrunc(Builder.CreateURem(Row, Height), Int32),
                    Builder.CreateTrunc(Builder.CreateUDiv(Row, Height), Int32)};
  Value *Most = Builder.getInt32(1);
  if (!UsesShared)
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

void BlockLoops::closeStripLoop() {
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

BlockLoops::Level BlockLoops::openLevel(BasicBlock *From, StringRef Name) {
  Level L;
  L.Header = BasicBlock::Create(Context, Name, Made, StripLatch);
  L.Latch = BasicBlock::Create(Context, Name + ".next", Made, StripLatch);
  Builder.CreateBr(L.Header);
  Builder.SetInsertPoint(L.Header);
  L.Index = Builder.CreatePHI(Builder.getInt32Ty(), 2);
  L.Index->addIncoming(Builder.getInt32(0), From);
  return L;
}

/// Returns the comparison with Count.
ICmpInst *BlockLoops::closeLevel(const Level &L, Value *Count, BasicBlock *After, bool IsThreadLoop) {
  Builder.SetInsertPoint(L.Latch);
  Value *Next = Builder.CreateAdd(L.Index, Builder.getInt32(1), "", /*HasNUW=*/true, /*HasNSW=*/true);
  L.Index->addIncoming(Next, L.Latch);
  auto *Test = cast<ICmpInst>(Builder.CreateICmpULT(Next, Count));
  BranchInst *Branch = Builder.CreateCondBr(Test, L.Header, After);
  if (!IsThreadLoop)
    return Test;
  MDNode *Marker = MDNode::get(Context, MDString::get(Context, ThreadLoopMarker));
  MDNode *LoopId = MDNode::getDistinct(Context, {nullptr, Marker});
  LoopId->replaceOperandWith(0, LoopId);
  Branch->setMetadata(LLVMContext::MD_loop, LoopId);
  return Test;
}

/// Makes the loop over threadIdx.x run over the threads of all blocks of a strip.
void BlockLoops::mergeBlocksOfStrip(ArrayRef<Instruction *> Indices, ICmpInst *BlockTest, ICmpInst *ThreadTest) {
  BlockTest->setOperand(1, Builder.getInt32(1));
  Builder.SetInsertPoint(StripHeader->getTerminator());
  ThreadTest->setOperand(1, Builder.CreateNUWMul(StripLength, BlockDim[0]));
  for (Instruction *Index : Indices) {
    Builder.SetInsertPoint(Index);
    auto Extended = [&](Value *V) { return Builder.CreateZExt(V, Index->getType()); };
    Value *Start = Builder.CreateMul(Extended(StripStart[0]), Extended(BlockDim[0]));
    Index->replaceAllUsesWith(Builder.CreateAdd(Start, Extended(ThreadIdx[0])));
  }
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
  openStripLoop(Entry);
  Level Z = openLevel(StripHeader, "thread.z");
  Level Y = openLevel(Z.Header, "thread.y");
  Level Block = openLevel(Y.Header, "block");
  BlockIdx[0] = Builder.CreateNUWAdd(StripStart[0], Block.Index);
  BlockIdx[1] = StripStart[1];
  BlockIdx[2] = StripStart[2];
  Level X = openLevel(Block.Header, "thread.x");
  ThreadIdx[0] = X.Index;
  ThreadIdx[1] = Y.Index;
  ThreadIdx[2] = Z.Index;
  callKernel();
  Builder.CreateBr(X.Latch);
  ICmpInst *ThreadTest = closeLevel(X, BlockDim[0], Block.Latch, /*IsThreadLoop=*/true);
  ICmpInst *BlockTest = closeLevel(Block, StripLength, Y.Latch, false);
  closeLevel(Y, BlockDim[1], Z.Latch, false);
  closeLevel(Z, BlockDim[2], StripLatch, false);
  closeStripLoop();

  if (isOptimized(Kernel))
    inlineTree(*Made);
  SmallVector<CallBase *> Asking;
  for (Instruction &I : instructions(*Made))
    if (auto *Call = dyn_cast<CallBase>(&I); Call && Graph.mayReach(*Call, PlaceReaders))
      Asking.push_back(Call);
  if (Asking.empty() && !UsesShared)
    if (std::optional<SmallVector<Instruction *>> Indices = globalIndices(*Made))
      mergeBlocksOfStrip(*Indices, BlockTest, ThreadTest);
  for (CallBase *Call : Asking)
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
                         const FunctionSet &PlaceReaders, bool UsesShared) {
  Function *Loops = BlockLoops(Kernel, Layout, UsesShared).build(Graph, PlaceReaders);
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
