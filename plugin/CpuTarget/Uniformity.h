//===- Uniformity.h - what is the same for all threads of a block ------------------------------------------------===//
//
// If every branch that differs between threads joins again before a cut, then all threads come to the same cuts in the
// same order, whatever the data are. That is how nearly all kernels are written, and nobody has to look at run time
// where each thread stands. Values that are the same for all threads are then computed once and kept once.
//
//===----------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_PLUGIN_CPUTARGET_UNIFORMITY_H
#define KERNIX_PLUGIN_CPUTARGET_UNIFORMITY_H

#include "CpuTarget/PhasePlan.h"
#include "llvm/ADT/SetVector.h"

namespace kernix {

class Uniformity {
public:
  Uniformity(llvm::Function &Body, const PhasePlan &Plan);

  /// True if all threads come to the same cuts in the same order.
  bool staysTogether() const { return Together; }

  /// The rest holds for such plans only.
  bool isUniform(const llvm::Value *V) const;
  const llvm::SmallSetVector<llvm::AllocaInst *, 8> &slots() const { return Slots; }
  /// Where threads that Branch may have parted are together again; null if all of them go the same way.
  llvm::BasicBlock *joinOf(const llvm::BasicBlock *Branch) const { return Joins.lookup(Branch); }

private:
  bool collect();
  bool markBranch(llvm::BasicBlock &Block);
  bool visit(llvm::Instruction &I);
  bool setDivergent(llvm::Instruction &I);
  llvm::BasicBlock *nearestJoin(llvm::BasicBlock &Block, llvm::SmallPtrSetImpl<llvm::BasicBlock *> &Between) const;
  bool reachesReturn(llvm::ArrayRef<llvm::BasicBlock *> From, const llvm::BasicBlock *Without,
                     llvm::SmallPtrSetImpl<llvm::BasicBlock *> &Seen) const;

  llvm::Function &Body;
  const PhasePlan &Plan;
  bool Together = true;
  llvm::SmallSetVector<llvm::AllocaInst *, 8> Slots;
  llvm::SmallPtrSet<const llvm::Value *, 32> Divergent;
  llvm::DenseMap<const llvm::BasicBlock *, llvm::BasicBlock *> Joins;
  llvm::SmallPtrSet<llvm::BasicBlock *, 16> Dead;      // no way from there to a return
  llvm::SmallPtrSet<llvm::BasicBlock *, 16> Unordered; // run by some of the threads only
};

} // namespace kernix

#endif
