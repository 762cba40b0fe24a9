//===- HiddenVariables.cpp - variables that stay in memory while a function is prepared --------------------------===//

#include "Derivative/Prepare/HiddenVariables.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace kernix;

static constexpr char Prefix[] = "kernix.hidden.";

CallInst *kernix::hidePointer(IRBuilder<> &B, Value *Pointer, StringRef Kind) {
  Module &M = *B.GetInsertBlock()->getModule();
  FunctionCallee Hide = M.getOrInsertFunction((Prefix + Kind).str(), Pointer->getType(), Pointer->getType());
  auto *Declared = cast<Function>(Hide.getCallee());
  Declared->setDoesNotAccessMemory();
  Declared->setDoesNotThrow();
  Declared->addFnAttr(Attribute::WillReturn);
  return B.CreateCall(Hide, {Pointer});
}

CallInst *kernix::hideVariable(AllocaInst &Variable, StringRef Kind, DebugLoc Place) {
  IRBuilder<> B(Variable.getParent(), std::next(Variable.getIterator()));
  SmallVector<Use *, 8> Uses;
  // Marks of a lifetime may stand on variables only.
  for (Use &U : Variable.uses())
    if (!cast<Instruction>(U.getUser())->isLifetimeStartOrEnd())
      Uses.push_back(&U);
  CallInst *Call = hidePointer(B, &Variable, Kind);
  Call->setDebugLoc(std::move(Place));
  for (Use *U : Uses)
    U->set(Call);
  return Call;
}

CallInst *kernix::hidingCall(Instruction &I, StringRef Kind) {
  auto *Call = dyn_cast<CallInst>(&I);
  StringRef Name = Call && Call->getCalledFunction() ? Call->getCalledFunction()->getName() : StringRef();
  return Name.consume_front(Prefix) && Name.starts_with(Kind) ? Call : nullptr;
}

AllocaInst &kernix::hiddenVariable(const CallInst &Hidden) {
  Value *V = Hidden.getArgOperand(0)->stripPointerCasts();
  for (auto *Outer = dyn_cast<CallInst>(V); Outer && hidingCall(*Outer, ""); Outer = dyn_cast<CallInst>(V))
    V = Outer->getArgOperand(0)->stripPointerCasts();
  return *cast<AllocaInst>(V);
}

void kernix::showVariable(CallInst &Hidden) {
  Hidden.replaceAllUsesWith(Hidden.getArgOperand(0));
  Hidden.eraseFromParent();
}
