//===- PassedStructs.h - structs that are passed in registers ---------------------------------------------------===//
//
// A struct of up to sixteen bytes is passed as one or two integers, and copied by a load and a store of one.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_DERIVATIVE_PREPARE_PASSEDSTRUCTS_H
#define KERNIX_DERIVATIVE_PREPARE_PASSEDSTRUCTS_H

namespace llvm {
class Function;
}

namespace kernix {

/// Makes stores of integers that are several members of a struct copies of memory again: so small structs are passed.
/// Before local variables become registers, which would read the members out of one load of a parameter.
void copyPassedStructs(llvm::Function &F);

} // namespace kernix

#endif // KERNIX_DERIVATIVE_PREPARE_PASSEDSTRUCTS_H
