//===- Distances.h - addresses that are always as far apart -----------------------------------------------------===//
//
// What is said here rests on nothing: not on the launch, nor on what integers are without wrapping around. Numbers
// whose form is not known are what they are, the same in both addresses. What holds in some launches, Accumulation
// knows.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_DERIVATIVE_ACCUMULATION_DISTANCES_H
#define KERNIX_DERIVATIVE_ACCUMULATION_DISTANCES_H

#include "llvm/IR/Value.h"
#include <cstdint>
#include <optional>

namespace llvm {
class DataLayout;
} // namespace llvm

namespace kernix {

/// Bytes from First to Second, where both are accessed.
std::optional<int64_t> exactDistance(const llvm::Value *First, const llvm::Value *Second, const llvm::DataLayout &DL);

} // namespace kernix

#endif // KERNIX_DERIVATIVE_ACCUMULATION_DISTANCES_H
