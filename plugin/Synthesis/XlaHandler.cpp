//===- XlaHandler.cpp - kernix_xla_<name> ------------------------------------------------------------------------===//

#include "Synthesis/XlaHandler.h"

using namespace clang;
using namespace kernix;

bool kernix::synthesizeXlaHandler(AstBuilder &B, const Operation &O, VarDecl *Slot) {
  FunctionDecl *Call = B.globalFunction("kernix_handle_xla_call");
  if (!Call)
    return false;
  // XLA_FFI_Error *f(XLA_FFI_CallFrame *frame), as the runtime declares it.
  QualType Frame[] = {Call->getType()->castAs<FunctionProtoType>()->getParamType(1)};
  AstBuilder::FunctionOptions Options;
  Options.Rare = true;
  return B.function("kernix_xla_" + O.Name, Call->getReturnType(), Frame, Options,
                    [&](llvm::ArrayRef<ParmVarDecl *> P) {
                      return B.call(Call, {B.address(Slot), B.reference(P[0])});
                    }) != nullptr;
}
