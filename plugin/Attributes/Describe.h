//===- Describe.h - "a struct", "a loop" --------------------------------------------------------------------------===//
//
// Words for the kinds of declarations and statements, for messages about attributes in the wrong place.
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_ATTRIBUTES_DESCRIBE_H
#define KERNIX_ATTRIBUTES_DESCRIBE_H

#include "llvm/ADT/StringRef.h"

namespace clang {
class Decl;
class Stmt;
} // namespace clang

namespace kernix {

/// With its article.
llvm::StringRef describe(const clang::Decl *D);
llvm::StringRef describe(const clang::Stmt *Statement);

} // namespace kernix

#endif
