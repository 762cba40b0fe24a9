//===- Front.cpp - registration of kernix-front.so ----------------------------------------------------------------===//
//
// The Clang half: registers the frontend action that binds and synthesizes. Attributes register themselves.
//
//===--------------------------------------------------------------------------------------------------------------===//

#include "Attributes/AttributeStore.h"
#include "Attributes/Attributes.h"
#include "Diagnostics/WarningGroups.h"
#include "clang/AST/ASTConsumer.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendPluginRegistry.h"
#include "clang/Sema/Sema.h"

using namespace clang;

namespace {

class Consumer : public ASTConsumer {
public:
  explicit Consumer(CompilerInstance &CI) : CI(CI) {}

  void HandleTranslationUnit(ASTContext &Context) override {
    kernix::checkAttributes(CI.getSema(), kernix::AttributeStore::get(Context));
  }

private:
  CompilerInstance &CI;
};

class Action : public PluginASTAction {
protected:
  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &CI, llvm::StringRef) override {
    kernix::beginWarningGroups(CI);
    for (llvm::StringRef Argument : Arguments)
      kernix::applyWarningArgument(CI.getDiagnostics(), Argument);
    kernix::beginAttributes(CI);
    return std::make_unique<Consumer>(CI);
  }

  bool ParseArgs(const CompilerInstance &, const std::vector<std::string> &Given) override {
    Arguments = Given;
    return true;
  }

  ActionType getActionType() override { return AddBeforeMainAction; }

private:
  std::vector<std::string> Arguments;
};

FrontendPluginRegistry::Add<Action> Register("kernix", "binds and differentiates annotated functions");

} // namespace
