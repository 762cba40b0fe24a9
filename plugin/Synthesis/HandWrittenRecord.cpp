//===- HandWrittenRecord.cpp - the records of f_fwd and f_bwd that users write ------------------------------------===//

#include "Synthesis/HandWrittenRecord.h"
#include "Binding/AttributeStrings.h"
#include "Binding/ThreadUses.h"
#include "Diagnostics/Diagnostics.h"
#include "Synthesis/DerivativeRecord.h"

using namespace clang;
using namespace kernix;

namespace {

/// Whether the body, if there is one to look at, does not name the parameter.
bool isUnused(const FunctionDecl *Derivative, unsigned Index) {
  const FunctionDecl *Definition = nullptr;
  if (!Derivative->isDefined(Definition))
    return false;
  const ParmVarDecl *P = Definition->getParamDecl(Index);
  return !P->isUsed(false) && !P->isReferenced();
}

/// The launch that the kernel's attributes give, in terms of its own parameter names; else that of f.
bool readLaunch(Sema &S, const DeclAttributes *Attributes, const SkippedCode &Skipped, BoundFunction &Record) {
  ThreadUses Threads = threadUses(Record.Decl, Skipped);
  Record.UsesOnlyX = Threads.OnlyX;
  Record.SingleThread = Threads.SingleThread;
  Record.IgnoresBlocks = Threads.IgnoresBlocks;
  BoundFunction Named = Record;
  for (Parameter &P : Named.Parameters)
    if (P.Decl->getIdentifier())
      P.Name = P.Decl->getName();
  DeclAttributes None;
  if (Attributes && (Attributes->Grid || Attributes->Block || Attributes->SharedBytes))
    Named.DefaultLaunch = Launch();
  if (!readLaunchAttributes(S, Attributes ? *Attributes : None, Named))
    return false;
  Record.DefaultLaunch = std::move(Named.DefaultLaunch);
  return true;
}

} // namespace

std::optional<BoundFunction> kernix::handWrittenRecord(Sema &S, AttributeStore &Store, const SkippedCode &Skipped,
                                                       const BoundFunction &F, kernix_derivative Mode,
                                                       FunctionDecl *Derivative,
                                                       llvm::ArrayRef<DerivativeParameter> Parameters) {
  if (F.Order == 2 && Mode == KERNIX_BACKWARD_DERIVATIVE) {
    Diagnostics(S).error(F.Location, "the backward derivative of %0 is written by hand and has no derivative of its "
                                     "own, which 'differentiable(2)' asks for")
        << F.Decl;
    Diagnostics(S).note(Derivative->getLocation(), "bind %0 with [[kernix::differentiable]] to differentiate it")
        << Derivative;
    return std::nullopt;
  }
  BoundFunction Record = derivativeRecord(F, Mode, Derivative, Parameters);
  Record.HandWritten = true;
  for (Parameter &P : Record.Parameters) {
    const DeclAttributes *A = Store.lookup(P.Decl);
    bool MayBeNull = isUnused(Derivative, P.Decl->getFunctionScopeIndex()) || (A && A->Optional);
    bool IsGradient = (P.DerivativeFlags & KERNIX_GRADIENT) && !(P.DerivativeFlags & KERNIX_COTANGENT);
    // That of an absent tensor is absent, too; a view knows itself whether it has one.
    if (IsGradient && !MayBeNull && !P.Optional && !P.IsCarried)
      P.DerivativeFlags |= KERNIX_NEVER_NULL;
    if (P.DerivativeFlags & KERNIX_PRIMAL_OUTPUT)
      P.Optional &= MayBeNull;
    // Null is what the attribute asks for. Of a kernel the runtime knows that it is written by hand.
    if (!IsGradient && A && A->Optional && F.Kind != KERNIX_KERNEL)
      P.DerivativeFlags &= ~KERNIX_NEVER_NULL;
  }
  if (F.Kind == KERNIX_KERNEL && !readLaunch(S, Store.lookup(Derivative), Skipped, Record))
    return std::nullopt;
  return Record;
}
