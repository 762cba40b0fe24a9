//===- Passes.cpp - what PTX for Numba's kernels keeps ------------------------------------------------------------===//
//
// The PTX is linked with other PTX, some of which may come from the same source. So all but the shims becomes internal;
// what no shim needs, kernels among it, goes.
//
//===------------------------------------------------------------------------------------------------------------===//

#include "DropOthers.h"
#include "HandOver.h"
#include "Numba/NvvmFile.h"
#include "Numba/NvvmText.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/JSON.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"

using namespace llvm;

namespace {

class KeepShimsPass : public PassInfoMixin<KeepShimsPass> {
public:
  PreservedAnalyses run(Module &M, ModuleAnalysisManager &) {
    kernix::dropOthers(M, kernix::NumbaShimPrefix);
    return PreservedAnalyses::none();
  }
};

/// Texts by the names of shims, as JSON.
class WriteNvvmPass : public PassInfoMixin<WriteNvvmPass> {
public:
  explicit WriteNvvmPass(std::string Path) : Path(std::move(Path)) {}

  PreservedAnalyses run(Module &M, ModuleAnalysisManager &) {
    json::Object Texts;
    for (const Function &F : M)
      if (F.getName().starts_with(kernix::NumbaShimPrefix) && !F.isDeclaration())
        if (std::optional<std::string> Text = kernix::nvvmText(F))
          Texts[F.getName()] = *Text;
    std::error_code Failed;
    raw_fd_ostream File(Path, Failed);
    if (Failed)
      M.getContext().emitError("'" + Path + "' cannot be written: " + Failed.message());
    else
      File << json::Value(std::move(Texts)) << "\n";
    return PreservedAnalyses::all();
  }

private:
  std::string Path;
};

} // namespace

void kernixAddNumbaPasses(PassBuilder &Builder) {
  Builder.registerPipelineStartEPCallback([](ModulePassManager &MPM, OptimizationLevel) {
    MPM.addPass(KeepShimsPass());
    MPM.addPass(GlobalDCEPass());
  });
}

void kernixAddNvvmFilePasses(PassBuilder &Builder, const char *File) {
  Builder.registerOptimizerLastEPCallback(
      [File = std::string(File)](ModulePassManager &MPM, OptimizationLevel, ThinOrFullLTOPhase) {
        MPM.addPass(WriteNvvmPass(File));
      });
}
