//===- UnrollLoops.h - which loops of a derivative LLVM shall unroll ----------------------------------------------===//
//
// LLVM unrolls loops of a few iterations while they stay small. A reversed loop has several times the instructions of
// the loop that it reverses, and would stay a loop, with its arrays in memory and its accesses one by one, where the
// primal's does not.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_DERIVATIVE_LOOPS_UNROLLLOOPS_H
#define KERNIX_DERIVATIVE_LOOPS_UNROLLLOOPS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/IR/PassManager.h"

namespace llvm {
class BasicBlock;
}

namespace kernix {

/// Asks for whole unrolling of loops among Blocks whose number of iterations is known, unless they are large then or
/// the source says something of it.
void unrollLoops(llvm::Function &F, llvm::ArrayRef<llvm::BasicBlock *> Blocks, llvm::FunctionAnalysisManager &FAM);

/// Asks for whole unrolling of loops that `#pragma unroll` stands at, unless they are large then.
void unrollAsAsked(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);
/// Of loops that have not been unrolled, nothing is asked any more.
void forgetUnrolling(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);
/// The wish, in a loop's metadata.
constexpr char UnrollAnnotation[] = "kernix.unroll";

} // namespace kernix

#endif // KERNIX_DERIVATIVE_LOOPS_UNROLLLOOPS_H
