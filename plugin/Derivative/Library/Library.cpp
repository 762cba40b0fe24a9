//===- Library.cpp - functions that derivatives need and no target has ------------------------------------------===//

#include "Derivative/Library/Library.h"
#include "Derivative/Canonical/LinkBitcode.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;
using namespace kernix;

namespace {

alignas(8) const unsigned char Bfloat16[] = {
#include "Bfloat16.inc"
};
alignas(8) const unsigned char ComplexMath[] = {
#include "ComplexMath.inc"
};
alignas(8) const unsigned char Lerp[] = {
#include "Lerp.inc"
};
alignas(8) const unsigned char Polygamma[] = {
#include "Polygamma.inc"
};
alignas(8) const unsigned char CpuMath[] = {
#include "CpuMath.inc"
};

constexpr StringRef Prefix = "kernix_library_";

/// Links what M lacks of a library.
bool link(Module &M, ArrayRef<unsigned char> Bytes, SmallVectorImpl<Function *> &New) {
  StringRef Text(reinterpret_cast<const char *>(Bytes.data()), Bytes.size());
  Expected<std::unique_ptr<Module>> Library =
      getOwningLazyBitcodeModule(MemoryBuffer::getMemBuffer(Text, "kernix library", false), M.getContext());
  bool Failed = true;
  if (Library) {
    // Flags of the machine that the plugin was built on.
    if (NamedMDNode *Flags = (*Library)->getModuleFlagsMetadata())
      Flags->eraseFromParent();
    New.append(linkNeeded(M, std::move(*Library), Failed));
  } else {
    consumeError(Library.takeError());
  }
  return !Failed || reportLinkError(M, "cannot link kernix's own functions");
}

} // namespace

bool kernix::linkLibrary(Module &M, SmallVectorImpl<Function *> &New) {
  SmallVector<StringRef> Missing = missingFunctions(M, Prefix);
  if (Missing.empty())
    return true;
  // What a GPU lacks beyond this is in libdevice.
  SmallVector<ArrayRef<unsigned char>, 4> Libraries = {Polygamma, ComplexMath, Lerp};
  if (!M.getTargetTriple().isNVPTX())
    Libraries.push_back(CpuMath);
  for (ArrayRef<unsigned char> Bytes : Libraries)
    if (!link(M, Bytes, New))
      return false;
  Missing = missingFunctions(M, Prefix);
  return Missing.empty() || reportLinkError(M, "kernix has no function " + Missing.front());
}

static bool usesBfloat16(const Module &M) {
  return any_of(M, [](const Function &F) {
    return any_of(instructions(F), [](const Instruction &I) { return I.getType()->getScalarType()->isBFloatTy(); });
  });
}

bool kernix::linkBfloat16(Module &M) {
  if (M.getTargetTriple().isNVPTX() || !usesBfloat16(M))
    return true;
  Type *Narrow = Type::getBFloatTy(M.getContext());
  SmallVector<GlobalValue *> Declared;
  for (auto [Name, From] : {std::pair("__truncsfbf2", Type::getFloatTy(M.getContext())),
                            std::pair("__truncdfbf2", Type::getDoubleTy(M.getContext()))}) {
    auto *F = dyn_cast<Function>(M.getOrInsertFunction(Name, Narrow, From).getCallee());
    if (F && F->isDeclaration())
      Declared.push_back(F);
  }
  if (Declared.empty())
    return true;
  // Nothing in the IR calls them, so that they must be held.
  appendToCompilerUsed(M, Declared);
  SmallVector<Function *> New;
  if (!link(M, Bfloat16, New))
    return false;
  for (Function *F : New) {
    if (!F->getName().starts_with("__trunc"))
      continue;
    F->setLinkage(GlobalValue::WeakODRLinkage);
    F->setVisibility(GlobalValue::HiddenVisibility);
    F->setDSOLocal(true);
  }
  return true;
}
