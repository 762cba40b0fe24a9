//===- InlineCalls.cpp - raising and inlining everything a function calls ---------------------------------------===//

#include "Derivative/Prepare/InlineCalls.h"
#include "Derivative/Analysis/Constants.h"
#include "Derivative/Canonical/Raise.h"
#include "Derivative/CustomRules/RuleCalls.h"
#include "Derivative/Launch/FailedLaunch.h"
#include "Derivative/Prepare/StorageMarks.h"
#include "Derivative/Shared/SharedPools.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;
using namespace kernix;

namespace {

/// Of a tree of calls, as in the naive Fibonacci numbers.
constexpr unsigned MostRecursiveCalls = 200;

/// What computes nothing.
bool isDescription(const Instruction &I) {
  const auto *Intrinsic = dyn_cast<IntrinsicInst>(&I);
  if (!Intrinsic)
    return false;
  switch (Intrinsic->getIntrinsicID()) {
  case Intrinsic::lifetime_start:
  case Intrinsic::lifetime_end:
  case Intrinsic::assume:
  case Intrinsic::var_annotation:
  case Intrinsic::experimental_noalias_scope_decl:
  case Intrinsic::donothing:
  case Intrinsic::sideeffect:
  case Intrinsic::prefetch:
    return true;
  default:
    return isa<DbgInfoIntrinsic>(I);
  }
}

/// llvm.ptr.annotation and its like: the annotated value itself.
Value *throughAnnotation(Instruction &I) {
  auto *Intrinsic = dyn_cast<IntrinsicInst>(&I);
  if (!Intrinsic)
    return nullptr;
  switch (Intrinsic->getIntrinsicID()) {
  case Intrinsic::ptr_annotation:
  case Intrinsic::annotation:
  case Intrinsic::expect:
  case Intrinsic::expect_with_probability:
  case Intrinsic::launder_invariant_group:
  case Intrinsic::strip_invariant_group:
    return Intrinsic->getArgOperand(0);
  default:
    return nullptr;
  }
}

/// And writes nothing.
bool givesOnlyNumber(const CallBase &Call) {
  return Call.getType()->isFloatingPointTy() &&
         none_of(Call.args(), [](const Use &Argument) { return Argument->getType()->isPointerTy(); });
}

} // namespace

