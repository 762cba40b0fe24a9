//===- Intent.h - [[kernix::intent(word, length, "element type")]] ------------------------------------------------===//
//
// The record; checks and diagnostics are in Intent.cpp.
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_ATTRIBUTES_INTENT_H
#define KERNIX_ATTRIBUTES_INTENT_H

#include "Attributes/Arguments.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace kernix {

enum class IntentKind { In, InoutPtr, OutPtr, OutReturn, OutArrayReturn };

/// The word as users write it.
llvm::StringRef spelling(IntentKind Kind);
/// All of them.
llvm::ArrayRef<llvm::StringRef> intentWords();

struct IntentAttribute : AttributeBase {
  IntentKind Kind = IntentKind::In;
  /// Only of out_array_return.
  std::optional<IntegerArgument> Length;
  std::optional<StringArgument> ElementType;

  bool sameAs(const IntentAttribute &Other, const clang::ASTContext &Context) const {
    return Kind == Other.Kind && same(Length, Other.Length, Context) && same(ElementType, Other.ElementType, Context);
  }
};

} // namespace kernix

#endif
