//===- StrideFactors.cpp - products by strides of views are computed where ways meet ----------------------------===//

#include "Derivative/Prepare/StrideFactors.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;
using namespace kernix;

namespace {

/// The stride that V is a product by, and the other factor.
std::pair<LoadInst *, Value *> factorsOf(Value *V, MemoryObjects &Objects) {
  auto StrideOf = [&](Value *Factor) {
    auto *Load = dyn_cast<LoadInst>(Factor);
    return Load && Objects.isStride(*Load) ? Load : nullptr;
  };
  if (LoadInst *Stride = StrideOf(V))
    return {Stride, ConstantInt::get(V->getType(), 1)};
  auto *Product = dyn_cast<BinaryOperator>(V);
  if (!Product || Product->getOpcode() != Instruction::Mul)
    return {};
  for (unsigned K : {0U, 1U})
    if (LoadInst *Stride = StrideOf(Product->getOperand(K)))
      return {Stride, Product->getOperand(1 - K)};
  return {};
}

void factor(PHINode &Phi, MemoryObjects &Objects) {
  LoadInst *Stride = nullptr;
  SmallVector<Value *, 4> Others;
  for (Value *Incoming : Phi.incoming_values()) {
    if (const auto *Zero = dyn_cast<ConstantInt>(Incoming); Zero && Zero->isZero()) {
      Others.push_back(Incoming);
      continue;
    }
    auto [By, Other] = factorsOf(Incoming, Objects);
    if (!By || (Stride && By != Stride))
      return;
    Stride = By;
    Others.push_back(Other);
  }
  // Strides are read at the entry.
  if (!Stride || Stride->getParent() != &Phi.getFunction()->getEntryBlock() || Stride->getParent() == Phi.getParent())
    return;
  PHINode *Index = PHINode::Create(Phi.getType(), Phi.getNumIncomingValues(), "", Phi.getIterator());
  Index->setDebugLoc(Phi.getDebugLoc());
  for (unsigned K = 0; K < Others.size(); ++K)
    Index->addIncoming(Others[K], Phi.getIncomingBlock(K));
  auto *Product = BinaryOperator::CreateMul(Index, Stride, "", Phi.getParent()->getFirstNonPHIIt());
  Product->setDebugLoc(Phi.getDebugLoc());
  Phi.replaceAllUsesWith(Product);
  Phi.eraseFromParent();
}

} // namespace

void kernix::factorStrides(Function &F, MemoryObjects &Objects) {
  // What is chosen first is the side of a later choice.
  for (BasicBlock *Block : ReversePostOrderTraversal<Function *>(&F))
    for (PHINode &Phi : make_early_inc_range(Block->phis()))
      if (Phi.getType()->isIntegerTy())
        factor(Phi, Objects);
}
