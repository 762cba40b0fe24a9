//===- IndexForms.cpp - addresses as polynomials of thread and block ids ----------------------------------------===//

#include "Derivative/Addresses/IndexForms.h"
#include "Derivative/Canonical/Geometry.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"

using namespace llvm;
using namespace kernix;

namespace {

/// In the order of the atoms.
constexpr StringRef GeometryNames[] = {"thread_idx.x", "thread_idx.y", "thread_idx.z", "block_idx.x",
                                       "block_idx.y",  "block_idx.z",  "block_dim.x",  "block_dim.y",
                                       "block_dim.z",  "grid_dim.x",   "grid_dim.y",   "grid_dim.z"};

/// A byte that wraps around may count within a table of 256; an int that does leaves the tensor.
bool isIndexWide(const Value *V) { return V->getType()->getIntegerBitWidth() >= 32; }

/// How many threads, or blocks, a launch has.
bool isOfExtents(const Value *V) {
  if (std::optional<unsigned> Atom = geometryAtom(V))
    return *Atom >= FirstExtent;
  const auto *Product = dyn_cast<BinaryOperator>(V);
  return Product && Product->getOpcode() == Instruction::Mul && all_of(Product->operands(), isOfExtents);
}

} // namespace

bool kernix::isNot(const Instruction &I) {
  const auto *C = I.getOpcode() == Instruction::Xor ? dyn_cast<ConstantInt>(I.getOperand(1)) : nullptr;
  return C && C->isMinusOne();
}

std::optional<unsigned> kernix::geometryAtom(const Value *V) {
  const auto *Call = dyn_cast<CallBase>(V);
  StringRef Name = Call && Call->getCalledFunction() ? Call->getCalledFunction()->getName() : "";
  if (!Name.consume_front("kernix."))
    return std::nullopt;
  const auto *Found = find(GeometryNames, Name);
  if (Found == std::end(GeometryNames))
    return std::nullopt;
  return static_cast<unsigned>(Found - std::begin(GeometryNames));
}

IndexForms::IndexForms(const Prepared &P, MemoryObjects &Objects, FunctionAnalysisManager &FAM, bool OfOneThread)
    : Objects(Objects), Loops(FAM.getResult<LoopAnalysis>(*P.F)),
      Dominators(FAM.getResult<DominatorTreeAnalysis>(*P.F)), Evolution(FAM.getResult<ScalarEvolutionAnalysis>(*P.F)),
      OfOneThread(OfOneThread) {
  for (unsigned K = 0; K < FirstOther; ++K)
    Atoms.push_back({K < FirstExtent ? AtomMeaning::Id : AtomMeaning::Extent, nullptr, nullptr});
  for (unsigned Id = 0; Id < FirstExtent; ++Id)
    IdsAndDigits.push_back(Id);
}

void IndexForms::splitIds(bool Whether) {
  if (SplitsIds == Whether)
    return;
  SplitsIds = Whether;
  Facts.clear();
  Counts.clear();
  CountAssumptions.clear();
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
    return *Atom >= FirstExtent;
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
  if (I->isIntDivRem()) { // evaluated at the entry, guarded or not
    const auto *Divisor = dyn_cast<ConstantInt>(I->getOperand(1));
    return (Divisor ? !Divisor->isZero() && !Divisor->isMinusOne() : isOfExtents(I->getOperand(1))) &&
           isUniform(I->getOperand(0), Depth + 1);
  }
  if (isa<BinaryOperator, ICmpInst, SelectInst, FreezeInst>(I) || (isa<CastInst>(I) && I->getType()->isIntegerTy()))
    return none_of(I->operands(), [](const Use &U) { return !U->getType()->isIntegerTy(); }) && AllUniform();
  return false;
}

/// An integer that is computed once, outside of loops.
bool IndexForms::isOwn(const Value *V) const {
  const auto *I = dyn_cast<Instruction>(V);
  return OfOneThread && I && !Loops.getLoopFor(I->getParent());
}

