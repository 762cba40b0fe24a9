//===- TvmFfiEntry.cpp - __tvm_ffi_<name> and its metadata ------------------------------------------------------===//

#include "Synthesis/TvmFfiEntry.h"

using namespace clang;
using namespace kernix;

bool kernix::synthesizeTvmFfiEntry(AstBuilder &B, const Operation &O, VarDecl *Slot) {
  FunctionDecl *Call = B.globalFunction("kernix_tvm_ffi_call");
  FunctionDecl *Metadata = B.globalFunction("kernix_tvm_ffi_metadata");
  FunctionDecl *Doc = B.globalFunction("kernix_tvm_ffi_doc");
  if (!Call || !Metadata || !Doc)
    return false;
  // int f(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result), as the runtime declares it.
  const auto *Prototype = Call->getType()->castAs<FunctionProtoType>();
  QualType Parameters[] = {B.Context.VoidPtrTy, Prototype->getParamType(1), Prototype->getParamType(2),
                           Prototype->getParamType(3)};
  auto Read = [&](ParmVarDecl *P) { return B.reference(P); };
  bool Ok = B.function("__tvm_ffi_" + O.Name, B.Context.IntTy, Parameters, {}, [&](llvm::ArrayRef<ParmVarDecl *> P) {
    return B.call(Call, {B.address(Slot), Read(P[1]), Read(P[2]), Read(P[3])});
  });
  AstBuilder::FunctionOptions Options;
  Options.Rare = true;
  for (auto [Prefix, Function] : {std::pair("__tvm_ffi__metadata_", Metadata), std::pair("__tvm_ffi__doc_", Doc)})
    Ok &= B.function(Prefix + O.Name, B.Context.IntTy, Parameters, Options,
                     [&, F = Function](llvm::ArrayRef<ParmVarDecl *> P) {
                       return B.call(F, {B.address(Slot), Read(P[3])});
                     }) != nullptr;
  return Ok;
}
