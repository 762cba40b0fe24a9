//===- JoinSweeps.h - what has been computed on the way, for the way back -----------------------------------------===//
//
// A sweep ends in one block, wherever it left the function or the iteration, and the number of that place says where
// the way back begins. Behind that block nothing is known to have been computed, though what is asked for there was, on
// the only way that leads to it: a sine is computed twice, and the parts of the first one wait for the second in
// registers. Each place is given an end of its own here.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_DERIVATIVE_REVERSE_JOINSWEEPS_H
#define KERNIX_DERIVATIVE_REVERSE_JOINSWEEPS_H

namespace llvm {
class Function;
}

namespace kernix {

/// Leads past blocks that do nothing but choose a successor by where they are entered from. True: something changed.
/// MayMove: also past blocks that compute something beside it, which is then computed earlier, where they may not be
/// reached.
bool joinSweeps(llvm::Function &F, bool MayMove);

} // namespace kernix

#endif // KERNIX_DERIVATIVE_REVERSE_JOINSWEEPS_H
