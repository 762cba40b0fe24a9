//===- GlobalIndex.h - blockIdx.x * blockDim.x + threadIdx.x -----------------------------------------------------===//
//
// The usual kernel asks for its block and its thread in x direction for one purpose only: their global index. Then the
// loop over the threads of a block and the loop over blocks are one loop over that index.
//
//===----------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_PLUGIN_CPUTARGET_GLOBALINDEX_H
#define KERNIX_PLUGIN_CPUTARGET_GLOBALINDEX_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Function.h"
#include <optional>

namespace kernix {

/// The sums in F that make the global index, of 32 or 64 bits, if threadIdx.x and blockIdx.x have no other use.
/// F's geometry calls must not have been replaced yet.
std::optional<llvm::SmallVector<llvm::Instruction *>> globalIndices(llvm::Function &F);

} // namespace kernix

#endif
