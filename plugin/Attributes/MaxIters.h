//===- MaxIters.h - [[kernix::max_iters(N)]] ----------------------------------------------------------------------===//
//
// The record; checks and diagnostics are in MaxIters.cpp.
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_ATTRIBUTES_MAX_ITERS_H
#define KERNIX_ATTRIBUTES_MAX_ITERS_H

#include "Attributes/Arguments.h"

namespace kernix {

struct MaxItersAttribute : AttributeBase {
  IntegerArgument Count;
};

} // namespace kernix

#endif
