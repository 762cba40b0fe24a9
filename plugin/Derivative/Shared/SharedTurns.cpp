//===- SharedTurns.cpp - gradients of shared elements that need no atomic additions -----------------------------===//

#include "Derivative/Shared/SharedTurns.h"
#include "Derivative/Analysis/CollectivePaths.h"
#include "Derivative/Canonical/Collectives.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

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

bool kernix::isForAllThreads(const UniformValues &Uniform, const BasicBlock &Block) {
  return all_of(Uniform.controls(&Block),
                [&](const BasicBlock *Branch) { return Uniform.ofBranch(Branch) == UniformValues::Block; });
}

std::optional<FormOfTurn> kernix::formOfTurn(IndexForms &Forms, const LoadInst &Load, MemoryObjects &Objects,
                                             unsigned UsedIds, const Loop *Fixed) {
  FormOfTurn Result;
  Result.Object = Objects.only(Load.getPointerOperand());
  if (!Result.Object || Result.Object->Kind != MemoryObject::Shared)
    return std::nullopt;
  std::optional<Polynomial> Offset =
      Forms.offset(Load.getPointerOperand(), Result.Object->Base, Result.Assumed, IndexForms::Digits::Split);
  if (!Offset)
    return std::nullopt;
  for (const auto &[M, C] : Offset->terms()) {
    bool IsFixed = false, Varies = false;
    for (unsigned A : M) {
      bool IsItsCounter = Fixed && Forms.meaning(A).Kind == AtomMeaning::Counter && Forms.meaning(A).L == Fixed;
      IsFixed |= IsItsCounter;
      Varies |= !IsItsCounter && Forms.isVariable(A);
    }
    if (!IsFixed)
      Result.Offset.add(M, C);
    else if (Varies)
      return std::nullopt;
  }
  AccessForm Access = {Result.Offset, static_cast<int64_t>(Load.getDataLayout().getTypeStoreSize(Load.getType())),
                       Forms.factsAt(Load.getParent())};
  std::optional<LaunchConditions> Apart = apartInBlock(Forms, Access, UsedIds);
  if (!Apart)
    return std::nullopt;
  Result.Assumed.insert(Apart->begin(), Apart->end());
  return Result;
}

bool SharedTurnPlans::isBorderFor(const Instruction &I, const MemoryObject &Object, MemoryObjects &Objects) {
  if (!isBorder(I, Objects))
    return false;
  // A store to another variable leaves the gradient of this one alone.
  MemoryAccess Access = accessOf(I);
  return !Access.Stored || any_of(Objects.of(Access.Pointer), [&](const MemoryObject *O) {
    return O == &Object || O->Kind == MemoryObject::Unknown;
  });
}

/// Whether there is a border on a way from the end of From, which dominates it, to the load.
bool SharedTurnPlans::hasBorder(const BasicBlock &From, const Candidate &To) const {
  SmallPtrSet<const BasicBlock *, 16> Seen = {&From};
  SmallVector<const BasicBlock *, 16> Work = {To.Item.Load->getParent()};
  while (!Work.empty()) {
    const BasicBlock *Block = Work.pop_back_val();
    if (!Seen.insert(Block).second)
      continue;
    for (const Instruction &I : *Block) {
      if (&I == To.Item.Load)
        break;
      if (isBorderFor(I, *To.Form.Object, Objects))
        return true;
    }
    append_range(Work, predecessors(Block));
  }
  return false;
}

std::optional<SharedTurnPlans::Position> SharedTurnPlans::positionOf(const Candidate &C) {
  const BasicBlock *Own = C.Item.Load->getParent();
  if (C.Item.IsSure) {
    for (const Instruction *I = C.Item.Load->getPrevNode(); I; I = I->getPrevNode())
      if (isBorderFor(*I, *C.Form.Object, Objects))
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
    if (!isForAllThreads(Uniform, *Above))
      continue;
    if (hasBorder(*Above, C))
      break;
    Where = Above;
  }
  // The end of a block is reversed first.
  return Where ? std::optional(Position(Where, Where->getTerminator())) : std::nullopt;
}

