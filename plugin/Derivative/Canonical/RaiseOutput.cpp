//===- RaiseOutput.cpp - printf and assert: what a derivative does not repeat -----------------------------------===//

#include "Derivative/Canonical/RaiseParts.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"

using namespace llvm;
using namespace kernix;

bool kernix::dropOutput(CallBase &Call) {
  const Function &Callee = *Call.getCalledFunction();
  bool IsOutput = StringSwitch<bool>(Callee.getName())
                      .Cases({"printf", "vprintf", "fprintf", "puts", "putchar", "fflush"}, true)
                      .Cases({"__assertfail", "__assert_fail", "kernix_cpu_assert_fail"}, true)
                      .Default(false);
  if (std::optional<MangledName> Symbol = parseMangledName(Callee.getName()); Symbol && Symbol->Scope.empty())
    IsOutput |= Symbol->Name == "__assert_fail" || Symbol->Name == "kernix_cpu_check_assertion";
  // The number of characters is something that only the real call knows.
  if (!IsOutput || !Call.use_empty())
    return false;
  // What ends the launch ends that of the derivative, which else would take it for granted that nobody comes here.
  if (Callee.getName() == "kernix_cpu_assert_fail" && isa_and_nonnull<UnreachableInst>(Call.getNextNode()))
    IRBuilder<>(&Call).CreateIntrinsic(Intrinsic::trap, {});
  replaceCall(Call, nullptr);
  return true;
}
