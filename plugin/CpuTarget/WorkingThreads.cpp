//===- WorkingThreads.cpp - loops over the threads that have work ------------------------------------------------===//

#include "CpuTarget/WorkingThreads.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace kernix {

namespace {

/// A branch that leads threads without work past everything.
struct Guard {
  BranchInst *Branch;
  bool TakenWhen; // the condition's value for threads with work
};

/// `Varying Predicate Bound` must hold. Varying grows or shrinks by one from thread to thread.
struct Condition {
  CmpInst::Predicate Predicate; // < <= > >=, signed or unsigned
  const SCEVAddRecExpr *Varying;
  Value *Bound;
  bool Grows;
};

/// An index that is extended to 64 bits in each thread, and may wrap before, as far as is known.
struct ExtendedIndex {
  CastInst *Extension;
  const SCEVAddRecExpr *Narrow;
  Value *Start = nullptr; // of thread 0, 64 bits
};

class WorkingRange {
public:
  WorkingRange(Loop &L, LoopInfo &LI, DominatorTree &DT, ScalarEvolution &SE)
      : L(L), LI(LI), DT(DT), SE(SE), Int64(Type::getInt64Ty(L.getHeader()->getContext())) {}
  bool run();

private:
  bool isPlain() const;
  void collectGuards();
  bool collectConditions(Value *V, bool Holds);
  bool addCompare(ICmpInst &Compare, bool Holds);
  void computeRange(IRBuilder<> &Builder, SCEVExpander &Expander);
  void narrow(const Condition &C, IRBuilder<> &Builder, SCEVExpander &Expander);
  void collectIndices(const SCEVExpander &Expander);
  void checkIndices(IRBuilder<> &Builder, SCEVExpander &Expander);
  void makeLoop();
  void countIndices(const ValueToValueMapTy &Map, PHINode &Index);

