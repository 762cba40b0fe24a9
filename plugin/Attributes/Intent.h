//===- Intent.h - [[kernix::intent(word, length, "element type")]] ===//
//
// The record; checks and diagnostics are in Intent.cpp.
//
//===----------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_ATTRIBUTES_INTENT_H
#define KERNIX_ATTRIBUTES_INTENT_H

#include "Attributes/Arguments.h"
#include "llvm/ADT/StringRef.h"

namespace kernix {

enum class IntentKind { In, InoutPtr, OutPtr, OutReturn, OutArrayReturn };

/// The word as users write it.
llvm::StringRef spelling(IntentKind Kind);

struct IntentAttribute : AttributeBase {
  IntentKind Kind = IntentKind::In;
  /// Only, and always, of out_array_return.
  std::optional<IntegerArgument> Length;
  std::optional<StringArgument> ElementType;
};

} // namespace kernix

#endif
