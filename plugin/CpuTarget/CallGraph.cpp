//===- CallGraph.cpp - which functions a device function can reach -----------------------------------------------===//

#include "CpuTarget/CallGraph.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;

namespace kernix {

bool isWaitingFunction(const Function &F) {
  return StringSwitch<bool>(F.getName())
      .Case("kernix_cpu_barrier", true)
      .Case("kernix_cpu_barrier_reduce", true)
      .Case("kernix_cpu_warp_sync", true)
      .Case("kernix_cpu_warp_shuffle", true)
      .Case("kernix_cpu_warp_ballot", true)
      .Case("kernix_cpu_warp_match", true)
      .Case("kernix_cpu_active_mask", true)
      .Default(false);
}

Function *calledFunction(const CallBase &Call) {
  return dyn_cast<Function>(Call.getCalledOperand()->stripPointerCastsAndAliases());
}

/// A call of something of which only the name is known: it may call back. The runtime's functions do not.
static bool isUnknownCall(const CallBase &Call) {
  if (Call.isInlineAsm())
    return false;
  const Function *Callee = calledFunction(Call);
  if (!Callee)
    return true;
  return Callee->isDeclaration() && !Callee->isIntrinsic() && !Callee->getName().starts_with("kernix_cpu_");
}

DeviceCallGraph::DeviceCallGraph(Module &M) {
  for (const Function &F : M) {
    // The lists llvm.used and llvm.global.annotations name functions without anybody calling them.
    if (F.hasAddressTaken(nullptr, /*IgnoreCallbackUses=*/false, /*IgnoreAssumeLikeCalls=*/true,
                          /*IgnoreLLVMUsed=*/true))
      AddressTaken.insert(&F);
    Node &N = Nodes[&F];
    for (const Instruction &I : instructions(F)) {
      const auto *Call = dyn_cast<CallBase>(&I);
      if (!Call)
        continue;
      if (const Function *Callee = calledFunction(*Call))
        N.Callees.insert(Callee);
      N.CallsUnknown |= isUnknownCall(*Call);
    }
  }
}

bool DeviceCallGraph::someAddressTakenIn(const FunctionSet &Set) const {
  return any_of(AddressTaken, [&](const Function *F) { return Set.contains(F); });
}

FunctionSet DeviceCallGraph::reaching(function_ref<bool(const Function &)> Property) const {
  FunctionSet Result;
  for (const auto &[F, N] : Nodes)
    if (Property(*F))
      Result.insert(F);
  // A fixed point: whether unknown calls reach anything depends on the result itself.
  for (bool Changed = true; Changed;) {
    Changed = false;
    bool UnknownReaches = someAddressTakenIn(Result);
    for (const auto &[F, N] : Nodes) {
      if (Result.contains(F))
        continue;
      if ((N.CallsUnknown && UnknownReaches) ||
          any_of(N.Callees, [&](const Function *Callee) { return Result.contains(Callee); }))
        Changed |= Result.insert(F).second;
    }
  }
  return Result;
}

FunctionSet DeviceCallGraph::reachableFrom(const Function &From) const {
  FunctionSet Result;
  SmallVector<const Function *> Work = {&From};
  while (!Work.empty()) {
    const Function *F = Work.pop_back_val();
    if (!Result.insert(F).second)
      continue;
    auto It = Nodes.find(F);
    if (It == Nodes.end())
      continue;
    Work.append(It->second.Callees.begin(), It->second.Callees.end());
    if (It->second.CallsUnknown)
      Work.append(AddressTaken.begin(), AddressTaken.end());
  }
  return Result;
}

bool DeviceCallGraph::mayReach(const CallBase &Call, const FunctionSet &Set) const {
  if (const Function *Callee = calledFunction(Call); Callee && Set.contains(Callee))
    return true;
  return isUnknownCall(Call) && someAddressTakenIn(Set);
}

} // namespace kernix
