//===- OwnReads.h - reads of what no other thread of the block writes -------------------------------------------===//
//
// Behind a barrier a thread finds what others have written, which a backward kernel would not find again. Where a loop
// has the barrier, `x[row * blockDim.x + threadIdx.x] *= s` looks the same; that these elements are the thread's own
// takes the proof that no other thread writes them, in whichever iteration.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_DERIVATIVE_ANALYSIS_OWNREADS_H
#define KERNIX_DERIVATIVE_ANALYSIS_OWNREADS_H

#include "Derivative/Addresses/DistinctAddresses.h"
#include "Derivative/CustomRules/ViewStores.h"
#include "llvm/ADT/MapVector.h"

namespace kernix {

class OwnReads {
public:
  OwnReads(const Prepared &P, MemoryObjects &Objects, llvm::FunctionAnalysisManager &FAM);

  /// Whether a barrier lies on a way from Writer to Access.
  bool isBehindBarrier(const llvm::Instruction &Access, const llvm::Instruction &Writer) const;
  /// Whether different threads of a block never touch the same bytes by Load and by Writer. What that assumes of the
  /// launch is kept, to be tested when the kernel starts.
  bool isOwn(const llvm::LoadInst &Load, const llvm::Instruction &Writer);

  /// Whether nothing says that different threads of a block never touch the same bytes by these stores. What is asked
  /// of the launch for that is kept, to be tested when the kernel starts.
  bool mayMeet(const llvm::Instruction &Earlier, const llvm::Instruction &Later);
  /// The same of stores to one view, both at this place.
  bool mayMeet(const ViewStore &Earlier, const ViewStore &Later, const StoredPlace &Place);

  const IndexForms &forms() const { return Forms; }
  /// Of loads, and of stores behind others.
  const llvm::MapVector<const llvm::Instruction *, LaunchConditions> &assumed() const { return Assumed; }

private:
  DistinctProof proofFor(const llvm::Instruction &First, const llvm::Instruction &Second, int64_t LeastRow,
                         bool OfIterations);
  bool areTold(const llvm::Instruction &Access, const std::set<const llvm::Loop *> &Between,
               llvm::function_ref<DistinctProof(bool OfIterations)> Prove);
  bool choosesByData(const llvm::Value *Condition);
  bool isChosenByData(const llvm::Instruction &Store);
  std::set<const llvm::Loop *> loopsBetween(const llvm::Instruction &Earlier, const llvm::Instruction &Later);

  MemoryObjects &Objects;
  llvm::DominatorTree &Dominators;
  llvm::LoopInfo &Loops;
  IndexForms Forms;
  unsigned UsedIds;
  llvm::SmallVector<const llvm::Instruction *, 4> Orderings;
  llvm::MapVector<const llvm::Instruction *, LaunchConditions> Assumed;
};

} // namespace kernix

#endif // KERNIX_DERIVATIVE_ANALYSIS_OWNREADS_H
