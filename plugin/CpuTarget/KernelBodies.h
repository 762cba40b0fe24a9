//===- KernelBodies.h - the functions that the runtime calls to run a kernel
//-----------------------------------------===//

#ifndef KERNIX_PLUGIN_CPUTARGET_KERNELBODIES_H
#define KERNIX_PLUGIN_CPUTARGET_KERNELBODIES_H

#include "CpuTarget/CallGraph.h"
#include "CpuTarget/ObjectLayout.h"

namespace kernix {

/// Loops over blocks and threads around Kernel, for kernels whose threads never wait: kernix_cpu_kernel::run_blocks.
/// PlaceReaders are the functions that may ask for threadIdx or blockIdx.
llvm::Function *buildRunBlocks(llvm::Function &Kernel, const ObjectLayout &Layout, const DeviceCallGraph &Graph,
                               const FunctionSet &PlaceReaders);

/// One thread of Kernel: kernix_cpu_kernel::run_thread.
llvm::Function *buildRunThread(llvm::Function &Kernel, const ObjectLayout &Layout);

/// Marks the loop over threadIdx.x; what its metadata is called.
inline constexpr llvm::StringLiteral ThreadLoopMarker = "kernix.thread.loop";

} // namespace kernix

#endif
