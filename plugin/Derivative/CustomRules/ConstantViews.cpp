//===- ConstantViews.cpp - calls of members of views without a gradient -------------------------------------------===//

#include "Derivative/CustomRules/ConstantViews.h"
#include "Derivative/Analysis/Memory.h"
#include "Derivative/CustomRules/RuleCalls.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;
using namespace kernix;

static constexpr const char *ConstantViewMark = "kernix.constant_view";

/// The parameter in which the only pointer to O lies.
static const RequestParameter *holderOf(const MemoryObject &O, const DerivativeRequest &Request,
                                        MemoryObjects &Objects) {
  const auto *Load = dyn_cast<LoadInst>(O.Base);
  const MemoryObject *Holder =
      O.Kind == MemoryObject::Opaque && Load ? Objects.only(Load->getPointerOperand()) : nullptr;
  return Holder && Holder->Kind == MemoryObject::Parameter ? &Request.Parameters[Holder->ParameterIndex] : nullptr;
}

/// In full: numbers of one parameter and gradients of another are somebody's.
static bool holdsOnlyConstants(const CallBase &Call, const CustomRule &Rule, const DerivativeRequest &Request,
                               MemoryObjects &Objects) {
  DenseMap<const RuleParameter *, const RequestParameter *> Views;
  bool IsConstant = true;
  forEachArgument(Rule, [&](const RuleArgument &A) {
    if (!A.Parameter->HoldsGradient || !A.Leaf->Type->isPointerTy())
      return;
    const MemoryObject *O = Objects.only(Call.getArgOperand(A.Index));
    const RequestParameter *View = O ? holderOf(*O, Request, Objects) : nullptr;
    const RequestParameter *Own = Views.try_emplace(A.Parameter, View).first->second;
    IsConstant &= View && View == Own && View->Leaves.empty() && !View->CarriesGradient;
  });
  return IsConstant && !Views.empty();
}

void kernix::markConstantViews(const Prepared &P, const DerivativeRequest &Request) {
  // Other functions have parameters of structs with pointers that somebody looks after by hand.
  if (Request.Kind != DerivativeRequest::Kernel)
    return;
  MemoryObjects Objects(P, Request);
  for (Instruction &I : instructions(*P.F))
    if (const CustomRule *Rule = ruleOf(&I, Request.Rules);
        Rule && Rule->holdsGradient() && holdsOnlyConstants(cast<CallBase>(I), *Rule, Request, Objects))
      I.setMetadata(ConstantViewMark, MDNode::get(I.getContext(), {}));
}

bool kernix::isOnConstantView(const CallBase &Call) { return Call.hasMetadata(ConstantViewMark); }