/// The same of one that is computed anew in each iteration of a loop, from such integers.
bool IndexForms::isOwnEverywhere(const Value *V, unsigned Depth) const {
  if (isa<ConstantInt>(V) || isOwn(V))
    return OfOneThread;
  const auto *I = dyn_cast<Instruction>(V);
  return I && Depth < 12 && (isa<BinaryOperator, CastInst, ICmpInst, SelectInst, MinMaxIntrinsic>(I)) &&
         all_of(
             isa<CallBase>(I) ? cast<CallBase>(I)->args() : I->operands(),
             [&](const Use &U) { return U->getType()->isIntegerTy() && isOwnEverywhere(U, Depth + 1); });
}

unsigned IndexForms::ownAtom(const Value *V) {
  auto [Slot, New] = AtomOf.insert({V, static_cast<unsigned>(Atoms.size())});
  if (!New)
    return Slot->second;
  // What passes have written out twice.
  const auto *I = cast<Instruction>(V);
  if (!isa<PHINode, CallBase>(I) && !I->mayReadOrWriteMemory())
    for (unsigned A = FirstOther; A < Atoms.size(); ++A)
      if (Atoms[A].Kind == AtomMeaning::Own && !Atoms[A].Bits &&
          I->isIdenticalToWhenDefined(cast<Instruction>(Atoms[A].V)))
        return Slot->second = A;
  Atoms.push_back({AtomMeaning::Own, V, nullptr});
  return Slot->second;
}

