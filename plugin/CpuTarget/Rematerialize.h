//===- Rematerialize.h - values that are cheaper to compute again than to keep -----------------------------------===//

#ifndef KERNIX_PLUGIN_CPUTARGET_REMATERIALIZE_H
#define KERNIX_PLUGIN_CPUTARGET_REMATERIALIZE_H

#include "CpuTarget/Geometry.h"

namespace kernix {

/// What a value may be made of, besides parameters and constants.
enum class Terms {
  OfBlock,      // geometry that all threads of a block share
  OfThread,     // geometry
  OfItsFunction // geometry and the addresses of local variables
};

/// True if V is made of such Terms by a few instructions without effects, so that it may be computed again anywhere in
/// its function.
bool canRematerialize(const llvm::Value *V, Terms In);

/// Computes V again at Builder's place, with what Geometry returns for geometry calls; without it they stay calls.
llvm::Value *rematerialize(llvm::Value *V, llvm::IRBuilder<> &Builder,
                           llvm::function_ref<llvm::Value *(GeometryItem)> Geometry = nullptr);

/// True if V asks for threadIdx.
bool dependsOnThread(const llvm::Value *V);

} // namespace kernix

#endif
