//===- KeptAddresses.cpp - addresses that are computed before a branch and used behind it -----------------------===//

#include "Derivative/Prepare/KeptAddresses.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace kernix {

namespace {

/// What Phi is on all ways on which it is defined; null if that is several values, or defined on all ways.
Instruction *onlyDefined(const PHINode &Phi) {
  Instruction *Only = nullptr;
  bool HasUndefined = false;
  for (Value *Incoming : Phi.incoming_values()) {
    if (isa<UndefValue>(Incoming)) {
      HasUndefined = true;
      continue;
    }
    auto *I = dyn_cast<Instruction>(Incoming);
    if (!I || (Only && Only != I))
      return nullptr;
    Only = I;
  }
  return HasUndefined ? Only : nullptr;
}

/// Integer arithmetic that can be done anywhere.
bool isArithmetic(const Instruction &I) {
  switch (I.getOpcode()) {
  case Instruction::GetElementPtr:
  case Instruction::Add:
  case Instruction::Sub:
  case Instruction::Mul:
  case Instruction::Shl:
  case Instruction::SExt:
  case Instruction::ZExt:
  case Instruction::Trunc:
    return true;
  default:
    return false;
  }
}

class Recomputed {
public:
  Recomputed(PHINode &Phi, const DominatorTree &Dominators)
      : Phi(Phi), Dominators(Dominators), Place(Phi.getParent()->getFirstInsertionPt()) {}

  bool isPossible(const Value *V) {
    const auto *I = dyn_cast<Instruction>(V);
    if (!I || Dominators.dominates(I, &Phi))
      return true;
    return ++Steps <= MostSteps && isArithmetic(*I) &&
           all_of(I->operands(), [this](const Use &U) { return isPossible(U); });
  }

  Value *copy(Value *V) {
    auto *I = dyn_cast<Instruction>(V);
    if (!I || Dominators.dominates(I, &Phi))
      return V;
    Instruction *Copy = I->clone();
    for (Use &Operand : Copy->operands())
      Operand.set(copy(Operand));
    // What holds on the way on which it was computed need not hold here.
    Copy->dropPoisonGeneratingAnnotations();
    Copy->insertBefore(Place);
    return Copy;
  }

private:
  static constexpr unsigned MostSteps = 16;
  PHINode &Phi;
  const DominatorTree &Dominators;
  BasicBlock::iterator Place;
  unsigned Steps = 0;
};

} // namespace

bool recomputeKeptAddresses(Function &F, const DominatorTree &Dominators) {
  SmallVector<PHINode *> Phis;
  for (Instruction &I : instructions(F))
    if (auto *Phi = dyn_cast<PHINode>(&I); Phi && Phi->getType()->isPointerTy())
      Phis.push_back(Phi);
  bool Changed = false;
  for (PHINode *Phi : Phis) {
    Instruction *Only = onlyDefined(*Phi);
    if (!Only || Dominators.dominates(Only, Phi))
      continue;
    Recomputed Address(*Phi, Dominators);
    if (!Address.isPossible(Only))
      continue;
    Phi->replaceAllUsesWith(Address.copy(Only));
    Phi->eraseFromParent();
    Changed = true;
  }
  return Changed;
}

} // namespace kernix