bool kernix::inlineCalls(Function &F, FunctionAnalysisManager &FAM, Refusals &Refused, Recursion *Levels,
                         const Function *CopyOf) {
  const CustomRules &Rules = *Refused.request().Rules;
  bool IsForward = Refused.request().Mode == DerivativeRequest::Forward;
  // The function that a call came from by inlining, and its own origin: what tells recursion.
  struct Origin {
    const Function *Callee;
    int Parent;
  };
  SmallVector<Origin, 16> Origins;
  SmallVector<std::pair<CallBase *, int>, 32> Work;
  auto Collect = [&] {
    for (Instruction &I : make_early_inc_range(instructions(F))) {
      if (auto *Call = dyn_cast<CallBase>(&I))
        Work.push_back({Call, -1});
      else
        raiseInstruction(I);
    }
  };
  Collect();
  auto IsRecursive = [&](const Function *Callee, int From) {
    bool Found = Callee == &F;
    for (int O = From; O >= 0 && !Found; O = Origins[O].Parent)
      Found = Origins[O].Callee == Callee;
    return Found;
  };
  // For the next round, or for good.
  auto IsLeft = [&](const CallBase &Call, const Function *Callee, int From) {
    const bool Recursive = IsRecursive(Callee, From);
    if (Recursive && Levels && Callee != &F) {
      Levels->Functions.insert(Callee);
      return true;
    }
    // Of another level than the first: only what counts in constants comes to an end.
    bool IsLevel = Levels && Levels->Functions.contains(Callee);
    if (Recursive ||
        (IsLevel && (none_of(Call.args(), IsaPred<ConstantInt>) || ++Levels->Inlined > MostRecursiveCalls))) {
      Refused.error(Call,
                    "it calls itself: write the recursion as a loop, or give the depth as a small constant (at most " +
                        Twine(MostRecursiveCalls) + " calls)");
      return true;
    }
    return false;
  };
  bool Inlined = false;
  while (!Work.empty()) {
    auto [Call, From] = Work.pop_back_val();
    if (Value *Same = throughAnnotation(*Call)) {
      Call->replaceAllUsesWith(Same);
      Call->eraseFromParent();
      continue;
    }
    if (isDescription(*Call)) {
      Call->eraseFromParent();
      continue;
    }
    if (Call->hasMetadata(ConstantMark))
      refuseConstantCopy(*Call, Refused);
    auto *Callee = dyn_cast<Function>(Call->getCalledOperand()->stripPointerCasts());
    Function *Copy = nullptr; // of a function that gives constants
    if (const CustomRule *Rule = Callee ? Rules.ofMarker(*Callee, IsForward) : nullptr) {
      canonicalizeRuleCall(*Call, *Rule, Rules.canonical(*Rule, FAM));
      continue;
    }
    bool IsConstant = Refused.request().isConstant(*Call) || (Callee && Rules.isConstant(*Callee));
    const CustomRule *Rule = Callee ? Rules.find(*Callee, IsForward) : nullptr;
    // Before raising: a user may know better than the table. Of a constant, nobody asks for the derivative.
    if (Rule && (!IsConstant || Callee->isDeclaration())) {
      if (!Rule->Refused.empty() || Call->getFunctionType() != Rule->Stub->getFunctionType()) {
        Refused.error(*Call,
                      "the derivative of '" + Rule->Name + "' that is written by hand cannot be used here: " +
                          (Rule->Refused.empty() ? "it is called as a function of another type" : Rule->Refused));
        continue;
      }
      if (!IsForward)
        markResult(*Call, *Callee);
      Callee = Rule->Stub;
      Call->setCalledFunction(Callee);
    } else {
      if (IsConstant && (!Callee || Callee->isDeclaration())) {
        constantResult(*Call);
      } else if (IsConstant && CopyOf) {
        // All that comes out of a copy is constant, whatever else is marked in it. The next level has its own.
        if (Callee == CopyOf || IsRecursive(Callee, From))
          continue;
      } else if (IsConstant) {
        // A copy of what has a canonical form would only have what is in it: of a shuffle, the exchange of words.
        if (!Rules.isConstant(*Callee) && givesOnlyNumber(*Call)) {
          constantResult(*Call);
          if (raiseCall(*Call))
            continue;
        }
        if (IsLeft(*Call, Callee, From))
          continue;
        Copy = constantCopy(*Call, *Callee, FAM, Refused);
        if (!Copy)
          continue;
        Call->setCalledFunction(Copy);
      }
      if (!Copy && raiseCall(*Call))
        continue;
    }
    if (!Callee || Callee->isDeclaration())
      continue;
    if (!IsForward)
      markResult(*Call, *Callee);
    if (!Copy && IsLeft(*Call, Callee, From))
      continue;
    // Only the call of a kernel by its own wrapper disagrees: it is never executed as a call.
    Call->setCallingConv(Callee->getCallingConv());
    Origins.push_back({Callee, From});
    hideConstantArguments(*Call, *Callee);
    InlineFunctionInfo Info;
    DebugLoc Place = Call->getDebugLoc();
    InlineResult Result = InlineFunction(*Call, Info);
    if (Copy) {
      FAM.clear(*Copy, Copy->getName());
      if (Copy->use_empty())
        Copy->eraseFromParent();
    }
    if (!Result.isSuccess()) {
      Refused.error(*Call, "a call that cannot be inlined (" + Twine(Result.getFailureReason()) + ")");
      continue;
    }
    Inlined = true;
    for (CallBase *New : Info.InlinedCallSites) {
      if (New->getCalledFunction() && Rules.ofMarker(*New->getCalledFunction(), IsForward))
        New->setDebugLoc(Place); // the stub is nowhere in the source
      Work.push_back({New, static_cast<int>(Origins.size()) - 1});
    }
  }
  if (!Inlined)
    return false;
  // Intrinsics that came with a callee are not among the calls that inlining lists.
  SmallVector<CallBase *, 16> Intrinsics;
  for (Instruction &I : make_early_inc_range(instructions(F))) {
    if (!isa<CallBase>(I))
      raiseInstruction(I);
    else if (isa<IntrinsicInst>(I))
      Intrinsics.push_back(cast<CallBase>(&I));
  }
  for (CallBase *Call : Intrinsics) {
    if (Call->hasMetadata(ConstantMark))
      refuseConstantCopy(*Call, Refused);
    raiseCall(*Call);
  }
  return true;
}

void kernix::stripDescriptions(Function &F) {
  for (Instruction &I : make_early_inc_range(instructions(F))) {
    if (isDescription(I)) {
      I.eraseFromParent();
      continue;
    }
    SmallVector<std::pair<unsigned, MDNode *>, 4> Attached;
    I.getAllMetadataOtherThanDebugLoc(Attached);
    for (auto &[Kind, Node] : Attached)
      if (Kind != LLVMContext::MD_loop && Kind != F.getContext().getMDKindID(WhyOfTrap) &&
          Kind != F.getContext().getMDKindID(ClearMark))
        I.setMetadata(Kind, nullptr);
    I.dropPoisonGeneratingMetadata();
  }
}
