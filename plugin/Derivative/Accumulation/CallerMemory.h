//===- CallerMemory.h - gradients that lie in local memory of a caller ------------------------------------------===//
//
// A derivative in device code is given the addresses of gradients. A variable of the calling thread takes a plain
// addition, and may not be touched by an atomic operation on a GPU; anything else needs one. Which it is shows when the
// derivative has been inlined where it is called: until then it is a question in the code.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_DERIVATIVE_ACCUMULATION_CALLERMEMORY_H
#define KERNIX_DERIVATIVE_ACCUMULATION_CALLERMEMORY_H

#include "llvm/IR/IRBuilder.h"

namespace llvm {
class PassBuilder;
}

namespace kernix {

/// Whether Place lies in a variable of the thread that runs here.
llvm::Value *isCallersVariable(llvm::IRBuilder<> &B, llvm::Value *Place);

/// Answers the questions: as soon as optimisation can, and those that are left, at run time, at its end.
void addCallerMemoryPasses(llvm::PassBuilder &Builder);

} // namespace kernix

#endif // KERNIX_DERIVATIVE_ACCUMULATION_CALLERMEMORY_H