std::optional<unsigned> IndexForms::atomOf(const Value *V, LaunchConditions &Assumed) {
  // An argument of few bits is one number, to whatever width it is extended.
  if (const auto *Extension = dyn_cast<ZExtInst>(V))
    for (const AtomMeaning &Meaning : drop_begin(Atoms, FirstOther))
      if (const auto *Other = dyn_cast_or_null<ZExtInst>(Meaning.V);
          Meaning.Kind == AtomMeaning::Uniform && Other && Other->getOperand(0) == Extension->getOperand(0))
        V = Other;
  // To other memory than the view's own elements, a stride is a number like any other.
  const auto *Load = dyn_cast<LoadInst>(V);
  bool IsStride = Load && Object && Objects.isStrideOf(*Load, *Object);
  auto [Slot, New] = (IsStride ? StrideAtomOf : AtomOf).insert({V, static_cast<unsigned>(Atoms.size())});
  if (New)
    Atoms.push_back({IsStride ? AtomMeaning::Stride : AtomMeaning::Uniform, V, nullptr});
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
  if (const Value *Way = chosenWay(V))
    return form(Way, Assumed);
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
  case Instruction::Or: {
    const bool IsDisjoint = cast<PossiblyDisjointInst>(I)->isDisjoint();
    std::optional<ExactForms> Exact;
    if (!IsDisjoint)
      Exact.emplace(*this);
    if (std::optional<Polynomial> Sum = Both([&](const Polynomial &A, const Polynomial &B) {
          return IsDisjoint || fitsInto(A, B) || fitsInto(B, A) ? A + B : Polynomial::broken();
        })) {
      assumeBounds(*Sum, Assumed);
      return Sum;
    }
    break;
  }
  case Instruction::Shl:
    if (const auto *By = dyn_cast<ConstantInt>(I->getOperand(1)); By && By->getValue().ult(62)) {
      std::optional<Polynomial> A = form(I->getOperand(0), Assumed);
      return A ? Checked(A->scaled({}, int64_t(1) << By->getZExtValue())) : std::nullopt;
    }
    break;
  case Instruction::AShr:
    if (std::optional<Polynomial> Half = formOfLowHalf(*I, Assumed))
      return Half;
    break;
  case Instruction::And:
    // An index of 32 bits, as one of 64.
    if (const auto *Mask = dyn_cast<ConstantInt>(I->getOperand(1));
        Mask && MayWrap && !isOwn(I) && Mask->getValue().isMask() && Mask->getValue().countr_one() >= 32)
      if (std::optional<Polynomial> Low = formOfLowBits(*I, Mask->getValue().countr_one(), Assumed))
        return Low;
    break;
  case Instruction::Xor:
    if (isNot(*I)) {
      std::optional<Polynomial> A = form(I->getOperand(0), Assumed);
      return A ? Checked(Polynomial::constant(-1) - *A) : std::nullopt;
    }
    if (std::optional<Polynomial> Flipped = formOfFlippedBits(*I, Assumed))
      return Flipped;
    break;
  case Instruction::Trunc:
    if (std::optional<Polynomial> Low = formOfLowBits(*I, I->getType()->getIntegerBitWidth(), Assumed))
      return Low;
    break;
  case Instruction::Freeze:
    return form(I->getOperand(0), Assumed);
  case Instruction::SExt:
  case Instruction::ZExt: {
    // As a signed number, one of few bits might be negative.
    if (I->getOperand(0)->getType()->isIntegerTy(1) ||
        (isa<ZExtInst>(I) && !isIndexWide(I->getOperand(0)) && isUniform(I)))
      break;
    std::optional<Polynomial> A = form(I->getOperand(0), Assumed);
    if (A && MayWrap && isIndexWide(I->getOperand(0)))
      return A;
    if (!A)
      return fail(V);
    if (!assumeExact(I->getOperand(0), *A, Assumed)) {
      unsigned Bits = I->getOperand(0)->getType()->getIntegerBitWidth();
      return isa<ZExtInst>(I) && assumeExactUnsigned(I->getOperand(0), Bits, Assumed) ? A : fail(V);
    }
    return !isa<ZExtInst>(I) || I->hasNonNeg() || assumeNeverNegative(*A, Assumed) ? A : fail(V);
  }
  case Instruction::PHI:
    return formOfPhi(*cast<PHINode>(I), Assumed);
  case Instruction::Call:
    // What loops without a first iteration are written with: `max(2 * r + 1, 0)`.
    if (const auto *Most = dyn_cast<MinMaxIntrinsic>(I);
        Most && Most->getIntrinsicID() == Intrinsic::smax && isUniform(Most)) {
      const ExactForms Exact(*this);
      LaunchConditions Needed = Assumed;
      const Value *Left = Most->getLHS(), *Right = Most->getRHS();
      std::optional<Polynomial> A = form(Left, Needed), B = A ? form(Right, Needed) : std::nullopt;
      if (!B || !assumeExact(Left, *A, Needed) || !assumeExact(Right, *B, Needed))
        break;
      const bool IsLeft = isNeverNegative(*A - *B), IsRight = !IsLeft && isNeverNegative(*B - *A);
      if (!IsLeft && !IsRight)
        break;
      Assumed = std::move(Needed);
      return IsLeft ? A : B;
    }
    break;
  default:
    break;
  }
  if (!isUniform(V)) {
    if (!isOwn(V)) {
      std::optional<Polynomial> Digit = SplitsIds      ? formOfIdDigit(*I, Assumed)
                                        : SplitsDigits ? formOfDigit(*I, Assumed)
                                                       : formOfPart(*I, Assumed);
      if (Digit || !isOwnEverywhere(V))
        return Digit ? Digit : fail(V);
    }
    // Bits of another integer have a form of their own.
    if (std::optional<Polynomial> Sum =
            I->isBitwiseLogicOp() || I->isShift() ? formOfBits(I, ~0ULL, 0, Assumed) : std::nullopt)
      return Checked(*Sum);
    return Polynomial::atom(ownAtom(V));
  }
  return Polynomial::atom(*atomOf(V, Assumed));
}

