//===- SharedTurns.cpp - gradients of shared elements that need no atomic additions -----------------------------===//

#include "Derivative/Shared/SharedTurns.h"
#include "Derivative/Analysis/CollectivePaths.h"
#include "Derivative/Canonical/Collectives.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include <array>

using namespace llvm;
using namespace kernix;

/// A barrier for each turn costs what a few atomic additions do, and with many turns threads wait more than they add.
static constexpr size_t FewestLoads = 4, MostTurns = 64;
/// Threads of the block that is thought of where a launch is guessed.
static constexpr int64_t UsualThreads = 256;

bool SharedTurnPlans::isBorder(const Instruction &I, MemoryObjects &Objects) {
  if (orderingCall(I))
    return true;
  if (MemoryAccess Access = accessOf(I); Access.Pointer)
    return Access.Stored && any_of(Objects.of(Access.Pointer), [](const MemoryObject *O) {
             return O->Kind == MemoryObject::Shared || O->Kind == MemoryObject::Unknown;
           });
  const auto *Call = dyn_cast<CallBase>(&I);
  return Call && !isa<AssumeInst>(Call) && Call->mayWriteToMemory();
}

bool SharedTurnPlans::isUniform(const BasicBlock &Block) const {
  return all_of(Uniform.controls(&Block),
                [&](const BasicBlock *Branch) { return Uniform.ofBranch(Branch) == UniformValues::Block; });
}

/// Whether there is a border on a way from the end of From, which dominates it, to the load.
bool SharedTurnPlans::hasBorder(const BasicBlock &From, const LoadInst &To) const {
  SmallPtrSet<const BasicBlock *, 16> Seen = {&From};
  SmallVector<const BasicBlock *, 16> Work = {To.getParent()};
  while (!Work.empty()) {
    const BasicBlock *Block = Work.pop_back_val();
    if (!Seen.insert(Block).second)
      continue;
    for (const Instruction &I : *Block) {
      if (&I == &To)
        break;
      if (isBorder(I, Objects))
        return true;
    }
    append_range(Work, predecessors(Block));
  }
  return false;
}

std::optional<SharedTurnPlans::Position> SharedTurnPlans::positionOf(const LoadInst &Load) {
  const BasicBlock *Own = Load.getParent();
  if (isUniform(*Own)) {
    for (const Instruction *I = Load.getPrevNode(); I; I = I->getPrevNode())
      if (isBorder(*I, Objects))
        return Position(Own, I);
    return Position(Own, nullptr);
  }
  // As far up as possible, so that there are few places with many loads. In another loop it would be reversed another
  // number of times.
  const BasicBlock *Where = nullptr;
  for (const DomTreeNode *Node = Dominators.getNode(Own)->getIDom(); Node; Node = Node->getIDom()) {
    const BasicBlock *Above = Node->getBlock();
    if (Loops.getLoopFor(Above) != Loops.getLoopFor(Own))
      continue;
    if (!isUniform(*Above))
      continue;
    if (hasBorder(*Above, Load))
      break;
    Where = Above;
  }
  // The end of a block is reversed first.
  return Where ? std::optional(Position(Where, Where->getTerminator())) : std::nullopt;
}

std::optional<SharedTurnPlans::Candidate> SharedTurnPlans::candidate(const LoadInst &Load) {
  Candidate C;
  C.Object = Objects.only(Load.getPointerOperand());
  if (!C.Object || C.Object->Kind != MemoryObject::Shared ||
      Uniform.of(Load.getPointerOperand()) != UniformValues::Thread)
    return std::nullopt;
  C.Item = {&Load, isUniform(*Load.getParent())};
  std::optional<Polynomial> Form = Forms.offset(Load.getPointerOperand(), C.Object->Base, C.Assumed);
  if (!Form)
    return std::nullopt;
  C.Form = std::move(*Form);
  AccessForm Access = {C.Form, static_cast<int64_t>(Load.getDataLayout().getTypeStoreSize(Load.getType())),
                       Forms.factsAt(Load.getParent())};
  DistinctProof Proof = distinguish(Forms, Access);
  for (unsigned Id = 0; Id < 3; ++Id) {
    if (Proof.Ids & (1U << Id))
      continue;
    if (UsedIds & (1U << Id))
      return std::nullopt;
    Proof.Assumed.insert(Polynomial::constant(1) - Polynomial::atom(FirstExtent + Id));
  }
  C.Assumed.insert(Proof.Assumed.begin(), Proof.Assumed.end());
  return C;
}

/// The value of P in blocks of this shape; nothing if it depends on more than that.
static std::optional<int64_t> valueFor(const Polynomial &P, ArrayRef<int64_t> Shape) {
  int64_t Sum = 0;
  for (const auto &[M, C] : P.terms()) {
    int64_t Product = C;
    for (unsigned Atom : M) {
      if (Atom < FirstExtent || Atom >= FirstExtent + 3)
        return std::nullopt;
      Product *= Shape[Atom - FirstExtent];
    }
    Sum += Product;
  }
  return Sum;
}

