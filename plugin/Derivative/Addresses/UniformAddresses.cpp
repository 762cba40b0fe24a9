//===- UniformAddresses.cpp - addresses that the threads of a block have in common ------------------------------===//

#include "Derivative/Addresses/UniformAddresses.h"
#include "Derivative/Shared/SharedVariables.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace kernix;

namespace {

class Hoisting {
public:
  /// OfThreads: what depends on the thread's place in its block too.
  Hoisting(Function &F, bool OfThreads) : Entry(F.getEntryBlock()), OfThreads(OfThreads) {}

  void hoistAddressOf(LoadInst &Load) {
    auto *Address = dyn_cast<Instruction>(Load.getPointerOperand());
    if (Address && Address->getParent() != &Entry && isCommon(Address))
      Load.setOperand(Load.getPointerOperandIndex(), hoist(Address));
  }

private:
  /// Whether V is the same for all threads of a block, and is there at the entry or can be.
  bool isCommon(const Value *V) {
    if (isa<Constant, Argument>(V))
      return true;
    const auto *I = dyn_cast<Instruction>(V);
    if (!I)
      return false;
    if (auto Found = Known.find(I); Found != Known.end())
      return Found->second;
    Known[I] = false; // in a circle
    return Known[I] = isCommonInstruction(*I);
  }

  bool isCommonInstruction(const Instruction &I) {
    if (const auto *Call = dyn_cast<CallBase>(&I)) {
      const Function *Callee = Call->getCalledFunction();
      StringRef Name = Callee ? Callee->getName() : "";
      return Name.starts_with("kernix.block_") || Name.starts_with("kernix.grid_dim.") ||
             (OfThreads && Name.starts_with("kernix.thread_idx."));
    }
    if (const auto *Load = dyn_cast<LoadInst>(&I))
      return I.getParent() == &Entry && Load->isSimple() && isCommon(Load->getPointerOperand());
    if (!isa<GetElementPtrInst, CastInst, BinaryOperator>(I) ||
        !all_of(I.operands(), [&](const Use &Operand) { return isCommon(Operand); }))
      return false;
    // A division may be what its guard is for.
    const auto *Divisor = I.isIntDivRem() ? dyn_cast<ConstantInt>(I.getOperand(1)) : nullptr;
    return I.getParent() == &Entry || !I.isIntDivRem() || (Divisor && !Divisor->isZero() && !Divisor->isMinusOne());
  }

  Value *hoist(Value *V) {
    auto *I = dyn_cast<Instruction>(V);
    if (!I || I->getParent() == &Entry)
      return V;
    for (Use &Operand : I->operands())
      Operand.set(hoist(Operand));
    for (Instruction *Other : Hoisted)
      if (Other->isIdenticalToWhenDefined(I)) {
        Other->andIRFlags(I);
        return Other;
      }
    I->moveBefore(Entry.getTerminator()->getIterator());
    I->updateLocationAfterHoist();
    Hoisted.push_back(I);
    return I;
  }

  BasicBlock &Entry;
  bool OfThreads;
  DenseMap<const Instruction *, bool> Known;
  SmallVector<Instruction *, 16> Hoisted;
};

} // namespace

void kernix::hoistUniformAddresses(Function &F) {
  SmallVector<LoadInst *, 16> Loads;
  for (Instruction &I : instructions(F))
    if (auto *Load = dyn_cast<LoadInst>(&I); Load && Load->getType()->isFloatingPointTy())
      Loads.push_back(Load);
  bool IsGpu = F.getParent()->getTargetTriple().isNVPTX();
  Hoisting OfBlock(F, false), OfThreads(F, true);
  for (LoadInst *Load : Loads) {
    const auto *Variable = dyn_cast<GlobalVariable>(getUnderlyingObject(Load->getPointerOperand(), /*MaxLookup=*/0));
    (IsGpu && Variable && isSharedVariable(*Variable) ? OfThreads : OfBlock).hoistAddressOf(*Load);
  }
}
