//===- Prefetch.cpp - memory that is read behind barriers is asked for before them ------------------------------===//

#include "Derivative/Launch/Prefetch.h"
#include "Derivative/Canonical/Libdevice.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"

using namespace llvm;
using namespace kernix;

static constexpr char Mark[] = "kernix-prefetch";
static constexpr size_t MostOfKernel = 16;
static constexpr int64_t Sector = 32; ///< bytes that the cache fetches together

namespace {

bool isBarrier(const Instruction &I) {
  const auto *Call = dyn_cast<IntrinsicInst>(&I);
  return Call && Call->getCalledFunction()->getName().starts_with("llvm.nvvm.barrier");
}

class Prefetches {
public:
  Prefetches(Function &Kernel, FunctionAnalysisManager &FAM)
      : Kernel(Kernel), DT(FAM.getResult<DominatorTreeAnalysis>(Kernel)),
        PDT(FAM.getResult<PostDominatorTreeAnalysis>(Kernel)), Loops(FAM.getResult<LoopAnalysis>(Kernel)) {}

  void write() {
    SmallVector<LoadInst *, 32> Loads;
    for (BasicBlock *Block : ReversePostOrderTraversal<Function *>(&Kernel))
      for (Instruction &I : *Block)
        if (auto *Load = dyn_cast<LoadInst>(&I); Load && Load->isSimple() && isFromCaller(*Load))
          Loads.push_back(Load);
    for (LoadInst *Load : Loads) {
      if (!isFetched(*Load) && Count < MostOfKernel)
        prefetch(*Load);
      Before.push_back({sectorOf(*Load), Load});
    }
  }

private:
  using SectorId = std::pair<const Value *, int64_t>;

  Function &Kernel;
  DominatorTree &DT;
  PostDominatorTree &PDT;
  LoopInfo &Loops;
  SmallVector<std::pair<SectorId, const Instruction *>, 32> Before; ///< what has been read or asked for
  size_t Count = 0;

  /// By a pointer that the kernel is given. What it is given by value is in memory of its own.
  static bool isFromCaller(const LoadInst &Load) {
    const auto *From = dyn_cast<Argument>(getUnderlyingObject(Load.getPointerOperand(), 0));
    return From && !From->hasByValAttr();
  }

  static SectorId sectorOf(const LoadInst &Load) {
    const DataLayout &DL = Load.getDataLayout();
    APInt Offset(DL.getIndexTypeSizeInBits(Load.getPointerOperandType()), 0);
    const Value *Base = Load.getPointerOperand()->stripAndAccumulateConstantOffsets(DL, Offset, true);
    return {Base, divideFloorSigned(Offset.getSExtValue(), Sector)};
  }

  bool isFetched(const LoadInst &Load) const {
    return any_of(Before, [&](const auto &Earlier) {
      return Earlier.first == sectorOf(Load) && DT.dominates(Earlier.second, &Load);
    });
  }

  void prefetch(LoadInst &Load) {
    SmallVector<Instruction *, 8> Address;
    Instruction *Place = earliest(Load);
    followAddress(Load, Place, Address);
    while (is_contained(Address, Place))
      Place = Place->getNextNode();
    if (!waitsBetween(*Place, Load))
      return;
    for (Instruction *I : Address)
      if (!DT.dominates(I, Place))
        I->moveBefore(Place->getIterator());
    IRBuilder<> B(Place);
    Value *Global = B.CreateAddrSpaceCast(Load.getPointerOperand(), PointerType::get(Kernel.getContext(), 1));
    Before.push_back(
        {sectorOf(Load), B.CreateIntrinsic(Intrinsic::nvvm_prefetch_global_L2, ArrayRef<Type *>(), {Global})});
    ++Count;
  }

  /// The last block before this one in the same loop from which all ways lead here.
  BasicBlock *before(BasicBlock &Block) const {
    const Loop *Around = Loops.getLoopFor(&Block);
    if (Around && Around->getHeader() == &Block)
      return nullptr;
    DomTreeNode *Node = DT.getNode(&Block)->getIDom();
    while (Node && Loops.getLoopFor(Node->getBlock()) != Around)
      Node = Node->getIDom();
    return Node && PDT.dominates(&Block, Node->getBlock()) ? Node->getBlock() : nullptr;
  }

  Instruction *earliest(Instruction &I) const {
    BasicBlock *Block = I.getParent();
    while (BasicBlock *Up = before(*Block))
      Block = Up;
    return &*Block->getFirstNonPHIOrDbgOrAlloca();
  }

  /// What has to be computed before I, in order, and can be computed anywhere. Place becomes later where something is
  /// known later.
  void followAddress(const Instruction &I, Instruction *&Place, SmallVectorImpl<Instruction *> &Address) const {
    for (Value *V : I.operands()) {
      auto *Operand = dyn_cast<Instruction>(V);
      if (!Operand || is_contained(Address, Operand) || DT.dominates(Operand, Place))
        continue;
      if (isa<PHINode>(Operand)) {
        Place = &*Operand->getParent()->getFirstNonPHIOrDbgOrAlloca();
      } else if (Operand->mayReadOrWriteMemory() || !isSafeToSpeculativelyExecute(Operand)) {
        Place = Operand->getNextNode();
      } else {
        followAddress(*Operand, Place, Address);
        Address.push_back(Operand);
      }
    }
  }

  /// Whether a thread that comes from Place to I meets a barrier.
  static bool waitsBetween(const Instruction &Place, const Instruction &I) {
    auto HasBarrier = [](auto Begin, auto End) { return any_of(make_range(Begin, End), isBarrier); };
    const BasicBlock *From = Place.getParent(), *To = I.getParent();
    if (From == To)
      return HasBarrier(Place.getIterator(), I.getIterator());
    if (HasBarrier(Place.getIterator(), From->end()) || HasBarrier(To->begin(), I.getIterator()))
      return true;
    SmallPtrSet<const BasicBlock *, 16> Seen = {From, To};
    SmallVector<const BasicBlock *, 16> Work(pred_begin(To), pred_end(To));
    while (!Work.empty()) {
      const BasicBlock *Block = Work.pop_back_val();
      if (!Seen.insert(Block).second)
        continue;
      if (any_of(*Block, isBarrier))
        return true;
      append_range(Work, predecessors(Block));
    }
    return false;
  }
};

class PrefetchPass : public PassInfoMixin<PrefetchPass> {
public:
  PreservedAnalyses run(Function &F, FunctionAnalysisManager &FAM) {
    if (!F.hasFnAttribute(Mark))
      return PreservedAnalyses::all();
    F.removeFnAttr(Mark);
    // LLVM has the instruction from sm_90 on.
    if (architectureOf(F) < 900 || none_of(instructions(F), isBarrier))
      return PreservedAnalyses::all();
    Prefetches(F, FAM).write();
    PreservedAnalyses Kept;
    Kept.preserveSet<CFGAnalyses>();
    return Kept;
  }
};

} // namespace

void kernix::askForPrefetches(Function &Body) {
  for (User *U : Body.users())
    if (auto *Call = dyn_cast<CallBase>(U); Call && Call->getFunction()->getCallingConv() == CallingConv::PTX_Kernel)
      Call->getFunction()->addFnAttr(Mark);
}

void kernix::addPrefetchPass(PassBuilder &Builder) {
  Builder.registerOptimizerLastEPCallback([](ModulePassManager &MPM, OptimizationLevel, ThinOrFullLTOPhase) {
    MPM.addPass(createModuleToFunctionPassAdaptor(PrefetchPass()));
  });
}
