//===- Block.h - [[kernix::block(x, y, z)]] ===//
//
// The record; checks and diagnostics are in Block.cpp.
//
//===----------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_ATTRIBUTES_BLOCK_H
#define KERNIX_ATTRIBUTES_BLOCK_H

#include "Attributes/Arguments.h"

namespace kernix {

struct BlockAttribute : AttributeBase {
  /// One to three: x, y, z.
  llvm::SmallVector<ExtentArgument, 3> Extents;
};

} // namespace kernix

#endif
