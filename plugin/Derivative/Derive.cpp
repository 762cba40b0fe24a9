//===- Derive.cpp - the pass kernix-derive ----------------------------------------------------------------------===//

#include "Derivative/Derive.h"
#include "Derivative/Requests.h"
#include "HandOver.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"

using namespace llvm;
using namespace kernix;

PreservedAnalyses DerivePass::run(Module &M, ModuleAnalysisManager &) {
  for (const DerivativeRequest &Request : readRequests(M))
    M.getContext().diagnose(DiagnosticInfoUnsupported(
        *Request.Primal, "derivatives are not available yet: remove [[kernix::differentiable]]", Request.Location));
  return PreservedAnalyses::all();
}

void kernix::registerDerivativePasses(PassBuilder &Builder) {
  Builder.registerPipelineParsingCallback(
      [](StringRef Name, ModulePassManager &MPM, ArrayRef<PassBuilder::PipelineElement>) {
        if (Name != "kernix-derive")
          return false;
        MPM.addPass(DerivePass());
        return true;
      });
}

void kernixAddDerivativePasses(PassBuilder &Builder, const char *Libdevice) {
  Builder.registerPipelineStartEPCallback(
      [Libdevice = std::string(Libdevice)](ModulePassManager &MPM, OptimizationLevel) {
        MPM.addPass(DerivePass(Libdevice));
      });
}
