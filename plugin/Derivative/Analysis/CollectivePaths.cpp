//===- CollectivePaths.cpp - whether threads come together to barriers and warp functions -----------------------===//

#include "Derivative/Analysis/CollectivePaths.h"
#include "Derivative/Addresses/IndexForms.h"
#include "Derivative/Canonical/Collectives.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;
using namespace kernix;

bool kernix::onlyReturns(const BasicBlock *Block) {
  for (SmallPtrSet<const BasicBlock *, 4> Seen; Seen.insert(Block).second; Block = Block->getSingleSuccessor()) {
    if (any_of(*Block, [](const Instruction &I) { return I.mayHaveSideEffects(); }))
      return false;
    if (isa<ReturnInst>(Block->getTerminator()))
      return true;
    if (!Block->getSingleSuccessor())
      return false;
  }
  return false;
}

static bool readsOtherRows(const Function &F) {
  return any_of(instructions(F), [](const Instruction &I) {
    std::optional<unsigned> Atom = geometryAtom(&I);
    return Atom && (*Atom == 1 || *Atom == 2); // threadIdx.y, threadIdx.z
  });
}

void kernix::nameActiveLanes(const Prepared &P, const DerivativeRequest &Request, MemoryObjects &Objects,
                             FunctionAnalysisManager &FAM) {
  SmallVector<CallInst *, 4> Calls;
  for (Instruction &I : instructions(*P.F))
    if (auto *Call = dyn_cast<CallInst>(&I))
      if (const Function *Callee = Call->getCalledFunction(); Callee && Callee->getName() == "kernix.activemask")
        Calls.push_back(Call);
  if (Calls.empty())
    return;
  // A warp is a part of one row of the block if the source says so, or knows no other rows.
  const int64_t Extent = Request.extentsOfBlock()[0];
  const bool RowsAreWarps = Extent > 0 && Extent % 32 == 0;
  UniformValues Uniform(P, Objects, FAM, nullptr, {/*All=*/true, RowsAreWarps});
  UniformValues::Level Whole = RowsAreWarps || !readsOtherRows(*P.F) ? UniformValues::WarpOfRow : UniformValues::Warp;
  for (CallInst *Call : Calls) {
    if (any_of(Uniform.controls(Call->getParent()), [&](const BasicBlock *Branch) {
          return Uniform.ofBranch(Branch) > Whole && none_of(successors(Branch), onlyReturns);
        }))
      continue;
    IRBuilder<> Builder(Call);
    CallInst *Lanes = Builder.CreateCall(declareLanes(*P.F->getParent()), {Builder.getInt32(~0U)});
    Lanes->setDebugLoc(Call->getDebugLoc());
    Call->replaceAllUsesWith(Lanes);
    Call->eraseFromParent();
  }
}

static bool trapsAtOnce(const BasicBlock *Block) { return isa<UnreachableInst>(Block->getTerminator()); }

CollectivePaths::CollectivePaths(const Prepared &P, MemoryObjects &Objects, Activity &Active,
                                 const UniformValues &Uniform, function_ref<bool(const CallInst &)> IsRun,
                                 FunctionAnalysisManager &FAM, Refusals &Refused)
    : Active(Active), Dominators(FAM.getResult<DominatorTreeAnalysis>(*P.F)), Loops(FAM.getResult<LoopAnalysis>(*P.F)) {
  for (const Instruction &I : instructions(*P.F)) {
    if (const CallInst *Call = collectiveCall(I); Call && IsRun(*Call))
      Collectives.push_back(Call);
    MemoryAccess Access = accessOf(I);
    if (!Access.Stored)
      continue;
    bool Matters = Active.isActiveAccess(I);
    for (const MemoryObject *O : Objects.of(Access.Pointer))
      Matters |= O->Kind == MemoryObject::Shared;
    if (Matters)
      Stores.push_back(&I);
  }
  for (const Instruction *I : Collectives) {
    const auto &Call = *cast<CallInst>(I);
    const Function &Callee = *Call.getCalledFunction();
    UniformValues::Level Allowed = UniformValues::Block;
    if (!isBarrier(Callee)) {
      // A mask that names some of the lanes names those that come here.
      if (!namesAllLanes(Call))
        continue;
      Allowed = UniformValues::WarpOfRow;
    }
    for (const BasicBlock *Branch : Uniform.controls(Call.getParent())) {
      if (Uniform.ofBranch(Branch) <= Allowed)
        continue;
      const BasicBlock *Side = Returns.lookup(Branch);
      Side = Side ? Side : returningSide(*Branch);
      if (Side) {
        Returns[Branch] = Side;
        continue;
      }
      const std::string Threads = isBarrier(Callee)
                                      ? "the threads of a block may come to this barrier on different ways: "
                                      : "the lanes of a warp may come to this warp function on different ways: ";
      if (any_of(successors(Branch), trapsAtOnce))
        Refused.error(Call, Threads +
                                "a check before it ends in a trap; use assert() in place of __trap(), and compile "
                                "without -fsanitize-trap and -fno-sanitize-recover");
      else
        Refused.error(Call,
                      Threads + (isBarrier(Callee)
                                     ? "a branch or a loop around it depends on the thread; let all threads reach "
                                       "it"
                                     : "a branch or a loop around it depends on the lane; let all lanes reach it, "
                                       "or name those that do in its mask"));
      break;
    }
  }
}

/// The successor by which threads leave that have done nothing yet, and do nothing more; null: none.
const BasicBlock *CollectivePaths::returningSide(const BasicBlock &Branch) {
  const Instruction *End = Branch.getTerminator();
  if (!isa<BranchInst>(End) || Loops.getLoopFor(&Branch))
    return nullptr;
  auto Comes = [&](ArrayRef<const Instruction *> Before) {
    return any_of(Before, [&](const Instruction *I) {
      return I->getParent() == &Branch || isPotentiallyReachable(I, End, nullptr, &Dominators, &Loops);
    });
  };
  if (Comes(Collectives) || Comes(Stores))
    return nullptr;
  for (const BasicBlock *Side : successors(&Branch)) {
    auto Follows = [&](ArrayRef<const Instruction *> Later) {
      return any_of(Later, [&](const Instruction *I) {
        return I->getParent() == Side || isPotentiallyReachable(Side, I->getParent(), nullptr, &Dominators, &Loops);
      });
    };
    if (!Follows(Collectives) && !Follows(Stores))
      return Side;
  }
  return nullptr;
}
