//===- MangledName.h - the parts of a mangled C++ name ----------------------------------------------------------===//

#ifndef KERNIX_DERIVATIVE_CANONICAL_MANGLEDNAME_H
#define KERNIX_DERIVATIVE_CANONICAL_MANGLEDNAME_H

#include "llvm/ADT/StringRef.h"
#include <optional>

namespace kernix {

/// `_ZL6__hmul6__halfS_` is Name "__hmul", Parameters "6__halfS_"; Scope is empty or the one namespace around it.
struct MangledName {
  llvm::StringRef Scope, Name, Parameters;
};

/// Nothing for names of other forms: templates, operators, members of more than one scope.
std::optional<MangledName> parseMangledName(llvm::StringRef Symbol);

} // namespace kernix

#endif // KERNIX_DERIVATIVE_CANONICAL_MANGLEDNAME_H
