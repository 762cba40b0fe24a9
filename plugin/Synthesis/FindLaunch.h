//===- FindLaunch.h - kernel launches in a function ----------------------------------------------------*- C++ -*-===//

#ifndef KERNIX_SYNTHESIS_FINDLAUNCH_H
#define KERNIX_SYNTHESIS_FINDLAUNCH_H

#include "clang/AST/Decl.h"

namespace kernix {

/// Where F has a `<<<>>>`, or runs code that has one: a call, or a variable with a constructor or destructor; invalid
/// where it has none.
clang::SourceLocation findLaunch(const clang::FunctionDecl *F);

} // namespace kernix

#endif // KERNIX_SYNTHESIS_FINDLAUNCH_H
