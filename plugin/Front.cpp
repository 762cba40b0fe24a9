//===- Front.cpp - registration of kernix-front.so -------------------------------------------------------------------===//
//
// The Clang half: registers the frontend action that binds and synthesizes. Attributes register themselves.
//
//===----------------------------------------------------------------------------------------------------------------===//

#include "Attributes/AttributeStore.h"
#include "Attributes/Attributes.h"
#include "Attributes/Dump.h"
#include "Diagnostics/WarningGroups.h"
#include "HandOver.h"
#include "clang/AST/ASTConsumer.h"
#include "clang/Basic/CodeGenOptions.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendPluginRegistry.h"
#include "clang/Sema/Sema.h"

using namespace clang;

namespace {

class Consumer : public ASTConsumer {
public:
  Consumer(CompilerInstance &CI, bool DumpAttributes) : CI(CI), DumpAttributes(DumpAttributes) {}

  void HandleTranslationUnit(ASTContext &Context) override {
    kernix::AttributeStore &Store = kernix::AttributeStore::get(Context);
    kernix::checkAttributes(CI.getSema(), Store);
    if (DumpAttributes)
      kernix::dumpAttributes(llvm::outs(), CI.getSema(), Store);
  }

private:
  CompilerInstance &CI;
  bool DumpAttributes;
};

class KernixAction : public PluginASTAction {
  std::string Target, Unit;
  std::vector<std::string> Warnings;
  bool DumpAttributes = false;

  ActionType getActionType() override { return AddBeforeMainAction; }

  bool ParseArgs(const CompilerInstance &, const std::vector<std::string> &Arguments) override {
    for (llvm::StringRef Argument : Arguments) {
      if (Argument.consume_front("target="))
        Target = Argument.str();
      else if (Argument.consume_front("unit="))
        Unit = Argument.str();
      else if (Argument == "dump=attributes")
        DumpAttributes = true;
      else if (Argument.starts_with("W"))
        Warnings.push_back(Argument.str());
    }
    return true;
  }

  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &CI, llvm::StringRef) override {
    if (Target == "cpu") {
      bool IsDevice = CI.getLangOpts().CUDAIsDevice;
      CI.getCodeGenOpts().PassBuilderCallbacks.push_back(
          [IsDevice, Unit = Unit](llvm::PassBuilder &Builder) { kernixAddCpuPasses(Builder, IsDevice, Unit.c_str()); });
    }
    kernix::beginWarningGroups(CI);
    for (llvm::StringRef Warning : Warnings)
      kernix::applyWarningArgument(CI.getDiagnostics(), Warning);
    kernix::beginAttributes(CI);
    return std::make_unique<Consumer>(CI, DumpAttributes);
  }
};

const FrontendPluginRegistry::Add<KernixAction> Registration("kernix", "binds CUDA C++ functions");

} // namespace
