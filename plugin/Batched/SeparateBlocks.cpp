//===- SeparateBlocks.cpp
//------------------------------------------------------------------------------------------===//

#include "Batched/SeparateBlocks.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace {

constexpr unsigned SharedMemory = 3;

class Search {
public:
  explicit Search(const Function &Kernel) : Kernel(Kernel) {}

  bool isSeparate(const Function &F) {
    if (!Seen.insert(&F).second)
      return true;
    return all_of(instructions(F), [this](const Instruction &I) {
      return (!isa<CallBase>(I) || isSeparateCall(cast<CallBase>(I))) &&
             all_of(I.operands(), [this](const Use &Operand) { return isSeparateValue(*Operand.get()); });
    });
  }

private:
  const Function &Kernel;
  SmallPtrSet<const Value *, 16> Seen;

  /// A variable that changes, or that the host sets, belongs to the module that the host has.
  bool isSeparateValue(const Value &Value) {
    auto *C = dyn_cast<Constant>(&Value);
    if (!C || isa<Function>(C))
      return true;
    if (auto *Variable = dyn_cast<GlobalVariable>(C))
      return Variable->getAddressSpace() == SharedMemory ||
             (Variable->isConstant() && Variable->hasInitializer() && !Variable->isExternallyInitialized());
    if (isa<GlobalValue>(C))
      return false;
    return !Seen.insert(C).second ||
           all_of(C->operands(), [this](const Use &Operand) { return isSeparateValue(*Operand.get()); });
  }

  bool isSeparateCall(const CallBase &Call) {
    if (auto *Asm = dyn_cast<InlineAsm>(Call.getCalledOperand()))
      return none_of(ArrayRef<StringRef>{"ctaid", "gridid", "cluster"},
                     [Asm](StringRef Word) { return Asm->getAsmString().contains(Word); });
    const Function *Callee = Call.getCalledFunction();
    if (!Callee)
      return false;
    if (Callee->isIntrinsic())
      return isSeparateIntrinsic(*Callee, *Call.getFunction());
    if (!Callee->isDeclaration())
      return isSeparate(*Callee);
    // What CUDA's device runtime has; others of its functions look at the grid.
    static constexpr StringRef Known[] = {"vprintf", "malloc", "free", "__assertfail"};
    return is_contained(Known, Callee->getName());
  }

  bool isSeparateIntrinsic(const Function &Intrinsic, const Function &Caller) const {
    switch (Intrinsic.getIntrinsicID()) {
    case Intrinsic::nvvm_read_ptx_sreg_ctaid_z:
    case Intrinsic::nvvm_read_ptx_sreg_nctaid_z:
      return &Caller == &Kernel;
    default:
      return !Intrinsic.getName().contains("cluster") && !Intrinsic.getName().contains("gridid");
    }
  }
};

} // namespace

bool kernix::hasSeparateBlocks(const Function &Kernel) {
  return !Kernel.hasFnAttribute("nvvm.cluster_dim") && Search(Kernel).isSeparate(Kernel);
}
