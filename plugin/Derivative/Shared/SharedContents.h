//===- SharedContents.h - what shared memory holds while iterations are computed again --------------------------===//
//
// A backward function runs the primal forwards once, with its stores to shared memory and its barriers as far as they
// are needed; values that are read outside loops are kept. An iteration of a loop that is computed again must find
// shared memory as it was. That holds if nothing was stored since, or if each iteration stores the same elements before
// it reads (tiles). Otherwise every store keeps the value it overwrites, and stores are undone one by one while the
// backward function goes back: ReverseWriter's SharedUndo.cpp.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_DERIVATIVE_SHARED_SHAREDCONTENTS_H
#define KERNIX_DERIVATIVE_SHARED_SHAREDCONTENTS_H

#include "Derivative/Analysis/Need.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include <map>
#include <optional>

namespace llvm {
class DominatorTree;
class ScalarEvolution;
} // namespace llvm

namespace kernix {

class SharedContents {
public:
  SharedContents(const Prepared &P, MemoryObjects &Objects, Activity &Active, const LoopNeeds &Needs,
                 llvm::FunctionAnalysisManager &FAM, Refusals &Refused);
  ~SharedContents();

  /// Whether there is anything to decide: shared memory, barriers or warp functions.
  bool isTrivial() const { return Special.empty(); }
  /// A store to shared memory or a collective: what no optimisation removes where it is copied.
  bool isSpecial(const llvm::Instruction &I) const { return Special.contains(&I); }
  /// Whether the copy of region L (null: the function) runs a special instruction.
  bool runs(const llvm::Loop *L, const llvm::Instruction &I) const;
  /// A store that is undone in the backward function.
  bool isUndone(const llvm::Instruction &I) const { return Undone.contains(&I); }
  bool undoesAny() const { return !Undone.empty(); }
  /// The bytes that undone stores write.
  llvm::SmallVector<uint64_t, 4> undoneSizes() const;
  /// Whether iterations of Inner leave something to undo when the copy of Outer runs them.
  bool leavesUndo(const llvm::Loop *Outer, const llvm::Loop &Inner) const;
  /// Whether the reverse of a barrier is one: where shared memory has adjoints or is restored.
  bool mirrorsBarriers() const { return Mirrors; }
  /// Whether a loop has to be gone through backwards though nothing in it has an adjoint.
  bool hasWork(const llvm::Loop &L) const;
  /// The barrier that keeps a copy of an iteration of L apart from what was reversed before; null: none is needed.
  const llvm::CallInst *separator(const llvm::Loop &L) const { return Separators.lookup(&L); }
  /// Whether the reversed iterations of L may run in the order of the source, as far as shared memory is concerned.
  bool runsForwards(const llvm::Loop &L);

private:
  llvm::SmallVector<const llvm::Value *, 2> valuesReadFrom(const llvm::Instruction &I) const;
  void findSeparators();
  void findUndone();
  bool isLost(const llvm::Loop &L, const llvm::Instruction &Read, const llvm::Instruction &Store);
  bool isOneOfAll(const llvm::Instruction &Store, const llvm::Loop &L);
  bool isCleared(const llvm::Instruction &Addition, const llvm::Loop &L);
  bool isStoredAgain(const llvm::Loop &L, const llvm::Instruction &Read, const llvm::Instruction &Store);
  bool repeats(const llvm::Instruction &I, const llvm::Loop &L);
  bool repeatsValue(const llvm::Value *V, const llvm::Loop &L, llvm::SmallPtrSetImpl<const llvm::Value *> &Assumed);
  bool repeatsControl(const llvm::BasicBlock &Block, const llvm::Loop &L,
                      llvm::SmallPtrSetImpl<const llvm::Value *> &Assumed);
  bool comesAfter(const llvm::Instruction &First, const llvm::Instruction &Second, const llvm::Loop *Within) const;
  const llvm::DenseSet<const llvm::Instruction *> &outputsOf(const llvm::Loop *Outer, const llvm::Loop &Inner) const;

  MemoryObjects &Objects;
  Activity &Active;
  const LoopNeeds &Needs;
  Refusals &Refused;
  llvm::LoopInfo &Loops;
  llvm::ScalarEvolution &Evolution;
  llvm::DominatorTree &Dominators;
  llvm::DenseSet<const llvm::Instruction *> Special;
  llvm::SetVector<const llvm::Instruction *> Undone;
  llvm::MapVector<const MemoryObject *, llvm::SmallVector<const llvm::Instruction *, 4>> Writers, Readers;
  llvm::SmallVector<const llvm::CallInst *, 4> Orderings;
  mutable std::map<std::pair<const llvm::Loop *, const llvm::Loop *>,
                   std::unique_ptr<llvm::DenseSet<const llvm::Instruction *>>>
      Outputs;
  llvm::DenseMap<const llvm::Loop *, const llvm::CallInst *> Separators;
  std::optional<ControlDependence> Controls; ///< of functions that have anything special
  bool Mirrors = false;
};

} // namespace kernix

#endif // KERNIX_DERIVATIVE_SHARED_SHAREDCONTENTS_H
