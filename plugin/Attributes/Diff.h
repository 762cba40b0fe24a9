//===- Diff.h - [[kernix::diff(accumulation, N)]] -----------------------------------------------------------------===//
//
// The record; checks and diagnostics are in Diff.cpp.
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_ATTRIBUTES_DIFF_H
#define KERNIX_ATTRIBUTES_DIFF_H

#include "Attributes/Arguments.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace kernix {

/// How reads of a tensor accumulate into its gradient.
enum class Accumulation { Automatic, Atomic, Warp, Unique, Once, Replicated, Scatter };

/// The word as users write it; empty for Automatic.
llvm::StringRef spelling(Accumulation Kind);
/// All of them.
llvm::ArrayRef<llvm::StringRef> accumulationWords();

struct DiffAttribute : AttributeBase {
  Accumulation Kind = Accumulation::Automatic;
  /// Only, and always, of Replicated and Scatter.
  std::optional<IntegerArgument> Count;

  bool sameAs(const DiffAttribute &Other, const clang::ASTContext &Context) const {
    return Kind == Other.Kind && same(Count, Other.Count, Context);
  }
};

} // namespace kernix

#endif
