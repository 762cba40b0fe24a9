//===- WarpTotals.h - many sums over the lanes of a warp at once ------------------------------------------------===//
//
// One sum over 32 lanes takes five shuffles, eight of them nine: lanes exchange halves of what they have and go on with
// one half each, until each has one number, which is then summed over the lanes that have the same one.
//
// Only for NVIDIA's GPUs, and where all 32 lanes come together.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_DERIVATIVE_WARPTOTALS_H
#define KERNIX_DERIVATIVE_WARPTOTALS_H

#include "Derivative/WarpSums.h"

namespace kernix {

/// Of as many lanes beside each other as there are in a group whose number of lanes is not known before the launch: the
/// most sums that are exchanged at a time, and the least number of lanes.
constexpr unsigned LeastLanesOfGroup = 4;

/// Adds to each place what the lanes give to it. Lanes: null for all 32; else how many lanes beside each other have the
/// same places, a power of two from LeastLanesOfGroup to 32. Add is called for lanes that have a sum, each with a
/// place.
void addOverLanes(llvm::IRBuilder<> &B, llvm::ArrayRef<UniformAddition> Additions, llvm::Value *Lanes,
                  llvm::function_ref<void(llvm::Value *Place, llvm::Value *Sum)> Add);

/// The largest of an integer of 32 bits over the warp.
llvm::Value *mostOfWarp(llvm::IRBuilder<> &B, llvm::Value *V, unsigned Architecture);

/// Whether a condition holds for any lane of the warp.
llvm::Value *holdsForAny(llvm::IRBuilder<> &B, llvm::Value *Condition);

} // namespace kernix

#endif // KERNIX_DERIVATIVE_WARPTOTALS_H
