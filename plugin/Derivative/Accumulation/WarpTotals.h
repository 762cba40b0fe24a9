//===- WarpTotals.h - many sums over the lanes of a warp at once ------------------------------------------------===//
//
// One sum over 32 lanes takes five shuffles, eight of them nine: lanes exchange halves of what they have and go on with
// one half each, until each has one number, which is then summed over the lanes that have the same one.
//
// Only for NVIDIA's GPUs, and where all 32 lanes come together.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_DERIVATIVE_ACCUMULATION_WARPTOTALS_H
#define KERNIX_DERIVATIVE_ACCUMULATION_WARPTOTALS_H

#include "Derivative/Accumulation/WarpSums.h"

namespace kernix {

constexpr unsigned WarpSize = 32;
/// Where the launch says how many lanes there are in a group: it needs this many.
constexpr unsigned LeastLanesOfGroup = 4;

/// Lanes of a full warp that add to the same places.
struct LaneGroup {
  unsigned Lanes = WarpSize; ///< at least, a power of two
  unsigned Apart = 1;        ///< from one of them to the next, a power of two
  /// Where only the launch says how many lanes there are: a power of two up to 32, of lanes beside each other.
  llvm::Value *AtLaunch = nullptr;
  bool operator==(const LaneGroup &Other) const = default;
};

/// What the lanes of a group give to one place, in the lane for which IsHere holds. Different lanes have different
/// sums.
struct LaneTotal {
  llvm::Value *Place = nullptr, *Sum = nullptr, *IsHere = nullptr;
};

/// The sums, for each place, of what the lanes of a group give to it: numbers of one type. Take is given them as soon
/// as they are there, and may end the block.
void laneTotals(llvm::IRBuilder<> &B, llvm::ArrayRef<UniformAddition> Additions, const LaneGroup &Group,
                llvm::function_ref<void(const LaneTotal &Total)> Take);

/// The largest of an integer of 32 bits over the warp.
llvm::Value *mostOfWarp(llvm::IRBuilder<> &B, llvm::Value *V, unsigned Architecture);

/// Whether a condition holds for any lane of the warp.
llvm::Value *holdsForAny(llvm::IRBuilder<> &B, llvm::Value *Condition);

} // namespace kernix

#endif // KERNIX_DERIVATIVE_ACCUMULATION_WARPTOTALS_H
