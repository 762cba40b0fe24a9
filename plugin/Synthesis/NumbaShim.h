//===- NumbaShim.h - device functions for callers that Numba compiles ---------------------------------*- C++ -*-===//
//
// `int kernix_numba_<hash>(void *result, leaves...)`, which takes every value as its scalars: a struct, a complex
// number or a vector as those that it is made of, in order, 16-bit floats as their bits, what is passed by address as a
// pointer. What the function gives back are the scalars of its result and then of its outputs, at `result`, laid out as
// the members of a struct. kernix::detail::NumbaShim does it; here is said where everything lies.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_SYNTHESIS_NUMBASHIM_H
#define KERNIX_SYNTHESIS_NUMBASHIM_H

#include "Binding/BoundFunction.h"
#include "Synthesis/AstBuilder.h"

namespace kernix {

/// Why Numba's kernels cannot call a device function, as a sentence about it; empty if they can.
std::string whyNotInNumba(const BoundFunction &F);

/// The symbol of the shim in the file `Unit`.
std::string numbaShimSymbol(const BoundFunction &F, llvm::StringRef Unit);

/// Defines the shim F.NumbaShim: for PTX in the device pass, for the CPU target in the host pass, from where it calls
/// the function's thunk. False after an error.
bool synthesizeNumbaShim(AstBuilder &Builder, const BoundFunction &F);

} // namespace kernix

#endif // KERNIX_SYNTHESIS_NUMBASHIM_H
