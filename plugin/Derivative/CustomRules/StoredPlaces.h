//===- StoredPlaces.h - where functions with a rule store ---------------------------------------------------------===//
//
// What a view that carries its gradient stores by a member with a derivative of its own is known from the member's
// body: which of its arguments say the element. Others, such as how many indices there are, or a weight, do not.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_DERIVATIVE_CUSTOMRULES_STOREDPLACES_H
#define KERNIX_DERIVATIVE_CUSTOMRULES_STOREDPLACES_H

#include "Derivative/CustomRules/RuleCalls.h"
#include "llvm/ADT/SmallVector.h"
#include <map>

namespace kernix {

/// One element behind a pointer, by indices along axes with strides of their own.
struct StoredPlace {
  unsigned Base = 0;                      ///< the argument that points to the first element
  llvm::SmallVector<unsigned, 4> Indices; ///< arguments: where one of them differs, so does the element
  llvm::SmallVector<unsigned, 4> Strides; ///< arguments
};

class StoredPlaces {
public:
  StoredPlaces(const CustomRules &Rules, llvm::FunctionAnalysisManager &FAM) : Rules(Rules), FAM(FAM) {}

  /// Where a call of this rule stores whose arguments at these places are these constants; null: not to one element
  /// that can be told from others.
  using Constants = std::map<unsigned, int64_t>;
  const StoredPlace *find(const CustomRule &Rule, const Constants &Known);

private:
  std::optional<StoredPlace> look(const CustomRule &Rule, const Constants &Known);

  const CustomRules &Rules;
  llvm::FunctionAnalysisManager &FAM;
  std::map<std::pair<const CustomRule *, Constants>, std::optional<StoredPlace>> Found;
};

/// Inlines all that F, a private copy or a helper, calls, and simplifies what comes of it.
void simplifyWhole(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);

} // namespace kernix

#endif // KERNIX_DERIVATIVE_CUSTOMRULES_STOREDPLACES_H
