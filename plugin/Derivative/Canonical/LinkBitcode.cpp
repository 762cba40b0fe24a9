//===- LinkBitcode.cpp - linking single functions of a library into a module ------------------------------------===//

#include "Derivative/Canonical/LinkBitcode.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/Twine.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"

using namespace llvm;
using namespace kernix;

SmallVector<StringRef> kernix::missingFunctions(const Module &M, StringRef Prefix) {
  SmallVector<StringRef> Missing;
  for (const Function &F : M)
    if (F.isDeclaration() && !F.use_empty() && F.getName().starts_with(Prefix))
      Missing.push_back(F.getName());
  return Missing;
}

const Function *kernix::modelFunction(const Module &M) {
  for (const Function &F : M)
    if (!F.isDeclaration() && F.hasFnAttribute("target-cpu"))
      return &F;
  return nullptr;
}

SmallVector<Function *> kernix::linkNeeded(Module &M, std::unique_ptr<Module> Library, bool &Failed) {
  const Function *Model = modelFunction(M);
  DenseSet<const Function *> Defined;
  for (const Function &F : M)
    if (!F.isDeclaration())
      Defined.insert(&F);
  Library->setTargetTriple(M.getTargetTriple());
  Library->setDataLayout(M.getDataLayout());
  Failed = Linker::linkModules(M, std::move(Library), Linker::LinkOnlyNeeded);
  SmallVector<Function *> New;
  for (Function &F : M) {
    if (F.isDeclaration() || Defined.contains(&F))
      continue;
    New.push_back(&F);
    F.setLinkage(GlobalValue::InternalLinkage);
    F.setComdat(nullptr);
    for (StringRef Attribute : {"target-cpu", "target-features", "tune-cpu"}) {
      F.removeFnAttr(Attribute);
      if (Model && Model->hasFnAttribute(Attribute))
        F.addFnAttr(Model->getFnAttribute(Attribute));
    }
  }
  return New;
}

bool kernix::reportLinkError(Module &M, const Twine &Message) {
  M.getContext().diagnose(DiagnosticInfoGeneric(Message));
  return false;
}
