//===- IdBits.cpp - the bits of thread and block ids that an access depends on ----------------------------------===//

#include "Derivative/Launch/IdBits.h"
#include "Derivative/Addresses/IndexForms.h"
#include "Derivative/Analysis/Activity.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace kernix;

void IdBits::addAll() {
  for (unsigned Id = 0; Id < NumIds; ++Id)
    add(Id, 0, width(Id));
}

unsigned IdBits::ids() const {
  unsigned Result = 0;
  for (unsigned Id = 0; Id < NumIds; ++Id)
    Result |= static_cast<unsigned>(Of[Id] != 0) << Id;
  return Result;
}

std::optional<unsigned> IdBits::missing(unsigned Id, const IdBits &A, const IdBits &B) {
  const auto Bit = static_cast<unsigned>(countr_one(A.Of[Id] | B.Of[Id]));
  return Bit < width(Id) ? std::optional(Bit) : std::nullopt;
}

std::optional<unsigned> AccessIds::missing(unsigned Id) const {
  return ids() >> Id & 1 ? IdBits::missing(Id, Surely, Perhaps) : std::nullopt;
}

IdDependence::IdDependence(Function &F, MemoryObjects &Objects, FunctionAnalysisManager &FAM)
    : Objects(Objects), PostDominators(FAM.getResult<PostDominatorTreeAnalysis>(F)),
      Loops(FAM.getResult<LoopAnalysis>(F)), Controls(F, PostDominators) {
  for (Instruction &I : instructions(F))
    if (MemoryAccess Access = accessOf(I); Access.Stored)
      if (const MemoryObject *O = Objects.only(Access.Pointer); O && O->Kind == MemoryObject::Local)
        Writers[O].push_back(&I);
}

AccessIds IdDependence::of(const Instruction &Access) {
  begin(Access);
  follow(getPointerOperand(&Access), /*Surely=*/true);
  return Found;
}

AccessIds IdDependence::of(const CallBase &Call, const CustomRule &Rule) {
  begin(Call);
  forEachArgument(Rule, [&](const RuleArgument &A) {
    if (!A.hasDerivative())
      follow(Call.getArgOperand(A.Index), /*Surely=*/true);
  });
  return Found;
}

void IdDependence::begin(const Instruction &Access) {
  for (auto &Set : Seen)
    Set.clear();
  Found = {};
  followBlock(Access.getParent(), /*Surely=*/true);
}

//===- digits -----------------------------------------------------------------------------------------------------===//

/// Of the digit, only the bits of Mask. False: these are not in one run.
bool IdDependence::Digit::keep(uint64_t Mask) {
  Mask = (Mask >> Up) & maskTrailingOnes<uint64_t>(High - Low);
  if (!IsExact || !isShiftedMask_64(Mask))
    return false;
  IsExact = Mask & 1;
  High = Low + static_cast<unsigned>(bit_width(Mask));
  Low += static_cast<unsigned>(countr_zero(Mask));
  return true;
}

bool IdDependence::Digit::divideBy(uint64_t Unit) {
  if (!IsExact || Unit == 0 || Log2_64(Unit) >= High - Low + Up || (Up && !isPowerOf2_64(Unit)))
    return false;
  const unsigned Bits = Log2_64(Unit), OfUp = std::min(Bits, Up);
  Up -= OfUp;
  Low += Bits - OfUp;
  IsExact = isPowerOf2_64(Unit);
  return true;
}

bool IdDependence::Digit::shiftUp(uint64_t By) {
  constexpr unsigned MostBits = 32;
  if (!IsExact || By > MostBits - Up)
    return false;
  Up += static_cast<unsigned>(By);
  return true;
}

