//===- AloneVersion.h - a kernel for when no other host thread adds to memory -----------------------------------===//
//
// An atomic addition is a locked instruction, or a loop around one, ten times as long as a plain one and nothing that
// can be vectorised. It is needed where several host threads run kernels. A kernel whose only atomics are additions to
// gradients gets a second version, in which they are atomic for one host thread alone; the runtime takes it where that
// is enough (runtime/src/cpu/alone.h). What kernels of users do by atomics of their own may be meant for code that is
// no kernel, and remains as it is.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_PLUGIN_CPUTARGET_ALONEVERSION_H
#define KERNIX_PLUGIN_CPUTARGET_ALONEVERSION_H

#include "CpuTarget/CallGraph.h"
#include "CpuTarget/ObjectLayout.h"

namespace kernix {

/// True if F itself has atomic operations, fences or volatile accesses.
bool hasAtomics(const llvm::Function &F);

/// The version of Blocks, which runs blocks of a kernel; null if there is nothing to gain or it may not be.
/// WithAtomics: all functions from which one that hasAtomics() can be reached.
llvm::Function *makeAloneVersion(llvm::Function &Blocks, const ObjectLayout &Layout, const DeviceCallGraph &Graph,
                                 const FunctionSet &WithAtomics);

} // namespace kernix

#endif
