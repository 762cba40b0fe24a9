//===- RegisterLimit.cpp - as many registers as the source's blocks have room for -------------------------------===//

#include "Derivative/Launch/RegisterLimit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace kernix;

void kernix::limitRegisters(const DerivativeRequest &Request) {
  // Of a block, on all GPUs that CUDA 13 supports; they are given out to warps by 8 for each thread.
  constexpr uint64_t RegistersOfBlock = 65536, Granularity = 8, MostOfThread = 255, WarpSize = 32;
  uint64_t Threads = alignTo(Request.threadsOfBlock(), WarpSize);
  if (Request.Kind != DerivativeRequest::Kernel || !Request.Body->getParent()->getTargetTriple().isNVPTX())
    return;
  uint64_t Most = Threads ? alignDown(RegistersOfBlock / Threads, Granularity) : MostOfThread;
  bool IsAsked = Request.MaxRegisters && static_cast<uint64_t>(Request.MaxRegisters) < Most;
  if (IsAsked)
    Most = static_cast<uint64_t>(Request.MaxRegisters);
  if (Most >= MostOfThread)
    return;
  for (User *U : Request.Body->users())
    if (auto *Call = dyn_cast<CallBase>(U)) {
      Function &Kernel = *Call->getFunction();
      if (Kernel.getCallingConv() == CallingConv::PTX_Kernel && (IsAsked || !Kernel.hasFnAttribute("nvvm.maxntid")))
        Kernel.addFnAttr("nvvm.maxnreg", utostr(Most));
    }
}
