//===- ThreadTables.h - addresses of all threads of a block of known size ---------------------------------------===//
//
// Where the source says how large the blocks are, what an index is need not be proven: it is computed for each thread,
// whatever quotients, remainders and bits it is made of. What all threads of the block have in common, as counters of
// loops, need not be known for that, if it is only added.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_DERIVATIVE_ADDRESSES_THREADTABLES_H
#define KERNIX_DERIVATIVE_ADDRESSES_THREADTABLES_H

#include "Derivative/Analysis/UniformValues.h"
#include <map>
#include <optional>

namespace kernix {

/// Of each thread, in the order of their numbers, a 64-bit integer; to it is added what they have in common.
struct ThreadTable {
  /// A value, extended to 64 bits.
  struct Part {
    const llvm::Value *V = nullptr;
    bool IsSigned = false;
    auto operator<=>(const Part &Other) const = default;
  };
  std::vector<uint64_t> OfThread;
  std::map<Part, uint64_t> Common; ///< times what; none of them 0
};

class ThreadTables {
public:
  /// Of each thread, in the order of their numbers.
  using Column = std::vector<llvm::APInt>;

  /// Block: extents, of which none is 0. Known: what counters of loops are, in one iteration of each thread.
  ThreadTables(const std::array<int64_t, 3> &Block, const UniformValues &Uniform, const llvm::DataLayout &DL,
               std::map<const llvm::Value *, Column> Known = {})
      : Block(Block), Uniform(Uniform), DL(DL), Known(std::move(Known)) {}

  size_t threads() const { return static_cast<size_t>(Block[0] * Block[1] * Block[2]); }
  /// Bytes from Base to Pointer. Nothing if they are more than sums of what the threads have in common and of what is
  /// computed from thread ids.
  std::optional<ThreadTable> offset(const llvm::Value *Pointer, const llvm::Value *Base);
  /// What V is for each thread, if it is computed from thread ids, the block's extents, known counters and constants
  /// alone; else null.
  const Column *computed(const llvm::Value *V);
  /// Whether anything that was asked for depends on the extents of the block themselves.
  bool readsExtents() const { return ReadsExtents; }

private:
  Column compute(const llvm::Instruction &I);
  std::optional<ThreadTable> extended(const llvm::Value *V, bool IsSigned, unsigned Depth = 0);
  std::optional<ThreadTable> sum(const llvm::Instruction &I, bool IsSigned, unsigned Depth);

  std::array<int64_t, 3> Block;
  const UniformValues &Uniform;
  const llvm::DataLayout &DL;
  std::map<const llvm::Value *, Column> Known; ///< references stay valid; empty: not known
  bool ReadsExtents = false;
};

} // namespace kernix

#endif // KERNIX_DERIVATIVE_ADDRESSES_THREADTABLES_H
