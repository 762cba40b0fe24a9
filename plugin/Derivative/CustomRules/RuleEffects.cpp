//===- RuleEffects.cpp - what a function with a rule does with memory ---------------------------------------------===//
//
// Looks into a private copy of the helper that takes f's parameters by address, with everything inlined: what is behind
// those addresses is f's own, what is behind pointers in them is not. What it cannot see through counts as both read
// and written.
//
//===------------------------------------------------------------------------------------------------------------===//

#include "Derivative/Canonical/CalledCode.h"
#include "Derivative/Canonical/Raise.h"
#include "Derivative/CustomRules/CustomRules.h"
#include "Derivative/CustomRules/StoredPlaces.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;
using namespace kernix;

namespace {

/// More calls than this are not followed.
constexpr unsigned MostCalls = 2000;

void inlineAll(Function &F) {
  SmallVector<CallBase *, 16> Work;
  for (Instruction &I : instructions(F))
    if (auto *Call = dyn_cast<CallBase>(&I))
      Work.push_back(Call);
  for (unsigned Calls = 0; !Work.empty() && Calls < MostCalls; ++Calls) {
    CallBase *Call = Work.pop_back_val();
    if (raiseCall(*Call))
      continue;
    Function *Callee = Call->getCalledFunction();
    if (!Callee || Callee->isDeclaration() || Callee == &F)
      continue;
    InlineFunctionInfo Info;
    if (InlineFunction(*Call, Info).isSuccess())
      append_range(Work, Info.InlinedCallSites);
  }
}

/// Its own: a local variable, a parameter, the place of what it returns.
bool isOwn(const Value *Pointer) { return isa<Argument, AllocaInst>(getUnderlyingObject(Pointer, 0)); }

bool isConstant(const Value *Pointer) {
  const auto *Global = dyn_cast<GlobalVariable>(getUnderlyingObject(Pointer, 0));
  return Global && Global->isConstant();
}

} // namespace

static bool isAtomic(const Instruction &I) {
  if (isa<AtomicRMWInst, AtomicCmpXchgInst>(I))
    return true;
  const auto *Call = dyn_cast<CallBase>(&I);
  if (const auto *Assembly = Call ? dyn_cast<InlineAsm>(Call->getCalledOperand()) : nullptr)
    return Assembly->getAsmString().contains("atom") || Assembly->getAsmString().contains("red.");
  const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
  return Callee && Callee->getName().starts_with("llvm.nvvm.atomic");
}

bool kernix::addsAtomically(const Function &F) { return anyInCalledCode(F, isAtomic); }

void kernix::simplifyWhole(Function &F, FunctionAnalysisManager &FAM) {
  for (unsigned Round = 0; Round < 2; ++Round) { // function pointers in registers are followed in the second
    inlineAll(F);
    FunctionPassManager Passes;
    Passes.addPass(SROAPass(SROAOptions::ModifyCFG));
    Passes.addPass(EarlyCSEPass());
    Passes.addPass(SimplifyCFGPass());
    Passes.addPass(InstCombinePass());
    FAM.invalidate(F, PreservedAnalyses::none());
    FAM.invalidate(F, Passes.run(F, FAM));
  }
}

void kernix::findMemoryEffects(CustomRule &Rule, FunctionAnalysisManager &FAM) {
  ValueToValueMapTy Map;
  Function *Copy = CloneFunction(Rule.Primal, Map);
  Copy->setLinkage(GlobalValue::InternalLinkage);
  Copy->setComdat(nullptr);
  Copy->removeFnAttr(Attribute::OptimizeNone);
  Copy->removeFnAttr(Attribute::NoInline);
  simplifyWhole(*Copy, FAM);
  bool Reads = false, Writes = false, Stores = false;
  for (const Instruction &I : instructions(*Copy)) {
    // What ends the launch, as a check of bounds does, is met by nobody who could see what it wrote.
    if (isa<UnreachableInst>(I.getParent()->getTerminator()))
      continue;
    if (const auto *Load = dyn_cast<LoadInst>(&I)) {
      Reads |= Load->isVolatile() || !(isOwn(Load->getPointerOperand()) || isConstant(Load->getPointerOperand()));
    } else if (const auto *Store = dyn_cast<StoreInst>(&I)) {
      Stores |= Store->isVolatile() || !isOwn(Store->getPointerOperand());
    } else if (const auto *Memory = dyn_cast<MemIntrinsic>(&I)) {
      Stores |= !isOwn(Memory->getRawDest());
      if (const auto *Transfer = dyn_cast<MemTransferInst>(Memory))
        Reads |= !isOwn(Transfer->getRawSource()) && !isConstant(Transfer->getRawSource());
    } else if (const auto *Intrinsic = dyn_cast<IntrinsicInst>(&I); Intrinsic && Intrinsic->isAssumeLikeIntrinsic()) {
      continue;
    } else if (I.mayReadOrWriteMemory()) {
      Reads = true;
      (isa<AtomicRMWInst>(I) ? Writes : Stores) |= I.mayWriteToMemory();
    }
  }
  Rule.ReadsMemory = Reads;
  Rule.WritesMemory = Writes || Stores;
  Rule.StoresMemory = Stores;
  FAM.clear(*Copy, Copy->getName());
  Copy->eraseFromParent();
}
