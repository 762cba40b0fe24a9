//===- Shape.h - [[kernix::shape("x")]], [[kernix::shape("x.size(0)", "3")]] --------------------------------------===//
//
// The record; checks and diagnostics are in Shape.cpp.
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_ATTRIBUTES_SHAPE_H
#define KERNIX_ATTRIBUTES_SHAPE_H

#include "Attributes/Arguments.h"

namespace kernix {

struct ShapeAttribute : AttributeBase {
  /// One expression per axis; a single bare tensor name copies that tensor's shape. A number is its own digits.
  llvm::SmallVector<StringArgument, 4> Axes;

  bool sameAs(const ShapeAttribute &Other, const clang::ASTContext &Context) const {
    return same(Axes, Other.Axes, Context);
  }
};

} // namespace kernix

#endif
