//===- TestPasses.h - passes that only tests use ----------------------------------------------------------------===//

#ifndef KERNIX_DERIVATIVE_TESTPASSES_H
#define KERNIX_DERIVATIVE_TESTPASSES_H

#include "llvm/IR/PassManager.h"

namespace llvm {
class PassBuilder;
}

namespace kernix {

/// Makes known to -passes=:
///   kernix-raise    inlines and raises in every function that is not internal
///   kernix-lower    lowers every function; libdevice comes from the environment variable KERNIX_TEST_LIBDEVICE
///   kernix-rules    fills the module with two functions for every rule and type: `sin_f32(x)`, the function itself,
///                   and `d_sin_f32(operand, by, x)`, what scaleBy makes of it for that operand
///   kernix-rules-fast  the same with all fast-math flags on the functions
///   kernix-proofs   of prepared functions: see TestProofs.cpp
///   kernix-print-control-dependence  prints, for each block, whose branches decide whether it runs
void registerTestPasses(llvm::PassBuilder &Builder);
void addProofsPass(llvm::FunctionPassManager &FPM);

} // namespace kernix

#endif // KERNIX_DERIVATIVE_TESTPASSES_H
