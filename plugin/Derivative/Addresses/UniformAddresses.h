//===- UniformAddresses.h - addresses that the threads of a block have in common --------------------------------===//
//
// `weights[k]` in several branches is one address. It is computed at the start of the function, where all threads are,
// so that what they give to its gradient can be summed there. On NVIDIA's GPUs the same is done with places in shared
// memory that the thread's own place in the block tells: what all threads give to these is added at a place where all
// are.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_DERIVATIVE_ADDRESSES_UNIFORMADDRESSES_H
#define KERNIX_DERIVATIVE_ADDRESSES_UNIFORMADDRESSES_H

namespace llvm {
class Function;
}

namespace kernix {

/// Moves the computation of such addresses of numbers that are loaded to F's entry, where it depends on arguments,
/// extents and ids, and can be done without its guard. Equal ones become one.
void hoistUniformAddresses(llvm::Function &F);

} // namespace kernix

#endif // KERNIX_DERIVATIVE_ADDRESSES_UNIFORMADDRESSES_H
