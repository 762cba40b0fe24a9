//===- RepeatedStores.h - stores to views that carry their gradients, to one element twice ------------------------===//
//
// By rules of views a thread must store to an element once: the gradient of what is overwritten would count. What shows
// that it does may assume something of the launch.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_DERIVATIVE_CUSTOMRULES_REPEATEDSTORES_H
#define KERNIX_DERIVATIVE_CUSTOMRULES_REPEATEDSTORES_H

#include "Derivative/Addresses/AddressDigits.h"
#include "Derivative/Addresses/IndexForms.h"
#include "Derivative/CustomRules/ViewStores.h"

namespace kernix {

class RepeatedStores {
public:
  RepeatedStores(const Prepared &P, MemoryObjects &Objects, llvm::FunctionAnalysisManager &FAM);

  /// Refuses stores of which it cannot be shown.
  void refuse(Refusals &Refused);
  /// On what it rests that a call stores to another element in each iteration.
  struct Basis {
    std::string View;
    LaunchConditions Conditions; ///< polynomials of forms()
  };
  /// Null: on nothing that has to be tested.
  const Basis *basisOf(const llvm::CallBase &Store) const;
  const IndexForms &forms() const { return Forms; }

private:
  bool repeatsInLoop(const ViewStore &Store);
  std::optional<AccessForm> indexOf(const ViewStore &Store, unsigned Operand, LaunchConditions &Needed);
  bool differsInIterations(const ViewStore &Store, const StoredPlace &Place);
  bool mayMeet(const ViewStore &A, const ViewStore &B);
  bool areApart(const ViewStore &A, const ViewStore &B, const StoredPlace &Place);
  void rest(const ViewStore &On, const LaunchConditions &Needed);

  ViewStores Stores;
  IndexForms Forms;
  llvm::DominatorTree &Dominators;
  llvm::LoopInfo &Loops;
  llvm::ScalarEvolution &Evolution;
  llvm::DenseMap<const llvm::CallBase *, Basis> Bases;
};

} // namespace kernix

#endif // KERNIX_DERIVATIVE_CUSTOMRULES_REPEATEDSTORES_H
