//===- CpuRefused.h - CUDA C++ without a CPU target ---------------------------------------------------*- C++ -*-===//
//
// What the IR of the CPU target cannot express any more, refused while the place in the source is known. Headers that
// have no CPU target refuse themselves (runtime/include/kernix/cpu).
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_BINDING_CPUREFUSED_H
#define KERNIX_BINDING_CPUREFUSED_H

namespace clang {
class Sema;
} // namespace clang

namespace kernix {

/// Reports, outside system headers, inline assembly and arrays of unknown size in code that the device pass emits, and
/// kernels that take their parameters other than by a copy of bytes. At the end of a translation unit, bound functions
/// or not.
void refuseOnCpu(clang::Sema &S);

} // namespace kernix

#endif // KERNIX_BINDING_CPUREFUSED_H
