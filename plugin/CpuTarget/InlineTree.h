//===- InlineTree.h - inlines what a kernel calls ----------------------------------------------------------------===//
//
// As GPU compilers do, and for the same reason: a kernel's loops vectorise only when their bodies are in one function.
// Recursive functions, `noinline` ones and, past a size limit, all others stay calls.
//
//===----------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_PLUGIN_CPUTARGET_INLINETREE_H
#define KERNIX_PLUGIN_CPUTARGET_INLINETREE_H

#include "llvm/IR/Function.h"

namespace kernix {

void inlineTree(llvm::Function &Root);

} // namespace kernix

#endif
