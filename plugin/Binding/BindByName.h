//===- BindByName.h - bindings that stand apart from their functions ----------------------------------*- C++ -*-===//
//
// A comment `// @BE f arg ret` or `functions=` of a loader names a function and may say its arg_spec. This puts them
// into the AttributeStore as if [[kernix::bind]] stood on the function.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_BINDING_BINDBYNAME_H
#define KERNIX_BINDING_BINDBYNAME_H

#include "Attributes/Arguments.h"

namespace clang {
class Sema;
} // namespace clang

namespace kernix {

class AttributeStore;
class FunctionNames;

/// A part of a file that is no string literal.
StringArgument textAt(clang::SourceLocation Begin, llvm::StringRef Text);

struct NamedBinding {
  StringArgument Name;
  std::optional<StringArgument> ArgSpec;
  bool Overrides = false; ///< its arg_spec comes before that of an attribute; else two of them are an error
};

/// Binds what `Binding` names, all its overloads. A function that the user gave no other public name is called what was
/// written. False after an error.
bool bindByName(clang::Sema &S, AttributeStore &Store, const FunctionNames &Names, const NamedBinding &Binding);

} // namespace kernix

#endif // KERNIX_BINDING_BINDBYNAME_H
