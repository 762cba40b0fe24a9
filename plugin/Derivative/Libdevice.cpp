//===- Libdevice.cpp - linking CUDA's math library on demand ----------------------------------------------------===//

#include "Derivative/Libdevice.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/SourceMgr.h"

using namespace llvm;
using namespace kernix;

namespace {

bool isMissing(const Function &F) { return F.isDeclaration() && !F.use_empty() && F.getName().starts_with("__nv_"); }

bool fail(Module &M, const Twine &Message) {
  M.getContext().diagnose(DiagnosticInfoGeneric(Message));
  return false;
}

/// 900 of "sm_90a".
unsigned architecture(const Function *Model) {
  StringRef Cpu = Model ? Model->getFnAttribute("target-cpu").getValueAsString() : StringRef();
  unsigned Number = 0;
  if (!Cpu.consume_front("sm_") || Cpu.consumeInteger(10, Number))
    return 0;
  return Number * 10;
}

/// The answer of __nvvm_reflect to a question: the same as NVVMReflect gives when clang links the primal's functions.
/// That pass has been and gone.
unsigned reflect(const Module &M, StringRef Question, const Function *Model) {
  if (Question == "__CUDA_ARCH")
    return architecture(Model);
  if (Question != "__CUDA_FTZ")
    return 0;
  const auto *Flag = mdconst::extract_or_null<ConstantInt>(M.getModuleFlag("nvvm-reflect-ftz"));
  return Flag ? static_cast<unsigned>(Flag->getZExtValue()) : 0;
}

StringRef stringOf(const Value *V) {
  const auto *Global = dyn_cast<GlobalVariable>(V->stripPointerCasts());
  const auto *Data =
      Global && Global->hasInitializer() ? dyn_cast<ConstantDataSequential>(Global->getInitializer()) : nullptr;
  return Data && Data->isCString() ? Data->getAsCString() : StringRef();
}

void answerReflection(Module &M, const Function *Model) {
  Function *Reflect = M.getFunction("__nvvm_reflect");
  if (!Reflect)
    return;
  for (User *U : make_early_inc_range(Reflect->users())) {
    auto *Call = dyn_cast<CallInst>(U);
    if (!Call)
      continue;
    Call->replaceAllUsesWith(ConstantInt::get(Call->getType(), reflect(M, stringOf(Call->getArgOperand(0)), Model)));
    Call->eraseFromParent();
  }
  if (Reflect->use_empty())
    Reflect->eraseFromParent();
}

} // namespace

bool kernix::linkLibdevice(Module &M, StringRef Path) {
  const Function *Model = nullptr;
  SmallVector<StringRef> Missing;
  DenseSet<const Function *> Defined;
  for (const Function &F : M) {
    if (isMissing(F))
      Missing.push_back(F.getName());
    if (F.isDeclaration())
      continue;
    Defined.insert(&F);
    if (F.hasFnAttribute("target-cpu"))
      Model = &F;
  }
  if (Missing.empty())
    return true;
  if (Path.empty())
    return fail(M, "the derivative needs CUDA's libdevice, which this compilation does not use (-nocudalib)");
  SMDiagnostic Error;
  std::unique_ptr<Module> Library = getLazyIRFileModule(Path, Error, M.getContext());
  if (!Library)
    return fail(M, "cannot read libdevice: " + Error.getMessage() + " (" + Path + ")");
  Library->setTargetTriple(M.getTargetTriple());
  Library->setDataLayout(M.getDataLayout());
  if (Linker::linkModules(M, std::move(Library), Linker::LinkOnlyNeeded))
    return fail(M, "cannot link libdevice (" + Path + ")");
  for (Function &F : M) {
    if (F.isDeclaration() || Defined.contains(&F))
      continue;
    F.setLinkage(GlobalValue::InternalLinkage);
    F.setComdat(nullptr);
    if (Model)
      for (StringRef Attribute : {"target-cpu", "target-features"})
        if (Model->hasFnAttribute(Attribute))
          F.addFnAttr(Model->getFnAttribute(Attribute));
  }
  answerReflection(M, Model);
  for (StringRef Name : Missing)
    if (const Function *F = M.getFunction(Name); F && isMissing(*F))
      return fail(M, "libdevice has no " + Name);
  return true;
}
