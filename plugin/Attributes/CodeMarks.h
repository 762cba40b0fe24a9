//===- CodeMarks.h - what attributes say of code --------------------------------------------------------*- C++ -*-===//
//
// `no_diff`, `store` and `recompute` on functions, parameters and variables are annotations (HandOver.h) in the code
// that is made of these. Code is made of a function as soon as it is defined, while others may still say something of
// it; and clang lets a specialization inherit what the template says, which speaks of the template alone.
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_ATTRIBUTES_CODEMARKS_H
#define KERNIX_ATTRIBUTES_CODEMARKS_H

#include "llvm/ADT/StringRef.h"

namespace clang {
class ASTConsumer;
class Decl;
class Sema;
} // namespace clang

namespace kernix {

class AttributeStore;

/// When the attribute is parsed: what is instantiated from D inherits the mark.
void markWhereWritten(clang::Sema &S, clang::Decl &D, llvm::StringRef Attribute);

/// Before code is made of D: what all of its declarations say, and nothing else.
void correctMarks(clang::Decl &D, AttributeStore &Store);

/// At the end: what declarations behind the definition say. Of functions it still reaches the code; all else that does
/// not is an error.
void addLateMarks(clang::Sema &S, AttributeStore &Store, clang::ASTConsumer &Code);

} // namespace kernix

#endif
