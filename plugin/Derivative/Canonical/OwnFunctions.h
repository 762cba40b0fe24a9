//===- OwnFunctions.h - functions of the user's that have a name of CUDA's --------------------------------------===//
//
// An overload that CUDA has not, as `__half2 __hmul(__half2, __half2)` for complex numbers, means what its body says.
// The IR does not tell whose a function is; the front half does (Synthesis/OwnFunctions.h).
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_DERIVATIVE_CANONICAL_OWNFUNCTIONS_H
#define KERNIX_DERIVATIVE_CANONICAL_OWNFUNCTIONS_H

namespace llvm {
class Function;
class Module;
} // namespace llvm

namespace kernix {

/// Takes the annotations of the front half out of the module; the functions remember them,
void readOwnFunctions(llvm::Module &M);
/// until this.
void forgetOwnFunctions(llvm::Module &M);

/// Whether it is the user's, whatever its name is. Where no front half has been, nothing is.
bool isOwnFunction(const llvm::Function &F);

} // namespace kernix

#endif // KERNIX_DERIVATIVE_CANONICAL_OWNFUNCTIONS_H