/// The widest block of the usual size for which the conditions hold, and in which the ids that are read vary.
static std::optional<std::array<int64_t, 3>> shapeFor(const LaunchConditions &Conditions, unsigned UsedIds) {
  for (int64_t Width = UsualThreads; Width; Width /= 2) {
    std::array<int64_t, 3> Shape = {Width, UsualThreads / Width, 1};
    bool Varies =
        all_of(enumerate(Shape), [&](auto Extent) { return Extent.value() > 1 || !(UsedIds >> Extent.index() & 1); });
    if (Varies && all_of(Conditions, [&](const Polynomial &P) { return valueFor(P, Shape).value_or(0) >= 0; }))
      return Shape;
  }
  return std::nullopt;
}

SharedTurns SharedTurnPlans::arrange(ArrayRef<Candidate> All) {
  SharedTurns Result;
  for (const Candidate &C : All)
    Result.Assumed.insert(C.Assumed.begin(), C.Assumed.end());
  std::optional<std::array<int64_t, 3>> Shape = shapeFor(Result.Assumed, UsedIds);
  // Nobody would launch it so that threads are told apart.
  if (!Shape)
    return Result;
  // Whether no two threads touch one element by A and by B; what that asks of the launch is added to Needed.
  auto AreApart = [&](const Candidate &A, const Candidate &B, LaunchConditions &Needed) {
    if (A.Object != B.Object)
      return true;
    Polynomial Way = B.Form - A.Form;
    if (!Way.isConstant() || Way.isBroken() || A.Item.Load->getType() != B.Item.Load->getType())
      return false;
    int64_t Distance = std::abs(Way.constantTerm());
    if (!Distance)
      return false;
    std::optional<Polynomial> Least = Forms.leastOf(A.Form), Most = Forms.mostOf(A.Form);
    if (!Least || !Most)
      return false;
    auto Size = static_cast<int64_t>(A.Item.Load->getDataLayout().getTypeStoreSize(A.Item.Load->getType()));
    Polynomial Room = Polynomial::constant(Distance - Size) - (*Most - *Least);
    if (Room.isBroken() || valueFor(Room, *Shape).value_or(-1) < 0)
      return false;
    Needed.insert(Room.withoutCommonFactor());
    return true;
  };
  std::vector<SmallVector<const Candidate *, 4>> Turns;
  for (const Candidate &C : All) {
    bool Found = false;
    for (auto &Turn : Turns) {
      LaunchConditions Needed;
      Found = all_of(Turn, [&](const Candidate *Other) { return AreApart(*Other, C, Needed); });
      if (!Found)
        continue;
      Turn.push_back(&C);
      Result.Assumed.insert(Needed.begin(), Needed.end());
      break;
    }
    if (!Found)
      Turns.push_back({&C});
  }
  for (const auto &Turn : Turns) {
    Result.Turns.emplace_back();
    for (const Candidate *C : Turn)
      Result.Turns.back().push_back(C->Item);
  }
  return Result;
}

SharedTurnPlans::SharedTurnPlans(const DerivativeRequest &Request, const Prepared &P, MemoryObjects &Objects,
                                 Activity &Active, const UniformValues &Uniform, const CollectivePaths &Paths,
                                 Accumulation &Accumulations, FunctionAnalysisManager &FAM)
    : Objects(Objects), Uniform(Uniform), Forms(Accumulations.forms()),
      Dominators(FAM.getResult<DominatorTreeAnalysis>(*P.F)), Loops(FAM.getResult<LoopAnalysis>(*P.F)),
      UsedIds(idsRead(*P.F)) {
  if (Request.Kind != DerivativeRequest::Kernel || !P.F->getParent()->getTargetTriple().isNVPTX() ||
      Accumulations.isAllAtomic() || Paths.endsAnyThreads())
    return;
  MapVector<Position, std::vector<Candidate>> Found;
  for (const Instruction &I : instructions(*P.F)) {
    const auto *Load = dyn_cast<LoadInst>(&I);
    if (!Load || !Active.isActiveAccess(I))
      continue;
    std::optional<Candidate> C = candidate(*Load);
    if (std::optional<Position> Where = C ? positionOf(*Load) : std::nullopt)
      Found[*Where].push_back(std::move(*C));
  }
  for (auto &[Where, All] : Found) {
    if (All.size() < FewestLoads)
      continue;
    SharedTurns Turns = arrange(All);
    if (!Turns.Turns.empty() && Turns.Turns.size() <= MostTurns)
      Plans[Where] = std::move(Turns);
  }
}
