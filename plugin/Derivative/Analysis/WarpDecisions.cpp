//===- WarpDecisions.cpp - branches that the lanes of a warp take alike by exchanging what they decide on -------===//

#include "Derivative/Analysis/WarpDecisions.h"
#include "Derivative/Analysis/CollectivePaths.h"
#include "Derivative/Analysis/UniformValues.h"
#include "Derivative/Canonical/Collectives.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include <array>

using namespace llvm;
using namespace kernix;

namespace {

constexpr unsigned LaneBits = 5, MostValues = 64;

bool isConstant(const Value *V, uint64_t Wanted) {
  const auto *C = dyn_cast<ConstantInt>(V);
  return C && C->getZExtValue() == Wanted;
}

/// By which distance all lanes of a warp exchange Own here; 0: this is no such exchange.
unsigned exchangeOf(const Value *V, const Value *Own) {
  const auto *Call = dyn_cast<CallInst>(V);
  const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
  if (!Callee || !Callee->getName().starts_with("kernix.shfl.bfly.") || Call->getArgOperand(1) != Own ||
      !namesAllLanes(*Call) || !isConstant(Call->getArgOperand(3), 32))
    return 0;
  const auto *Distance = dyn_cast<ConstantInt>(Call->getArgOperand(2));
  return Distance ? static_cast<unsigned>(Distance->getZExtValue()) & 31 : 0;
}

/// Two lanes that exchange the operands of a commutative operation have the same result, and so have those that had the
/// same before: after five independent distances all lanes have.
bool isOfAllLanes(const Instruction &Result) {
  const Value *V = &Result;
  std::array<unsigned, LaneBits> Basis = {};
  unsigned Independent = 0;
  for (unsigned Steps = 0; Steps < MostValues && Independent < LaneBits; ++Steps) {
    const auto *I = dyn_cast<Instruction>(V);
    bool IsPair = I && I->isCommutative() && (isa<BinaryOperator>(I) || cast<CallBase>(I)->arg_size() == 2);
    if (!IsPair)
      return false;
    const Value *Left = I->getOperand(0), *Right = I->getOperand(1);
    unsigned Distance = exchangeOf(Right, Left);
    V = Distance ? Left : Right;
    if (!Distance)
      Distance = exchangeOf(Left, Right);
    if (!Distance)
      return false;
    for (unsigned Bit = 0; Bit < LaneBits && Distance; ++Bit) {
      if (!(Distance >> Bit & 1))
        continue;
      if (!Basis[Bit]) {
        Basis[Bit] = Distance;
        ++Independent;
        break;
      }
      Distance ^= Basis[Bit];
    }
  }
  return Independent == LaneBits;
}

/// Finds branches that all lanes of a warp come to and take alike, though that does not show, and on which a warp
/// function depends.
class Decisions {
public:
  Decisions(const Prepared &P, MemoryObjects &Objects, FunctionAnalysisManager &FAM)
      : P(P), Dominators(FAM.getResult<DominatorTreeAnalysis>(*P.F)), Shown(P, Objects, FAM),
        Known(P, Objects, FAM, isOfAllLanes) {
    for (const Instruction &I : instructions(*P.F)) {
      const CallInst *Call = collectiveCall(I);
      if (!Call || isBarrier(*Call->getCalledFunction()))
        continue;
      const BasicBlock *Block = Call->getParent();
      OfSome.insert_range(Known.controls(Block));
      if (!namesAllLanes(*Call))
        continue;
      OfAll.insert_range(Known.controls(Block));
      Meetings.insert(Block);
    }
  }

  /// Null: there is none.
  BasicBlock *first() const {
    for (BasicBlock &Block : *P.F)
      if (isa<BranchInst>(Block.getTerminator()) && OfSome.contains(&Block) &&
          Shown.ofBranch(&Block) > UniformValues::WarpOfRow && isTakenAlike(Block) && isForAllLanes(Block))
        return &Block;
    return nullptr;
  }

private:
  const Prepared &P;
  const DominatorTree &Dominators;
  UniformValues Shown, Known;
  UniformValues::BlockSet OfSome, OfAll; ///< branches on which a warp function depends, and one of all lanes
  UniformValues::BlockSet Meetings;      ///< where all lanes of a warp come together

  /// Rows that are only parts of a warp go ways of their own, but not to a function of all lanes.
  bool isTakenAlike(const BasicBlock &Branch) const {
    return Known.ofBranch(&Branch) <= (OfAll.contains(&Branch) ? UniformValues::WarpOfRow : UniformValues::Warp);
  }

  bool isForAllLanes(const BasicBlock &Block) const {
    auto Holds = [&](const BasicBlock *Meeting) {
      return all_of(Known.controls(&Block), [&](const BasicBlock *Control) {
        return Known.ofBranch(Control) <= UniformValues::Warp || any_of(successors(Control), onlyReturns) ||
               (Meeting && Known.controls(Meeting).contains(Control));
      });
    };
    return Holds(nullptr) || any_of(Meetings, [&](const BasicBlock *Meeting) {
             return Dominators.dominates(Meeting, &Block) && Holds(Meeting);
           });
  }
};

} // namespace

void kernix::decideInWarps(const Prepared &P, MemoryObjects &Objects, FunctionAnalysisManager &FAM) {
  bool Exchanges = any_of(instructions(*P.F), [](const Instruction &I) {
    const CallInst *Call = collectiveCall(I);
    return Call && Call->getCalledFunction()->getName().starts_with("kernix.shfl.bfly.");
  });
  if (!Exchanges)
    return;
  // What is decided behind a branch often follows from that.
  while (BasicBlock *Block = Decisions(P, Objects, FAM).first()) {
    auto *Branch = cast<BranchInst>(Block->getTerminator());
    IRBuilder<> B(Branch);
    if (const auto *Condition = dyn_cast<Instruction>(Branch->getCondition()))
      B.SetCurrentDebugLocation(Condition->getDebugLoc());
    Value *Own = B.CreateZExt(Branch->getCondition(), B.getInt32Ty());
    Value *First = B.CreateCall(declareShuffle(*P.F->getParent(), "idx", B.getInt32Ty()),
                                {B.getInt32(~0U), Own, B.getInt32(0), B.getInt32(32)});
    Branch->setCondition(B.CreateICmpNE(First, B.getInt32(0)));
  }
}
