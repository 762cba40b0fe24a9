//===- ViewStores.h - stores to views that carry their gradients --------------------------------------------------===//
//
// `view.store(i, value)` is a call with a rule. Of two of them, what has to be asked before their indices are compared:
// whether they are to one view at all, and which of their arguments are its indices.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_DERIVATIVE_CUSTOMRULES_VIEWSTORES_H
#define KERNIX_DERIVATIVE_CUSTOMRULES_VIEWSTORES_H

#include "Derivative/Analysis/Memory.h"
#include "Derivative/CustomRules/StoredPlaces.h"

namespace llvm {
class ScalarEvolution;
} // namespace llvm

namespace kernix {

struct ViewStore {
  const llvm::CallBase *Call;
  const CustomRule *Rule;
};

class ViewStores {
public:
  ViewStores(MemoryObjects &Objects, llvm::Function &F, llvm::FunctionAnalysisManager &FAM);

  /// In the order of the function: the calls with a rule that store otherwise than by atomic operations.
  llvm::ArrayRef<ViewStore> all() const { return All; }

  /// Whether both are known to be to views, and to different ones.
  bool areOfDifferentViews(const ViewStore &A, const ViewStore &B);
  /// Where both store: to one element each of one view, as both see it. Null: that is not known.
  const StoredPlace *commonPlace(const ViewStore &A, const ViewStore &B);
  /// Whether all threads and iterations store to the view of a parameter, as it came.
  bool isOfParameter(const ViewStore &Store, const StoredPlace &Place);

  /// The one view that it is to, or null: that is not known.
  const RequestParameter *viewOf(const ViewStore &Store);

private:
  bool isSame(const llvm::Value *A, const llvm::Value *B);

  MemoryObjects &Objects;
  llvm::ScalarEvolution &Evolution;
  std::optional<StoredPlaces> Places;
  llvm::SmallVector<ViewStore, 4> All;
};

} // namespace kernix

#endif // KERNIX_DERIVATIVE_CUSTOMRULES_VIEWSTORES_H
