//===- DistinctAddresses.h - proofs that no two threads touch the same bytes ------------------------------------===//
//
// Takes the forms of all accesses to one tensor apart like a number into digits: an address `S * q + r` with r between
// 0 and S determines q and r. Where the digits determine the ids of the thread, addresses of different threads differ.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_DERIVATIVE_ADDRESSES_DISTINCTADDRESSES_H
#define KERNIX_DERIVATIVE_ADDRESSES_DISTINCTADDRESSES_H

#include "Derivative/Addresses/AddressDigits.h"

namespace kernix {

/// Of a set of ids: those of the thread in its block.
constexpr unsigned ThreadIds = 0x7;

struct DistinctProof {
  /// Bits 0 to 2: threadIdx.xyz, 3 to 5: blockIdx.xyz, which the addresses tell apart. Two threads that differ in one
  /// of them touch different bytes. Bits behind them: digits of ids (IndexForms::idsAndDigits).
  unsigned Ids = 0;
  /// Loops of which different iterations touch different bytes, by whichever threads.
  std::set<const llvm::Loop *> Iterations;
  LaunchConditions Assumed;
};

/// LeastRow: see unitsOf. OfIterations: they are looked for.
DistinctProof distinguish(IndexForms &Forms, llvm::ArrayRef<AccessForm> Accesses, int64_t LeastRow = RowOfWarp,
                          bool OfIterations = false);

/// Under which conditions no two threads of a block touch the same bytes. Nothing: they may. UsedIds: those that the
/// kernel reads; blocks have one thread along the others.
std::optional<LaunchConditions> apartInBlock(IndexForms &Forms, llvm::ArrayRef<AccessForm> Accesses, unsigned UsedIds);

} // namespace kernix

#endif // KERNIX_DERIVATIVE_ADDRESSES_DISTINCTADDRESSES_H
