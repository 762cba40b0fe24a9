//===- Differentiable.h - [[kernix::differentiable(forward | backward | 2)]] --------------------------------------===//
//
// The record; checks and diagnostics are in Differentiable.cpp.
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_ATTRIBUTES_DIFFERENTIABLE_H
#define KERNIX_ATTRIBUTES_DIFFERENTIABLE_H

#include "Attributes/Arguments.h"

namespace kernix {

struct DifferentiableAttribute : AttributeBase {
  bool Forward = true;
  bool Backward = true;
  /// 2: the backward is differentiated too.
  unsigned Order = 1;

  bool sameAs(const DifferentiableAttribute &Other, const clang::ASTContext &) const {
    return Forward == Other.Forward && Backward == Other.Backward && Order == Other.Order;
  }
};

} // namespace kernix

#endif
