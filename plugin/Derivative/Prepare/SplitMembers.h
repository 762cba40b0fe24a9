//===- SplitMembers.h - members of structs that are accessed together -------------------------------------------===//
//
// A struct of up to eight bytes that is passed to a function, returned or chosen is one integer, in which a number lies
// beside an index: `struct { float value; int index; }`.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_DERIVATIVE_PREPARE_SPLITMEMBERS_H
#define KERNIX_DERIVATIVE_PREPARE_SPLITMEMBERS_H

#include "Derivative/Analysis/Memory.h"

namespace kernix {

/// Makes loads and stores of integers that are several members of a struct, numbers among them, in local variables and
/// shared memory, loads and stores of each member.
void splitMembers(llvm::Function &F, MemoryObjects &Objects);

} // namespace kernix

#endif // KERNIX_DERIVATIVE_PREPARE_SPLITMEMBERS_H
