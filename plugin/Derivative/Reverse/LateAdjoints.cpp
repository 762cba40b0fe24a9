//===- LateAdjoints.cpp - numbers that are reversed with what they are used for ----------------------------------===//
//
// What a number is used for often stands behind a branch: whoever is too far away is passed over once the distance is
// known. On the other way its adjoint is nothing, and so is all that it would give on. Such a number is reversed in the
// block that dominates its uses, after these, and not where it was computed, which both ways come back to.
//
// In loops only. Elsewhere most branches ask whether there is an element for the thread, and what is reversed in each
// of several such branches has to be kept for all of them.
//
//===------------------------------------------------------------------------------------------------------------===//

#include "Derivative/Canonical/Collectives.h"
#include "Derivative/Reverse/ReverseWriter.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/IR/Dominators.h"

using namespace llvm;
using namespace kernix;

/// Whether all that reversing I does is to give its adjoint on.
bool ReverseWriter::canBeLate(const Instruction &I) const {
  if (!Active.isActive(&I) || isa<PHINode>(I) || accessOf(I).Pointer || orderingCall(I) || collectiveCall(I) ||
      ruleOf(&I, Objects.rules()) || ruleCallOf(&I, Objects.rules()))
    return false;
  // A sum has one adjoint for all iterations, and a product may add to the turn of what it has loaded.
  return !isInSum(&I) && !LoadOfProduct.contains(&I) && none_of(I.operands(), [&](Value *V) { return isInSum(V); });
}

void ReverseWriter::planLateAdjoints(FunctionAnalysisManager &FAM) {
  DominatorTree &Dominators = FAM.getResult<DominatorTreeAnalysis>(*P.F);
  PostDominatorTree &PostDominators = FAM.getResult<PostDominatorTreeAnalysis>(*P.F);
  DenseMap<const Instruction *, BasicBlock *> LateBlock;
  // Where User gives to the adjoint of what it uses.
  auto BlockOf = [&](const Use &U) {
    auto *User = cast<Instruction>(U.getUser());
    if (auto *Phi = dyn_cast<PHINode>(User))
      return Phi->getIncomingBlock(U);
    BasicBlock *Late = LateBlock.lookup(User);
    return Late ? Late : User->getParent();
  };
  // All uses are seen before what they use.
  for (BasicBlock *Block : post_order(P.F)) {
    if (!regionOf(Block).L)
      continue;
    for (Instruction &I : reverse(*Block)) {
      if (!canBeLate(I))
        continue;
      BasicBlock *Late = nullptr;
      for (const Use &U : I.uses())
        if (const auto *User = cast<Instruction>(U.getUser()); Active.isActive(User) || Active.isActiveAccess(*User))
          Late = Late ? Dominators.findNearestCommonDominator(Late, BlockOf(U)) : BlockOf(U);
      if (!Late)
        continue;
      // A loop is reversed as a whole.
      while (Late != Block && &regionOf(Late) != &regionOf(Block))
        Late = Dominators.getNode(Late)->getIDom()->getBlock();
      if (PostDominators.dominates(Late, Block))
        continue;
      LateBlock[&I] = Late;
      LateAdjoints[Late].push_back(&I);
      IsLate.insert(&I);
    }
  }
}

/// Whether the adjoint of what Load reads is nothing in threads that go past all branches behind it.
bool ReverseWriter::givesOnlyBehindBranches(const Instruction &Load, const PostDominatorTree &PostDominators) {
  SmallVector<const Instruction *, 8> Work = {&Load};
  SmallPtrSet<const Instruction *, 16> Seen;
  bool AreBranches = false;
  while (!Work.empty())
    for (const User *U : Work.pop_back_val()->users()) {
      const auto *I = cast<Instruction>(U);
      if (!Seen.insert(I).second || (!Active.isActive(I) && !Active.isActiveAccess(*I)))
        continue;
      if (!PostDominators.dominates(I->getParent(), Load.getParent()))
        AreBranches = true;
      else if (isa<PHINode>(I) || I->mayReadOrWriteMemory())
        return false;
      else
        Work.push_back(I);
    }
  return AreBranches;
}
