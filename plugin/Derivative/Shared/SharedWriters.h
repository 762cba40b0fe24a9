//===- SharedWriters.h - elements of shared memory that several threads store -----------------------------------===//
//
// All threads may store one value to one element, `mean = sum / n` without a guard: the primal has the same result
// whoever comes last. Its adjoint must be taken by one of them, no matter which, and what the store has overwritten
// must be found by one of them. Threads that store elements of their own read and clear; others exchange atomically.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_DERIVATIVE_SHARED_SHAREDWRITERS_H
#define KERNIX_DERIVATIVE_SHARED_SHAREDWRITERS_H

#include "Derivative/Addresses/IndexForms.h"
#include "Derivative/Addresses/StoreTables.h"
#include "Derivative/Analysis/Activity.h"
#include "Derivative/Shared/SharedContents.h"
#include "llvm/IR/IRBuilder.h"

namespace kernix {

class SharedWriters {
public:
  SharedWriters(const DerivativeRequest &Request, const Prepared &P, MemoryObjects &Objects, IndexForms &Forms,
                const UniformValues &Uniform, llvm::FunctionAnalysisManager &FAM);

  /// Whether all that the pointer may lead to is shared memory.
  bool isShared(const llvm::Value *Pointer) const;
  /// Under which conditions no two threads of a block store the same bytes between two barriers, by this store and by
  /// others that are in between, too. Nothing: they may.
  const std::optional<LaunchConditions> &apartIf(const llvm::StoreInst &Store);

private:
  bool mayMeet(const llvm::StoreInst &A, const llvm::StoreInst &B) const;
  void addReachable(const llvm::StoreInst &From);
  llvm::SmallVector<std::array<int64_t, 3>, 8> shapes() const;
  std::optional<LaunchConditions> areApart(llvm::ArrayRef<const llvm::StoreInst *> Stores);
  std::optional<LaunchConditions> prove(llvm::ArrayRef<const llvm::StoreInst *> Stores);
  std::optional<LaunchConditions> compute(llvm::ArrayRef<const llvm::StoreInst *> Stores);

  const DerivativeRequest &Request;
  MemoryObjects &Objects;
  IndexForms &Forms;
  StoreTables Tables;
  unsigned UsedIds; ///< of threads
  llvm::DenseMap<const llvm::StoreInst *, llvm::SmallVector<const llvm::StoreInst *, 4>> Neighbours;
  llvm::DenseMap<const llvm::StoreInst *, std::optional<LaunchConditions>> Known;
};

/// Whether what a store to shared memory has overwritten, or the adjoint of what it stores, is asked for.
bool isTakenBack(const llvm::StoreInst &Store, const SharedWriters &Writers, Activity &Active,
                 const SharedContents &Contents);

/// In what is differentiated again nothing is exchanged: refuses stores of which it is not known that threads have
/// elements of their own.
void refuseSharedStores(const Prepared &P, SharedWriters &Writers, Activity &Active, const SharedContents &Contents,
                        Refusals &Refused);

/// What was at Place, which holds Stored from then on.
llvm::Value *exchangeInShared(llvm::IRBuilder<> &B, llvm::Value *Place, llvm::Value *Stored);

} // namespace kernix

#endif // KERNIX_DERIVATIVE_SHARED_SHAREDWRITERS_H
