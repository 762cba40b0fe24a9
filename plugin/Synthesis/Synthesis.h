//===- Synthesis.h - from records to declarations ----------------------------------------------------*- C++ -*--===//

#ifndef KERNIX_SYNTHESIS_SYNTHESIS_H
#define KERNIX_SYNTHESIS_SYNTHESIS_H

#include "Binding/BoundFunction.h"

namespace clang {
class Sema;
}

namespace kernix {

/// Adds everything that the host pass exports for the bound functions: descriptors, entry points, reflection. Stops
/// after the first function with an error.
void synthesizeHost(clang::Sema &S, const Bindings &B);

/// Adds what the device pass of the CPU target exports: thunks of device functions, which the host pass refers to.
void synthesizeCpuDevice(clang::Sema &S, const Bindings &B);

/// Adds shims of device functions for Numba's kernels, in the device pass.
void synthesizeForNumba(clang::Sema &S, const Bindings &B);

} // namespace kernix

#endif // KERNIX_SYNTHESIS_SYNTHESIS_H
