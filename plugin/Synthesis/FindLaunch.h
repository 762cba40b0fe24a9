//===- FindLaunch.h - kernel launches in a function ----------------------------------------------------*- C++ -*-===//

#ifndef KERNIX_SYNTHESIS_FINDLAUNCH_H
#define KERNIX_SYNTHESIS_FINDLAUNCH_H

#include "clang/AST/Decl.h"

namespace kernix {

/// A `<<<>>>` in the body of F or of a visible function that it calls by name; null if there is none.
const clang::Expr *findLaunch(const clang::FunctionDecl *F);

} // namespace kernix

#endif // KERNIX_SYNTHESIS_FINDLAUNCH_H
