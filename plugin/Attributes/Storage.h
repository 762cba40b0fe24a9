//===- Storage.h - [[kernix::recompute]] and [[kernix::store]] ===//
//
// The record; checks and diagnostics are in Storage.cpp.
//
//===----------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_ATTRIBUTES_STORAGE_H
#define KERNIX_ATTRIBUTES_STORAGE_H

#include "Attributes/Arguments.h"

namespace kernix {

struct RecomputeAttribute : AttributeBase {};
struct StoreAttribute : AttributeBase {};

} // namespace kernix

#endif
