//===- Raise.cpp - calls in canonical form: who looks at what ---------------------------------------------------===//

#include "Derivative/Canonical/Raise.h"
#include "Derivative/Canonical/MathFunctions.h"
#include "Derivative/Canonical/OwnFunctions.h"
#include "Derivative/Canonical/RaiseParts.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"

using namespace llvm;
using namespace kernix;

RaiseBuilder::RaiseBuilder(CallBase &Call) : IRBuilder<>(&Call) {
  if (isa<FPMathOperator>(Call))
    setFastMathFlags(Call.getFastMathFlags());
}

void kernix::replaceCall(CallBase &Call, Value *Value) {
  if (Value && !Call.getType()->isVoidTy())
    Call.replaceAllUsesWith(Value);
  if (auto *Invoke = dyn_cast<InvokeInst>(&Call)) {
    Invoke->getUnwindDest()->removePredecessor(Invoke->getParent());
    IRBuilder<>(Invoke).CreateBr(Invoke->getNormalDest());
  }
  Call.eraseFromParent();
}

bool kernix::raiseCall(CallBase &Call) {
  // callbr and calls through pointers are not ours.
  const Function *Callee = Call.getCalledFunction();
  if (Call.isInlineAsm())
    return raiseAssembly(Call);
  if (!Callee || isa<CallBrInst>(Call))
    return false;
  if (isOwnFunction(*Callee))
    return raiseOwnAddition(Call);
  if (raiseGeometry(Call) || raiseCollective(Call) || dropOutput(Call))
    return true;
  if (Callee->isIntrinsic())
    return raiseMathIntrinsic(Call);
  StringRef Name = Callee->getName();
  if (Name.consume_front("__nv_"))
    return raiseLibdevice(Call, Name);
  if (raiseStandardComplex(Call) || raiseStandardLerp(Call))
    return true;
  if (std::optional<MangledName> Symbol = parseMangledName(Name)) {
    // In a namespace or a class it is the user's own.
    bool IsCuda = Symbol->Scope.empty();
    return raiseHeaderMath(Call, *Symbol) ||
           (IsCuda && (raiseMemory(Call, *Symbol) || raiseHalf(Call, *Symbol) || raiseHalfConversion(Call, *Symbol)));
  }
  // A body of that name is the user's own function, whatever it computes.
  return Callee->isDeclaration() && raiseLibm(Call, Name);
}

bool kernix::raiseInstruction(Instruction &I) {
  if (I.getOpcode() != Instruction::FRem)
    return false;
  Type *Type = I.getType();
  if (!Type->isFloatTy() && !Type->isDoubleTy())
    return false;
  IRBuilder<> Builder(&I);
  Builder.setFastMathFlags(I.getFastMathFlags());
  Value *Raised = Builder.CreateCall(declareMath(*I.getModule(), *findMathFunction("fmod"), Type, false),
                                     {I.getOperand(0), I.getOperand(1)});
  I.replaceAllUsesWith(Raised);
  I.eraseFromParent();
  return true;
}
