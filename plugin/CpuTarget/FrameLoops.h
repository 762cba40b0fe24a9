//===- FrameLoops.h - loops over what all threads have in one slot of their frames -------------------------------===//
//
// Between two phases. They are the same for all kernels: functions, one of each in a module, since a kernel may have a
// hundred phases.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_PLUGIN_CPUTARGET_FRAMELOOPS_H
#define KERNIX_PLUGIN_CPUTARGET_FRAMELOOPS_H

#include "llvm/IR/Function.h"

namespace kernix {

/// `void(i32 *Sources, i64 *Values, i64 *Results, i64 Threads)`: each thread's result is the value of the lane of its
/// warp that its source names, its own value if there is no such lane. Compiled as Kernel is.
llvm::Function *lanesFunction(llvm::Function &Kernel);

/// `i32(i32 *Cuts, i64 Threads)`: the cut that all threads have come to, 0 if they have come to several.
llvm::Function *commonCutFunction(llvm::Function &Kernel);

} // namespace kernix

#endif
