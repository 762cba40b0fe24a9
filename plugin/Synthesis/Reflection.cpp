//===- Reflection.cpp - kernix_info_<name> ----------------------------------------------------------------------===//

#include "Synthesis/Reflection.h"

using namespace clang;
using namespace kernix;

VarDecl *kernix::synthesizeReflection(AstBuilder &B, const Operation &O) {
  QualType SlotType = B.abiType("kernix_operation_slot");
  ValueDecl *Module = B.detail("module_info");
  FunctionDecl *Resolve = B.globalFunction("kernix_operation_resolve");
  if (SlotType.isNull() || !Module || !Resolve)
    return nullptr;
  Expr *Init = B.list({B.string(O.Name), B.address(Module), B.null()});
  VarDecl *Slot = B.variable("__kernix_slot_" + O.Name, SlotType, Init, {});
  if (!Slot)
    return nullptr;
  AstBuilder::FunctionOptions Options;
  Options.Rare = true;
  if (!B.function("kernix_info_" + O.Name, Resolve->getReturnType(), {}, Options,
                  [&](llvm::ArrayRef<ParmVarDecl *>) { return B.call(Resolve, {B.address(Slot)}); }))
    return nullptr;
  return Slot;
}
