//===- HiddenVariables.h - variables that stay in memory while a function is prepared ----------------------------===//
//
// A mark of the source belongs to a variable, and passes that put variables into registers forget which one a value
// was of. Until the marks have been followed, all uses of such a variable go through an opaque call, which is named
// after the kind of the mark. A variable may be hidden by several kinds.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_DERIVATIVE_PREPARE_HIDDENVARIABLES_H
#define KERNIX_DERIVATIVE_PREPARE_HIDDENVARIABLES_H

#include "llvm/IR/IRBuilder.h"

namespace kernix {

/// Pointer behind such a call.
llvm::CallInst *hidePointer(llvm::IRBuilder<> &B, llvm::Value *Pointer, llvm::StringRef Kind);
llvm::CallInst *hideVariable(llvm::AllocaInst &Variable, llvm::StringRef Kind, llvm::DebugLoc Place);
/// The call, if I hides a variable by a kind that starts with this.
llvm::CallInst *hidingCall(llvm::Instruction &I, llvm::StringRef Kind);
llvm::AllocaInst &hiddenVariable(const llvm::CallInst &Hidden);
/// Shows it again, as far as this kind is concerned; the call is gone.
void showVariable(llvm::CallInst &Hidden);

} // namespace kernix

#endif // KERNIX_DERIVATIVE_PREPARE_HIDDENVARIABLES_H
