//===- Passes.cpp - kernels for batches, and nothing else
//-----------------------------------------------------------===//
//
// At the end of the pipeline, when what a kernel calls is mostly a part of it.
//
//===----------------------------------------------------------------------------------------------------------------===//

#include "Batched/BatchedKernel.h"
#include "DropOthers.h"
#include "HandOver.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"

using namespace llvm;

namespace {

class BatchedKernelsPass : public PassInfoMixin<BatchedKernelsPass> {
public:
  PreservedAnalyses run(Module &M, ModuleAnalysisManager &) {
    SmallVector<Function *> Kernels;
    for (Function &F : M)
      if (F.getCallingConv() == CallingConv::PTX_Kernel && !F.isDeclaration())
        Kernels.push_back(&F);
    for (Function *Kernel : Kernels)
      kernix::addBatchedKernel(*Kernel);
    kernix::dropOthers(M, kernix::BatchedKernelPrefix);
    return PreservedAnalyses::none();
  }
};

} // namespace

void kernixAddBatchedPasses(PassBuilder &Builder) {
  Builder.registerOptimizerLastEPCallback([](ModulePassManager &MPM, OptimizationLevel, ThinOrFullLTOPhase) {
    MPM.addPass(BatchedKernelsPass());
    MPM.addPass(GlobalDCEPass());
  });
}
