//===- StoreTables.h - where all threads of a block store to, iteration by iteration ----------------------------===//
//
// In a block of known size, which of its threads store which bytes is computed and compared, where indices are no sums
// of products that could be proven apart: `for (e = threadIdx.x; e < 144; e += 64) tile[e / 12][e % 12]`, halos in two
// pieces, swizzles. Loops are gone through as their counters say. Branches that depend on more than ids and counters
// may go either way.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_DERIVATIVE_ADDRESSES_STORETABLES_H
#define KERNIX_DERIVATIVE_ADDRESSES_STORETABLES_H

#include "Derivative/Addresses/ThreadTables.h"
#include "llvm/ADT/BitVector.h"

namespace llvm {
class DominatorTree;
class Loop;
class LoopInfo;
} // namespace llvm

namespace kernix {

class StoreTables {
public:
  using Stores = llvm::ArrayRef<const llvm::StoreInst *>;

  StoreTables(llvm::Function &F, const UniformValues &Uniform, llvm::FunctionAnalysisManager &FAM);

  /// Whether no two threads of a block of this shape, its extents at least 1, store the same bytes between two barriers
  /// of the block. All stores are to the object at Base. ReadsExtents: the answer holds for this shape alone; without
  /// that, for smaller ones as well.
  bool areApart(Stores All, const llvm::Value *Base, const std::array<int64_t, 3> &Shape, bool &ReadsExtents);

private:
  /// Bytes that a thread stores.
  struct Piece {
    int64_t Begin, End;
    size_t Thread;
  };
  /// One call of areApart. Iterations says in which iteration of each of the loops that order the stores.
  struct Run {
    const llvm::Value *Base = nullptr;
    int64_t Bytes = 0; ///< of the object; 0: not known
    std::array<int64_t, 3> Shape = {};
    llvm::SmallPtrSet<const llvm::Loop *, 4> Ordered;
    std::map<std::vector<unsigned>, std::vector<Piece>> Pieces;
    std::optional<std::map<ThreadTable::Part, uint64_t>> Common;
    llvm::BitVector Outside; ///< threads that would have stored outside of the object
    size_t Work = 0;
    bool HasSeveralStores = false, ReadsExtents = false;
  };
  using Counters = std::map<const llvm::Value *, ThreadTables::Column>;

  bool go(Run &R, const llvm::StoreInst &Store, llvm::ArrayRef<const llvm::Loop *> Nest, Counters &Known,
          llvm::BitVector Here, std::vector<unsigned> &Iterations);
  bool goThrough(Run &R, const llvm::StoreInst &Store, llvm::ArrayRef<const llvm::Loop *> Nest, Counters &Known,
                 llvm::BitVector Here, std::vector<unsigned> &Iterations);
  bool record(Run &R, const llvm::StoreInst &Store, const Counters &Known, llvm::BitVector Here,
              const std::vector<unsigned> &Iterations);
  bool hasCommonParts(const Run &R, const llvm::StoreInst &Store, const ThreadTable &Table) const;
  bool isOrdered(const llvm::Loop &L, Stores All) const;
  static bool overlap(std::vector<Piece> &Pieces);

  llvm::Function &F;
  const UniformValues &Uniform;
  llvm::DominatorTree &Dominators;
  llvm::LoopInfo &Loops;
};

} // namespace kernix

#endif // KERNIX_DERIVATIVE_ADDRESSES_STORETABLES_H
