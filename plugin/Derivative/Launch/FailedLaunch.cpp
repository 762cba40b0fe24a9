//===- FailedLaunch.cpp - launches that a derivative ends with a message ----------------------------------------===//

#include "Derivative/Launch/FailedLaunch.h"
#include "Derivative/Refusal.h"
#include "kernix/abi.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace kernix;

void kernix::failLaunch(IRBuilder<> &B, const DerivativeRequest &Request, const DILocation *Place, StringRef Message) {
  Module &M = *Request.Body->getParent();
  Place = userPlace(Place);
  Type *Pointer = PointerType::getUnqual(M.getContext());
  Value *Text = B.CreateGlobalString(Message), *File = B.CreateGlobalString(Place ? Place->getFilename() : ""),
        *Name = B.CreateGlobalString(Request.Name), *Line = B.getInt32(Place ? Place->getLine() : 0);
  FunctionCallee Fail;
  if (M.getTargetTriple().isNVPTX()) {
    Fail =
        M.getOrInsertFunction("__assertfail", B.getVoidTy(), Pointer, Pointer, B.getInt32Ty(), Pointer, B.getInt64Ty());
    B.CreateCall(Fail, {Text, File, Line, Name, B.getInt64(1)});
  } else if (Request.Kind != DerivativeRequest::Host) {
    Fail = M.getOrInsertFunction("kernix_cpu_assert_fail", B.getVoidTy(), Pointer, Pointer, B.getInt32Ty(), Pointer);
    B.CreateCall(Fail, {Text, File, Line, Name});
  } else {
    // An exception, as of any host function.
    FunctionCallee Raise = M.getOrInsertFunction(
        "kernix_raise", FunctionType::get(B.getVoidTy(), {B.getInt32Ty(), Pointer}, /*isVarArg=*/true));
    B.CreateCall(Raise,
                 {B.getInt32(KERNIX_ERROR_RUNTIME), B.CreateGlobalString("%s:%u: %s: %s"), File, Line, Name, Text});
    B.CreateUnreachable();
    return;
  }
  B.CreateIntrinsic(Intrinsic::trap, {});
  B.CreateUnreachable();
}

static bool saysWhy(const Instruction *I) {
  const auto *Call = dyn_cast_or_null<CallBase>(I);
  const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
  return Callee && is_contained({"__assertfail", "kernix_cpu_assert_fail"}, Callee->getName());
}

void kernix::failWhereThePrimalDoes(const DerivativeRequest &Request) {
  for (BasicBlock &Block : *Request.Body) {
    auto Trap = find_if(Block, [](const Instruction &I) {
      const auto *Call = dyn_cast<CallInst>(&I);
      return Call && Call->getIntrinsicID() == Intrinsic::trap;
    });
    if (Trap == Block.end() || !isa<UnreachableInst>(Block.getTerminator()) || saysWhy(Trap->getPrevNode()))
      continue;
    const DebugLoc Place = Trap->getDebugLoc();
    Block.erase(Trap, Block.end());
    IRBuilder<> B(&Block);
    B.SetCurrentDebugLocation(Place);
    // Without a place in the code, that of the attribute.
    failLaunch(B, Request, Place ? Place.get() : Request.Location.get(), "what is differentiated ends the launch here");
  }
}
