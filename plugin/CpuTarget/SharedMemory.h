//===- SharedMemory.h - where __shared__ variables live ----------------------------------------------------------===//
//
// Clang makes __shared__ variables ordinary globals on x86. Here they get offsets in an arena that each block has; one
// layout for the whole unit, so that device functions shared by several kernels find their variables.
//
//===----------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_PLUGIN_CPUTARGET_SHAREDMEMORY_H
#define KERNIX_PLUGIN_CPUTARGET_SHAREDMEMORY_H

#include "CpuTarget/CallGraph.h"
#include "CpuTarget/ObjectLayout.h"
#include "llvm/ADT/MapVector.h"

namespace kernix {

class SharedMemory {
public:
  /// Finds the variables, lays them out and replaces every use. Errors go to the context.
  SharedMemory(llvm::Module &M, const ObjectLayout &Layout);

  /// Bytes of the variables that functions of Set use.
  uint64_t bytesUsedIn(const FunctionSet &Set) const;

  /// True if functions of Set use any of them, dynamic ones included.
  bool usedIn(const FunctionSet &Set) const;

  /// True if F itself uses one.
  bool isUsedBy(const llvm::Function &F) const;

  uint64_t unitBytes() const { return Size; }

private:
  struct Place {
    uint64_t Offset;
    uint64_t Bytes;
    bool Dynamic;
    FunctionSet Users;
  };
  void collect(llvm::Module &M);
  void rewriteUses(llvm::GlobalVariable &Variable, Place &P);
  llvm::Value *address(llvm::Function &F, const Place &P);

  const ObjectLayout &Layout;
  llvm::MapVector<llvm::GlobalVariable *, Place> Places;
  uint64_t Size = 0;
};

/// True for what clang emits on x86 for a __shared__ variable.
bool isShared(const llvm::GlobalVariable &Variable);

/// True if Pointer leads to a block's shared memory, in code where variables have been replaced.
bool isSharedMemory(const llvm::Value &Pointer, const ObjectLayout &Layout, const llvm::DataLayout &DL);

} // namespace kernix

#endif
