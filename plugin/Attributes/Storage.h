//===- Storage.h - [[kernix::recompute]] and [[kernix::store]] ----------------------------------------------------===//
//
// The record; checks and diagnostics are in Storage.cpp.
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_ATTRIBUTES_STORAGE_H
#define KERNIX_ATTRIBUTES_STORAGE_H

#include "Attributes/Arguments.h"

namespace kernix {

struct RecomputeAttribute : AttributeBase {
  bool sameAs(const RecomputeAttribute &, const clang::ASTContext &) const { return true; }
};
struct StoreAttribute : AttributeBase {
  bool sameAs(const StoreAttribute &, const clang::ASTContext &) const { return true; }
};

} // namespace kernix

#endif
