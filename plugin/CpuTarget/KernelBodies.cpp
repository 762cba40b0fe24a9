//===- KernelBodies.cpp - the functions that the runtime calls to run a kernel -----------------------------------===//
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
#include "CpuTarget/GridLoop.h"
#include "CpuTarget/InlineTree.h"
#include "CpuTarget/ThreadLoop.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;

namespace kernix {

namespace {

bool isOptimized(const Function &F) { return !F.hasFnAttribute(Attribute::OptimizeNone); }

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

/// Threads in x direction that a strip of blocks has, about: long enough to read memory in order, short enough for what
/// the threads of a strip read in common to stay in the cache.
constexpr unsigned StripWidth = 1024;

/// Builds the loops of one kernel.
class BlockLoops {
public:
  BlockLoops(Function &Kernel, const ObjectLayout &Layout, bool UsesShared)
      : Kernel(Kernel), UsesShared(UsesShared), Grid(Kernel, Layout), Builder(Grid.Builder) {}

  Function *build(const DeviceCallGraph &Graph, const FunctionSet &PlaceReaders);

private:
  struct Level {
    BasicBlock *Header, *Latch;
    PHINode *Index;
  };
  Level openLevel(BasicBlock *From, StringRef Name);
  ICmpInst *closeLevel(const Level &L, Value *Count, BasicBlock *After, bool IsThreadLoop);
  void mergeBlocksOfStrip(ArrayRef<Instruction *> Indices, ICmpInst *BlockTest, ICmpInst *ThreadTest);

  Function &Kernel;
  const bool UsesShared;
  GridLoop Grid;
  IRBuilder<> &Builder;
  Value *BlockIdx[3];
  Value *ThreadIdx[3];
};

BlockLoops::Level BlockLoops::openLevel(BasicBlock *From, StringRef Name) {
  Level L;
  L.Header = BasicBlock::Create(Grid.Context, Name, Grid.Made, Grid.StripLatch);
  L.Latch = BasicBlock::Create(Grid.Context, Name + ".next", Grid.Made, Grid.StripLatch);
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
  LLVMContext &Context = Grid.Context;
  MDNode *Marker = MDNode::get(Context, MDString::get(Context, ThreadLoopMarker));
  MDNode *LoopId = MDNode::getDistinct(Context, {nullptr, Marker});
  LoopId->replaceOperandWith(0, LoopId);
  Branch->setMetadata(LLVMContext::MD_loop, LoopId);
  return Test;
}

/// Makes the loop over threadIdx.x run over the threads of all blocks of a strip.
void BlockLoops::mergeBlocksOfStrip(ArrayRef<Instruction *> Indices, ICmpInst *BlockTest, ICmpInst *ThreadTest) {
  BlockTest->setOperand(1, Builder.getInt32(1));
  Builder.SetInsertPoint(Grid.StripHeader->getTerminator());
  ThreadTest->setOperand(1, Builder.CreateNUWMul(Grid.StripLength, Grid.BlockDim[0]));
  for (Instruction *Index : Indices) {
    Builder.SetInsertPoint(Index);
    auto Extended = [&](Value *V) { return Builder.CreateZExt(V, Index->getType()); };
    Value *Start = Builder.CreateMul(Extended(Grid.StripStart[0]), Extended(Grid.BlockDim[0]));
    Index->replaceAllUsesWith(Builder.CreateAdd(Start, Extended(ThreadIdx[0])));
  }
}

Function *BlockLoops::build(const DeviceCallGraph &Graph, const FunctionSet &PlaceReaders) {
  Function *Made = Grid.Made;
  Grid.open(UsesShared ? 0 : StripWidth);
  Level Z = openLevel(Grid.StripHeader, "thread.z");
  Level Y = openLevel(Z.Header, "thread.y");
  Level Block = openLevel(Y.Header, "block");
  BlockIdx[0] = Builder.CreateNUWAdd(Grid.StripStart[0], Block.Index);
  BlockIdx[1] = Grid.StripStart[1];
  BlockIdx[2] = Grid.StripStart[2];
  Level X = openLevel(Block.Header, "thread.x");
  ThreadIdx[0] = X.Index;
  ThreadIdx[1] = Y.Index;
  ThreadIdx[2] = Z.Index;
  callKernel(Builder, Kernel);
  Builder.CreateBr(X.Latch);
  ICmpInst *ThreadTest = closeLevel(X, Grid.BlockDim[0], Block.Latch, /*IsThreadLoop=*/true);
  ICmpInst *BlockTest = closeLevel(Block, Grid.StripLength, Y.Latch, false);
  closeLevel(Y, Grid.BlockDim[1], Z.Latch, false);
  closeLevel(Z, Grid.BlockDim[2], Grid.StripLatch, false);
  Grid.close();

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
    Grid.storePlace(*Call, BlockIdx, ThreadIdx);
  replaceGeometry(*Made, [&](GeometryItem Item) { return Grid.geometry(Item, BlockIdx, ThreadIdx); });
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

Function *buildBlocks(Function &Kernel, const ObjectLayout &Layout, const DeviceCallGraph &Graph,
                      const FunctionSet &PlaceReaders, bool UsesShared) {
  return BlockLoops(Kernel, Layout, UsesShared).build(Graph, PlaceReaders);
}

Function *buildRunBlocks(Function &Kernel, Function &Blocks, StringRef Suffix) {
  LLVMContext &Context = Kernel.getContext();
  Type *Int64 = Type::getInt64Ty(Context);
  Function *Made = makeEntry(Kernel, {PointerType::getUnqual(Context), Int64, Int64}, Suffix);
  IRBuilder<> Builder(BasicBlock::Create(Context, "entry", Made));
  Builder.SetCurrentDebugLocation(describeAs(*Made, Kernel));
  callWithParams(Builder, Blocks, Kernel, Made->getArg(0), {Made->getArg(1), Made->getArg(2), Made->getArg(3)});
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
