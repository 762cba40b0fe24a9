//===- Need.h - what a backward function has to compute again ---------------------------------------------------===//
//
// The values that adjoints read, the addresses and conditions of active operations, and everything these depend on,
// local memory included. What cannot be had again in a backward function, because it depends on when it is read, is an
// error where it is needed.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_DERIVATIVE_ANALYSIS_NEED_H
#define KERNIX_DERIVATIVE_ANALYSIS_NEED_H

#include "Derivative/Analysis/Activity.h"
#include "Derivative/Analysis/ControlDependence.h"

namespace llvm {
class Loop;
class PostDominatorTree;
} // namespace llvm

namespace kernix {

class OwnReads;
class SingleStores;

class Need {
public:
  /// AllBranches: the condition of every branch is needed, since prune has left no other. Scope: only what the adjoints
  /// in this loop read of it.
  Need(const Prepared &P, MemoryObjects &Objects, Activity &Active, llvm::PostDominatorTree &PostDominators,
       bool AllBranches, const llvm::Loop *Scope = nullptr);

  bool contains(const llvm::Value *V) const { return Values.contains(V); }
  /// Whether a backward function needs the memory that I reads: to compute I again, or for the rule that I calls.
  bool reads(const llvm::Instruction &I) const;
  /// A local or shared variable whose contents are read again.
  bool contains(const MemoryObject *O) const { return Variables.contains(O); }
  /// A block whose operations are reversed or computed again, or that decides whether one is.
  bool isRelevant(const llvm::BasicBlock *Block) const { return Relevant.contains(Block); }
  const llvm::DenseSet<const llvm::Value *> &values() const { return Values; }

private:
  void addRoots(const llvm::Instruction &I);
  void add(const llvm::Value *V);
  void addBlock(const llvm::BasicBlock *Block);
  void follow(const llvm::Instruction &I);
  void addMemory(const llvm::Instruction &I);

  MemoryObjects &Objects;
  Activity &Active;
  llvm::DenseSet<const llvm::Value *> Values;
  const llvm::Loop *Scope;
  llvm::DenseSet<const MemoryObject *> Variables;
  llvm::DenseSet<const llvm::BasicBlock *> Relevant;
  ControlDependence Controls;
  llvm::SmallVector<const llvm::Instruction *, 32> Work;
  llvm::DenseMap<const MemoryObject *, llvm::SmallVector<const llvm::Instruction *, 4>> Writers;
  llvm::SmallVector<const llvm::Instruction *, 4> Orderings; ///< barriers and their like
};

/// All that a backward function has to compute again, and of that what the adjoints in each loop read of it.
class LoopNeeds {
public:
  LoopNeeds(const Prepared &P, MemoryObjects &Objects, Activity &Active, const Need &Whole,
            llvm::PostDominatorTree &PostDominators)
      : P(P), Objects(Objects), Active(Active), Whole(Whole), PostDominators(PostDominators) {}

  const Need &whole() const { return Whole; }
  /// Null: the whole.
  const Need &of(const llvm::Loop *L) const;

private:
  const Prepared &P;
  MemoryObjects &Objects;
  Activity &Active;
  const Need &Whole;
  llvm::PostDominatorTree &PostDominators;
  mutable llvm::DenseMap<const llvm::Loop *, std::unique_ptr<Need>> OfLoop;
};

/// 1 / b, whose derivative is made of its value alone.
bool isReciprocal(const llvm::Instruction &I);

/// Refuses needed and active values that a backward function would not find again. Asks Stores of stores in place,
/// and Own of reads behind barriers.
void refuseUnreproducible(const Prepared &P, MemoryObjects &Objects, Activity &Active, const Need &Needed,
                          SingleStores &Stores, OwnReads &Own, llvm::FunctionAnalysisManager &FAM, Refusals &Refused);

/// Takes everything out of the prepared copy that a backward function neither reverses nor computes again: branches
/// that decide nothing become jumps. True if something changed; analyses are then stale.
bool prune(const Prepared &P, const Need &Needed, llvm::PostDominatorTree &PostDominators);

} // namespace kernix

#endif // KERNIX_DERIVATIVE_ANALYSIS_NEED_H
