//===- JoinSweeps.cpp - what has been computed on the way, for the way back ---------------------------------------===//

#include "Derivative/Reverse/JoinSweeps.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/SSAUpdater.h"

using namespace llvm;
using namespace kernix;

namespace {

/// A block of phis and a branch or switch, perhaps with the comparison that the branch asks for.
struct Choice {
  BasicBlock *Block = nullptr;
  Value *By = nullptr;
  ICmpInst *Test = nullptr; ///< By, if it is a comparison of the block
  /// Numbers that do not depend on where the block is entered from, a counter for instance.
  SmallVector<Instruction *, 4> Others;
};

constexpr size_t MostOthers = 8;

std::optional<Choice> choiceAt(BasicBlock &Block, bool MayMove) {
  Choice C;
  C.Block = &Block;
  if (auto *Branch = dyn_cast<BranchInst>(Block.getTerminator());
      Branch && Branch->isConditional() && Branch->getSuccessor(0) != Branch->getSuccessor(1))
    C.By = Branch->getCondition();
  else if (auto *Switch = dyn_cast<SwitchInst>(Block.getTerminator()))
    C.By = Switch->getCondition();
  else
    return std::nullopt;
  if (auto *Test = dyn_cast<ICmpInst>(C.By); Test && Test->getParent() == &Block && Test->hasOneUse())
    C.Test = Test;
  for (Instruction &I : Block) {
    if (isa<PHINode>(I) || I.isTerminator() || &I == C.Test)
      continue;
    auto IsOfBlock = [&](const Value *V) {
      const auto *Operand = dyn_cast<Instruction>(V);
      return Operand && Operand->getParent() == &Block && !is_contained(C.Others, Operand);
    };
    if (!MayMove || C.Others.size() == MostOthers || isa<CallBase>(I) || I.mayReadOrWriteMemory() ||
        !isSafeToSpeculativelyExecute(&I) || any_of(I.operands(), IsOfBlock))
      return std::nullopt;
    C.Others.push_back(&I);
  }
  return C;
}

class Answers {
public:
  explicit Answers(Function &F) : Dominators(F) {}

  bool isReached(const Choice &C) const { return Dominators.isReachableFromEntry(C.Block); }

  /// Where what C computes beside its choice can be computed before it.
  Instruction *before(const Choice &C) const {
    return Dominators.getNode(C.Block)->getIDom()->getBlock()->getTerminator();
  }

  /// Where C leads if it is entered from From; null: that is not known.
  BasicBlock *successorFrom(const Choice &C, BasicBlock &From) const {
    Constant *Answer = nullptr;
    if (!C.Test)
      Answer = at(C.By, C, From);
    else if (Constant *Left = at(C.Test->getOperand(0), C, From), *Right = at(C.Test->getOperand(1), C, From);
             Left && Right)
      Answer = ConstantFoldCompareInstOperands(C.Test->getPredicate(), Left, Right, C.Block->getDataLayout());
    auto *Known = dyn_cast_or_null<ConstantInt>(Answer);
    if (!Known)
      return nullptr;
    if (auto *Switch = dyn_cast<SwitchInst>(C.Block->getTerminator()))
      return Switch->findCaseValue(Known)->getCaseSuccessor();
    return C.Block->getTerminator()->getSuccessor(Known->isZero());
  }

private:
  /// The value of V in C's block, entered from From.
  Constant *at(Value *V, const Choice &C, BasicBlock &From) const {
    if (auto *Phi = dyn_cast<PHINode>(V); Phi && Phi->getParent() == C.Block)
      V = Phi->getIncomingValueForBlock(&From);
    if (auto *Known = dyn_cast<Constant>(V))
      return Known;
    // What has been asked on the way has an answer.
    for (User *U : V->users()) {
      auto *Branch = dyn_cast<BranchInst>(U);
      if (!Branch || Branch->getParent() == C.Block || Branch->getSuccessor(0) == Branch->getSuccessor(1))
        continue;
      for (unsigned K = 0; K < 2; ++K) {
        bool IsThis = Branch->getParent() == &From && Branch->getSuccessor(K) == C.Block;
        if (IsThis || Dominators.dominates(BasicBlockEdge(Branch->getParent(), Branch->getSuccessor(K)), &From))
          return ConstantInt::getBool(V->getType(), K == 0);
      }
    }
    return nullptr;
  }