  Loop &L;
  LoopInfo &LI;
  DominatorTree &DT;
  ScalarEvolution &SE;
  Type *Int64;
  SmallVector<Guard> Guards;
  SmallVector<Condition> Conditions;
  SmallVector<std::pair<Value *, bool>> Invariants; // must have these values
  SmallVector<ExtendedIndex> Indices;
  // Computed before the loop, 64 bits: the threads, those with work [Low, High), and whether that may be relied on.
  Value *Count = nullptr, *Low = nullptr, *High = nullptr, *NoWrap = nullptr;
};

/// From thread to thread.
ConstantInt *stepOf(const ExtendedIndex &I) {
  const auto *Step = cast<SCEVConstant>(I.Narrow->getOperand(1));
  return ConstantInt::getSigned(Type::getInt64Ty(I.Extension->getContext()), Step->getAPInt().getSExtValue());
}

/// True if control goes from Block to the latch without doing anything.
bool leadsToLatch(const BasicBlock *Block, const BasicBlock *Latch) {
  while (Block != Latch) {
    if (&*Block->getFirstNonPHIOrDbg() != Block->getTerminator() || !Block->getSingleSuccessor())
      return false;
    Block = Block->getSingleSuccessor();
  }
  return true;
}

bool hasSideEffects(const BasicBlock &Block) {
  return any_of(Block, [](const Instruction &I) { return I.mayHaveSideEffects(); });
}

void WorkingRange::collectGuards() {
  BasicBlock *Latch = L.getLoopLatch();
  // What comes before a guard is done by all threads; it must not show.
  for (BasicBlock *Block = L.getHeader(); Block != Latch && !hasSideEffects(*Block);) {
    auto *Branch = dyn_cast<BranchInst>(Block->getTerminator());
    if (!Branch)
      return;
    BasicBlock *Next = Branch->getSuccessor(0);
    if (Branch->isConditional()) {
      bool FirstSkips = leadsToLatch(Branch->getSuccessor(0), Latch);
      bool SecondSkips = leadsToLatch(Branch->getSuccessor(1), Latch);
      if (FirstSkips == SecondSkips)
        return;
      size_t Known = Conditions.size(), KnownInvariants = Invariants.size();
      if (!collectConditions(Branch->getCondition(), /*Holds=*/SecondSkips)) {
        Conditions.truncate(Known);
        Invariants.truncate(KnownInvariants);
        return;
      }
      Guards.push_back({Branch, SecondSkips});
      Next = Branch->getSuccessor(FirstSkips ? 1 : 0);
    }
    if (!Next->getSinglePredecessor())
      return;
    Block = Next;
  }
}

bool WorkingRange::collectConditions(Value *V, bool Holds) {
  Value *A, *B;
  if (match(V, m_Not(m_Value(A))))
    return collectConditions(A, !Holds);
  if (Holds ? match(V, m_LogicalAnd(m_Value(A), m_Value(B))) : match(V, m_LogicalOr(m_Value(A), m_Value(B))))
    return collectConditions(A, Holds) && collectConditions(B, Holds);
  if (L.isLoopInvariant(V)) {
    Invariants.push_back({V, Holds});
    return true;
  }
  auto *Compare = dyn_cast<ICmpInst>(V);
  return Compare && addCompare(*Compare, Holds);
}

bool WorkingRange::addCompare(ICmpInst &Compare, bool Holds) {
  Type *Compared = Compare.getOperand(0)->getType();
  if (Compare.isEquality() || !Compared->isIntegerTy() || Compared->getIntegerBitWidth() > 64)
    return false;
  CmpInst::Predicate Predicate = Holds ? Compare.getPredicate() : Compare.getInversePredicate();
  Value *Left = Compare.getOperand(0), *Bound = Compare.getOperand(1);
  if (L.isLoopInvariant(Left)) {
    std::swap(Left, Bound);
    Predicate = CmpInst::getSwappedPredicate(Predicate);
  }
  if (!L.isLoopInvariant(Bound))
    return false;
  const SCEV *S = SE.getSCEV(Left);
  const auto *Extension = dyn_cast<SCEVIntegralCastExpr>(S);
  if (Extension && (Compare.isSigned() ? isa<SCEVSignExtendExpr>(S) : isa<SCEVZeroExtendExpr>(S)))
    S = Extension->getOperand();
  const auto *Varying = dyn_cast<SCEVAddRecExpr>(S);
  if (!Varying || Varying->getLoop() != &L || !Varying->isAffine() || Varying->getType()->getIntegerBitWidth() < 32)
    return false;
  const auto *Step = dyn_cast<SCEVConstant>(Varying->getStepRecurrence(SE));
  if (!Step || !Step->getAPInt().abs().isOne())
    return false;
  Conditions.push_back({Predicate, Varying, Bound, Step->getAPInt().isOne()});
  return true;
}

/// Lets [Low, High) fulfil C.
void WorkingRange::narrow(const Condition &C, IRBuilder<> &Builder, SCEVExpander &Expander) {
  Instruction *At = L.getLoopPreheader()->getTerminator();
  Type *Own = C.Varying->getType();
  bool Signed = CmpInst::isSigned(C.Predicate);
  // Poison here belongs to threads that another condition may keep away.
  Value *Start = Builder.CreateFreeze(Expander.expandCodeFor(C.Varying->getStart(), Own, At));
  Value *Bound = Builder.CreateFreeze(C.Bound);
  auto Widen = [&](Value *V) { return Signed ? Builder.CreateSExt(V, Int64) : Builder.CreateZExt(V, Int64); };
  Start = Widen(Start);
  Bound = Widen(Bound);
  Value *Distance = Builder.CreateSub(Count, Builder.getInt64(1));
  Value *End = C.Grows ? Builder.CreateAdd(Start, Distance) : Builder.CreateSub(Start, Distance);
  if (Own->getIntegerBitWidth() < 64) {
    NoWrap = Builder.CreateAnd(NoWrap, Builder.CreateICmpEQ(Widen(Builder.CreateTrunc(End, Own)), End));
  } else {
    NoWrap = Builder.CreateAnd(NoWrap, C.Grows ? Builder.CreateICmpSGE(End, Start) : Builder.CreateICmpSLE(End, Start));
  }
  if (!Signed) // from here on the numbers count as signed
    for (Value *V : {Start, End, Bound})
      NoWrap = Builder.CreateAnd(NoWrap, Builder.CreateICmpSGE(V, Builder.getInt64(0)));
  // Saturated, so that far ends stay on their side.
  auto Subtract = [&](Value *A, Value *B) { return Builder.CreateBinaryIntrinsic(Intrinsic::ssub_sat, A, B); };
  Value *Place = C.Grows ? Subtract(Bound, Start) : Subtract(Start, Bound);
  CmpInst::Predicate Predicate = ICmpInst::getSignedPredicate(C.Predicate);
  if (!C.Grows)
    Predicate = CmpInst::getSwappedPredicate(Predicate);
  // thread Predicate Place
  if (Predicate == CmpInst::ICMP_SLE || Predicate == CmpInst::ICMP_SGT)
    Place = Builder.CreateBinaryIntrinsic(Intrinsic::sadd_sat, Place, Builder.getInt64(1));
  if (Predicate == CmpInst::ICMP_SLT || Predicate == CmpInst::ICMP_SLE)
    High = Builder.CreateBinaryIntrinsic(Intrinsic::smin, High, Place);
  else
    Low = Builder.CreateBinaryIntrinsic(Intrinsic::smax, Low, Place);
}

void WorkingRange::computeRange(IRBuilder<> &Builder, SCEVExpander &Expander) {
  const SCEV *Last = SE.getBackedgeTakenCount(&L);
  Value *LastIndex = Expander.expandCodeFor(Last, Last->getType(), L.getLoopPreheader()->getTerminator());
  Count = Builder.CreateAdd(Builder.CreateZExtOrTrunc(LastIndex, Int64), Builder.getInt64(1));
  Low = Builder.getInt64(0);
  High = Count;
  NoWrap = Builder.getTrue();
  for (const Condition &C : Conditions)
    narrow(C, Builder, Expander);
  for (auto [Value, Wanted] : Invariants) {
    llvm::Value *Known = Builder.CreateFreeze(Value);
    High = Wanted ? Builder.CreateSelect(Known, High, Builder.getInt64(0))
                  : Builder.CreateSelect(Known, Builder.getInt64(0), High);
  }
}

/// Each of them would be an assumption that the vectoriser tests before the loop, and it makes only a few.
void WorkingRange::collectIndices(const SCEVExpander &Expander) {
  for (BasicBlock *Block : L.blocks())
    for (Instruction &I : *Block) {
      if (!isa<SExtInst, ZExtInst>(I) || I.getType() != Int64 || isa<SCEVAddRecExpr>(SE.getSCEV(&I)))
        continue;
      const auto *Narrow = dyn_cast<SCEVAddRecExpr>(SE.getSCEV(I.getOperand(0)));
      if (Narrow && Narrow->getLoop() == &L && Narrow->isAffine() && isa<SCEVConstant>(Narrow->getStepRecurrence(SE)) &&
          Narrow->getType()->getIntegerBitWidth() <= 32 &&
          Expander.isSafeToExpandAt(Narrow->getStart(), L.getLoopPreheader()->getTerminator()))
        Indices.push_back({cast<CastInst>(&I), Narrow});
    }
}

/// No index may wrap on the way from the first thread to the last.
void WorkingRange::checkIndices(IRBuilder<> &Builder, SCEVExpander &Expander) {
  Value *Last = Builder.CreateSub(Count, Builder.getInt64(1));
  DenseMap<std::pair<const SCEV *, unsigned>, Value *> Known; // and whether it is signed
  for (ExtendedIndex &I : Indices) {
    const bool Signed = isa<SExtInst>(I.Extension);
    Value *&Start = Known[{I.Narrow, Signed}];
    if (!Start) {
      auto Widen = [&](Value *V) { return Signed ? Builder.CreateSExt(V, Int64) : Builder.CreateZExt(V, Int64); };
      Type *Own = I.Narrow->getType();
      Instruction *At = L.getLoopPreheader()->getTerminator();
      Start = Widen(Builder.CreateFreeze(Expander.expandCodeFor(I.Narrow->getStart(), Own, At)));
      Value *Far = Builder.CreateMul(Last, stepOf(I));
      Value *End = Builder.CreateAdd(Start, Far);
      NoWrap = Builder.CreateAnd(NoWrap, Builder.CreateICmpEQ(Widen(Builder.CreateTrunc(End, Own)), End));
    }
    I.Start = Start;
  }
}

/// In the copy, where they are known not to wrap.
void WorkingRange::countIndices(const ValueToValueMapTy &Map, PHINode &Index) {
  for (const ExtendedIndex &I : Indices) {
    auto *Extension = cast<Instruction>(Map.lookup(I.Extension));
    IRBuilder<> Builder(Extension);
    Value *Thread = Builder.CreateZExtOrTrunc(&Index, Int64);
    Value *Far = Builder.CreateNSWMul(Thread, stepOf(I));
    Extension->replaceAllUsesWith(Builder.CreateNSWAdd(I.Start, Far));
    Extension->eraseFromParent();
  }
}

/// The copy of L without guards, over [Low, High), and the choice between the two.
void WorkingRange::makeLoop() {
  BasicBlock *Choice = L.getLoopPreheader();
  BasicBlock *Exit = L.getUniqueExitBlock();
  BasicBlock *All = SplitBlock(Choice, Choice->getTerminator(), &DT, &LI);
  ValueToValueMapTy Map;
  SmallVector<BasicBlock *> Blocks;
  Loop *Copy = cloneLoopWithPreheader(All, Choice, &L, Map, ".working", &LI, &DT, Blocks);
  remapInstructionsInBlocks(Blocks, Map);
  BasicBlock *Preheader = Copy->getLoopPreheader();

  auto *Enter = BranchInst::Create(Preheader, All, NoWrap);
  ReplaceInstWithInst(Choice->getTerminator(), Enter);
  IRBuilder<> Builder(Preheader->getTerminator());
  BasicBlock *Header = Copy->getHeader();
  PHINode *Index = cast<PHINode>(Map[L.getCanonicalInductionVariable()]);
  Value *First = Builder.CreateTrunc(Low, Index->getType());
  Value *Past = Builder.CreateTrunc(High, Index->getType());
  Value *Any = Builder.CreateICmpSLT(Low, High);
  // Through a block of its own: the loop's preheader leads nowhere else.
  BasicBlock *Start = SplitBlock(Preheader, Preheader->getTerminator(), &DT, &LI);
  ReplaceInstWithInst(Preheader->getTerminator(), BranchInst::Create(Start, Exit, Any));
  Index->setIncomingValueForBlock(Start, First);

  auto *Latch = cast<BranchInst>(Copy->getLoopLatch()->getTerminator());
  Builder.SetInsertPoint(Latch);
  Value *Next = Index->getIncomingValueForBlock(Copy->getLoopLatch());
  bool BackFirst = Latch->getSuccessor(0) == Header;
  Latch->setCondition(BackFirst ? Builder.CreateICmpNE(Next, Past) : Builder.CreateICmpEQ(Next, Past));
  countIndices(Map, *Index);
  for (const Guard &G : Guards) {
    auto *Branch = cast<BranchInst>(Map[G.Branch]);
    Branch->setCondition(ConstantInt::getBool(Branch->getContext(), G.TakenWhen));
    ConstantFoldTerminator(Branch->getParent());
  }
}

/// True if what comes after L uses a value of its last iteration: a branch that is the same for all threads, threaded
/// through the loop, does. The loop over the threads with work may have no iteration.
bool leavesValues(const Loop &L) {
  return any_of(L.blocks(), [&](const BasicBlock *Block) {
    return any_of(*Block, [&](const Instruction &I) {
      return any_of(I.users(), [&](const User *U) { return !L.contains(cast<Instruction>(U)); });
    });
  });
}

/// True if L is a loop of the form that makeLoop copies.
bool WorkingRange::isPlain() const {
  return L.isLoopSimplifyForm() && L.getUniqueExitBlock() && L.getExitingBlock() == L.getLoopLatch() &&
         isa<BranchInst>(L.getLoopLatch()->getTerminator()) && L.isSafeToClone() &&
         hasSingleElement(L.getHeader()->phis()) &&
         (L.getHeader() == L.getLoopLatch() || !hasSideEffects(*L.getLoopLatch())) &&
         L.getUniqueExitBlock()->phis().empty() && !leavesValues(L) &&
         !isa<SCEVCouldNotCompute>(SE.getBackedgeTakenCount(&L));
}

bool WorkingRange::run() {
  simplifyLoop(&L, &DT, &LI, &SE, nullptr, nullptr, /*PreserveLCSSA=*/false);
  if (!isPlain())
    return false;
  collectGuards();
  SCEVExpander Expander(SE, "working");
  collectIndices(Expander);
  if (Conditions.empty() && Indices.empty())
    return false;
  Instruction *At = L.getLoopPreheader()->getTerminator();
  if (!Expander.isSafeToExpandAt(SE.getBackedgeTakenCount(&L), At) ||
      any_of(Conditions, [&](const Condition &C) { return !Expander.isSafeToExpandAt(C.Varying->getStart(), At); }))
    return false;
  IRBuilder<> Builder(At);
  computeRange(Builder, Expander);
  checkIndices(Builder, Expander);
  Expander.clear();
  makeLoop();
  return true;
}

} // namespace

bool loopOverWorkingThreads(Loop &L, LoopInfo &LI, DominatorTree &DT, ScalarEvolution &SE) {
  return WorkingRange(L, LI, DT, SE).run();
}

} // namespace kernix
