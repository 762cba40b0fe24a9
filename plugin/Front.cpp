//===- Front.cpp - registration of kernix-front.so -------------------------------------------------------------------===//
//
// The Clang half: registers the frontend action that binds and synthesizes. Attributes register themselves.
//
//===----------------------------------------------------------------------------------------------------------------===//

#include "HandOver.h"
#include "clang/AST/ASTConsumer.h"
#include "clang/Basic/CodeGenOptions.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendPluginRegistry.h"

using namespace clang;

namespace {

class KernixAction : public PluginASTAction {
  std::string Target, Unit;

  ActionType getActionType() override { return AddBeforeMainAction; }

  bool ParseArgs(const CompilerInstance &, const std::vector<std::string> &Arguments) override {
    for (llvm::StringRef Argument : Arguments) {
      if (Argument.consume_front("target="))
        Target = Argument.str();
      else if (Argument.consume_front("unit="))
        Unit = Argument.str();
    }
    return true;
  }

  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &CI, llvm::StringRef) override {
    if (Target == "cpu") {
      bool IsDevice = CI.getLangOpts().CUDAIsDevice;
      CI.getCodeGenOpts().PassBuilderCallbacks.push_back(
          [IsDevice, Unit = Unit](llvm::PassBuilder &Builder) { kernixAddCpuPasses(Builder, IsDevice, Unit.c_str()); });
    }
    return std::make_unique<ASTConsumer>();
  }
};

const FrontendPluginRegistry::Add<KernixAction> Registration("kernix", "binds CUDA C++ functions");

} // namespace
