//===- XlaHandler.h - kernix_xla_<name> ------------------------------------------------------------*- C++ -*--===//
//
// A handler of XLA's FFI around the runtime, one per operation. Host pass only.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_SYNTHESIS_XLAHANDLER_H
#define KERNIX_SYNTHESIS_XLAHANDLER_H

#include "Binding/BoundFunction.h"
#include "Synthesis/AstBuilder.h"

namespace kernix {

/// False after an error.
bool synthesizeXlaHandler(AstBuilder &Builder, const Operation &O, clang::VarDecl *Slot);

} // namespace kernix

#endif // KERNIX_SYNTHESIS_XLAHANDLER_H