/// Whether Low is between 0 and the lowest power of two that is known to divide High: no bit is set in both.
bool IndexForms::fitsInto(const Polynomial &Low, const Polynomial &High) {
  uint64_t Bits = 0;
  for (const auto &[M, C] : High.terms())
    Bits |= static_cast<uint64_t>(C);
  int Zeros = Bits ? std::min(countr_zero(Bits), 30) : 0;
  std::optional<Polynomial> Least = leastOf(Low), Most = mostOf(Low);
  return Least && Most && isNeverNegative(*Least) &&
         isNeverNegative(Polynomial::constant((int64_t(1) << Zeros) - 1) - *Most);
}

/// A counter that is kept in two widths: the phi of few bits, of which this one is the extension.
const PHINode *IndexForms::narrowPhi(const PHINode &Phi, const Loop &L) const {
  auto Narrow = [](const Value *V) -> const Value * {
    const auto *Cast = dyn_cast<CastInst>(V);
    bool KeepsSign = Cast && (isa<SExtInst>(Cast) || (isa<ZExtInst>(Cast) && Cast->hasNonNeg()));
    return KeepsSign ? Cast->getOperand(0) : nullptr;
  };
  for (const PHINode &Other : Phi.getParent()->phis())
    if (Other.getType()->isIntegerTy() &&
        Narrow(Phi.getIncomingValueForBlock(L.getLoopLatch())) == Other.getIncomingValueForBlock(L.getLoopLatch()) &&
        Narrow(Phi.getIncomingValueForBlock(L.getLoopPreheader())) ==
            Other.getIncomingValueForBlock(L.getLoopPreheader()))
      return &Other;
  return nullptr;
}

std::optional<Polynomial> IndexForms::formOfPhi(const PHINode &Phi, LaunchConditions &Assumed) {
  if (Phi.getNumIncomingValues() == 1)
    return form(Phi.getIncomingValue(0), Assumed);
  if (isOwn(&Phi))
    return Polynomial::atom(ownAtom(&Phi));
  const Loop *L = Loops.getLoopFor(Phi.getParent());
  if (!L || L->getHeader() != Phi.getParent() || !L->getLoopLatch() || !L->getLoopPreheader() ||
      !Open.insert(&Phi).second)
    return fail(&Phi);
  scope_exit Close([&] { Open.erase(&Phi); });
  const bool IsNewlyRunning = Running.insert(L).second;
  scope_exit Stop([&] {
    if (IsNewlyRunning)
      Running.erase(L);
  });
  if (const PHINode *Narrow = narrowPhi(Phi, *L)) {
    std::optional<Polynomial> A = form(Narrow, Assumed);
    return A && ((MayWrap && isIndexWide(Narrow)) || assumeExact(Narrow, *A, Assumed)) ? A : fail(&Phi);
  }
  const auto *Next = dyn_cast<BinaryOperator>(Phi.getIncomingValueForBlock(L->getLoopLatch()));
  if (!Next)
    return formInNest(Phi, *L, Assumed);
  const Value *Step = nullptr;
  bool IsSum = Next->getOpcode() == Instruction::Add;
  if (Next->getOperand(0) == &Phi && (IsSum || Next->getOpcode() == Instruction::Sub))
    Step = Next->getOperand(1);
  else if (IsSum && Next->getOperand(1) == &Phi)
    Step = Next->getOperand(0);
  if (!Step)
    return formInNest(Phi, *L, Assumed);
  // Computed in the loop behind a barrier, perhaps, but from what never changes.
  std::optional<Polynomial> By = form(Step, Assumed);
  if (By && countsIn(*By, *L))
    return fail(&Phi);
  std::optional<Polynomial> Start = By ? form(Phi.getIncomingValueForBlock(L->getLoopPreheader()), Assumed) : By;
  if (!Start)
    return std::nullopt;
  Polynomial Moved = By->scaled({counterOf(L)}, IsSum ? 1 : -1) + *Start;
  return Moved.isBroken() ? fail(&Phi) : std::optional<Polynomial>(Moved);
}

