//===- NoDiff.h - [[kernix::no_diff]] -----------------------------------------------------------------------------===//
//
// The record; checks and diagnostics are in NoDiff.cpp.
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_ATTRIBUTES_NO_DIFF_H
#define KERNIX_ATTRIBUTES_NO_DIFF_H

#include "Attributes/Arguments.h"

namespace kernix {

struct NoDiffAttribute : AttributeBase {
  bool sameAs(const NoDiffAttribute &, const clang::ASTContext &) const { return true; }
};

} // namespace kernix

#endif
