//===- RaiseGeometry.cpp - which thread of which block ----------------------------------------------------------===//

#include "Derivative/Canonical/Geometry.h"
#include "Derivative/Canonical/RaiseParts.h"
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
