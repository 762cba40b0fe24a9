//===- InlineTree.cpp - inlines what a kernel calls --------------------------------------------------------------===//

#include "CpuTarget/InlineTree.h"
#include "CpuTarget/CallGraph.h"
#include "llvm/Analysis/InlineCost.h"
#include "llvm/IR/Attributes.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace kernix {

namespace {

/// Instructions before optimisation; most of them vanish in it.
constexpr unsigned SizeLimit = 60000;

/// A call site and the chain of functions whose inlining brought it into the root.
struct Site {
  CallBase *Call;
  int Origin; // index into the list of inlined functions, -1: the root's own
};
struct InlinedFunction {
  const Function *F;
  int Origin;
};

bool chainContains(ArrayRef<InlinedFunction> Inlined, int Origin, const Function *F) {
  for (; Origin >= 0; Origin = Inlined[Origin].Origin)
    if (Inlined[Origin].F == F)
      return true;
  return false;
}

bool canInline(const Function &Root, Function &Callee, const CallBase &Call) {
  return !Callee.isDeclaration() && &Callee != &Root && !Callee.isInterposable() &&
         !Callee.hasFnAttribute(Attribute::NoInline) && !Callee.hasFnAttribute(Attribute::OptimizeNone) &&
         !Call.isNoInline() && AttributeFuncs::areInlineCompatible(Root, Callee) && isInlineViable(Callee).isSuccess();
}

} // namespace

void inlineTree(Function &Root) {
  unsigned Size = Root.getInstructionCount();
  SmallVector<InlinedFunction> Inlined;
  SmallVector<Site> Work;
  for (Instruction &I : instructions(Root))
    if (auto *Call = dyn_cast<CallBase>(&I))
      Work.push_back({Call, -1});

  for (size_t Next = 0; Next != Work.size(); ++Next) {
    Site S = Work[Next];
    Function *Callee = calledFunction(*S.Call);
    if (!Callee || !canInline(Root, *Callee, *S.Call) || chainContains(Inlined, S.Origin, Callee))
      continue;
    unsigned CalleeSize = Callee->getInstructionCount();
    if (Size + CalleeSize > SizeLimit)
      continue;
    InlineFunctionInfo Info;
    if (!InlineFunction(*S.Call, Info, /*MergeAttributes=*/true).isSuccess())
      continue;
    Size += CalleeSize;
    Inlined.push_back({Callee, S.Origin});
    for (CallBase *Call : Info.InlinedCallSites)
      Work.push_back({Call, static_cast<int>(Inlined.size()) - 1});
  }
}

} // namespace kernix