std::optional<IdDependence::Digit> IdDependence::digitOf(const Value *V, unsigned Depth) const {
  constexpr unsigned MostDepth = 8;
  if (std::optional<unsigned> Atom = geometryAtom(V); Atom && *Atom < NumIds)
    return Digit{*Atom, 0, IdBits::width(*Atom), {}};
  const auto *I = dyn_cast<Instruction>(V);
  if (!I || Depth > MostDepth || !I->getType()->isIntegerTy())
    return std::nullopt;
  // Bits that are lost are taken to be there.
  if (isa<ZExtInst, SExtInst, FreezeInst, TruncInst>(I))
    return digitOf(I->getOperand(0), Depth + 1);
  if (match(I, m_AddLike(m_Value(), m_Value())) || I->getOpcode() == Instruction::Sub) {
    for (unsigned K : {0, 1})
      if (std::optional<Digit> Result = digitOf(I->getOperand(K), Depth + 1);
          Result && Result->isWhole() && isFreeOf(Result->Id, I->getOperand(1 - K))) {
        Result->Rest.push_back(I->getOperand(1 - K));
        return Result;
      }
    return std::nullopt;
  }
  std::optional<Digit> Result = I->getNumOperands() == 2 ? digitOf(I->getOperand(0), Depth + 1) : std::nullopt;
  if (!Result)
    return std::nullopt;
  auto If = [&](bool Succeeds) { return Succeeds ? Result : std::nullopt; };
  if (const APInt *C = nullptr; match(I, m_Shl(m_Value(), m_APInt(C))))
    return If(Result->shiftUp(C->getLimitedValue()));
  if (const APInt *C = nullptr; match(I, m_And(m_Value(), m_APInt(C))) && C->getBitWidth() <= 64)
    return If(Result->keep(C->getZExtValue()));
  auto [Unit, IsQuotient] = divisionOf(*I);
  if (Unit < 1)
    return std::nullopt;
  const auto Divisor = static_cast<uint64_t>(Unit);
  return If(IsQuotient ? Result->divideBy(Divisor) : isPowerOf2_64(Divisor) && Result->keep(Divisor - 1));
}

/// Whether threads that differ in the id only have the same integer, in the same iteration.
bool IdDependence::isFreeOf(unsigned Id, const Value *V, unsigned Depth) const {
  constexpr unsigned MostDepth = 12;
  const auto *I = dyn_cast<Instruction>(V);
  if (!I)
    return true;
  if (std::optional<unsigned> Atom = geometryAtom(I))
    return *Atom != Id;
  if (Depth > MostDepth || isa<AtomicRMWInst, AtomicCmpXchgInst, AllocaInst>(I) ||
      (isa<CallBase>(I) && !(isa<IntrinsicInst>(I) && !I->mayReadOrWriteMemory())))
    return false;
  if (const auto *Load = dyn_cast<LoadInst>(I)) {
    const MemoryObject *O = Objects.only(Load->getPointerOperand());
    if (!O || O->Kind == MemoryObject::Local)
      return false;
  }
  if (const auto *Phi = dyn_cast<PHINode>(I)) {
    const Loop *L = Loops.getLoopFor(Phi->getParent());
    BinaryOperator *Next = nullptr;
    Value *Start = nullptr, *Step = nullptr;
    return L && L->getHeader() == Phi->getParent() && matchSimpleRecurrence(Phi, Next, Start, Step) &&
           isFreeOf(Id, Start, Depth + 1) && isFreeOf(Id, Step, Depth + 1);
  }
  return all_of(I->operand_values(), [&](const Value *Operand) { return isFreeOf(Id, Operand, Depth + 1); });
}

//===- what is followed -------------------------------------------------------------------------------------------===//

void IdDependence::follow(const Value *V, bool Surely) {
  const auto *I = dyn_cast<Instruction>(V);
  if (!I || !Seen[Surely].insert(I).second)
    return;
  IdBits &Into = Surely ? Found.Surely : Found.Perhaps;
  if (std::optional<Digit> D = digitOf(I)) {
    Into.add(D->Id, D->Low, D->High);
    for (const Value *Rest : D->Rest)
      follow(Rest, Surely);
    return;
  }
  // An atomic counter hands out each number once.
  if (isa<AtomicRMWInst>(I))
    Into.addAll();
  // The lane, the active threads, a clock.
  if (const auto *Call = dyn_cast<CallBase>(I); Call && Call->arg_empty() && !geometryAtom(Call))
    Found.Perhaps.addAll();
  for (const Use &Operand : I->operands())
    follow(Operand, Surely);
  if (const auto *Phi = dyn_cast<PHINode>(I))
    for (const BasicBlock *From : Phi->blocks())
      followBlock(From, Surely);
  if (const auto *Load = dyn_cast<LoadInst>(I))
    for (const MemoryObject *O : Objects.of(Load->getPointerOperand()))
      for (const Instruction *Writer : Writers[O]) {
        follow(accessOf(*Writer).Stored, Surely);
        follow(accessOf(*Writer).Pointer, Surely);
        followBlock(Writer->getParent(), Surely);
      }
}

