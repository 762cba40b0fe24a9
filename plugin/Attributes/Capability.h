//===- Capability.h - [[kernix::capability(tensor_cores, 2.0, 1.0)]] ----------------------------------------------===//
//
// The record; checks and diagnostics are in Capability.cpp.
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_ATTRIBUTES_CAPABILITY_H
#define KERNIX_ATTRIBUTES_CAPABILITY_H

#include "Attributes/Arguments.h"

namespace kernix {

struct CapabilityAttribute : AttributeBase {
  bool TensorCores = false;
  double PerformanceFactor = 1.0;
  double MemoryEfficiency = 1.0;

  bool sameAs(const CapabilityAttribute &Other, const clang::ASTContext &) const {
    return TensorCores == Other.TensorCores && PerformanceFactor == Other.PerformanceFactor &&
           MemoryEfficiency == Other.MemoryEfficiency;
  }
};

} // namespace kernix

#endif
