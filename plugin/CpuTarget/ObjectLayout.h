//===- ObjectLayout.h - the structures of kernix/cpu/object.h in LLVM's types ------------------------------------===//

#ifndef KERNIX_PLUGIN_CPUTARGET_OBJECTLAYOUT_H
#define KERNIX_PLUGIN_CPUTARGET_OBJECTLAYOUT_H

#include "llvm/ADT/StringRef.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include <string>

namespace kernix {

/// Fields of kernix_cpu_state, in order.
enum StateField : unsigned {
  SF_ThreadIdx,
  SF_BlockIdx,
  SF_BlockDim,
  SF_GridDim,
  SF_DynamicSharedSize,
  SF_Reserved,
  SF_Shared,
  SF_DynamicShared,
  SF_Frame
};

/// The types that host and device pass agree on with the runtime.
struct ObjectLayout {
  explicit ObjectLayout(llvm::Module &M);

  llvm::StructType *State;
  llvm::StructType *Kernel;
  llvm::StructType *Param;
  llvm::StructType *KernelEntry;
  llvm::StructType *Variable;
  llvm::StructType *VariableEntry;
  llvm::StructType *Unit;

  static constexpr unsigned Version = 2;
  static constexpr unsigned ParamIsAddress = 0xffffffffu;
};

/// The runtime's variable with the running thread's kernix_cpu_state.
inline constexpr llvm::StringLiteral CurrentStateName = "kernix_cpu_current_state";

/// Address of the running thread's kernix_cpu_state, at Builder's place.
llvm::Value *currentState(llvm::IRBuilder<> &Builder);

/// Address of a field of State; Axis for the fields with three.
llvm::Value *stateField(llvm::IRBuilder<> &Builder, const ObjectLayout &Layout, llvm::Value *State, StateField Field,
                        unsigned Axis = 0);

/// The link-time names of a unit's kernels and variables.
std::string kernelSymbol(llvm::StringRef Unit, llvm::StringRef Mangled);
std::string variableSymbol(llvm::StringRef Unit, llvm::StringRef Mangled);

/// A private constant C string.
llvm::Constant *stringConstant(llvm::Module &M, llvm::StringRef Text);

/// True for what clang emits for a `__global__` function, body or stub.
bool isKernel(const llvm::Function &F);

} // namespace kernix

#endif
