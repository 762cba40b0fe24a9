//===- Optional.h - [[kernix::optional]] --------------------------------------------------------------------------===//
//
// The record; checks and diagnostics are in Optional.cpp.
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_ATTRIBUTES_OPTIONAL_H
#define KERNIX_ATTRIBUTES_OPTIONAL_H

#include "Attributes/Arguments.h"

namespace kernix {

struct OptionalAttribute : AttributeBase {
  bool sameAs(const OptionalAttribute &, const clang::ASTContext &) const { return true; }
};

} // namespace kernix

#endif
