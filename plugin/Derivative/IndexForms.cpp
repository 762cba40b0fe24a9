//===- IndexForms.cpp - addresses as polynomials of thread and block ids ----------------------------------------===//

#include "Derivative/IndexForms.h"
#include "Derivative/Geometry.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"
#include <numeric>

using namespace llvm;
using namespace kernix;

namespace {

/// In the order of the atoms; CUDA's limits, blockDim and then gridDim.
constexpr StringRef GeometryNames[] = {"thread_idx.x", "thread_idx.y", "thread_idx.z", "block_idx.x",
                                       "block_idx.y",  "block_idx.z",  "block_dim.x",  "block_dim.y",
                                       "block_dim.z",  "grid_dim.x",   "grid_dim.y",   "grid_dim.z"};
constexpr int64_t MostOfExtent[] = {1024, 1024, 64, 0x7fffffff, 65535, 65535};

/// The atom of a canonical geometry function.
std::optional<unsigned> geometryAtom(const Value *V) {
  const auto *Call = dyn_cast<CallBase>(V);
  StringRef Name = Call && Call->getCalledFunction() ? Call->getCalledFunction()->getName() : "";
  if (!Name.consume_front("kernix."))
    return std::nullopt;
  const auto *Found = find(GeometryNames, Name);
  if (Found == std::end(GeometryNames))
    return std::nullopt;
  return static_cast<unsigned>(Found - std::begin(GeometryNames));
}

bool isExtent(unsigned Atom) { return Atom >= FirstExtent && Atom < FirstOther; }
bool isOfExtents(const Monomial &M) { return all_of(M, isExtent); }

/// The header's phi that V is the next value of.
const PHINode *headerPhiOf(const Value *V, const LoopInfo &Loops) {
  const auto *I = dyn_cast<Instruction>(V);
  const Loop *L = I ? Loops.getLoopFor(I->getParent()) : nullptr;
  for (; L; L = L->getParentLoop())
    for (const PHINode &Phi : L->getHeader()->phis())
      if (L->getLoopLatch() && Phi.getIncomingValueForBlock(L->getLoopLatch()) == V)
        return &Phi;
  return nullptr;
}

} // namespace

IndexForms::IndexForms(const Prepared &P, MemoryObjects &Objects, FunctionAnalysisManager &FAM)
    : Objects(Objects), Loops(FAM.getResult<LoopAnalysis>(*P.F)),
      Dominators(FAM.getResult<DominatorTreeAnalysis>(*P.F)), Evolution(FAM.getResult<ScalarEvolutionAnalysis>(*P.F)) {
  for (unsigned K = 0; K < FirstOther; ++K)
    Atoms.push_back({K < FirstExtent ? AtomMeaning::Id : AtomMeaning::Extent, nullptr, nullptr});
}

std::optional<Polynomial> IndexForms::fail(const Value *V) {
  if (!Obstacle)
    Obstacle = V;
  return std::nullopt;
}

bool IndexForms::isUniform(const Value *V, unsigned Depth) {
  if (isa<ConstantInt>(V))
    return true;
  if (std::optional<unsigned> Atom = geometryAtom(V))
    return isExtent(*Atom);
  const auto *I = dyn_cast<Instruction>(V);
  if (!I || Depth > 12)
    return false;
  auto AllUniform = [&] { return all_of(I->operands(), [&](const Use &U) { return isUniform(U, Depth + 1); }); };
  if (const auto *Load = dyn_cast<LoadInst>(I)) {
    const MemoryObject *O = Objects.only(Load->getPointerOperand());
    if (!O || O->Kind != MemoryObject::Parameter || !Load->isSimple())
      return false;
    // Any place in the parameter that all threads compute alike.
    const Value *Place = Load->getPointerOperand();
    while (const auto *Gep = dyn_cast<GEPOperator>(Place)) {
      for (const Use &Index : Gep->indices())
        if (!isUniform(Index, Depth + 1))
          return false;
      Place = Gep->getPointerOperand();
    }
    return Place == O->Base;
  }
  if (const auto *Call = dyn_cast<MinMaxIntrinsic>(I))
    return isUniform(Call->getLHS(), Depth + 1) && isUniform(Call->getRHS(), Depth + 1);
  if (I->isIntDivRem()) // evaluated at the entry, guarded or not
    return isa<ConstantInt>(I->getOperand(1)) && !cast<ConstantInt>(I->getOperand(1))->isZero() &&
           !cast<ConstantInt>(I->getOperand(1))->isMinusOne() && isUniform(I->getOperand(0), Depth + 1);
  if (isa<BinaryOperator, ICmpInst, SelectInst, FreezeInst>(I) || (isa<CastInst>(I) && I->getType()->isIntegerTy()))
    return none_of(I->operands(), [](const Use &U) { return !U->getType()->isIntegerTy(); }) && AllUniform();
  return false;
}

