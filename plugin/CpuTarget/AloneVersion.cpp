//===- AloneVersion.cpp - a kernel for when no other host thread adds to memory ---------------------------------===//

#include "CpuTarget/AloneVersion.h"
#include "CpuTarget/SharedMemory.h"
#include "GradientAddition.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace kernix {

static bool isAddition(const Instruction &I) {
  const auto *Atomic = dyn_cast<AtomicRMWInst>(&I);
  return Atomic && Atomic->hasMetadata(GradientAddition) && Atomic->use_empty() && !Atomic->isVolatile() &&
         Atomic->getOrdering() == AtomicOrdering::Monotonic;
}

/// An operation on a block's own memory, which is plain anyway. Fences and volatile accesses are never.
static bool isOfBlock(const Instruction &I, const ObjectLayout &Layout) {
  if (const auto *Update = dyn_cast<AtomicRMWInst>(&I))
    return !I.isVolatile() && isSharedMemory(*Update->getPointerOperand(), Layout, I.getDataLayout());
  const auto *Exchange = dyn_cast<AtomicCmpXchgInst>(&I);
  return Exchange && !I.isVolatile() && isSharedMemory(*Exchange->getPointerOperand(), Layout, I.getDataLayout());
}

bool hasAtomics(const Function &F) {
  return any_of(instructions(F), [](const Instruction &I) { return I.isAtomic() || I.isVolatile(); });
}

Function *makeAloneVersion(Function &Blocks, const ObjectLayout &Layout, const DeviceCallGraph &Graph,
                           const FunctionSet &WithAtomics) {
  bool Adds = false;
  for (const Instruction &I : instructions(Blocks)) {
    const auto *Call = dyn_cast<CallBase>(&I);
    if (Call && !isa<IntrinsicInst>(Call) && Graph.mayReach(*Call, WithAtomics))
      return nullptr;
    if ((!I.isAtomic() && !I.isVolatile()) || isOfBlock(I, Layout))
      continue;
    if (!isAddition(I))
      return nullptr;
    Adds = true;
  }
  if (!Adds)
    return nullptr;
  ValueToValueMapTy Map;
  Function *Version = CloneFunction(&Blocks, Map);
  Version->setName(Blocks.getName() + ".alone");
  for (Instruction &I : instructions(*Version))
    if (auto *Atomic = dyn_cast<AtomicRMWInst>(&I))
      Atomic->setSyncScopeID(SyncScope::SingleThread);
  return Version;
}

} // namespace kernix
