//===- StatementCalls.h - the calls that an attribute on a statement speaks of --------------------------*- C++ -*-===//
//
// `threadIdx.x` is a call, and so is what computes an index: neither gives or writes a number that could have a
// derivative. In a template any operator may become a call.
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_ATTRIBUTES_STATEMENTCALLS_H
#define KERNIX_ATTRIBUTES_STATEMENTCALLS_H

namespace clang {
class Sema;
class Stmt;
} // namespace clang

namespace kernix {

class AttributeStore;

/// Whether a statement has a call that may give or write numbers, or may have one once it is instantiated.
bool mayCallForNumbers(const clang::Stmt &Statement);

/// Reports statements with `no_diff` that have no such call in an instance of their template.
void checkStatementCalls(clang::Sema &S, AttributeStore &Store);

} // namespace kernix

#endif
