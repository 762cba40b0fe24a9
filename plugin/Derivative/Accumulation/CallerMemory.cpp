//===- CallerMemory.cpp - gradients that lie in local memory of a caller ----------------------------------------===//

#include "Derivative/Accumulation/CallerMemory.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"

using namespace llvm;
using namespace kernix;

namespace {

constexpr char Question[] = "kernix_is_callers_variable";

bool answer(CallInst &Call, bool IsLast) {
  const Value *Object = getUnderlyingObject(Call.getArgOperand(0), 0);
  const auto *A = dyn_cast<Argument>(Object);
  Value *Answer = nullptr;
  if (isa<AllocaInst>(Object))
    Answer = ConstantInt::getTrue(Call.getContext());
  else if (!isa<GlobalValue>(Object) && !(A && A->getParent()->getCallingConv() == CallingConv::PTX_Kernel)) {
    if (!IsLast)
      return false;
    if (Call.getModule()->getTargetTriple().isNVPTX())
      Answer = IRBuilder<>(&Call).CreateIntrinsic(Intrinsic::nvvm_isspacep_local, ArrayRef<Type *>(),
                                                  {Call.getArgOperand(0)});
  }
  if (!Answer) // an atomic operation is right everywhere
    Answer = ConstantInt::getFalse(Call.getContext());
  Call.replaceAllUsesWith(Answer);
  Call.eraseFromParent();
  return true;
}

class EarlyAnswers : public PassInfoMixin<EarlyAnswers> {
public:
  PreservedAnalyses run(Function &F, FunctionAnalysisManager &) {
    Function *Asked = F.getParent()->getFunction(Question);
    bool Changed = false;
    if (Asked)
      for (User *U : make_early_inc_range(Asked->users()))
        if (auto *Call = dyn_cast<CallInst>(U); Call && Call->getFunction() == &F)
          Changed |= answer(*Call, false);
    if (!Changed)
      return PreservedAnalyses::all();
    PreservedAnalyses Preserved;
    Preserved.preserveSet<CFGAnalyses>();
    return Preserved;
  }
};

class LastAnswers : public PassInfoMixin<LastAnswers> {
public:
  PreservedAnalyses run(Module &M, ModuleAnalysisManager &) {
    Function *Asked = M.getFunction(Question);
    if (!Asked)
      return PreservedAnalyses::all();
    for (User *U : make_early_inc_range(Asked->users()))
      answer(*cast<CallInst>(U), true);
    Asked->eraseFromParent();
    return PreservedAnalyses::none();
  }
  static bool isRequired() { return true; }
};

} // namespace

Value *kernix::isCallersVariable(IRBuilder<> &B, Value *Place) {
  Module &M = *B.GetInsertBlock()->getModule();
  Function *Asked = M.getFunction(Question);
  if (!Asked) {
    Asked = Function::Create(FunctionType::get(B.getInt1Ty(), {B.getPtrTy()}, false), GlobalValue::ExternalLinkage,
                             Question, M);
    Asked->setDoesNotAccessMemory();
    Asked->setDoesNotThrow();
    Asked->setWillReturn();
    Asked->setSpeculatable();
  }
  return B.CreateCall(Asked, {Place});
}

void kernix::addCallerMemoryPasses(PassBuilder &Builder) {
  Builder.registerPeepholeEPCallback([](FunctionPassManager &FPM, OptimizationLevel) { FPM.addPass(EarlyAnswers()); });
  Builder.registerOptimizerLastEPCallback(
      [](ModulePassManager &MPM, OptimizationLevel, ThinOrFullLTOPhase) { MPM.addPass(LastAnswers()); });
}