std::optional<unsigned> IndexForms::atomOf(const Value *V, LaunchConditions &Assumed) {
  auto [Slot, New] = AtomOf.insert({V, static_cast<unsigned>(Atoms.size())});
  if (New) {
    AtomMeaning Meaning = {AtomMeaning::Uniform, V, nullptr};
    if (const auto *Load = dyn_cast<LoadInst>(V); Load && Objects.isStride(*Load))
      Meaning.Kind = AtomMeaning::Stride;
    Atoms.push_back(Meaning);
  }
  if (Atoms[Slot->second].Kind == AtomMeaning::Uniform)
    Assumed.insert(Polynomial::atom(Slot->second));
  return Slot->second;
}

unsigned IndexForms::counterOf(const Loop *L) {
  auto [Slot, New] = AtomOf.insert({L, static_cast<unsigned>(Atoms.size())});
  if (New)
    Atoms.push_back({AtomMeaning::Counter, nullptr, L});
  return Slot->second;
}

std::optional<Polynomial> IndexForms::form(const Value *V, LaunchConditions &Assumed) {
  if (!V->getType()->isIntegerTy() || V->getType()->getIntegerBitWidth() > 64 || V->getType()->isIntegerTy(1))
    return fail(V);
  if (const auto *C = dyn_cast<ConstantInt>(V))
    return Polynomial::constant(C->getSExtValue());
  if (std::optional<unsigned> Atom = geometryAtom(V))
    return Polynomial::atom(*Atom);
  const auto *I = dyn_cast<Instruction>(V);
  if (!I)
    return fail(V);
  auto Checked = [&](Polynomial P) -> std::optional<Polynomial> {
    return P.isBroken() ? fail(V) : std::optional<Polynomial>(std::move(P));
  };
  auto Both = [&](auto Combine) -> std::optional<Polynomial> {
    std::optional<Polynomial> A = form(I->getOperand(0), Assumed);
    std::optional<Polynomial> B = A ? form(I->getOperand(1), Assumed) : std::nullopt;
    return B ? Checked(Combine(*A, *B)) : std::nullopt;
  };
  switch (I->getOpcode()) {
  case Instruction::Add:
    return Both([](const Polynomial &A, const Polynomial &B) { return A + B; });
  case Instruction::Sub:
    return Both([](const Polynomial &A, const Polynomial &B) { return A - B; });
  case Instruction::Mul:
    return Both([](const Polynomial &A, const Polynomial &B) { return A * B; });
  case Instruction::Or:
    if (cast<PossiblyDisjointInst>(I)->isDisjoint())
      return Both([](const Polynomial &A, const Polynomial &B) { return A + B; });
    break;
  case Instruction::Shl:
    if (const auto *By = dyn_cast<ConstantInt>(I->getOperand(1)); By && By->getValue().ult(32)) {
      std::optional<Polynomial> A = form(I->getOperand(0), Assumed);
      return A ? Checked(A->scaled({}, int64_t(1) << By->getZExtValue())) : std::nullopt;
    }
    break;
  case Instruction::Trunc:
  case Instruction::Freeze:
    return form(I->getOperand(0), Assumed);
  case Instruction::SExt:
  case Instruction::ZExt: {
    if (I->getOperand(0)->getType()->isIntegerTy(1))
      break;
    std::optional<Polynomial> A = form(I->getOperand(0), Assumed);
    if (!A || !assumeExact(I->getOperand(0), *A, Assumed))
      return fail(V);
    if (isa<ZExtInst>(I) && !I->hasNonNeg()) {
      std::optional<Polynomial> Least = leastOf(*A);
      if (!Least || !assume(*Least, Assumed))
        return fail(V);
    }
    return A;
  }
  case Instruction::PHI:
    return formOfPhi(*cast<PHINode>(I), Assumed);
  default:
    break;
  }
  if (!isUniform(V))
    return fail(V);
  return Polynomial::atom(*atomOf(V, Assumed));
}

