//===- StatementPlaces.h - statements that cannot be told apart by their place --------------------------*- C++ -*-===//
//
// The IR half finds annotated loops and calls by their line and column. All that a macro makes are where the macro is
// used, a file that is included twice has its lines twice, and so have two files of one name.
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_ATTRIBUTES_STATEMENTPLACES_H
#define KERNIX_ATTRIBUTES_STATEMENTPLACES_H

namespace clang {
class Sema;
}

namespace kernix {

class AttributeStore;

/// Reports annotated statements that cannot be told from others.
void checkStatementPlaces(clang::Sema &S, AttributeStore &Store);

} // namespace kernix

#endif
