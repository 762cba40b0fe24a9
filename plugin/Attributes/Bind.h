//===- Bind.h - [[kernix::bind("name", "arg_spec")]] ===//
//
// The record; checks and diagnostics are in Bind.cpp.
//
//===----------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_ATTRIBUTES_BIND_H
#define KERNIX_ATTRIBUTES_BIND_H

#include "Attributes/Arguments.h"

namespace kernix {

struct BindAttribute : AttributeBase {
  /// The public name; absent: the name of the declaration.
  std::optional<StringArgument> Name;
  std::optional<StringArgument> ArgSpec;
};

} // namespace kernix

#endif