std::optional<Polynomial> IndexForms::formOfPhi(const PHINode &Phi, LaunchConditions &Assumed) {
  if (Phi.getNumIncomingValues() == 1)
    return form(Phi.getIncomingValue(0), Assumed);
  const Loop *L = Loops.getLoopFor(Phi.getParent());
  if (!L || L->getHeader() != Phi.getParent() || !L->getLoopLatch() || !L->getLoopPreheader() ||
      !Open.insert(&Phi).second)
    return fail(&Phi);
  scope_exit Close([&] { Open.erase(&Phi); });
  const auto *Next = dyn_cast<BinaryOperator>(Phi.getIncomingValueForBlock(L->getLoopLatch()));
  if (!Next)
    return fail(&Phi);
  const Value *Step = nullptr;
  bool IsSum = Next->getOpcode() == Instruction::Add;
  if (Next->getOperand(0) == &Phi && (IsSum || Next->getOpcode() == Instruction::Sub))
    Step = Next->getOperand(1);
  else if (IsSum && Next->getOperand(1) == &Phi)
    Step = Next->getOperand(0);
  if (!Step || !L->isLoopInvariant(Step))
    return fail(&Phi);
  std::optional<Polynomial> By = form(Step, Assumed);
  std::optional<Polynomial> Start = By ? form(Phi.getIncomingValueForBlock(L->getLoopPreheader()), Assumed) : By;
  if (!Start)
    return std::nullopt;
  Polynomial Moved = By->scaled({counterOf(L)}, IsSum ? 1 : -1) + *Start;
  return Moved.isBroken() ? fail(&Phi) : std::optional<Polynomial>(Moved);
}

/// The same inequality in the smallest numbers.
static Polynomial withoutCommonFactor(const Polynomial &P) {
  int64_t Common = 0;
  for (const auto &[M, C] : P.terms())
    if (!M.empty())
      Common = std::gcd(Common, C);
  if (Common < 2)
    return P;
  Polynomial Result;
  for (const auto &[M, C] : P.terms())
    Result.add(M, M.empty() && C < 0 ? -((-C + Common - 1) / Common) : C / Common);
  return Result;
}

bool IndexForms::assume(const Polynomial &P, LaunchConditions &Assumed) {
  if (P.isBroken())
    return false;
  if (isNeverNegative(P))
    return true;
  for (const auto &[M, C] : P.terms())
    if (M.size() > 3 || any_of(M, [&](unsigned A) {
          return Atoms[A].Kind != AtomMeaning::Extent && Atoms[A].Kind != AtomMeaning::Uniform;
        }))
      return false;
  // Something must be able to make it true.
  if (none_of(P.terms(), [](const auto &Term) { return Term.second > 0; }))
    return false;
  Assumed.insert(withoutCommonFactor(P));
  return true;
}

bool IndexForms::assumeInRange(const Polynomial &P, unsigned Bits, LaunchConditions &Assumed) {
  std::optional<Polynomial> Least = leastOf(P), Most = mostOf(P);
  int64_t Edge = int64_t(1) << (Bits - 1);
  return Least && Most && Edge < (int64_t(1) << 40) && assume(*Least + Polynomial::constant(Edge), Assumed) &&
         assume(Polynomial::constant(Edge - 1) - *Most, Assumed);
}

/// That V, a number of few bits, is what P says, and not that modulo a power of two.
bool IndexForms::assumeExact(const Value *V, const Polynomial &P, LaunchConditions &Assumed) {
  // An index of 64 bits that wraps around has left all memory.
  if (isa<ConstantInt>(V) || V->getType()->getIntegerBitWidth() == 64 || geometryAtom(V))
    return true;
  const auto *I = dyn_cast<Instruction>(V);
  if (!I)
    return false;
  if (const auto *Phi = dyn_cast<PHINode>(I)) {
    if (Phi->getNumIncomingValues() == 1)
      return assumeExact(Phi->getIncomingValue(0), P, Assumed);
    return assumeExactPhi(*Phi, Assumed);
  }
  if (isa<SExtInst, ZExtInst>(I))
    return true;
  if (const PHINode *Phi = headerPhiOf(V, Loops); Phi && !I->hasNoSignedWrap())
    if (assumeExactPhi(*Phi, Assumed))
      return true;
  bool IsDisjointOr = isa<PossiblyDisjointInst>(I) && cast<PossiblyDisjointInst>(I)->isDisjoint();
  if (IsDisjointOr || (isa<OverflowingBinaryOperator>(I) && I->hasNoSignedWrap())) {
    for (const Use &Operand : I->operands()) {
      std::optional<Polynomial> Part = form(Operand, Assumed);
      if (!Part || !assumeExact(Operand, *Part, Assumed))
        return false;
    }
    return true;
  }
  if (isa<OverflowingBinaryOperator, TruncInst>(I))
    return assumeInRange(P, V->getType()->getIntegerBitWidth(), Assumed);
  if (isa<FreezeInst>(I))
    return assumeExact(I->getOperand(0), P, Assumed);
  return isUniform(V); // an atom: itself
}

