//===- Value.h - [[kernix::value("expression")]] ------------------------------------------------------------------===//
//
// The record; checks and diagnostics are in Value.cpp.
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_ATTRIBUTES_VALUE_H
#define KERNIX_ATTRIBUTES_VALUE_H

#include "Attributes/Arguments.h"

namespace kernix {

struct ValueAttribute : AttributeBase {
  StringArgument Expression;

  bool sameAs(const ValueAttribute &Other, const clang::ASTContext &Context) const {
    return same(Expression, Other.Expression, Context);
  }
};

} // namespace kernix

#endif
