//===- SharedSums.cpp - gradients of shared elements that many threads read -------------------------------------===//

#include "Derivative/Shared/SharedSums.h"
#include "Derivative/Analysis/CollectivePaths.h"
#include "Derivative/Shared/SharedVariables.h"
#include "llvm/ADT/bit.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include <set>

using namespace llvm;
using namespace kernix;

/// Loads for each time that the block waits for what the ones before have added.
static constexpr size_t LoadsOfRound = 4;

bool kernix::hasSizeForSums(const DerivativeRequest &Request) {
  uint64_t Threads = Request.threadsOfBlock();
  return Threads >= WarpSize && Threads <= 1024 && has_single_bit(Threads);
}

/// A launch with as much dynamic shared memory as the device has would have none left.
static uint64_t roomForStage(const Prepared &P, MemoryObjects &Objects, const FloatShadows &ShadowsInFloat) {
  for (const Instruction &I : instructions(*P.F))
    if (MemoryAccess Access = accessOf(I); Access.Pointer)
      for (const MemoryObject *O : Objects.of(Access.Pointer))
        if (O->Kind == MemoryObject::Shared && isDynamicShared(*cast<GlobalVariable>(O->Base)))
          return 0;
  return roomForShared(P, Objects, ShadowsInFloat);
}

/// The most bits beside each other, from Begin on and before End, that Is holds for: the first, and how many.
static std::pair<unsigned, unsigned> longestRun(unsigned Begin, unsigned End, function_ref<bool(unsigned)> Is) {
  std::pair<unsigned, unsigned> Best = {Begin, 0};
  for (unsigned Bit = Begin; Bit < End; ++Bit) {
    unsigned Length = 0;
    while (Bit + Length < End && Is(Bit + Length))
      ++Length;
    if (Length > Best.second)
      Best = {Bit, Length};
    Bit += Length;
  }
  return Best;
}

std::optional<SharedReads> kernix::manyReaders(const LoadInst &Load, MemoryObjects &Objects,
                                               const FloatShadows &ShadowsInFloat, ThreadTables &Tables) {
  SharedReads Result;
  Result.Object = Objects.only(Load.getPointerOperand());
  if (!Load.isSimple() || !Result.Object || Result.Object->Kind != MemoryObject::Shared ||
      Load.getAlign() < Load.getDataLayout().getTypeStoreSize(Load.getType()))
    return std::nullopt;
  Result.TypeOfSum = ShadowsInFloat.typeIn(*Result.Object, Load.getType());
  if (!Result.TypeOfSum->isFloatTy() && !Result.TypeOfSum->isDoubleTy())
    return std::nullopt;
  std::optional<ThreadTable> Table = Tables.offset(Load.getPointerOperand(), Result.Object->Base);
  if (!Table)
    return std::nullopt;
  const std::vector<uint64_t> &Offsets = Table->OfThread;
  auto IsSame = [&](unsigned Bit) {
    for (size_t Thread = 0; Thread < Offsets.size(); ++Thread)
      if (Offsets[Thread] != Offsets[Thread ^ (size_t(1) << Bit)])
        return false;
    return true;
  };
  constexpr unsigned BitsOfLane = 5;
  static_assert(1U << BitsOfLane == WarpSize);
  auto [FirstLane, LaneBits] = longestRun(0, BitsOfLane, IsSame);
  auto [FirstWarp, WarpBits] =
      longestRun(BitsOfLane, static_cast<unsigned>(llvm::bit_width(Offsets.size())) - 1, IsSame);
  if (!LaneBits && !WarpBits)
    return std::nullopt;
  Result.Readers = {{1U << LaneBits, 1U << FirstLane, nullptr}, 1U << WarpBits, 1U << (FirstWarp - BitsOfLane)};
  size_t Others = (((size_t(1) << LaneBits) - 1) << FirstLane) | (((size_t(1) << WarpBits) - 1) << FirstWarp);
  std::set<uint64_t> Seen;
  for (size_t Thread = 0; Thread < Offsets.size(); ++Thread)
    if (!(Thread & Others)) {
      Result.Elements.push_back(Offsets[Thread]);
      if (!Seen.insert(Offsets[Thread]).second)
        return std::nullopt;
    }
  Result.Common = std::move(Table->Common);
  return Result;
}

namespace {

/// What sums of one round are added to, of one variable.
struct Touched {
  const LoadInst *Like; ///< whose common part and type all have
  const SharedReads *Reads;
  std::set<uint64_t> Elements;