/// A loop's variable stays in range: by its flags, or since each value is compared with a bound before it is used, and
/// the bound is far enough from the end of the range.
bool IndexForms::assumeExactPhi(const PHINode &Phi, LaunchConditions &Assumed) {
  const Loop *L = Loops.getLoopFor(Phi.getParent());
  if (!L || !L->getLoopLatch() || !L->getLoopPreheader() || L->getHeader() != Phi.getParent())
    return false;
  if (Phi.getType()->getIntegerBitWidth() == 64)
    return true;
  const Value *First = Phi.getIncomingValueForBlock(L->getLoopPreheader());
  std::optional<Polynomial> Start = form(First, Assumed);
  if (!Start || !assumeExact(First, *Start, Assumed))
    return false;
  const auto *Next = dyn_cast<BinaryOperator>(Phi.getIncomingValueForBlock(L->getLoopLatch()));
  if (!Next)
    return false;
  if (Next->hasNoSignedWrap())
    return true;
  if (const auto *Recurrence = dyn_cast<SCEVAddRecExpr>(Evolution.getSCEV(const_cast<PHINode *>(&Phi)));
      Recurrence && Recurrence->hasNoSignedWrap())
    return true;
  const auto *Branch = dyn_cast<BranchInst>(L->getLoopLatch()->getTerminator());
  const auto *Compare = Branch && Branch->isConditional() ? dyn_cast<ICmpInst>(Branch->getCondition()) : nullptr;
  if (!Compare || Next->getOpcode() != Instruction::Add)
    return false;
  CmpInst::Predicate Predicate =
      L->contains(Branch->getSuccessor(0)) ? Compare->getPredicate() : Compare->getInversePredicate();
  const Value *Bound = Compare->getOperand(1);
  if (Bound == Next) {
    Bound = Compare->getOperand(0);
    Predicate = CmpInst::getSwappedPredicate(Predicate);
  } else if (Compare->getOperand(0) != Next) {
    return false;
  }
  if (Predicate != CmpInst::ICMP_SLT && Predicate != CmpInst::ICMP_ULT && Predicate != CmpInst::ICMP_SLE &&
      Predicate != CmpInst::ICMP_ULE)
    return false;
  const Value *Step = Next->getOperand(Next->getOperand(0) == &Phi ? 1 : 0);
  std::optional<Polynomial> By = form(Step, Assumed), End = form(Bound, Assumed);
  if (!By || !End || !assumeExact(Bound, *End, Assumed) || !L->isLoopInvariant(Bound))
    return false;
  std::optional<Polynomial> Most = mostOf(*By), Least = leastOf(*By), Last = mostOf(*End), FirstOfAll = leastOf(*Start);
  return Most && Least && Last && FirstOfAll && assume(*Least, Assumed) && assume(*FirstOfAll, Assumed) &&
         assumeInRange(*Last + *Most + Polynomial::constant(1), Phi.getType()->getIntegerBitWidth(), Assumed);
}

