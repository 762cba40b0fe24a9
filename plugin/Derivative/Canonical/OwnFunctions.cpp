//===- OwnFunctions.cpp - functions of the user's that have a name of CUDA's ------------------------------------===//

#include "Derivative/Canonical/OwnFunctions.h"
#include "Derivative/Annotations.h"
#include "HandOver.h"
#include "llvm/IR/Function.h"

using namespace llvm;
using namespace kernix;

void kernix::readOwnFunctions(Module &M) {
  forEachAnnotation(M, OwnAnnotation, [](GlobalObject &Annotated, const ConstantStruct *) {
    if (auto *F = dyn_cast<Function>(&Annotated))
      F->addFnAttr(OwnAnnotation);
  });
  removeAnnotations(M, OwnAnnotation);
}

void kernix::forgetOwnFunctions(Module &M) {
  for (Function &F : M)
    F.removeFnAttr(OwnAnnotation);
}

bool kernix::isOwnFunction(const Function &F) { return F.hasFnAttribute(OwnAnnotation); }
