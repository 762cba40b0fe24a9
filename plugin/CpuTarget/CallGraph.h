//===- CallGraph.h - which functions a device function can reach -------------------------------------------------===//
//
// A call through a pointer, or of a function that is only declared (which might call back), may reach every function
// whose address is taken. Nothing is modified here.
//
//===----------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_PLUGIN_CPUTARGET_CALLGRAPH_H
#define KERNIX_PLUGIN_CPUTARGET_CALLGRAPH_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"

namespace kernix {

using FunctionSet = llvm::SmallPtrSet<const llvm::Function *, 32>;

/// True for the functions of device_runtime.h that wait for other threads.
bool isWaitingFunction(const llvm::Function &F);

/// The function that Call names, through aliases; null for calls through pointers.
llvm::Function *calledFunction(const llvm::CallBase &Call);

class DeviceCallGraph {
public:
  explicit DeviceCallGraph(llvm::Module &M);

  /// All functions from which one with Property can be reached, those with Property included.
  FunctionSet reaching(llvm::function_ref<bool(const llvm::Function &)> Property) const;

  /// All functions that From can reach, From included.
  FunctionSet reachableFrom(const llvm::Function &From) const;

  /// True if Call may end up in a function of Set, which `reaching` has made.
  bool mayReach(const llvm::CallBase &Call, const FunctionSet &Set) const;

private:
  struct Node {
    FunctionSet Callees;
    bool CallsUnknown = false;
  };
  bool someAddressTakenIn(const FunctionSet &Set) const;

  llvm::DenseMap<const llvm::Function *, Node> Nodes;
  FunctionSet AddressTaken;
};

} // namespace kernix

#endif
