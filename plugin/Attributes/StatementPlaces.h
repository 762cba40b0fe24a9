//===- StatementPlaces.h - where the IR half finds annotated statements ---------------------------------*- C++ -*-===//
//
// The IR half finds annotated loops and calls by the file, line and column of their debug locations. All that a macro
// makes are where the macro is used, a file that is included twice has its lines twice, and so have two files of one
// name. A function without debug information has no places at all.
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_ATTRIBUTES_STATEMENTPLACES_H
#define KERNIX_ATTRIBUTES_STATEMENTPLACES_H

#include "clang/Basic/SourceLocation.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <tuple>

namespace clang {
class Decl;
class FunctionDecl;
class Sema;
class SourceManager;
class Stmt;
} // namespace clang

namespace kernix {

class AttributeStore;

/// What a debug location says of a place in the source.
struct StatementPlace {
  int64_t File = 0; ///< a hash of its name; 0: it has none
  unsigned Line = 0, Column = 0;
  bool operator<(const StatementPlace &Other) const {
    return std::tie(File, Line, Column) < std::tie(Other.File, Other.Line, Other.Column);
  }
};

/// Where clang's code generation says that the code of a statement at Loc is.
StatementPlace placeInCode(clang::SourceLocation Loc, const clang::SourceManager &Sources, const AttributeStore &Store);

/// The loops that `store` or `recompute` on a function speaks of: those without a word of their own.
llvm::SmallVector<const clang::Stmt *, 4> loopsWithoutAttribute(const clang::FunctionDecl &Function,
                                                                AttributeStore &Store);

/// Lets functions in D with annotated statements have places, whatever `nodebug` says, which macros for inlining bring
/// along. Before they are compiled.
void keepStatementPlaces(clang::Decl &D, AttributeStore &Store);

/// Reports annotated statements that cannot be told from others.
void checkStatementPlaces(clang::Sema &S, AttributeStore &Store);

} // namespace kernix

#endif
