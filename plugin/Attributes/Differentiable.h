//===- Differentiable.h - [[kernix::differentiable(forward | backward | 2)]] ===//
//
// The record; checks and diagnostics are in Differentiable.cpp.
//
//===----------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_ATTRIBUTES_DIFFERENTIABLE_H
#define KERNIX_ATTRIBUTES_DIFFERENTIABLE_H

#include "Attributes/Arguments.h"

namespace kernix {

struct DifferentiableAttribute : AttributeBase {
  bool Forward = true;
  bool Backward = true;
  /// 2: the backward is differentiated too.
  unsigned Order = 1;
};

} // namespace kernix

#endif
