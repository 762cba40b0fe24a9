//===- LaunchThunk.h - typed calls of host and device functions --------------------------------------*- C++ -*--===//
//
// A kernel needs no typed code: its stub takes pointers to its arguments. Host functions are called through
// kernix::detail::Thunk<F, &f>::call, instantiated here. Device functions of the CPU target get a thunk with a C name
// in the device pass, to which the host pass refers.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_SYNTHESIS_LAUNCHTHUNK_H
#define KERNIX_SYNTHESIS_LAUNCHTHUNK_H

#include "Binding/BoundFunction.h"
#include "Synthesis/AstBuilder.h"

namespace kernix {

/// kernix::detail::Thunk<decltype(f), &f>, or the ConvertingThunk where an arg_spec has other types. Null after an
/// error.
clang::QualType thunkType(AstBuilder &Builder, const BoundFunction &F);

/// The kernix_thunk of a host function as an expression; a null pointer for functions that cannot be called from the
/// host. Null after an error.
clang::Expr *callThunk(AstBuilder &Builder, const BoundFunction &F);

/// The symbol of the thunk of a device function in the CPU target's file `Unit`.
std::string deviceThunkSymbol(const BoundFunction &F, llvm::StringRef Unit);

/// Defines that thunk, in the device pass. False after an error.
bool synthesizeDeviceThunk(AstBuilder &Builder, const BoundFunction &F);

} // namespace kernix

#endif // KERNIX_SYNTHESIS_LAUNCHTHUNK_H