/// The bound that scalar evolution knows of a loop, as a polynomial.
static std::optional<Polynomial> formOfCount(const SCEV *S,
                                             function_ref<std::optional<Polynomial>(const Value *)> FormOf,
                                             function_ref<bool(const Polynomial &)> Assume,
                                             function_ref<unsigned(const Loop *)> CounterOf) {
  auto Recurse = [&](const SCEV *Inner) { return formOfCount(Inner, FormOf, Assume, CounterOf); };
  if (const auto *C = dyn_cast<SCEVConstant>(S))
    return C->getAPInt().getSignificantBits() <= 48 ? std::optional(Polynomial::constant(C->getAPInt().getSExtValue()))
                                                    : std::nullopt;
  if (const auto *Unknown = dyn_cast<SCEVUnknown>(S))
    return FormOf(Unknown->getValue());
  if (const auto *Cast = dyn_cast<SCEVIntegralCastExpr>(S)) {
    std::optional<Polynomial> Inner = Recurse(Cast->getOperand());
    return Inner && Assume(*Inner) ? Inner : std::nullopt;
  }
  if (isa<SCEVAddExpr, SCEVMulExpr>(S)) {
    std::optional<Polynomial> Result;
    for (const SCEV *Operand : S->operands()) {
      std::optional<Polynomial> Part = Recurse(Operand);
      if (!Part)
        return std::nullopt;
      Result = !Result ? *Part : isa<SCEVAddExpr>(S) ? *Result + *Part : *Result * *Part;
    }
    return Result;
  }
  if (const auto *Recurrence = dyn_cast<SCEVAddRecExpr>(S); Recurrence && Recurrence->isAffine()) {
    std::optional<Polynomial> Start = Recurse(Recurrence->getStart()), Step = Recurse(Recurrence->getOperand(1));
    if (Start && Step)
      return *Start + Step->scaled({CounterOf(Recurrence->getLoop())}, 1);
    return std::nullopt;
  }
  if (isa<SCEVUMaxExpr, SCEVSMaxExpr>(S) && S->operands().size() == 2) {
    std::optional<Polynomial> A = Recurse(S->operands()[0]), B = Recurse(S->operands()[1]);
    return A && B && Assume(*B - *A) ? B : std::nullopt; // constants come first
  }
  if (isa<SCEVUMinExpr, SCEVSMinExpr, SCEVSequentialUMinExpr>(S))
    for (const SCEV *Operand : S->operands())
      if (std::optional<Polynomial> Part = Recurse(Operand))
        return Part;
  return std::nullopt;
}

std::vector<Polynomial> IndexForms::boundsOf(unsigned Atom) {
  if (Atom < FirstExtent)
    return {Polynomial::atom(Atom + FirstExtent) - Polynomial::constant(1)};
  if (Atoms[Atom].Kind != AtomMeaning::Counter)
    return {};
  const Loop *L = Atoms[Atom].L;
  auto Found = Counts.find(L);
  if (Found == Counts.end()) {
    Counts[L] = std::nullopt; // while it is looked for
    std::optional<Polynomial> Bound;
    LaunchConditions Own;
    const SCEV *Count = Evolution.getSymbolicMaxBackedgeTakenCount(L);
    if (!isa<SCEVCouldNotCompute>(Count))
      Bound = formOfCount(
          Count,
          [&](const Value *V) -> std::optional<Polynomial> {
            std::optional<Polynomial> P = form(V, Own);
            return P && assumeExact(V, *P, Own) ? P : std::nullopt;
          },
          [&](const Polynomial &P) {
            std::optional<Polynomial> Least = leastOf(P);
            return Least && assume(*Least, Own);
          },
          [&](const Loop *Outer) { return counterOf(Outer); });
    if (Bound && !Bound->isBroken()) {
      CountAssumptions[L] = std::move(Own);
      Counts[L] = std::move(Bound);
    }
    Found = Counts.find(L);
  }
  return Found->second ? std::vector<Polynomial>{*Found->second} : std::vector<Polynomial>();
}

std::optional<Polynomial> IndexForms::leastOf(const Polynomial &P) {
  Polynomial Rest = P;
  for (unsigned Round = 0; Round < 16; ++Round) {
    unsigned Variable = ~0U;
    for (const auto &[M, C] : Rest.terms())
      for (unsigned A : M)
        if (Atoms[A].Kind == AtomMeaning::Counter || (Atoms[A].Kind == AtomMeaning::Id && Variable == ~0U))
          Variable = A; // counters first: their bounds may depend on others
        else if (Atoms[A].Kind == AtomMeaning::Stride)
          return std::nullopt;
    if (Variable == ~0U)
      return Rest.isBroken() ? std::nullopt : std::optional<Polynomial>(Rest);
    std::vector<Polynomial> Bounds = boundsOf(Variable);
    Polynomial Without;
    for (const auto &[M, C] : Rest.terms()) {
      std::optional<Monomial> Others = divide(M, {Variable});
      if (!Others) {
        Without.add(M, C);
      } else if (C < 0) {
        if (Bounds.empty())
          return std::nullopt;
        Without = Without + Bounds.front().scaled(*Others, C);
      }
    }
    Rest = Without;
  }
  return std::nullopt;
}

std::optional<Polynomial> IndexForms::mostOf(const Polynomial &P) {
  std::optional<Polynomial> Least = leastOf(P.scaled({}, -1));
  return Least ? std::optional<Polynomial>(Least->scaled({}, -1)) : std::nullopt;
}

