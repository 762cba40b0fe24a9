//===- KernelBodies.h - the functions that the runtime calls to run a kernel -------------------------------------===//

#ifndef KERNIX_PLUGIN_CPUTARGET_KERNELBODIES_H
#define KERNIX_PLUGIN_CPUTARGET_KERNELBODIES_H

#include "CpuTarget/CallGraph.h"
#include "CpuTarget/ObjectLayout.h"

namespace kernix {

/// Loops over blocks and threads around Kernel, for kernels whose threads never wait: kernel.blocks, as GridLoop makes
/// it. PlaceReaders are the functions that may ask for threadIdx or blockIdx. UsesShared: blocks must not overlap in
/// time.
llvm::Function *buildBlocks(llvm::Function &Kernel, const ObjectLayout &Layout, const DeviceCallGraph &Graph,
                            const FunctionSet &PlaceReaders, bool UsesShared);

/// The function that the runtime calls, kernix_cpu_kernel::run_blocks, around Blocks, which has Kernel's parameters.
llvm::Function *buildRunBlocks(llvm::Function &Kernel, llvm::Function &Blocks, llvm::StringRef Suffix);

/// One thread of Kernel: kernix_cpu_kernel::run_thread.
llvm::Function *buildRunThread(llvm::Function &Kernel, const ObjectLayout &Layout);

} // namespace kernix

#endif
