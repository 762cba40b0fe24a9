//===- DiffViews.h - the roles of differentiable views -------------------------------------------------*- C++ -*-===//
//
// What a differentiable view is to a function is seen in its body: only loaded from, it is an input; only stored to, an
// output. A declaration as const, and an intent, come before that. CheckUses.h holds these against the body.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_BINDING_DIFFVIEWS_H
#define KERNIX_BINDING_DIFFVIEWS_H

#include "Binding/BoundFunction.h"
#include "clang/Sema/Sema.h"

namespace kernix {

class SkippedCode;

/// Sets the role of a view that is not declared const and has no intent. False after an error.
bool assignDiffViewRole(clang::Sema &S, const clang::FunctionDecl *F, const SkippedCode &Skipped, Parameter &P);

/// Whether a view's class has a member of this name.
bool hasMember(clang::Sema &S, clang::QualType View, llvm::StringRef Name);

/// Refuses a member `after` that kernix could not call. False after an error.
bool checkAfter(clang::Sema &S, clang::QualType View);

/// Refuses what has no derivative yet. False after an error.
bool checkDiffView(clang::Sema &S, const BoundFunction &F, const Parameter &P);

} // namespace kernix

#endif // KERNIX_BINDING_DIFFVIEWS_H
