//===- DebugInfo.h - debug information of the functions that the CPU passes make ---------------------------------===//
//
// A body made from a kernel shows under the kernel's name, file and line, so that debuggers and profilers find it.
//
//===----------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_PLUGIN_CPUTARGET_DEBUGINFO_H
#define KERNIX_PLUGIN_CPUTARGET_DEBUGINFO_H

#include "llvm/IR/DebugLoc.h"
#include "llvm/IR/Function.h"

namespace kernix {

/// Gives Made a subprogram like Kernel's and returns a location in it; an empty location if Kernel has none.
llvm::DebugLoc describeAs(llvm::Function &Made, const llvm::Function &Kernel);

} // namespace kernix

#endif