std::optional<SharedTurnPlans::Candidate> SharedTurnPlans::candidate(const LoadInst &Load) {
  if (Uniform.of(Load.getPointerOperand()) != UniformValues::Thread)
    return std::nullopt;
  std::optional<FormOfTurn> Form = formOfTurn(Forms, Load, Objects, UsedIds);
  if (!Form)
    return std::nullopt;
  return Candidate{{&Load, isForAllThreads(Uniform, *Load.getParent()), nullptr, nullptr}, std::move(*Form)};
}

static int64_t sizeOf(const SharedTurns::Item &Item) {
  return static_cast<int64_t>(Item.Load->getDataLayout().getTypeStoreSize(Item.Load->getType()));
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

std::optional<std::array<int64_t, 3>> kernix::shapeOfTurns(const LaunchConditions &Conditions,
                                                           const DerivativeRequest &Request, unsigned UsedIds) {
  auto Holds = [&](ArrayRef<int64_t> Shape) {
    return all_of(Conditions, [&](const Polynomial &P) { return valueFor(P, Shape).value_or(0) >= 0; });
  };
  if (Request.Block[0]) {
    std::array<int64_t, 3> Shape = Request.extentsOfBlock();
    return Holds(Shape) ? std::optional(Shape) : std::nullopt;
  }
  for (int64_t Width = UsualThreads; Width; Width /= 2) {
    std::array<int64_t, 3> Shape = {Width, UsualThreads / Width, 1};
    bool Varies =
        all_of(enumerate(Shape), [&](auto Extent) { return Extent.value() > 1 || !(UsedIds >> Extent.index() & 1); });
    if (Varies && Holds(Shape))
      return Shape;
  }
  return std::nullopt;
}

/// Whether no two threads touch one element by A and by B; what that asks of the launch is added to Needed.
bool SharedTurnPlans::areApart(const Candidate &A, const Candidate &B, ArrayRef<int64_t> Shape,
                               LaunchConditions &Needed) {
  if (A.Form.Object != B.Form.Object)
    return true;
  Polynomial Way = B.Form.Offset - A.Form.Offset;
  if (!Way.isConstant() || Way.isBroken() || A.Item.Load->getType() != B.Item.Load->getType())
    return false;
  int64_t Distance = std::abs(Way.constantTerm());
  if (!Distance)
    return false;
  std::optional<Polynomial> Least = Forms.leastOf(A.Form.Offset), Most = Forms.mostOf(A.Form.Offset);
  if (!Least || !Most)
    return false;
  Polynomial Room = Polynomial::constant(Distance - sizeOf(A.Item)) - (*Most - *Least);
  if (Room.isBroken() || valueFor(Room, Shape).value_or(-1) < 0)
    return false;
  Needed.insert(Room.withoutCommonFactor());
  return true;
}

/// Whether two threads that touch one element, one by A and one by B, differ in threadIdx.x alone.
bool SharedTurnPlans::meetInRowsOnly(const Candidate &A, const Candidate &B, ArrayRef<int64_t> Shape,
                                     LaunchConditions &Needed) {
  AccessForm Accesses[] = {{A.Form.Offset, sizeOf(A.Item), Forms.factsAt(A.Item.Load->getParent())},
                           {B.Form.Offset, sizeOf(B.Item), Forms.factsAt(B.Item.Load->getParent())}};
  DistinctProof Proof = distinguish(Forms, Accesses);
  // Of ids that are not read there is one value: see formOfTurn.
  bool AreRows = all_of(ArrayRef({1U, 2U}), [&](unsigned Id) { return ((Proof.Ids | ~UsedIds) >> Id) & 1; });
  if (!AreRows || any_of(Proof.Assumed, [&](const Polynomial &P) { return valueFor(P, Shape).value_or(0) < 0; }))
    return false;
  Needed.insert(Proof.Assumed.begin(), Proof.Assumed.end());
  return true;
}

void SharedTurnPlans::findWriters(const Function &F, Activity &Active) {
  for (const Instruction &I : instructions(F)) {
    MemoryAccess Access = accessOf(I);
    if (!Access.Pointer) {
      AllAreUnclear |= I.mayWriteToMemory() && !collectiveCall(I) && !isa<AssumeInst>(I);
      continue;
    }
    // What it stores has no adjoint; an integer may be the bytes of a number that has.
    if (!Access.Stored || (!Active.isActive(Access.Stored) && Access.Stored->getType()->isFloatingPointTy()))
      continue;
    SmallVector<const MemoryObject *, 2> Written = Objects.of(Access.Pointer);
    for (const MemoryObject *O : Written) {
      AllAreUnclear |= O->Kind == MemoryObject::Unknown;
      if (isa<StoreInst>(I) && Written.size() == 1)
        Writers[O].push_back(cast<StoreInst>(&I));
      else
        Unclear.insert(O);
    }
  }
}

/// Whether no store of an active value, the only thing that reads gradients of shared memory, is to an element of C.
bool SharedTurnPlans::isReadByNobody(const Candidate &C, ArrayRef<int64_t> Shape, LaunchConditions &Needed) {
  if (AllAreUnclear || Unclear.contains(C.Form.Object))
    return false;
  LaunchConditions All;
  ArrayRef<Fact> Facts = Forms.factsAt(C.Item.Load->getParent());
  std::optional<Polynomial> Least = Forms.leastOf(C.Form.Offset);
  for (const StoreInst *Store : Writers.lookup(C.Form.Object)) {
    std::optional<Polynomial> Offset =
        Forms.offset(Store->getPointerOperand(), C.Form.Object->Base, All, IndexForms::Digits::Split);
    std::optional<Polynomial> LeastWritten = Offset ? Forms.leastOf(*Offset) : std::nullopt;
    if (!Least || !LeastWritten)
      return false;
    auto Size = static_cast<int64_t>(Store->getDataLayout().getTypeStoreSize(Store->getValueOperand()->getType()));
    // Whether End is not beyond Border, for all threads that come there.
    auto IsBefore = [&](const Polynomial &End, const Polynomial &Border, ArrayRef<Fact> Facts) {
      LaunchConditions Asked;
      if (!Border.isConstant() || !Forms.isNeverNegative(Border - End, Facts, Asked, /*MayAssume=*/true) ||
          any_of(Asked, [&](const Polynomial &P) { return valueFor(P, Shape).value_or(-1) < 0; }))
        return false;
      All.insert(Asked.begin(), Asked.end());
      return true;
    };
    if (!IsBefore(*Offset + Polynomial::constant(Size), *Least, Forms.factsAt(Store->getParent())) &&
        !IsBefore(C.Form.Offset + Polynomial::constant(sizeOf(C.Item)), *LeastWritten, Facts))
      return false;
  }
  if (any_of(All, [&](const Polynomial &P) { return valueFor(P, Shape).value_or(0) < 0; }))
    return false;
  Needed.insert(All.begin(), All.end());
  return true;
}

/// Without those that another one implies, by the same terms and a smaller constant.
static LaunchConditions strictest(const LaunchConditions &All) {
  std::map<Polynomial, Polynomial> Found;
  for (const Polynomial &P : All) {
    Polynomial &Least = Found.try_emplace(P - Polynomial::constant(P.constantTerm()), P).first->second;
    if (P.constantTerm() < Least.constantTerm())
      Least = P;
  }
  LaunchConditions Result;
  for (auto &[Terms, P] : Found)
    Result.insert(P);
  return Result;
}

SharedTurns SharedTurnPlans::arrange(ArrayRef<Candidate> All) {
  SharedTurns Result;
  for (const Candidate &C : All)
    Result.Assumed.insert(C.Form.Assumed.begin(), C.Form.Assumed.end());
  std::optional<std::array<int64_t, 3>> Shape = shapeOfTurns(Result.Assumed, Request, UsedIds);
  if (!Shape)
    return Result;
  std::vector<SmallVector<const Candidate *, 4>> Turns;
  SharedTurns::Turn ForNobody;
  ForNobody.IsForNobody = true;
  for (const Candidate &C : All) {
    if (isReadByNobody(C, *Shape, Result.Assumed)) {
      ForNobody.Items.push_back(C.Item);
      continue;
    }
    bool Found = false;
    for (auto &Turn : Turns) {
      LaunchConditions Needed;
      Found = all_of(Turn, [&](const Candidate *Other) { return areApart(*Other, C, *Shape, Needed); });
      if (!Found)
        continue;
      Turn.push_back(&C);
      Result.Assumed.insert(Needed.begin(), Needed.end());
      break;
    }
    if (!Found)
      Turns.push_back({&C});
  }
  // Rows of a declared block that are warps, or equal parts of them.
  int64_t Width = Request.Block[0];
  bool HasRows = Width > 0 && 32 % Width == 0;
  size_t First = 0; // of those since the block has waited
  for (size_t K = 0; K < Turns.size(); ++K) {
    LaunchConditions Needed;
    auto IsApartFrom = [&](const Candidate *C, const Candidate *Earlier) {
      return areApart(*Earlier, *C, *Shape, Needed) || meetInRowsOnly(*Earlier, *C, *Shape, Needed);
    };
    bool IsForWarps = HasRows && K > First && all_of(Turns[K], [&](const Candidate *C) {
                        return all_of(ArrayRef(Turns).slice(First, K - First), [&](const auto &Turn) {
                          return all_of(Turn, [&](const Candidate *Earlier) { return IsApartFrom(C, Earlier); });
                        });
                      });
    if (IsForWarps) {
      Polynomial More = Polynomial::atom(FirstExtent) - Polynomial::constant(Width);
      Needed.insert({More, Polynomial() - More});
      Result.Assumed.insert(Needed.begin(), Needed.end());
    } else {
      First = K;
    }
    Result.Turns.push_back({{}, IsForWarps, false});
    for (const Candidate *C : Turns[K])
      Result.Turns.back().Items.push_back(C->Item);
  }
  if (!ForNobody.Items.empty())
    Result.Turns.push_back(std::move(ForNobody));
  Result.Assumed = strictest(Result.Assumed);
  return Result;
}

bool SharedTurnPlans::contains(const LoadInst *Load) const {
  return any_of(Plans, [&](const auto &Entry) {
    return any_of(Entry.second.Turns, [&](const SharedTurns::Turn &Turn) {
      return any_of(Turn.Items, [&](const SharedTurns::Item &Each) { return Each.Load == Load; });
    });
  });
}

/// Where: the block by whose end, at the latest, the turn has come.
void SharedTurnPlans::findFactor(SharedTurns::Item &Item, const BasicBlock &Where) {
  const auto *Product = Item.Load->hasOneUse() ? dyn_cast<BinaryOperator>(Item.Load->user_back()) : nullptr;
  if (!Product || Product->getOpcode() != Instruction::FMul || Product->getParent() != Item.Load->getParent())
    return;
  const Value *Factor = Product->getOperand(Product->getOperand(0) == Item.Load ? 1 : 0);
  if (const auto *Load = dyn_cast<LoadInst>(Factor)) {
    const MemoryObject *O = Objects.only(Load->getPointerOperand());
    bool IsConstant = O && (O->Kind == MemoryObject::Constant || (O->isTensorLike() && O->TheLeaf->Access == Leaf::In));
    const auto *Place = dyn_cast<Instruction>(Load->getPointerOperand());
    if (!IsConstant || !Load->isSimple() || (Place && !Dominators.dominates(Place->getParent(), &Where)))
      return;
  } else if (!isa<ConstantFP>(Factor)) {
    return;
  }
  Item.Product = Product;
  Item.Factor = Factor;
}

SharedTurnPlans::SharedTurnPlans(const DerivativeRequest &Request, const Prepared &P, MemoryObjects &Objects,
                                 Activity &Active, const UniformValues &Uniform, const CollectivePaths &Paths,
                                 Accumulation &Accumulations, FunctionAnalysisManager &FAM)
    : Request(Request), Objects(Objects), Uniform(Uniform), Forms(Accumulations.forms()),
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
    if (std::optional<Position> Where = C ? positionOf(*C) : std::nullopt) {
      findFactor(C->Item, *Where->first);
      Found[*Where].push_back(std::move(*C));
    }
  }
  if (!Found.empty())
    findWriters(*P.F, Active);
  for (auto &[Where, All] : Found) {
    if (All.size() < FewestLoads)
      continue;
    SharedTurns Turns = arrange(All);
    if (!Turns.Turns.empty() && Turns.Turns.size() <= MostTurns)
      Plans[Where] = std::move(Turns);
  }
}
