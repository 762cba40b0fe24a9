//===- NumbaShim.h - device functions for callers that Numba compiles ---------------------------------*- C++ -*-===//
//
// `int kernix_numba_<hash>(void *result, leaves...)`, which takes every value as its scalars (Binding/NumbaCall.h),
// 16-bit floats as their bits. What the function gives back are the scalars of its results, at `result`, laid out as
// the members of a struct. kernix::detail::NumbaShim does it; here is said where everything lies.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_SYNTHESIS_NUMBASHIM_H
#define KERNIX_SYNTHESIS_NUMBASHIM_H

#include "Binding/BoundFunction.h"
#include "Synthesis/AstBuilder.h"

namespace kernix {

/// The symbol of the shim in the file `Unit`.
std::string numbaShimSymbol(const BoundFunction &F, llvm::StringRef Unit);

/// Defines the shim F.NumbaShim: for PTX in the device pass, for the CPU target in the host pass, from where it calls
/// the function's thunk. False after an error.
bool synthesizeNumbaShim(AstBuilder &Builder, const BoundFunction &F);

} // namespace kernix

#endif // KERNIX_SYNTHESIS_NUMBASHIM_H
