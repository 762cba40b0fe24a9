//===- Accumulation.h - how each gradient is added to -----------------------------------------------------------===//
//
// Unknown means atomic. A plain addition needs a proof that different threads add to different addresses; what the
// proof assumes of the launch is tested when the kernel starts, and if it does not hold, all additions are atomic. Here
// is what is chosen, and for which reason; how it is written down is in AddToGradient.cpp.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_DERIVATIVE_ACCUMULATION_ACCUMULATION_H
#define KERNIX_DERIVATIVE_ACCUMULATION_ACCUMULATION_H

#include "Derivative/Addresses/DistinctAddresses.h"
#include "Derivative/Analysis/Activity.h"
#include "llvm/ADT/MapVector.h"

namespace kernix {

class Accumulation {
public:
  struct Choice {
    enum WayType {
      Atomic,
      Warp,  ///< by atomics, equal addresses of a warp together: the source says so
      Once,  ///< by no other thread and no other time: assigned. The source says so
      Plain, ///< by one thread to each address, given Proof
      Alone  ///< there is only one thread
    };
    WayType Way = Atomic;
    DistinctProof Proof;  ///< nothing where the source says that it is so
    bool IsMixed = false; ///< a pointer may lead to this tensor or to another
    /// What stopped the better way, and where; empty if nothing did.
    std::string Reason;
    const llvm::Instruction *Where = nullptr;
  };

  /// AllAtomic: no choice, since the body is going to be differentiated itself.
  Accumulation(const DerivativeRequest &Request, const Prepared &P, MemoryObjects &Objects, Activity &Active,
               llvm::FunctionAnalysisManager &FAM, bool AllAtomic);

  const Choice &of(const MemoryObject &O) const;
  /// All tensors with gradients, in the order of the source's accesses.
  const llvm::MapVector<const MemoryObject *, Choice> &choices() const { return Choices; }
  /// Bytes from First to Second, addresses of one tensor, where additions to it are plain: in other launches they may
  /// be other numbers of bytes apart.
  std::optional<int64_t> plainDistance(const llvm::Value *First, const llvm::Value *Second) const;
  bool isAllAtomic() const { return AllAtomic; }
  /// Whether the runtime may mark the gradient as one that overlaps another: that of an input which is not added to by
  /// atomic operations anyway.
  bool mayBeMarked(const MemoryObject &O) const;

  IndexForms &forms() { return Forms; }
  const IndexForms &forms() const { return Forms; }

private:
  void choose(const MemoryObject &O, llvm::ArrayRef<const llvm::Instruction *> Accesses, unsigned UsedIds);

  bool AllAtomic, IsKernel;
  const llvm::DataLayout &Layout;
  IndexForms Forms;
  llvm::MapVector<const MemoryObject *, Choice> Choices;
  llvm::DenseMap<const llvm::Value *, Polynomial> Offsets; ///< where the proof of the tensor holds
};

/// Bits 0 to 2: threadIdx.x, y, z; 3 to 5: blockIdx.x, y, z that a function reads.
unsigned idsRead(const llvm::Function &F);

} // namespace kernix

#endif // KERNIX_DERIVATIVE_ACCUMULATION_ACCUMULATION_H
