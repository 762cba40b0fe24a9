//===- BlockSums.cpp - elements whose gradient is summed over a block first -------------------------------------===//

#include "Derivative/Accumulation/BlockSums.h"
#include "Derivative/Analysis/CollectivePaths.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace kernix;

/// Each is a register of every thread from its first use to the end.
static constexpr size_t MostElements = 32;

/// Whether V is computed from a block id.
static bool dependsOnBlock(const Value *V) {
  SmallPtrSet<const Value *, 16> Seen;
  SmallVector<const Value *, 16> Work = {V};
  while (!Work.empty()) {
    const auto *I = dyn_cast<Instruction>(Work.pop_back_val());
    if (!I || !Seen.insert(I).second)
      continue;
    if (const auto *Call = dyn_cast<CallBase>(I);
        Call && Call->getCalledFunction() && Call->getCalledFunction()->getName().starts_with("kernix.block_idx."))
      return true;
    append_range(Work, I->operands());
  }
  return false;
}

BlockSums::BlockSums(const DerivativeRequest &Request, const Prepared &P, MemoryObjects &Objects, Activity &Active,
                     const UniformValues &Uniform, const CollectivePaths &Paths, const Accumulation &Accumulations) {
  if (Request.Kind != DerivativeRequest::Kernel || !P.F->getParent()->getTargetTriple().isNVPTX() ||
      Accumulations.isAllAtomic() || Paths.endsAnyThreads())
    return;
  SmallPtrSet<const MemoryObject *, 4> Others;
  for (const Instruction &I : instructions(*P.F)) {
    const auto *Load = dyn_cast<LoadInst>(&I);
    const MemoryObject *O = Load && Active.isActiveAccess(I) ? Objects.only(Load->getPointerOperand()) : nullptr;
    if (!O || O->Kind != MemoryObject::Tensor || O->TheLeaf->Access != Leaf::In)
      continue;
    const Value *Pointer = Load->getPointerOperand();
    const auto *Address = dyn_cast<Instruction>(Pointer);
    StringRef Asked = O->TheLeaf->Diff;
    if (Accumulations.of(*O).Way == Accumulation::Choice::Atomic && (Asked.empty() || Asked == "default") &&
        Uniform.of(Pointer) == UniformValues::Block && (!Address || Address->getParent() == &P.F->getEntryBlock()) &&
        (Pointers.size() < MostElements || Pointers.contains(Pointer))) {
      Pointers.insert(Pointer);
      DependOnBlock |= dependsOnBlock(Pointer);
      All.insert(O);
    } else {
      Others.insert(O);
    }
  }
  for (const MemoryObject *O : Others)
    All.erase(O);
}
