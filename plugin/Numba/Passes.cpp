//===- Passes.cpp - what PTX for Numba's kernels keeps
//--------------------------------------------------------------===//
//
// The PTX is linked with other PTX, some of which may come from the same source. So all but the shims becomes internal;
// what no shim needs, kernels among it, goes.
//
//===------------------------------------------------------------------------------------------------------------===//

#include "HandOver.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"
#include "llvm/Transforms/IPO/Internalize.h"

using namespace llvm;

namespace {

bool isShim(const GlobalValue &Value) { return Value.getName().starts_with(kernix::NumbaShimPrefix); }

class DropOthersPass : public PassInfoMixin<DropOthersPass> {
public:
  PreservedAnalyses run(Module &M, ModuleAnalysisManager &) {
    // Clang keeps device variables for the host, which there is none of,
    for (const char *List : {"llvm.used", "llvm.compiler.used"})
      if (GlobalVariable *Used = M.getGlobalVariable(List))
        Used->eraseFromParent();
    // and which does not set them either.
    for (GlobalVariable &Variable : M.globals())
      Variable.setExternallyInitialized(false);
    for (GlobalValue &Value : M.global_values()) {
      if (Value.isDeclaration())
        continue;
      if (auto *Object = dyn_cast<GlobalObject>(&Value))
        Object->setComdat(nullptr);
      if (isShim(Value))
        Value.setLinkage(GlobalValue::ExternalLinkage);
    }
    internalizeModule(M,
                      [](const GlobalValue &Value) { return isShim(Value) || Value.getName().starts_with("llvm."); });
    return PreservedAnalyses::none();
  }
};

} // namespace

void kernixAddNumbaPasses(PassBuilder &Builder) {
  Builder.registerPipelineStartEPCallback([](ModulePassManager &MPM, OptimizationLevel) {
    MPM.addPass(DropOthersPass());
    MPM.addPass(GlobalDCEPass());
  });
}
