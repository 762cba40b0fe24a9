//===- Division.cpp - keeping divisions where the source has them -----------------------------------------------===//

#include "Derivative/Canonical/Division.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace kernix;

static constexpr char Prefix[] = "kernix.fdiv.";

static Function *declareDivision(Module &M, Type *T) {
  std::string Name;
  raw_string_ostream(Name) << Prefix << *T;
  Function *F = cast<Function>(M.getOrInsertFunction(Name, T, T, T).getCallee());
  F->setDoesNotThrow();
  F->setDoesNotAccessMemory();
  F->setWillReturn();
  return F;
}

void kernix::hideDivisions(Function &F) {
  for (Instruction &I : make_early_inc_range(instructions(F))) {
    // A constant divisor divides by the same number wherever it runs.
    if (I.getOpcode() != Instruction::FDiv || isa<Constant>(I.getOperand(1)) || I.getType()->isVectorTy())
      continue;
    IRBuilder<> B(&I);
    CallInst *Call = B.CreateCall(declareDivision(*F.getParent(), I.getType()), {I.getOperand(0), I.getOperand(1)});
    Call->copyFastMathFlags(&I);
    Call->takeName(&I);
    I.replaceAllUsesWith(Call);
    I.eraseFromParent();
  }
}

void kernix::restoreDivisions(Function &F) {
  for (Instruction &I : make_early_inc_range(instructions(F))) {
    auto *Call = dyn_cast<CallInst>(&I);
    Function *Callee = Call ? Call->getCalledFunction() : nullptr;
    if (!Callee || !Callee->getName().starts_with(Prefix))
      continue;
    IRBuilder<> B(Call);
    B.setFastMathFlags(Call->getFastMathFlags());
    Value *Quotient = B.CreateFDiv(Call->getArgOperand(0), Call->getArgOperand(1));
    Call->replaceAllUsesWith(Quotient);
    Call->eraseFromParent();
  }
}
