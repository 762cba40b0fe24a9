//===- EarlyReturns.h - threads that have nothing more to do return at once -------------------------------------===//
//
// A derivative remembers by which way its first half came to an end, and asks for it before the second. `if (warp >= n)
// return;` leads to one end there, and then to a question whose answers depend on the lane. Threads whose answer is to
// return, return where they are.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_DERIVATIVE_PREPARE_EARLYRETURNS_H
#define KERNIX_DERIVATIVE_PREPARE_EARLYRETURNS_H

namespace llvm {
class Function;
}

namespace kernix {

void returnAtOnce(llvm::Function &F);

} // namespace kernix

#endif // KERNIX_DERIVATIVE_PREPARE_EARLYRETURNS_H
