//===- ConstantLanes.h - shuffles whose source lanes are known --------------------------------------------------===//
//
// `__shfl_down_sync(mask, x, 4)` computes from the caller's lane which lane it reads. Where that is a function of the
// lane alone, a warp's shuffle is one permutation, known when the kernel is compiled.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_PLUGIN_CPUTARGET_CONSTANTLANES_H
#define KERNIX_PLUGIN_CPUTARGET_CONSTANTLANES_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Value.h"
#include <optional>

namespace kernix {

/// For each of the 32 lanes which lane Source names, its own where there is no such lane. Holds in blocks of one row.
std::optional<llvm::SmallVector<int, 32>> constantLanes(const llvm::Value &Source, const llvm::DataLayout &DL);

} // namespace kernix

#endif
