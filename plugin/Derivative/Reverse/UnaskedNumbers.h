//===- UnaskedNumbers.h - numbers that nobody asks for ----------------------------------------------------------===//
//
// What a thread gives is read where it has given something, and is nothing everywhere else: to each branch that gives
// nothing that is one number more to set, for each of a dozen sums. Where the same branches say that it is not read, it
// can be anything.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_DERIVATIVE_REVERSE_UNASKEDNUMBERS_H
#define KERNIX_DERIVATIVE_REVERSE_UNASKEDNUMBERS_H

namespace llvm {
class Function;
}

namespace kernix {

/// Of each `select flag, number, ...` whose flag and number are phis of one block: the number becomes poison on the
/// ways on which the flag is false.
void forgetUnaskedNumbers(llvm::Function &F);

} // namespace kernix

#endif // KERNIX_DERIVATIVE_REVERSE_UNASKEDNUMBERS_H
