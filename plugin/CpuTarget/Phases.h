//===- Phases.h - runs the threads of a block phase by phase -----------------------------------------------------===//

#ifndef KERNIX_PLUGIN_CPUTARGET_PHASES_H
#define KERNIX_PLUGIN_CPUTARGET_PHASES_H

#include "CpuTarget/CallGraph.h"
#include "CpuTarget/ObjectLayout.h"
#include "llvm/IR/PassManager.h"

namespace kernix {

struct PhasedKernel {
  llvm::Function *Blocks;  // kernel.blocks, as GridLoop makes it
  uint64_t FrameBytes = 0; // a thread's frame
  bool SideBySide = false; // blocks run together, in steps
};

/// Makes kernel.blocks for a kernel whose threads wait, or step through data together. Blocks is null if that has no
/// form as phases (see PhasePlan.h); nothing is left behind then.
PhasedKernel buildPhases(llvm::Function &Kernel, const ObjectLayout &Layout, const DeviceCallGraph &Graph,
                         const FunctionSet &PlaceReaders, const FunctionSet &Waiting, bool UsesShared,
                         llvm::FunctionAnalysisManager &FAM);

} // namespace kernix

#endif
