//===- KeptAddresses.h - addresses that are computed before a branch and used behind it -------------------------===//
//
// What is computed on one way only and used where ways meet again has an undefined value on the others: a row's
// address, which a loop's front computes for it, in a backward derivative behind the loop. An address of a view has no
// counterpart in another view with other strides then. It is computed again instead, where it is used.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_DERIVATIVE_PREPARE_KEPTADDRESSES_H
#define KERNIX_DERIVATIVE_PREPARE_KEPTADDRESSES_H

namespace llvm {
class DominatorTree;
class Function;
} // namespace llvm

namespace kernix {

/// True if something changed.
bool recomputeKeptAddresses(llvm::Function &F, const llvm::DominatorTree &Dominators);

} // namespace kernix

#endif // KERNIX_DERIVATIVE_PREPARE_KEPTADDRESSES_H
