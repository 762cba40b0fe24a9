//===- Block.h - [[kernix::block(x, y, z)]] -----------------------------------------------------------------------===//
//
// The record; checks and diagnostics are in Block.cpp.
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_ATTRIBUTES_BLOCK_H
#define KERNIX_ATTRIBUTES_BLOCK_H

#include "Attributes/Arguments.h"

namespace kernix {

struct BlockAttribute : AttributeBase {
  /// One to three: x, y, z.
  llvm::SmallVector<ExtentArgument, 3> Extents;

  bool sameAs(const BlockAttribute &Other, const clang::ASTContext &Context) const {
    return same(Extents, Other.Extents, Context);
  }
};

} // namespace kernix

#endif
