//===- NearestName.h - "did you mean" -----------------------------------------------------------------------------===//
//
// Finds the known word that a misspelt one probably stands for.
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_DIAGNOSTICS_NEARESTNAME_H
#define KERNIX_DIAGNOSTICS_NEARESTNAME_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace kernix {

/// The candidate with the smallest edit distance, at most a third of its length, rounded up (case does not count);
/// empty: none.
llvm::StringRef nearestName(llvm::StringRef Written, llvm::ArrayRef<llvm::StringRef> Candidates);

/// `'a', 'b' or 'c'`
std::string quotedList(llvm::ArrayRef<llvm::StringRef> Names);

} // namespace kernix

#endif