bool IndexForms::isNeverNegative(const Polynomial &P) const {
  Polynomial Rest = P;
  for (const auto &[M, C] : P.terms())
    for (unsigned A : M)
      if (Atoms[A].Kind != AtomMeaning::Extent && Atoms[A].Kind != AtomMeaning::Uniform)
        return false;
  // A larger product pays for a smaller one that divides it, if what is between them is at least 1.
  for (const auto &[M, C] : P.terms()) {
    if (C >= 0)
      continue;
    for (const auto &[N, D] : Polynomial::Terms(Rest.terms())) {
      std::optional<Monomial> Between = D > 0 ? divide(N, M) : std::nullopt;
      auto Left = Rest.terms().find(M);
      if (!Between || !isOfExtents(*Between) || Left == Rest.terms().end() || Left->second >= 0)
        continue;
      int64_t Paid = std::min(D, -Left->second);
      Rest.add(N, -Paid);
      Rest.add(M, Paid);
    }
  }
  int64_t Least = 0;
  for (const auto &[M, C] : Rest.terms()) {
    int64_t Factor = 1;
    if (C < 0) {
      if (!isOfExtents(M))
        return false;
      for (unsigned A : M)
        if (__builtin_mul_overflow(Factor, MostOfExtent[A - FirstExtent], &Factor))
          return false;
    } else if (!isOfExtents(M)) {
      continue;
    }
    int64_t Term = 0;
    if (__builtin_mul_overflow(C, Factor, &Term) || __builtin_add_overflow(Least, Term, &Least))
      return false;
  }
  return Least >= 0;
}

bool IndexForms::isNeverNegative(const Polynomial &P, ArrayRef<Fact> Facts, LaunchConditions &Assumed, bool MayAssume) {
  if (P.isBroken())
    return false;
  std::optional<Polynomial> Least = leastOf(P);
  if (Least && (isNeverNegative(*Least) || Assumed.count(withoutCommonFactor(*Least))))
    return true;
  auto WithFacts = [&](auto &Self, const Polynomial &Wanted, unsigned Depth) -> bool {
    for (const Fact &F : Facts)
      for (const auto &[M, C] : F.Form.terms())
        for (const auto &[N, D] : Wanted.terms()) {
          // What is negative in both cancels.
          std::optional<Monomial> Factor = C < 0 && D < 0 && D % C == 0 && !M.empty() ? divide(N, M) : std::nullopt;
          if (!Factor || any_of(*Factor, [&](unsigned A) { return Atoms[A].Kind == AtomMeaning::Stride; }))
            continue;
          Polynomial Rest = Wanted - F.Form.scaled(*Factor, D / C);
          std::optional<Polynomial> LeastRest = leastOf(Rest);
          if ((LeastRest && isNeverNegative(*LeastRest)) || (Depth && Self(Self, Rest, Depth - 1))) {
            Assumed.insert(F.Assumed.begin(), F.Assumed.end());
            return true;
          }
        }
    return false;
  };
  if (Facts.size() <= 24 && WithFacts(WithFacts, P, Facts.size() <= 8 ? 1 : 0))
    return true;
  return MayAssume && Least && assume(*Least, Assumed);
}

/// What was assumed to bound the counters in P.
void IndexForms::assumeBounds(const Polynomial &P, LaunchConditions &Assumed, unsigned Depth) {
  for (const auto &[M, C] : P.terms())
    for (unsigned A : M)
      if (Atoms[A].Kind == AtomMeaning::Counter && Depth < 8)
        for (const Polynomial &Bound : boundsOf(A)) {
          const LaunchConditions &Own = CountAssumptions[Atoms[A].L];
          Assumed.insert(Own.begin(), Own.end());
          assumeBounds(Bound, Assumed, Depth + 1);
        }
}

