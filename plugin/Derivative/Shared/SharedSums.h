//===- SharedSums.h - gradients of shared elements that many threads read ---------------------------------------===//
//
// In tiled products each element of a tile is read by a row or a column of threads. What they give to its gradient is
// summed over the lanes of a warp by shuffles, then over warps by way of shared memory, and one thread adds the sum
// with a load, an addition and a store. NVIDIA's GPUs have no atomic addition of floats in shared memory, only loops.
//
// Which threads read which element is known for blocks whose size the source says (ThreadTables.h); other launches add
// atomically. Sums are taken for many loads at once, where all threads of the block come, since the block waits twice.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_DERIVATIVE_SHARED_SHAREDSUMS_H
#define KERNIX_DERIVATIVE_SHARED_SHAREDSUMS_H

#include "Derivative/Accumulation/FloatShadows.h"
#include "Derivative/Accumulation/WarpTotals.h"
#include "Derivative/Addresses/ThreadTables.h"
#include "Derivative/Requests.h"
#include "Derivative/Shared/SharedTurns.h"

namespace kernix {

/// Two barriers cost what a few atomic additions do. What a load gives is a register of every thread until then.
constexpr size_t FewestLoadsOfSum = 8, MostLoadsOfSum = 16;
/// Sums over warps that wait in shared memory at a time, one of each thread.
constexpr uint64_t MostSlotsOfStage = 8;

/// Threads that read one element by a load: they differ in some bits beside each other of the lane's number, and in
/// some of the warp's.
struct ReadersOfElement {
  LaneGroup Lanes;
  unsigned Warps = 1, WarpsApart = 1;
  bool operator==(const ReadersOfElement &Other) const = default;
};

/// Sums that are taken at one place.
struct SharedSums {
  struct Group {
    ReadersOfElement Readers;
    llvm::Type *Type = nullptr;
    llvm::SmallVector<const llvm::LoadInst *, 8> Loads;
  };
  /// One after the other: of one round, all sums belong to different elements.
  std::vector<llvm::SmallVector<Group, 2>> Rounds;
};

/// What a load of shared memory reads in a block of known size.
struct SharedReads {
  const MemoryObject *Object = nullptr;
  llvm::Type *TypeOfSum = nullptr;
  std::map<ThreadTable::Part, uint64_t> Common;
  ReadersOfElement Readers;
  std::vector<uint64_t> Elements; ///< bytes from Common on, one for each group of readers; all differ
};

/// Nothing where each thread reads an element of its own, or it is not known who reads which.
std::optional<SharedReads> manyReaders(const llvm::LoadInst &Load, MemoryObjects &Objects,
                                       const FloatShadows &ShadowsInFloat, ThreadTables &Tables);

/// Whether blocks have a known size, of whole warps, as many as a power of two.
bool hasSizeForSums(const DerivativeRequest &Request);

class SharedSumPlans {
public:
  using Position = SharedTurnPlans::Position;

  SharedSumPlans(const DerivativeRequest &Request, const Prepared &P, MemoryObjects &Objects, Activity &Active,
                 const UniformValues &Uniform, const CollectivePaths &Paths, const Accumulation &Accumulations,
                 const FloatShadows &ShadowsInFloat, const SharedTurnPlans &Turns);

  const llvm::MapVector<Position, SharedSums> &plans() const { return Plans; }
  bool contains(const llvm::LoadInst *Load) const { return Summed.contains(Load); }
  /// Of shared memory, for sums over warps; 0 if there are none.
  uint64_t stageBytes() const { return BytesOfStage; }

private:
  struct Candidate {
    const llvm::LoadInst *Load;
    SharedReads Reads;
  };

  void planBlock(const llvm::BasicBlock &Block, Activity &Active);
  void finish(Position Where, std::vector<Candidate> &Found);

  MemoryObjects &Objects;
  const FloatShadows &ShadowsInFloat;
  const SharedTurnPlans &Turns;
  ThreadTables Tables;
  uint64_t Room;
  llvm::SmallPtrSet<const llvm::LoadInst *, 16> Summed;
  llvm::MapVector<Position, SharedSums> Plans;
  uint64_t BytesOfStage = 0;
};

} // namespace kernix

#endif // KERNIX_DERIVATIVE_SHARED_SHAREDSUMS_H
