//===- Assembly.h - what inline PTX is known to do --------------------------------------------------------------===//
//
// CUDA's headers and kernels write in PTX what C++ has no word for. Only instructions that are listed here are known:
// of any other text nothing is assumed.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_DERIVATIVE_CANONICAL_ASSEMBLY_H
#define KERNIX_DERIVATIVE_CANONICAL_ASSEMBLY_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace llvm {
class CallBase;
} // namespace llvm

namespace kernix {

/// One instruction: "@p add.s32 $0, $1, 3" is {"add.s32", {"$0", "$1", "3"}}. Vectors in braces are one operand.
struct AssemblyStatement {
  llvm::StringRef Operation;
  llvm::SmallVector<llvm::StringRef, 4> Operands;
  /// "add" of "add.s32"
  llvm::StringRef root() const { return Operation.split('.').first; }
};

enum class AssemblyEffect {
  Computes, ///< results from operands, alike whenever it is repeated
  Harmless, ///< has nothing to do with memory: fences, prefetches, clocks, votes
  Reads,    ///< may read memory
  Anything  ///< may write, wait, or is not known
};

/// The statements of PTX without comments, blocks and declarations. They refer to Text.
llvm::SmallVector<AssemblyStatement, 2> statementsOf(llvm::StringRef Text);

/// Of inline assembly that is called. On another target than the GPU: Anything.
AssemblyEffect effectOf(const llvm::CallBase &Assembly);

/// The text for a message: its first instruction.
std::string nameOfAssembly(const llvm::CallBase &Assembly);

} // namespace kernix

#endif // KERNIX_DERIVATIVE_CANONICAL_ASSEMBLY_H
