//===- Raise.h - calls in canonical form ------------------------------------------------------------------------===//
//
// Before differentiation, what a function calls is given one name for all targets: `kernix.sin.f32` for libdevice's
// __nv_sinf, the C library's sinf and llvm.sin.f32. What LLVM has as an instruction, or as an intrinsic with the same
// meaning everywhere, becomes that: fma, fabs, half arithmetic, atomicrmw fadd. Must run before inlining, which would
// turn recognisable calls into bit tricks and assembly.
//
// Nothing here knows a derivative, and what it does not know it leaves alone.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_DERIVATIVE_CANONICAL_RAISE_H
#define KERNIX_DERIVATIVE_CANONICAL_RAISE_H

namespace llvm {
class CallBase;
class Instruction;
} // namespace llvm

namespace kernix {

/// Replaces a call by its canonical form; true if the call is gone. Knows libdevice (`__nv_*`), libm, LLVM intrinsics,
/// the CPU target's geometry functions, NVPTX special registers, half and bfloat16 functions, sincos, modf, frexp,
/// __ldg and its like, atomics, barriers, shuffles, votes, printf and assert (dropped).
bool raiseCall(llvm::CallBase &Call);

/// The same for instructions that are no calls: frem, which the NVPTX backend would expand without care for precision,
/// becomes kernix.fmod. True if the instruction is gone.
bool raiseInstruction(llvm::Instruction &I);

} // namespace kernix

#endif // KERNIX_DERIVATIVE_CANONICAL_RAISE_H
