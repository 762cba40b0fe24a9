//===- FailedLaunch.cpp - launches that a derivative ends with a message ----------------------------------------===//

#include "Derivative/Launch/FailedLaunch.h"
#include "Derivative/Refusal.h"
#include "kernix/abi.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace kernix;

static void endLaunch(IRBuilder<> &B, const DerivativeRequest &Request, StringRef Filename, unsigned LineNumber,
                      StringRef Message) {
  Module &M = *Request.Body->getParent();
  Type *Pointer = PointerType::getUnqual(M.getContext());
  Value *Text = B.CreateGlobalString(Message), *File = B.CreateGlobalString(Filename),
        *Name = B.CreateGlobalString(Request.Name), *Line = B.getInt32(LineNumber);
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
  LLVMContext &Context = M.getContext();
  Metadata *Said[] = {MDString::get(Context, Message), MDString::get(Context, Filename),
                      ConstantAsMetadata::get(B.getInt32(LineNumber))};
  B.CreateIntrinsic(Intrinsic::trap, {})->setMetadata(WhyOfTrap, MDNode::get(Context, Said));
  B.CreateUnreachable();
}

void kernix::failLaunch(IRBuilder<> &B, const DerivativeRequest &Request, const DILocation *Place, StringRef Message) {
  Place = userPlace(Place);
  endLaunch(B, Request, Place ? Place->getFilename() : "", Place ? Place->getLine() : 0, Message);
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
    const MDNode *Said = Trap->getMetadata(WhyOfTrap);
    Block.erase(Trap, Block.end());
    IRBuilder<> B(&Block);
    B.SetCurrentDebugLocation(Place);
    if (Said)
      endLaunch(B, Request, cast<MDString>(Said->getOperand(1))->getString(),
                static_cast<unsigned>(mdconst::extract<ConstantInt>(Said->getOperand(2))->getZExtValue()),
                cast<MDString>(Said->getOperand(0))->getString());
    else // Without a place in the code, that of the attribute.
      failLaunch(B, Request, Place ? Place.get() : Request.Location.get(),
                 "what is differentiated ends the launch here");
  }
}
