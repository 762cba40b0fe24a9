//===- TvmFfiEntry.h - __tvm_ffi_<name> and its metadata ---------------------------------------------*- C++ -*--===//
//
// Thin functions with tvm-ffi's packed calling convention around the runtime; one set per operation. Host pass only.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_SYNTHESIS_TVMFFIENTRY_H
#define KERNIX_SYNTHESIS_TVMFFIENTRY_H

#include "Binding/BoundFunction.h"
#include "Synthesis/AstBuilder.h"

namespace kernix {

/// False after an error.
bool synthesizeTvmFfiEntry(AstBuilder &Builder, const Operation &O, clang::VarDecl *Slot);

} // namespace kernix

#endif // KERNIX_SYNTHESIS_TVMFFIENTRY_H