void IndexForms::addFacts(const Value *Condition, bool Holds, std::vector<Fact> &Into) {
  const auto *I = dyn_cast<Instruction>(Condition);
  if (!I)
    return;
  auto IsBool = [](const Value *V, bool Wanted) {
    const auto *C = dyn_cast<ConstantInt>(V);
    return C && C->isOne() == Wanted;
  };
  if (I->getOpcode() == Instruction::Xor && IsBool(I->getOperand(1), true))
    return addFacts(I->getOperand(0), !Holds, Into);
  bool IsAnd = I->getOpcode() == Instruction::And, IsOr = I->getOpcode() == Instruction::Or;
  const Value *First = nullptr, *Second = nullptr;
  if (IsAnd || IsOr) {
    First = I->getOperand(0);
    Second = I->getOperand(1);
  } else if (const auto *Select = dyn_cast<SelectInst>(I)) {
    First = Select->getCondition();
    IsAnd = IsBool(Select->getFalseValue(), false);
    IsOr = !IsAnd && IsBool(Select->getTrueValue(), true);
    Second = IsAnd ? Select->getTrueValue() : Select->getFalseValue();
  }
  if (IsAnd || IsOr) {
    if (IsAnd == Holds) {
      addFacts(First, Holds, Into);
      addFacts(Second, Holds, Into);
    }
    return;
  }
  const auto *Compare = dyn_cast<ICmpInst>(I);
  if (!Compare || !Compare->getOperand(0)->getType()->isIntegerTy())
    return;
  const Value *Kept = Obstacle;
  Fact F;
  std::optional<Polynomial> A = form(Compare->getOperand(0), F.Assumed),
                            B = A ? form(Compare->getOperand(1), F.Assumed) : A;
  bool IsKnown = A && B && assumeExact(Compare->getOperand(0), *A, F.Assumed) &&
                 assumeExact(Compare->getOperand(1), *B, F.Assumed);
  Obstacle = Kept;
  if (!IsKnown)
    return;
  assumeBounds(*A, F.Assumed);
  assumeBounds(*B, F.Assumed);
  auto Add = [&](const Polynomial &Form) { Into.push_back({Form, F.Assumed}); };
  CmpInst::Predicate Predicate = Holds ? Compare->getPredicate() : Compare->getInversePredicate();
  if (Predicate == CmpInst::ICMP_EQ) {
    Add(*A - *B);
    Add(*B - *A);
    return;
  }
  // As `small < large`.
  if (ICmpInst::isGT(Predicate) || ICmpInst::isGE(Predicate)) {
    std::swap(A, B);
    Predicate = CmpInst::getSwappedPredicate(Predicate);
  }
  if (!ICmpInst::isLT(Predicate) && !ICmpInst::isLE(Predicate))
    return;
  if (CmpInst::isUnsigned(Predicate)) {
    // A negative number is large when it is taken as unsigned.
    std::optional<Polynomial> Least = leastOf(*B);
    if (!Least || !assume(*Least, F.Assumed))
      return;
    Add(*A);
  }
  Add(*B - *A - Polynomial::constant(ICmpInst::isLT(Predicate) ? 1 : 0));
}

std::string IndexForms::text(const Polynomial &P) const {
  constexpr StringRef Names[] = {"threadIdx.x", "threadIdx.y", "threadIdx.z", "blockIdx.x", "blockIdx.y", "blockIdx.z",
                                 "blockDim.x",  "blockDim.y",  "blockDim.z",  "gridDim.x",  "gridDim.y",  "gridDim.z"};
  std::string Text;
  raw_string_ostream Stream(Text);
  for (const auto &[M, C] : reverse(P.terms())) {
    Stream << (C < 0 ? (Text.empty() ? "-" : " - ") : (Text.empty() ? "" : " + "));
    bool HasFactor = std::abs(C) != 1 || M.empty();
    if (HasFactor)
      Stream << std::abs(C);
    for (unsigned A : M) {
      Stream << (HasFactor ? " * " : "");
      HasFactor = true;
      if (A < FirstOther)
        Stream << Names[A];
      else if (Atoms[A].Kind == AtomMeaning::Counter)
        Stream << "iteration(" << Atoms[A].L->getHeader()->getName() << ")";
      else
        Atoms[A].V->printAsOperand(Stream, false);
    }
  }
  return Text.empty() ? "0" : Text;
}

