//===- SharedBytes.h - [[kernix::shared_bytes("expression")]] -----------------------------------------------------===//
//
// The record; checks and diagnostics are in SharedBytes.cpp.
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_ATTRIBUTES_SHARED_BYTES_H
#define KERNIX_ATTRIBUTES_SHARED_BYTES_H

#include "Attributes/Arguments.h"

namespace kernix {

struct SharedBytesAttribute : AttributeBase {
  ExtentArgument Bytes;

  bool sameAs(const SharedBytesAttribute &Other, const clang::ASTContext &Context) const {
    return same(Bytes, Other.Bytes, Context);
  }
};

} // namespace kernix

#endif
