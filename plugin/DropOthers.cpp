//===- DropOthers.cpp
//----------------------------------------------------------------------------------------------===//

#include "DropOthers.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/IPO/Internalize.h"

using namespace llvm;

void kernix::dropOthers(Module &M, StringRef Prefix) {
  auto IsWanted = [Prefix](const GlobalValue &Value) { return Value.getName().starts_with(Prefix); };
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
    if (IsWanted(Value))
      Value.setLinkage(GlobalValue::ExternalLinkage);
  }
  internalizeModule(M,
                    [&](const GlobalValue &Value) { return IsWanted(Value) || Value.getName().starts_with("llvm."); });
}