/// A scalar parameter, as the source calls it; empty for anything else.
static StringRef nameOf(const Value *V, MemoryObjects &Objects) {
  while (isa<SExtInst, ZExtInst, TruncInst>(V))
    V = cast<CastInst>(V)->getOperand(0);
  const auto *Load = dyn_cast<LoadInst>(V);
  const MemoryObject *O = Load ? Objects.only(Load->getPointerOperand()) : nullptr;
  bool IsWhole = O && O->Kind == MemoryObject::Parameter && Load->getPointerOperand() == O->Base &&
                 none_of(O->Base->users(), [](const User *U) { return isa<GetElementPtrInst>(U); });
  return IsWhole ? StringRef(O->Name) : StringRef();
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
      else if (Atoms[A].Unit)
        Stream << (Atoms[A].Kind == AtomMeaning::Digit ? Names[Atoms[A].Of] : Names[FirstExtent + Atoms[A].Of])
               << (Atoms[A].Kind == AtomMeaning::Digit && !Atoms[A].IsQuotient ? " % " : " / ") << Atoms[A].Unit;
      else if (!Atoms[A].V)
        Stream << "iteration(" << Atoms[A].L->getHeader()->getName() << ")";
      else if (StringRef Name = nameOf(Atoms[A].V, Objects); !Name.empty())
        Stream << Name;
      else
        Atoms[A].V->printAsOperand(Stream, false);
    }
  }
  return Text.empty() ? "0" : Text;
}

std::optional<Polynomial> IndexForms::index(const Value *V, LaunchConditions &Assumed) {
  Obstacle = nullptr;
  std::optional<Polynomial> P = form(V, Assumed);
  if (!P || !assumeExact(V, *P, Assumed))
    return fail(V);
  assumeBounds(*P, Assumed);
  return withJoinedDigits(*P);
}

std::optional<Polynomial> IndexForms::offset(const Value *Pointer, const Value *Base, LaunchConditions &Assumed,
                                             Digits OfIds) {
  Obstacle = nullptr;
  MayWrap = OfOneThread;
  SplitsDigits = OfIds == Digits::Split;
  Object = Objects.only(Base);
  scope_exit Restore([&] {
    MayWrap = SplitsDigits = false;
    Object = nullptr;
  });
  const DataLayout &DL = Loops.begin() == Loops.end() ? Dominators.getRoot()->getDataLayout()
                                                      : (*Loops.begin())->getHeader()->getDataLayout();
  Polynomial Sum;
  SmallVector<const Loop *, 4> NewlyRunning;
  scope_exit Stop([&] {
    for (const Loop *L : NewlyRunning)
      Running.erase(L);
  });
  while (Pointer != Base) {
    if (const Value *Way = chosenWay(Pointer)) {
      Pointer = Way;
      continue;
    }
    if (const auto *Cast = dyn_cast<AddrSpaceCastOperator>(Pointer)) {
      Pointer = Cast->getPointerOperand();
      continue;
    }
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
          if (!Part || !((MayWrap && isIndexWide(Index)) || assumeExact(Index, *Part, Assumed)))
            return fail(Pointer);
          By = By + Part->scaled({}, Scale.getSExtValue());
        }
        Next = Gep->getPointerOperand();
      }
      if (Next != Phi) {
        Nest N{Assumed};
        std::optional<Polynomial> OfNest = stepInNest(*Phi, *L, N);
        if (!OfNest)
          return fail(Pointer);
        By = *OfNest;
        Assumed = std::move(N.Assumed);
      }
      if (Running.insert(L).second)
        NewlyRunning.push_back(L);
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
      if (!Part || !((MayWrap && isIndexWide(Index)) || assumeExact(Index, *Part, Assumed)))
        return fail(Index);
      Sum = Sum + Part->scaled({}, Scale.getSExtValue());
    }
    Pointer = Gep->getPointerOperand();
  }
  if (Sum.isBroken())
    return fail(Pointer);
  assumeBounds(Sum, Assumed);
  return withJoinedDigits(Sum);
}