  DominatorTree Dominators;
};

using Ways = MapVector<BasicBlock *, SmallVector<BasicBlock *, 4>>; ///< successor, predecessors that lead there

std::optional<Ways> waysThrough(const Choice &C, const Answers &Known) {
  Ways Result;
  SmallPtrSet<BasicBlock *, 8> Seen;
  if (!Known.isReached(C))
    return std::nullopt;
  for (BasicBlock *From : predecessors(C.Block)) {
    BasicBlock *To = Seen.insert(From).second ? Known.successorFrom(C, *From) : nullptr;
    if (!To)
      return std::nullopt;
    Result[To].push_back(From);
  }
  return Result.empty() ? std::nullopt : std::optional(std::move(Result));
}

/// One block for each successor in the place of C's.
void separate(const Choice &C, const Ways &All, Instruction *Before) {
  BasicBlock &Old = *C.Block;
  for (Instruction *I : C.Others)
    I->moveBefore(Before->getIterator());
  MapVector<PHINode *, SmallVector<PHINode *, 2>> Copies;
  for (const auto &[To, From] : All) {
    BasicBlock *End = BasicBlock::Create(Old.getContext(), Old.getName(), Old.getParent(), &Old);
    for (PHINode &Phi : Old.phis()) {
      PHINode *Copy = PHINode::Create(Phi.getType(), static_cast<unsigned>(From.size()), "", End);
      Copy->setDebugLoc(Phi.getDebugLoc());
      for (BasicBlock *Each : From)
        Copy->addIncoming(Phi.getIncomingValueForBlock(Each), Each);
      Copies[&Phi].push_back(Copy);
    }
    BranchInst::Create(To, End)->setDebugLoc(Old.getTerminator()->getDebugLoc());
    for (PHINode &Phi : To->phis()) {
      Value *Given = Phi.getIncomingValueForBlock(&Old);
      // A switch may lead here more than once.
      Phi.removeIncomingValueIf([&](unsigned K) { return Phi.getIncomingBlock(K) == &Old; },
                                /*DeletePHIIfEmpty=*/false);
      auto *OfOld = dyn_cast<PHINode>(Given);
      Phi.addIncoming(OfOld && OfOld->getParent() == &Old ? Copies[OfOld].back() : Given, End);
    }
    for (BasicBlock *Each : From)
      Each->getTerminator()->replaceSuccessorWith(&Old, End);
  }
  for (BasicBlock *To : successors(&Old))
    if (!All.contains(To))
      To->removePredecessor(&Old);
  // Phis that come now have no value from here.
  Old.getTerminator()->eraseFromParent();
  for (auto &[Phi, Of] : Copies) {
    SSAUpdater Values;
    Values.Initialize(Phi->getType(), Phi->getName());
    for (PHINode *Copy : Of)
      Values.AddAvailableValue(Copy->getParent(), Copy);
    for (Use &U : make_early_inc_range(Phi->uses()))
      if (cast<Instruction>(U.getUser())->getParent() != &Old)
        Values.RewriteUse(U);
  }
  Old.dropAllReferences();
  Old.eraseFromParent();
  for (const auto &[To, From] : All)
    MergeBlockIntoPredecessor(To);
}

} // namespace

bool kernix::joinSweeps(Function &F, bool MayMove) {
  // What leads into a loop or round it stays: a loop has one entry and one way back.
  auto OfLoops = [&] {
    SmallVector<std::pair<const BasicBlock *, const BasicBlock *>, 8> BackEdges;
    FindFunctionBackedges(F, BackEdges);
    SmallPtrSet<const BasicBlock *, 16> Result;
    for (auto [From, To] : BackEdges) {
      Result.insert(From);
      Result.insert(To);
    }
    return Result;
  };
  auto JoinOne = [&] {
    SmallPtrSet<const BasicBlock *, 16> Stay = OfLoops();
    Answers Known(F);
    for (BasicBlock &Block : F)
      if (std::optional<Choice> C = Stay.contains(&Block) ? std::nullopt : choiceAt(Block, MayMove))
        if (std::optional<Ways> All = waysThrough(*C, Known)) {
          separate(*C, *All, Known.before(*C));
          return true;
        }
    return false;
  };
  bool Changed = false;
  while (JoinOne())
    Changed = true;
  return Changed;
}