const std::vector<Fact> &IndexForms::factsAt(const BasicBlock *Block) {
  if (auto Found = Facts.find(Block); Found != Facts.end())
    return Found->second;
  std::vector<Fact> List;
  for (auto *Node = Dominators.getNode(Block)->getIDom(); Node; Node = Node->getIDom()) {
    const auto *Branch = dyn_cast<BranchInst>(Node->getBlock()->getTerminator());
    if (!Branch || !Branch->isConditional() || Branch->getSuccessor(0) == Branch->getSuccessor(1))
      continue;
    for (unsigned K = 0; K < 2; ++K)
      if (Dominators.dominates(BasicBlockEdge(Node->getBlock(), Branch->getSuccessor(K)), Block))
        addFacts(Branch->getCondition(), K == 0, List);
  }
  // What holds for the next iteration where a loop goes on, and for its first, holds for each.
  for (const Loop *L = Loops.getLoopFor(Block); L; L = L->getParentLoop()) {
    const BasicBlock *Latch = L->getLoopLatch();
    const auto *Branch = Latch ? dyn_cast<BranchInst>(Latch->getTerminator()) : nullptr;
    if (!Branch || !Branch->isConditional() || !L->getLoopPreheader())
      continue;
    std::vector<Fact> OfNext;
    addFacts(Branch->getCondition(), Branch->getSuccessor(0) == L->getHeader(), OfNext);
    unsigned Counter = counterOf(L);
    for (Fact &F : OfNext) {
      Polynomial Here, AtFirst;
      bool IsLinear = true;
      for (const auto &[M, C] : F.Form.terms()) {
        // A loop inside has another count in the next iteration.
        for (unsigned A : M)
          IsLinear &= Atoms[A].Kind != AtomMeaning::Counter || Atoms[A].L == L || !L->contains(Atoms[A].L);
        std::optional<Monomial> Others = divide(M, {Counter});
        Here.add(M, C);
        if (Others) {
          Here.add(*Others, -C);
          IsLinear &= !is_contained(*Others, Counter);
        }
      }
      for (const auto &[M, C] : Here.terms())
        if (!divide(M, {Counter}))
          AtFirst.add(M, C);
      std::vector<Fact> Before = factsAt(L->getLoopPreheader());
      if (IsLinear && isNeverNegative(AtFirst, Before, F.Assumed, false))
        List.push_back({Here, F.Assumed});
    }
  }
  return Facts[Block] = std::move(List);
}

std::optional<Polynomial> IndexForms::offset(const Value *Pointer, const Value *Base, LaunchConditions &Assumed) {
  Obstacle = nullptr;
  const DataLayout &DL = Loops.begin() == Loops.end() ? Dominators.getRoot()->getDataLayout()
                                                      : (*Loops.begin())->getHeader()->getDataLayout();
  Polynomial Sum;
  while (Pointer != Base) {
    if (const auto *Phi = dyn_cast<PHINode>(Pointer)) {
      // A pointer that a loop moves on.
      const Loop *L = Loops.getLoopFor(Phi->getParent());
      if (Phi->getNumIncomingValues() == 1) {
        Pointer = Phi->getIncomingValue(0);
        continue;
      }
      if (!L || L->getHeader() != Phi->getParent() || !L->getLoopLatch() || !L->getLoopPreheader())
        return fail(Pointer);
      Polynomial By;
      const Value *Next = Phi->getIncomingValueForBlock(L->getLoopLatch());
      while (const auto *Gep = dyn_cast<GEPOperator>(Next)) {
        SmallMapVector<Value *, APInt, 4> Variables;
        APInt Bytes(64, 0);
        if (!Gep->collectOffset(DL, 64, Variables, Bytes))
          return fail(Pointer);
        By = By + Polynomial::constant(Bytes.getSExtValue());
        for (auto &[Index, Scale] : Variables) {
          std::optional<Polynomial> Part = L->isLoopInvariant(Index) ? form(Index, Assumed) : fail(Pointer);
          if (!Part || !assumeExact(Index, *Part, Assumed))
            return fail(Pointer);
          By = By + Part->scaled({}, Scale.getSExtValue());
        }
        Next = Gep->getPointerOperand();
      }
      if (Next != Phi)
        return fail(Pointer);
      Sum = Sum + By.scaled({counterOf(L)}, 1);
      Pointer = Phi->getIncomingValueForBlock(L->getLoopPreheader());
      continue;
    }
    const auto *Gep = dyn_cast<GEPOperator>(Pointer);
    SmallMapVector<Value *, APInt, 4> Variables;
    APInt Bytes(64, 0);
    if (!Gep || !Gep->collectOffset(DL, 64, Variables, Bytes))
      return fail(Pointer);
    Sum = Sum + Polynomial::constant(Bytes.getSExtValue());
    for (auto &[Index, Scale] : Variables) {
      std::optional<Polynomial> Part = form(Index, Assumed);
      if (!Part || !assumeExact(Index, *Part, Assumed))
        return fail(Index);
      Sum = Sum + Part->scaled({}, Scale.getSExtValue());
    }
    Pointer = Gep->getPointerOperand();
  }
  if (Sum.isBroken())
    return fail(Pointer);
  assumeBounds(Sum, Assumed);
  return Sum;
}
