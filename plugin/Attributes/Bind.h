//===- Bind.h - [[kernix::bind("name", "arg_spec")]] --------------------------------------------------------------===//
//
// The record; checks and diagnostics are in Bind.cpp.
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_ATTRIBUTES_BIND_H
#define KERNIX_ATTRIBUTES_BIND_H

#include "Attributes/Arguments.h"

namespace kernix {

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
