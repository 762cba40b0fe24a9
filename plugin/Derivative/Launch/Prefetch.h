//===- Prefetch.h - memory that is read behind barriers is asked for before them --------------------------------===//
//
// A backward kernel computes the forward sweep again, with its barriers, before it reads cotangents and gradients. No
// compiler moves a load over a barrier, so that each thread would wait for memory once more. Nothing is read early
// here, which other threads might still write: what will be read is fetched to the second-level cache.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_DERIVATIVE_LAUNCH_PREFETCH_H
#define KERNIX_DERIVATIVE_LAUNCH_PREFETCH_H

namespace llvm {
class Function;
class PassBuilder;
} // namespace llvm

namespace kernix {

/// For the kernels that Body becomes a part of.
void askForPrefetches(llvm::Function &Body);

/// Writes them into optimised kernels.
void addPrefetchPass(llvm::PassBuilder &Builder);

} // namespace kernix

#endif // KERNIX_DERIVATIVE_LAUNCH_PREFETCH_H
