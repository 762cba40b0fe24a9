//===- RaiseGeometry.cpp - which thread of which block ----------------------------------------------------------===//

#include "Derivative/Canonical/Geometry.h"
#include "Derivative/Canonical/RaiseParts.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace kernix;

bool kernix::raiseGeometry(CallBase &Call) {
  const Function &Callee = *Call.getCalledFunction();
  if (Callee.getIntrinsicID() == Intrinsic::nvvm_read_ptx_sreg_warpsize) {
    replaceCall(Call, ConstantInt::get(Call.getType(), 32));
    return true;
  }
  const Geometry *Item = Callee.arg_empty() ? findGeometryOfTarget(Callee) : nullptr;
  if (!Item)
    return false;
  RaiseBuilder Builder(Call);
  replaceCall(Call, Builder.CreateCall(declareGeometry(Builder.module(), *Item)));
  return true;
}

/// CUDA's cooperative groups read the lane by assembly.
bool kernix::raiseLaneAssembly(CallBase &Call) {
  const auto *Text = cast<InlineAsm>(Call.getCalledOperand());
  if (!Call.arg_empty() || !Call.getType()->isIntegerTy(32) || Text->hasSideEffects())
    return false;
  Intrinsic::ID ID = StringSwitch<Intrinsic::ID>(Text->getAsmString())
                         .Case("mov.u32 $0, %laneid;", Intrinsic::nvvm_read_ptx_sreg_laneid)
                         .Case("mov.u32 $0, %lanemask_eq;", Intrinsic::nvvm_read_ptx_sreg_lanemask_eq)
                         .Case("mov.u32 $0, %lanemask_lt;", Intrinsic::nvvm_read_ptx_sreg_lanemask_lt)
                         .Default(Intrinsic::not_intrinsic);
  if (ID == Intrinsic::not_intrinsic)
    return false;
  RaiseBuilder Builder(Call);
  replaceCall(Call, Builder.CreateIntrinsic(ID, ArrayRef<Type *>(), {}));
  return true;
}
