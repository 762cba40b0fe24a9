//===- FixedOrder.cpp - what a deterministic build refuses ------------------------------------------------------===//

#include "Derivative/FixedOrder.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;
using namespace kernix;

static constexpr char InABuild[] = "; a deterministic build adds in a fixed order";

void kernix::refuseSumsOverThreads(const DerivativeRequest &Request, const Prepared &P, MemoryObjects &Objects,
                                   Activity &Active, const Accumulation &Accumulations, Refusals &Refused) {
  if (Request.Kind != DerivativeRequest::Kernel)
    return;
  SmallPtrSet<const MemoryObject *, 4> Seen;
  for (const Instruction &I : instructions(*P.F)) {
    // Views that come with kernix are written in the language of rules.
    if (const CustomRule *Rule = ruleOf(&I, Objects.rules());
        Rule && Rule->holdsGradient() && Active.isActive(&I) && addsAtomically(*Rule->Thunk)) {
      Refused.error(I, "'" + Rule->Name + "' adds to its gradient by atomic operations" + InABuild);
      continue;
    }
    MemoryAccess Access = accessOf(I);
    if (!Access.Pointer || !isa<LoadInst>(I) || !Active.isActiveAccess(I))
      continue;
    for (const MemoryObject *O : Objects.of(Access.Pointer)) {
      if (!Seen.insert(O).second)
        continue;
      if (O->Kind == MemoryObject::Parameter)
        Refused.error(I, "the gradient of '" + O->Name + "' is a sum over all threads" + InABuild +
                             "; mark it [[kernix::no_diff]], or give each thread an element of a tensor");
      else if (O->Kind == MemoryObject::Shared)
        Refused.error(I, "several threads may add to one adjoint of the shared '" + O->Name + "'" + InABuild);
    }
  }
  for (const auto &[O, Choice] : Accumulations.choices()) {
    if (!Seen.contains(O)) // only written: its cotangent is read
      continue;
    if (Choice.Way == Accumulation::Choice::Atomic)
      Refused.error(*Choice.Where,
                    "threads may add to one element of the gradient of '" + O->Name + "': " + Choice.Reason + InABuild);
    else if (Choice.Way == Accumulation::Choice::Warp)
      Refused.error(*Choice.Where, "[[kernix::diff(warp)]] of '" + O->Name + "' adds for each warp" + InABuild);
  }
}

void kernix::refuseAtomicTangents(const Prepared &P, Activity &Active, Refusals &Refused) {
  for (const Instruction &I : instructions(*P.F))
    if (isa<AtomicRMWInst>(I) && Active.isActiveAccess(I))
      Refused.error(I, Twine("tangents are added by atomic operations here") + InABuild);
}