void IdDependence::followBlock(const BasicBlock *Block, bool Surely) {
  if (!Seen[Surely].insert(Block).second)
    return;
  for (const BasicBlock *Control : Controls.of(Block)) {
    const Value *Condition = conditionOf(*Control);
    if (Surely)
      followGuard(Condition, leadsTo(*Control, *Block));
    else
      follow(Condition, Surely);
    if (const auto *I = dyn_cast<Instruction>(Condition))
      followBlock(I->getParent(), Surely);
  }
}

/// Whether it is where the condition of Control holds, or does not, that Block is run. Nothing: not only there.
std::optional<bool> IdDependence::leadsTo(const BasicBlock &Control, const BasicBlock &Block) const {
  const auto *Branch = dyn_cast<BranchInst>(Control.getTerminator());
  if (!Branch || !Branch->isConditional())
    return std::nullopt;
  const bool IfTrue = PostDominators.dominates(&Block, Branch->getSuccessor(0));
  const bool IfFalse = PostDominators.dominates(&Block, Branch->getSuccessor(1));
  return IfTrue == IfFalse ? std::nullopt : std::optional(IfTrue);
}

/// `threadIdx.x == 0` lets one thread through, `i < n` many.
void IdDependence::followGuard(const Value *Condition, std::optional<bool> Holds) {
  const auto *I = dyn_cast<Instruction>(Condition);
  if (const auto *Compare = dyn_cast_or_null<ICmpInst>(I); Compare && Compare->isRelational())
    return followBound(*Compare, Holds);
  if (const Value *Opposite = nullptr; match(Condition, m_Not(m_Value(Opposite))))
    return followGuard(Opposite, Holds ? std::optional(!*Holds) : std::nullopt);
  if (I && (I->isBitwiseLogicOp() || isa<SelectInst>(I))) {
    // Of `a && b` that holds, so do both; of `a || b` that does not, neither.
    const bool IsKnown = Holds && (*Holds ? match(I, m_LogicalAnd()) : match(I, m_LogicalOr()));
    for (const Use &Operand : I->operands())
      followGuard(Operand, IsKnown ? Holds : std::nullopt);
    return;
  }
  follow(Condition, /*Surely=*/true);
}

/// A bound from above that says nothing of the block's extent, as `i < n`, lets neighbours through; one by a constant
/// those that differ in the bits below it. Of others it is not known: `i + 1 >= n` holds for the last thread.
void IdDependence::followBound(const ICmpInst &Compare, std::optional<bool> Holds) {
  auto IsPlain = [&](const Value *Bound, unsigned Id) {
    if (const auto *Cast = dyn_cast<CastInst>(Bound))
      Bound = Cast->getOperand(0);
    return isa<Constant, Argument, LoadInst>(Bound) || (isFreeOf(Id, Bound) && isFreeOf(Id + NumIds, Bound));
  };
  for (unsigned K = 0; K < 2 && Holds; ++K) {
    const Value *V = Compare.getOperand(K), *Bound = Compare.getOperand(1 - K);
    CmpInst::Predicate Predicate = K == 0 ? Compare.getPredicate() : Compare.getSwappedPredicate();
    if (!*Holds)
      Predicate = CmpInst::getInversePredicate(Predicate);
    const bool IsUpper = ICmpInst::isLT(Predicate) || ICmpInst::isLE(Predicate);
    std::optional<Digit> D = digitOf(V);
    const auto *Constant = dyn_cast<ConstantInt>(Bound);
    if (!D || (IsUpper ? !IsPlain(Bound, D->Id) : !Constant))
      continue;
    if (IsUpper && Constant && Constant->getValue().isStrictlyPositive()) {
      // As many values as are below the bound.
      const unsigned Bits =
          (ICmpInst::isLE(Predicate) ? Constant->getValue() + 1 : Constant->getValue()).ceilLogBase2();
      if (D->Low + Bits < D->High)
        Found.Perhaps.add(D->Id, D->Low + Bits, D->High);
    }
    return;
  }
  follow(&Compare, /*Surely=*/false);
}
