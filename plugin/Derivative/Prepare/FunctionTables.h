//===- FunctionTables.h - functions that are called by their place in a constant table --------------------------===//
//
// `acts[k](x)`: which functions there are is known, and which of them is called is the number in the brackets. The
// pointer that is read becomes a choice by that number (PointerChoices.h), so that each call is of one function.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_DERIVATIVE_PREPARE_FUNCTIONTABLES_H
#define KERNIX_DERIVATIVE_PREPARE_FUNCTIONTABLES_H

namespace llvm {
class Function;
}

namespace kernix {

/// True if something changed.
bool chooseFromTables(llvm::Function &F);

} // namespace kernix

#endif // KERNIX_DERIVATIVE_PREPARE_FUNCTIONTABLES_H
