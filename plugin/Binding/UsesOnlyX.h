//===- UsesOnlyX.h - kernels that look at one axis only -----------------------------------------------*- C++ -*-===//

#ifndef KERNIX_BINDING_USESONLYX_H
#define KERNIX_BINDING_USESONLYX_H

namespace clang {
class FunctionDecl;
}

namespace kernix {

class SkippedCode;

/// True if a kernel and the functions it calls look at nothing but the x of threadIdx, blockIdx, blockDim and gridDim,
/// so that a launch along x alone runs all of it. False where that cannot be seen.
bool usesOnlyX(const clang::FunctionDecl *Kernel, const SkippedCode &Skipped);

} // namespace kernix

#endif // KERNIX_BINDING_USESONLYX_H
