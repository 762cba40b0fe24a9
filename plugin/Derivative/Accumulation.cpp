//===- Accumulation.cpp - how each gradient is added to ---------------------------------------------------------===//

#include "Derivative/Accumulation.h"

using namespace llvm;
using namespace kernix;

Accumulation::Accumulation(const DerivativeRequest &Request, const Prepared &P, MemoryObjects &Objects,
                           Activity &Active)
    : Request(Request) {
  (void)P;
  (void)Objects;
  (void)Active;
}

void Accumulation::add(IRBuilder<> &B, IRBuilder<> &Entry, const MemoryObject &Object, Value *Place, Value *Added) {
  (void)Entry;
  (void)Object;
  Align Alignment(B.GetInsertBlock()->getDataLayout().getTypeStoreSize(Added->getType()));
  if (Request.Kind == DerivativeRequest::Host) {
    Value *Old = B.CreateAlignedLoad(Added->getType(), Place, Alignment);
    B.CreateAlignedStore(B.CreateFAdd(Old, Added), Place, Alignment);
    return;
  }
  // Threads of other blocks add too; nothing else is ordered by it.
  SyncScope::ID Scope = B.getContext().getOrInsertSyncScopeID(
      B.GetInsertBlock()->getModule()->getTargetTriple().isNVPTX() ? "device" : "");
  B.CreateAtomicRMW(AtomicRMWInst::FAdd, Place, Added, Alignment, AtomicOrdering::Monotonic, Scope);
}