  bool add(const LoadInst &Load, const SharedReads &More) {
    if (Load.getType() != Like->getType() || More.Common != Reads->Common ||
        any_of(More.Elements, [&](uint64_t Element) { return Elements.contains(Element); }))
      return false;
    Elements.insert(More.Elements.begin(), More.Elements.end());
    return true;
  }
};

} // namespace

/// Found: from the last load to the first.
void SharedSumPlans::finish(Position Where, std::vector<Candidate> &Found) {
  std::vector<Candidate> All = std::move(Found);
  Found.clear();
  if (All.size() < FewestLoadsOfSum)
    return;
  SharedSums Result;
  std::vector<SmallMapVector<const MemoryObject *, Touched, 2>> Elements;
  for (const Candidate &C : All) {
    size_t Round = 0;
    for (; Round < Elements.size(); ++Round) {
      auto Place = Elements[Round].find(C.Reads.Object);
      if (Place == Elements[Round].end() || Place->second.add(*C.Load, C.Reads))
        break;
    }
    if (Round == Elements.size()) {
      Elements.emplace_back();
      Result.Rounds.emplace_back();
    }
    if (!Elements[Round].contains(C.Reads.Object))
      Elements[Round].insert(
          {C.Reads.Object, {C.Load, &C.Reads, std::set(C.Reads.Elements.begin(), C.Reads.Elements.end())}});
    auto &Groups = Result.Rounds[Round];
    auto *Group = find_if(Groups, [&](const SharedSums::Group &G) {
      return G.Readers == C.Reads.Readers && G.Type == C.Reads.TypeOfSum;
    });
    if (Group == Groups.end())
      Group = Groups.insert(Groups.end(), {C.Reads.Readers, C.Reads.TypeOfSum, {}});
    Group->Loads.push_back(C.Load);
  }
  if (Result.Rounds.size() * LoadsOfRound > All.size())
    return;
  for (const auto &Groups : Result.Rounds)
    for (const SharedSums::Group &Group : Groups) {
      Summed.insert(Group.Loads.begin(), Group.Loads.end());
      if (Group.Readers.Warps > 1) {
        uint64_t OfOne = Tables.threads() * Group.Loads.front()->getDataLayout().getTypeStoreSize(Group.Type);
        uint64_t Slots =
            std::min({divideCeil(Group.Loads.size(), Group.Readers.Lanes.Lanes), MostSlotsOfStage, Room / OfOne});
        BytesOfStage = std::max(BytesOfStage, Slots * OfOne);
      }
    }
  Plans[Where] = std::move(Result);
}

void SharedSumPlans::planBlock(const BasicBlock &Block, Activity &Active) {
  std::vector<Candidate> Found;
  for (const Instruction &I : reverse(Block)) {
    if (any_of(Found, [&](const Candidate &C) { return SharedTurnPlans::isBorderFor(I, *C.Reads.Object, Objects); }))
      finish({&Block, &I}, Found);
    const auto *Load = dyn_cast<LoadInst>(&I);
    if (!Load || !Active.isActiveAccess(I) || Turns.contains(Load))
      continue;
    std::optional<SharedReads> Reads = manyReaders(*Load, Objects, ShadowsInFloat, Tables);
    if (!Reads ||
        (Reads->Readers.Warps > 1 && Room < Tables.threads() * I.getDataLayout().getTypeStoreSize(Reads->TypeOfSum)))
      continue;
    Found.push_back({Load, std::move(*Reads)});
    if (Found.size() == MostLoadsOfSum)
      finish({&Block, I.getPrevNode()}, Found);
  }
  finish({&Block, nullptr}, Found);
}

SharedSumPlans::SharedSumPlans(const DerivativeRequest &Request, const Prepared &P, MemoryObjects &Objects,
                               Activity &Active, const UniformValues &Uniform, const CollectivePaths &Paths,
                               const Accumulation &Accumulations, const FloatShadows &ShadowsInFloat,
                               const SharedTurnPlans &Turns)
    : Objects(Objects), ShadowsInFloat(ShadowsInFloat), Turns(Turns),
      Tables(Request.extentsOfBlock(), Uniform, P.F->getDataLayout()), Room(roomForStage(P, Objects, ShadowsInFloat)) {
  if (Request.Kind != DerivativeRequest::Kernel || Request.IsDeterministic || !hasSizeForSums(Request) ||
      !P.F->getParent()->getTargetTriple().isNVPTX() || Accumulations.isAllAtomic() || Paths.endsAnyThreads())
    return;
  for (const BasicBlock &Block : *P.F)
    if (isForAllThreads(Uniform, Block))
      planBlock(Block, Active);
}
