//===- CalledCode.cpp - what a function does, with the functions that it calls ----------------------------------===//

#include "Derivative/Canonical/CalledCode.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"

using namespace llvm;

bool kernix::anyInCalledCode(const Function &F, function_ref<bool(const Instruction &)> Is) {
  SmallVector<const Function *, 16> Work = {&F};
  SmallPtrSet<const Function *, 16> Seen = {&F};
  while (!Work.empty())
    for (const Instruction &I : instructions(*Work.pop_back_val())) {
      if (Is(I))
        return true;
      const auto *Call = dyn_cast<CallBase>(&I);
      const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
      if (Callee && !Callee->isDeclaration() && Seen.insert(Callee).second)
        Work.push_back(Callee);
    }
  return false;
}
