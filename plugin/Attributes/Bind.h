//===- Bind.h - [[kernix::bind("name", "arg_spec")]] --------------------------------------------------------------===//
//
// The record; checks and diagnostics are in Bind.cpp.
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_ATTRIBUTES_BIND_H
#define KERNIX_ATTRIBUTES_BIND_H

#include "Attributes/Arguments.h"

namespace kernix {

/// The first byte that a public name cannot have (it becomes part of C symbols and a Python name); 0 where it is empty,
/// npos where the name is right.
size_t firstByteNoName(llvm::StringRef Name);

struct BindAttribute : AttributeBase {
  /// The public name; absent: the name of the declaration.
  std::optional<StringArgument> Name;
  std::optional<StringArgument> ArgSpec;

  bool sameAs(const BindAttribute &Other, const clang::ASTContext &Context) const {
    return same(Name, Other.Name, Context) && same(ArgSpec, Other.ArgSpec, Context);
  }
};

} // namespace kernix

#endif
