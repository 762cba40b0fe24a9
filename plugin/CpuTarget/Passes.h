//===- Passes.h - the passes of the CPU target -------------------------------------------------------------------===//

#ifndef KERNIX_PLUGIN_CPUTARGET_PASSES_H
#define KERNIX_PLUGIN_CPUTARGET_PASSES_H

#include "llvm/IR/PassManager.h"
#include <string>

namespace llvm {
class PassBuilder;
}

namespace kernix {

/// `kernix-cpu-device`: makes the module of a device pass into an object that the runtime can run. It must see the
/// module before the optimiser does.
struct CpuDevicePass : llvm::PassInfoMixin<CpuDevicePass> {
  explicit CpuDevicePass(llvm::StringRef Unit) : Unit(Unit) {}
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &MAM);
  static bool isRequired() { return true; }
  std::string Unit;
};

/// `kernix-cpu-host`: ties the stubs and shadow variables of a host pass to what the device pass made.
struct CpuHostPass : llvm::PassInfoMixin<CpuHostPass> {
  explicit CpuHostPass(llvm::StringRef Unit) : Unit(Unit) {}
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &MAM);
  static bool isRequired() { return true; }
  std::string Unit;
};

/// `kernix-cpu-parallel`: tells the vectoriser that the threads of a block are independent. Runs just before it.
struct CpuParallelPass : llvm::PassInfoMixin<CpuParallelPass> {
  llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);
};

/// `kernix-cpu-block-atomics`: atomics on shared memory become plain loads and stores. Runs after kernix-cpu-parallel,
/// which has to see them.
struct CpuBlockAtomicsPass : llvm::PassInfoMixin<CpuBlockAtomicsPass> {
  llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);
};

/// `kernix-cpu-vectorizer-guard`: leaves loops scalar that the vectoriser would not finish with. Runs just before it.
struct CpuVectorizerGuardPass : llvm::PassInfoMixin<CpuVectorizerGuardPass> {
  llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);
};

/// `kernix-cpu-conditional-loads`: keeps the loads of vectorised loops before the stores that follow them. Runs just
/// before the vectoriser.
struct CpuConditionalLoadsPass : llvm::PassInfoMixin<CpuConditionalLoadsPass> {
  llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);
};

/// Unit, or, if it is empty, a name made of the module's source file.
std::string unitName(const llvm::Module &M, llvm::StringRef Unit);

/// Makes the passes known by name: `-passes='kernix-cpu-device<unit=abc>'`.
void registerCpuPasses(llvm::PassBuilder &Builder);

} // namespace kernix

#endif
