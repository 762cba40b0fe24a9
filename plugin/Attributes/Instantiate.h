//===- Instantiate.h - [[kernix::instantiate("type", ...)]] -------------------------------------------------------===//
//
// The record; checks and diagnostics are in Instantiate.cpp.
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_ATTRIBUTES_INSTANTIATE_H
#define KERNIX_ATTRIBUTES_INSTANTIATE_H

#include "Attributes/Arguments.h"

namespace kernix {

/// Explicit instantiations of a function template: in each string the arguments of one, apart by commas.
struct InstantiateAttribute : AttributeBase {
  llvm::SmallVector<StringArgument, 4> Types;

  bool sameAs(const InstantiateAttribute &Other, const clang::ASTContext &Context) const {
    return same(Types, Other.Types, Context);
  }
};

} // namespace kernix

#endif
