//===- Passes.cpp - registration of the passes of the CPU target ------------------------------------------------===//

#include "CpuTarget/Passes.h"
#include "HandOver.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/xxhash.h"

using namespace llvm;

namespace kernix {

std::string unitName(const Module &M, StringRef Unit) {
  return Unit.empty() ? utohexstr(xxh3_64bits(M.getSourceFileName()), /*LowerCase=*/true) : Unit.str();
}

/// Matches `Pass` and `Pass<unit=NAME>`.
static bool parseName(StringRef Name, StringRef Pass, StringRef &Unit) {
  if (!Name.consume_front(Pass))
    return false;
  Unit = "";
  if (Name.empty())
    return true;
  if (!Name.consume_front("<unit=") || !Name.consume_back(">"))
    return false;
  Unit = Name;
  return true;
}

void registerCpuPasses(PassBuilder &Builder) {
  Builder.registerPipelineParsingCallback(
      [](StringRef Name, ModulePassManager &MPM, ArrayRef<PassBuilder::PipelineElement>) {
        StringRef Unit;
        if (parseName(Name, "kernix-cpu-device", Unit))
          MPM.addPass(CpuDevicePass(Unit));
        else if (parseName(Name, "kernix-cpu-host", Unit))
          MPM.addPass(CpuHostPass(Unit));
        else
          return false;
        return true;
      });
  Builder.registerPipelineParsingCallback(
      [](StringRef Name, FunctionPassManager &FPM, ArrayRef<PassBuilder::PipelineElement>) {
        if (Name == "kernix-cpu-parallel")
          FPM.addPass(CpuParallelPass());
        else if (Name == "kernix-cpu-block-atomics")
          FPM.addPass(CpuBlockAtomicsPass());
        else if (Name == "kernix-cpu-vectorizer-guard")
          FPM.addPass(CpuVectorizerGuardPass());
        else if (Name == "kernix-cpu-conditional-loads")
          FPM.addPass(CpuConditionalLoadsPass());
        else
          return false;
        return true;
      });
}

} // namespace kernix

void kernixAddCpuPasses(PassBuilder &Builder, bool IsDevice, const char *Unit) {
  std::string Name = Unit;
  if (!IsDevice) {
    Builder.registerPipelineStartEPCallback(
        [Name](ModulePassManager &MPM, OptimizationLevel) { MPM.addPass(kernix::CpuHostPass(Name)); });
    return;
  }
  Builder.registerPipelineStartEPCallback(
      [Name](ModulePassManager &MPM, OptimizationLevel) { MPM.addPass(kernix::CpuDevicePass(Name)); });
  Builder.registerVectorizerStartEPCallback([](FunctionPassManager &FPM, OptimizationLevel) {
    FPM.addPass(kernix::CpuParallelPass());
    FPM.addPass(kernix::CpuBlockAtomicsPass());
    FPM.addPass(kernix::CpuVectorizerGuardPass());
    FPM.addPass(kernix::CpuConditionalLoadsPass());
  });
}
