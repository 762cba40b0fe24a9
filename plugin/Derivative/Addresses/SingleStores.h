//===- SingleStores.h - which stores of a thread write the same element -----------------------------------------===//
//
// The cotangent of an output belongs to the value that is there in the end: to the last of several stores to one
// element. Nothing clears an output's cotangent, so the stores of a thread to an output have to be provably to one
// element or to different ones.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_DERIVATIVE_ADDRESSES_SINGLESTORES_H
#define KERNIX_DERIVATIVE_ADDRESSES_SINGLESTORES_H

#include "Derivative/Addresses/Assumptions.h"
#include "Derivative/Addresses/IndexForms.h"
#include "Derivative/Analysis/Activity.h"

namespace llvm {
class Loop;
class LoopInfo;
} // namespace llvm

namespace kernix {

/// Why the first derivative of such a function may not do what it does to a tensor's gradient.
constexpr char NotTwiceInPlace[] =
    "functions that change a tensor in place mostly have no second derivative; read from "
    "one tensor and write to another";

/// Stores to one element, of which the last counts.
struct StoreGroup {
  llvm::SmallVector<const llvm::StoreInst *, 2> Stores;
  /// The innermost loop in whose iterations the element is another one; null: none.
  const llvm::Loop *VariesIn = nullptr;
  /// More than one store, or one that a loop repeats.
  bool Overwrites = false;
  /// On which it rests that the element is another one than those of the other groups and iterations.
  Assumptions Assumed;
  /// The same, as polynomials of SingleStores::forms().
  LaunchConditions Conditions;

  /// Whether it is another element in each iteration of a loop around the stores.
  bool variesIn(const llvm::Loop &L) const;
};

/// For messages: what else can be done about an output of which it is not known which stores are to one element.
std::string waysOutOf(const MemoryObject &O);

class SingleStores {
public:
  /// Refuses stores to outputs of which it cannot be told.
  SingleStores(const Prepared &P, MemoryObjects &Objects, Activity &Active, llvm::FunctionAnalysisManager &FAM,
               Refusals &Refused);

  const std::vector<StoreGroup> &groups() const { return Groups; }
  /// The group of a store to a pure output; null for other stores.
  const StoreGroup *groupOf(const llvm::StoreInst &Store) const;
  const IndexForms &forms() const { return Forms; }

  /// Whether a store to a tensor that is also read is to another element in each iteration of all loops around it. What
  /// that assumes of the launch is kept, to be tested where the store is reversed.
  bool movesInAllLoops(const llvm::StoreInst &Store, const MemoryObject &O, const llvm::LoopInfo &Loops);
  /// Null: nothing is assumed of it.
  const LaunchConditions *conditionsOf(const llvm::StoreInst &Store) const;

private:
  IndexForms Forms;
  llvm::DenseMap<const llvm::StoreInst *, LaunchConditions> InPlace; ///< asked for by movesInAllLoops
  std::vector<StoreGroup> Groups;
  llvm::DenseMap<const llvm::StoreInst *, size_t> Index;
};

} // namespace kernix

#endif // KERNIX_DERIVATIVE_ADDRESSES_SINGLESTORES_H
