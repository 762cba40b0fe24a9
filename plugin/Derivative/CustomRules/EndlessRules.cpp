//===- EndlessRules.cpp - derivatives written in terms of themselves ----------------------------------------------===//
//
// The derivative of a function that has a rule is the rule: one that asks for it on every way calls itself without end.
// A rule that does so on some ways only may come to an end.
//
//===--------------------------------------------------------------------------------------------------------------===//

#include "Derivative/CustomRules/CustomRules.h"
#include "Derivative/Refusal.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;
using namespace kernix;

namespace {

/// A call in F, on every way through it, of a function that comes to Target in the same way, or is Target.
const CallBase *callOnEveryWay(Function &F, const Function &Target, SmallPtrSetImpl<const Function *> &Seen) {
  if (F.isDeclaration() || !Seen.insert(&F).second)
    return nullptr;
  PostDominatorTree After(F);
  for (Instruction &I : instructions(F)) {
    const auto *Call = dyn_cast<CallBase>(&I);
    Function *Callee = Call ? Call->getCalledFunction() : nullptr;
    if (Callee && After.dominates(I.getParent(), &F.getEntryBlock()) &&
        (Callee == &Target || callOnEveryWay(*Callee, Target, Seen)))
      return Call;
  }
  return nullptr;
}

} // namespace

bool CustomRules::refuseEndless() const {
  bool Refused = false;
  SmallPtrSet<const Function *, 8> Asked;
  for (const auto &Rule : Rules) {
    if (!Rule->Thunk)
      continue;
    for (Instruction &I : instructions(*Rule->Thunk)) {
      const auto *Call = dyn_cast<CallBase>(&I);
      Function *Written = Call ? Call->getCalledFunction() : nullptr;
      SmallPtrSet<const Function *, 8> Seen;
      const CallBase *Again =
          Written && Asked.insert(Written).second ? callOnEveryWay(*Written, *Written, Seen) : nullptr;
      if (!Again)
        continue;
      Refused = true;
      Written->getContext().diagnose(DiagnosticInfoUnsupported(
          *Written,
          "the derivative of '" + Rule->Name + "' that is written by hand asks for the derivative of '" + Rule->Name +
              "', which is itself; let '" + Rule->Name +
              "' call a function without a rule, and ask for the derivative of that",
          DiagnosticLocation(userPlace(Again->getDebugLoc()))));
    }
  }
  return Refused;
}
