//===- GridLoop.h - the function that runs a range of blocks ----------------------------------------------------===//

#ifndef KERNIX_PLUGIN_CPUTARGET_GRIDLOOP_H
#define KERNIX_PLUGIN_CPUTARGET_GRIDLOOP_H

#include "CpuTarget/Geometry.h"
#include "CpuTarget/ObjectLayout.h"

namespace kernix {

/// A function with Kernel's attributes, as far as they hold for all its threads together.
llvm::Function *makeFunction(llvm::Function &Kernel, llvm::FunctionType *Type, llvm::StringRef Suffix);

/// Calls Kernel with the first parameters of the function that Builder is in.
llvm::CallInst *callKernel(llvm::IRBuilder<> &Builder, llvm::Function &Kernel);

/// `void kernel.blocks(parameters of the kernel..., state, first, last)`.
class GridLoop {
public:
  GridLoop(llvm::Function &Kernel, const ObjectLayout &Layout);

  /// Makes the loop over strips: runs of blocks side by side in x, about as many as have Width threads in x; Width 0:
  /// at most MostBlocks. Builder is in the function's entry before, in the loop after.
  void open(unsigned Width, unsigned MostBlocks = 1);
  /// Ends the loop and the function. The body has to branch to StripLatch.
  void close();

  /// Blockwise values of the geometry, and threadIdx from Thread.
  llvm::Value *geometry(GeometryItem Item, llvm::ArrayRef<llvm::Value *> Block, llvm::ArrayRef<llvm::Value *> Thread);

  /// Writes down which thread runs, for a call that may ask. Through the thread-local variable, not through the
  /// parameter: the callee may be inlined later, and these accesses must be known as what they are (see
  /// ParallelThreads.cpp).
  void storePlace(llvm::Instruction &Before, llvm::ArrayRef<llvm::Value *> Block, llvm::ArrayRef<llvm::Value *> Thread);

  const ObjectLayout &Layout;
  llvm::LLVMContext &Context;
  llvm::IRBuilder<> Builder;
  llvm::Function *Made;
  llvm::DebugLoc Location;
  llvm::Value *State, *First, *Last;
  llvm::Value *BlockDim[3], *GridDim[3], *DynamicSharedSize = nullptr;
  llvm::PHINode *StripStart[3];       // blockIdx of the strip's first block
  llvm::Value *StripLength = nullptr; // blocks, all in one row
  llvm::BasicBlock *StripHeader = nullptr, *StripLatch = nullptr;

private:
  llvm::Value *dimension(StateField Field, unsigned Axis, uint64_t Limit);
  void loadDimensions();

  llvm::PHINode *Linear = nullptr;
  llvm::BasicBlock *Exit = nullptr;
};

} // namespace kernix

#endif
