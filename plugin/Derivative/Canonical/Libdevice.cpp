//===- Libdevice.cpp - linking CUDA's math library on demand ----------------------------------------------------===//

#include "Derivative/Canonical/Libdevice.h"
#include "Derivative/Canonical/LinkBitcode.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Support/SourceMgr.h"

using namespace llvm;
using namespace kernix;

unsigned kernix::architectureOf(const Function &F) {
  StringRef Cpu = F.getFnAttribute("target-cpu").getValueAsString();
  unsigned Number = 0;
  if (!Cpu.consume_front("sm_") || Cpu.consumeInteger(10, Number))
    return 0;
  return Number * 10;
}

namespace {

/// The answer of __nvvm_reflect to a question: the same as NVVMReflect gives when clang links the primal's functions.
/// That pass has been and gone.
unsigned reflect(const Module &M, StringRef Question, const Function *Model) {
  if (Question == "__CUDA_ARCH")
    return Model ? architectureOf(*Model) : 0;
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

/// What X4 was called in the library, if it is a second copy of something internal there.
GlobalValue *firstCopy(Module &M, const GlobalValue &Copy) {
  StringRef Name = Copy.getName().rtrim("0123456789");
  if (!Copy.hasLocalLinkage() || Name == Copy.getName())
    return nullptr;
  Name.consume_back(".");
  GlobalValue *First = M.getNamedValue(Name);
  bool IsLibrarys = Name.starts_with("__internal_") || Name.starts_with("__cudart_");
  return First && IsLibrarys && First->getValueType() == Copy.getValueType() && First->getType() == Copy.getType() &&
                 !First->isDeclaration()
             ? First
             : nullptr;
}

/// Tables and slow paths that clang has linked already come in once more. Merged, the sine and the cosine of one number
/// share their reduction of the argument.
void mergeCopies(Module &M) {
  for (GlobalVariable &Copy : make_early_inc_range(M.globals()))
    if (auto *First = dyn_cast_or_null<GlobalVariable>(firstCopy(M, Copy));
        First && First->getInitializer() == Copy.getInitializer()) {
      Copy.replaceAllUsesWith(First);
      Copy.eraseFromParent();
    }
  for (Function &Copy : make_early_inc_range(M))
    if (auto *First = dyn_cast_or_null<Function>(firstCopy(M, Copy))) {
      Copy.replaceAllUsesWith(First);
      Copy.eraseFromParent();
    }
}

} // namespace

bool kernix::linkLibdevice(Module &M, StringRef Path) {
  if (missingFunctions(M, "__nv_").empty())
    return true;
  if (Path.empty())
    return reportLinkError(M,
                           "the derivative needs CUDA's libdevice, which this compilation does not use (-nocudalib)");
  SMDiagnostic Error;
  std::unique_ptr<Module> Library = getLazyIRFileModule(Path, Error, M.getContext());
  if (!Library)
    return reportLinkError(M, "cannot read libdevice: " + Error.getMessage() + " (" + Path + ")");
  bool Failed = false;
  linkNeeded(M, std::move(Library), Failed);
  if (Failed)
    return reportLinkError(M, "cannot link libdevice (" + Path + ")");
  answerReflection(M, modelFunction(M));
  mergeCopies(M);
  SmallVector<StringRef> Missing = missingFunctions(M, "__nv_");
  return Missing.empty() || reportLinkError(M, "libdevice has no " + Missing.front());
}
