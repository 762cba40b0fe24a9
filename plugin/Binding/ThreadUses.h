//===- ThreadUses.h - what a kernel's threads do differently ------------------------------------------*- C++ -*-===//
//
// Decides from a kernel's body whether a launch along x with one thread per element of the first output can be what it
// is written for. Looks at the AST of the host pass, follows calls, and never guesses: what cannot be seen counts
// against a default launch, or for the launch that calls without sizes have always had.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_BINDING_THREADUSES_H
#define KERNIX_BINDING_THREADUSES_H

namespace clang {
class Expr;
class FunctionDecl;
} // namespace clang

namespace kernix {

class BodyIndex;
class SkippedCode;

struct ThreadUses {
  /// The kernel and the functions it calls look at nothing but the x of threadIdx, blockIdx, blockDim and gridDim.
  bool OnlyX = false;
  /// They look at none of these, synchronize nothing and update nothing atomically: all threads would do the same.
  bool SingleThread = false;
  /// They look at neither blockIdx nor gridDim: all blocks would do the same.
  bool IgnoresBlocks = false;
  /// Everything that has an effect stands behind a test for the first thread of the grid.
  bool FirstThreadOnly = false;
};

ThreadUses threadUses(const clang::FunctionDecl *Kernel, const SkippedCode &Skipped);

/// What the headers of CUDA and of the CPU target read registers with, and what the latter calls in its runtime.
bool isRuntimeFunction(const clang::FunctionDecl *F);
/// One of these behind threadIdx, blockIdx, blockDim or gridDim.
bool readsGeometry(const clang::FunctionDecl *F);

/// Whether an integer in the body of a kernel provably has one value for all threads of a block.
bool isSameInBlock(const clang::Expr *E, const BodyIndex &Kernel);

} // namespace kernix

#endif // KERNIX_BINDING_THREADUSES_H
