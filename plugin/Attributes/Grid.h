//===- Grid.h - [[kernix::grid(x, y, z)]] -------------------------------------------------------------------------===//
//
// The record; checks and diagnostics are in Grid.cpp.
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_ATTRIBUTES_GRID_H
#define KERNIX_ATTRIBUTES_GRID_H

#include "Attributes/Arguments.h"

namespace kernix {

struct GridAttribute : AttributeBase {
  /// One to three: x, y, z.
  llvm::SmallVector<ExtentArgument, 3> Extents;

  bool sameAs(const GridAttribute &Other, const clang::ASTContext &Context) const {
    return same(Extents, Other.Extents, Context);
  }
};

} // namespace kernix

#endif
