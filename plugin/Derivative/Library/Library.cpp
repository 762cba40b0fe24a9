//===- Library.cpp - functions that derivatives need and no target has ------------------------------------------===//

#include "Derivative/Library/Library.h"
#include "Derivative/LinkBitcode.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;
using namespace kernix;

namespace {

alignas(8) const unsigned char Polygamma[] = {
#include "Polygamma.inc"
};
alignas(8) const unsigned char CpuMath[] = {
#include "CpuMath.inc"
};

constexpr StringRef Prefix = "kernix_library_";

std::unique_ptr<Module> read(LLVMContext &Context, ArrayRef<unsigned char> Bytes) {
  StringRef Text(reinterpret_cast<const char *>(Bytes.data()), Bytes.size());
  Expected<std::unique_ptr<Module>> Library =
      getOwningLazyBitcodeModule(MemoryBuffer::getMemBuffer(Text, "kernix library", false), Context);
  return Library ? std::move(*Library) : (consumeError(Library.takeError()), nullptr);
}

} // namespace

bool kernix::linkLibrary(Module &M, SmallVectorImpl<Function *> &New) {
  SmallVector<StringRef> Missing = missingFunctions(M, Prefix);
  if (Missing.empty())
    return true;
  // What a GPU lacks beyond this is in libdevice.
  SmallVector<ArrayRef<unsigned char>, 2> Libraries = {Polygamma};
  if (!M.getTargetTriple().isNVPTX())
    Libraries.push_back(CpuMath);
  for (ArrayRef<unsigned char> Bytes : Libraries) {
    std::unique_ptr<Module> Library = read(M.getContext(), Bytes);
    bool Failed = !Library;
    if (Library) {
      // Flags of the machine that the plugin was built on.
      if (NamedMDNode *Flags = Library->getModuleFlagsMetadata())
        Flags->eraseFromParent();
      New.append(linkNeeded(M, std::move(Library), Failed));
    }
    if (Failed)
      return reportLinkError(M, "cannot link kernix's own functions");
  }
  Missing = missingFunctions(M, Prefix);
  return Missing.empty() || reportLinkError(M, "kernix has no function " + Missing.front());
}
