//===- ScratchGradients.cpp - gradients that a kernel keeps in scratch memory until it is done ------------------===//

#include "Derivative/Accumulation/ScratchGradients.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;
using namespace kernix;

ScratchGradients::ScratchGradients(const DerivativeRequest &Request, const Prepared &P, MemoryObjects &Objects,
                                   Activity &Active, const Accumulation &Accumulations, const FloatGradients &Floats,
                                   Refusals &Refused) {
  if (Request.Kind != DerivativeRequest::Kernel || !Request.Facts || Accumulations.isAllAtomic())
    return;
  auto LeafOf = [&](const MemoryObject &O) -> const Leaf * {
    if (O.Kind == MemoryObject::Tensor)
      return O.TheLeaf;
    // A number: of structs the front half has refused it.
    if (O.Kind == MemoryObject::Parameter && Request.Parameters[O.ParameterIndex].Leaves.size() == 1)
      return &Request.Parameters[O.ParameterIndex].Leaves.front();
    return nullptr;
  };
  auto IsAsked = [&](const MemoryObject &O) {
    const Leaf *L = LeafOf(O);
    return L && (L->Diff == "replicated" || L->Diff == "scatter");
  };
  auto Refuse = [&](const Instruction &Where, const MemoryObject &O, StringRef Why) {
    Refused.error(Where, "[[kernix::diff(" + LeafOf(O)->Diff + ")]] of '" + O.Name + "' cannot be: " + Why +
                             "; write [[kernix::diff]]");
  };
  for (const Instruction &I : instructions(*P.F)) {
    if (const auto *Call = dyn_cast<CallBase>(&I))
      for (const Use &Argument : Call->args())
        if (Argument->getType()->isPointerTy())
          for (const MemoryObject *O : Objects.of(Argument.get()))
            if (IsAsked(*O))
              Refuse(I, *O, "its address is given to a function that has a derivative of its own");
    MemoryAccess Access = accessOf(I);
    if (!Access.Pointer || !Active.isActiveAccess(I))
      continue;
    auto Accessed = Objects.of(Access.Pointer);
    for (const MemoryObject *O : Accessed) {
      if (!IsAsked(*O))
        continue;
      if (O->ParameterIndex >= 32) // see kernix_launch_facts
        Refuse(I, *O, "only the first 32 parameters can be kept in scratch memory");
      else if (Accessed.size() > 1 || !isa<LoadInst>(I) || (isNarrow(Access.Type) && !Floats.contains(*O)))
        Refuse(I, *O, "it is read in a way that cannot be followed");
      const Leaf &L = *LeafOf(*O);
      All[O] = {L.Diff == "replicated" ? Way::Replicated : Way::Noted, static_cast<uint64_t>(L.DiffCount)};
    }
  }
}
