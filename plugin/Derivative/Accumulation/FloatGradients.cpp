//===- FloatGradients.cpp - gradients of 16-bit numbers that are summed in float --------------------------------===//

#include "Derivative/Accumulation/FloatGradients.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;
using namespace kernix;

/// Additions to one element whose roundings do no harm.
static constexpr size_t FewAdditions = 8;

/// Whether Address is another in each iteration of L.
static bool movesIn(const Loop &L, const Value *Address, ScalarEvolution &Evolution) {
  return SCEVExprContains(Evolution.getSCEV(const_cast<Value *>(Address)), [&](const SCEV *Part) {
    if (const auto *Moves = dyn_cast<SCEVAddRecExpr>(Part))
      return Moves->getLoop() == &L;
    const auto *Unknown = dyn_cast<SCEVUnknown>(Part);
    const auto *I = Unknown ? dyn_cast<Instruction>(Unknown->getValue()) : nullptr;
    return I && L.contains(I);
  });
}

/// Whether a thread comes to the address again when it has been at others. What it adds in a loop that stays at one
/// address is summed in a register.
static bool comesBack(const Instruction &Access, LoopInfo &Loops, ScalarEvolution &Evolution) {
  bool Moves = false;
  for (const Loop *L = Loops.getLoopFor(Access.getParent()); L; L = L->getParentLoop()) {
    bool MovesHere = movesIn(*L, accessOf(Access).Pointer, Evolution);
    if (Moves && !MovesHere)
      return true;
    Moves |= MovesHere;
  }
  return false;
}

FloatGradients::FloatGradients(const DerivativeRequest &Request, const Prepared &P, MemoryObjects &Objects,
                               Activity &Active, const Accumulation &Accumulations, FunctionAnalysisManager &FAM) {
  if (Request.Kind != DerivativeRequest::Kernel || !Request.Facts || Accumulations.isAllAtomic())
    return;
  MapVector<const MemoryObject *, SmallVector<const Instruction *, 4>> Reads;
  SmallPtrSet<const MemoryObject *, 4> Others;
  for (const Instruction &I : instructions(*P.F)) {
    // A derivative that the source has written takes the address as it is.
    if (const auto *Call = dyn_cast<CallBase>(&I))
      for (const Use &Argument : Call->args())
        if (Argument->getType()->isPointerTy())
          Others.insert_range(Objects.of(Argument.get()));
    MemoryAccess Access = accessOf(I);
    if (!Access.Pointer || !Active.isActiveAccess(I))
      continue;
    auto Accessed = Objects.of(Access.Pointer);
    for (const MemoryObject *O : Accessed) {
      bool IsGradient =
          (O->Kind == MemoryObject::Tensor && O->TheLeaf->Access == Leaf::In) || O->Kind == MemoryObject::Parameter;
      if (isa<LoadInst>(I) && isNarrow(Access.Type) && IsGradient && Accessed.size() == 1 && O->ParameterIndex < 32)
        Reads[O].push_back(&I);
      else
        Others.insert(O);
    }
  }
  auto &Loops = FAM.getResult<LoopAnalysis>(*P.F);
  auto &Evolution = FAM.getResult<ScalarEvolutionAnalysis>(*P.F);
  for (auto &[O, List] : Reads) {
    if (Others.contains(O))
      continue;
    Accumulation::Choice::WayType Way = Accumulations.of(*O).Way;
    if (Way == Accumulation::Choice::Once)
      continue;
    bool IsByOneThread =
        O->Kind == MemoryObject::Tensor && (Way == Accumulation::Choice::Plain || Way == Accumulation::Choice::Alone);
    if (!IsByOneThread || List.size() > FewAdditions ||
        any_of(List, [&](const Instruction *I) { return comesBack(*I, Loops, Evolution); }))
      All.insert(O);
  }
}

unsigned FloatGradients::parameters() const {
  unsigned Bits = 0;
  for (const MemoryObject *O : All)
    Bits |= 1U << O->ParameterIndex;
  return Bits;
}
