//===- Members.h - members that need an object, as functions ------------------------------------------*- C++ -*-===//
//
// A bound method of a class is a function whose first parameter `self` is the object: `const C &` of a const method,
// else `C &` with the intent inout_ptr. A bound constructor is a function that gives the object. Device code only. The
// function is declared and defined here; that it takes part in the binding like any other is BindFunctions' business.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_BINDING_MEMBERS_H
#define KERNIX_BINDING_MEMBERS_H

#include "Attributes/AttributeStore.h"
#include "clang/AST/DeclCXX.h"
#include "clang/Sema/Sema.h"

namespace kernix {

/// F if it is a constructor or a method that needs an object; else null.
const clang::CXXMethodDecl *memberToWrap(const clang::FunctionDecl *F);

/// The function that calls a member, with its attributes, which has the symbol `Symbol`. Null after an error.
clang::FunctionDecl *functionOfMember(clang::Sema &S, AttributeStore &Store, const clang::CXXMethodDecl *Member,
                                      llvm::StringRef Symbol);

} // namespace kernix

#endif // KERNIX_BINDING_MEMBERS_H
