//===- AddSharedSums.cpp - additions to the gradients of shared elements that many threads read -----------------===//

#include "Derivative/Canonical/Collectives.h"
#include "Derivative/Canonical/Geometry.h"
#include "Derivative/Reverse/ReverseWriter.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace kernix;

void ReverseWriter::planSharedSums() {
  if (Sums.plans().empty())
    return;
  for (const auto &[Where, Plan] : Sums.plans())
    for (const auto &Groups : Plan.Rounds)
      for (const SharedSums::Group &Group : Groups)
        for (const LoadInst *Load : Group.Loads)
          VariableOfTurn[Load] = newVariable(Group.Type, "sum", ConstantFP::getNegativeZero(Group.Type));
  Module &M = *Body.getParent();
  const std::array<int64_t, 3> Block = Request.extentsOfBlock();
  HasDeclaredSize = Entry.getTrue();
  Value *Number = Entry.getInt32(0), *Apart = Entry.getInt32(1);
  for (size_t Axis = 0; Axis < 3; ++Axis) {
    auto Read = [&](StringRef What) {
      return Entry.CreateCall(declareGeometry(M, *findGeometry((What + Twine("xyz"[Axis])).str())));
    };
    Value *Extent = Entry.getInt32(static_cast<uint32_t>(Block[Axis]));
    HasDeclaredSize = Entry.CreateAnd(HasDeclaredSize, Entry.CreateICmpEQ(Read("block_dim."), Extent));
    if (Block[Axis] > 1)
      Number = Entry.CreateAdd(Number, Entry.CreateMul(Read("thread_idx."), Apart));
    Apart = Entry.CreateMul(Apart, Extent);
  }
  Usual.assumeTrue(HasDeclaredSize);
  NumberInBlock = Number;
  if (!Sums.stageBytes())
    return;
  Type *Bytes = ArrayType::get(Entry.getInt8Ty(), Sums.stageBytes());
  Stage = new GlobalVariable(M, Bytes, false, GlobalValue::InternalLinkage, UndefValue::get(Bytes), "kernix_stage",
                             nullptr, GlobalValue::NotThreadLocal, SharedSpace);
  Stage->setAlignment(Align(16));
  RoomForSums -= std::min(RoomForSums, Sums.stageBytes());
}

/// *Place += Sum, by the only thread that adds to it until the block waits.
static void addAlone(IRBuilder<> &B, const LaneTotal &Total, function_ref<BasicBlock *(const Twine &)> NewBlock) {
  BasicBlock *Add = NewBlock("sum.add"), *Added = NewBlock("sum.added");
  B.CreateCondBr(Total.IsHere, Add, Added);
  B.SetInsertPoint(Add);
  Type *T = Total.Sum->getType();
  Align Alignment(B.GetInsertBlock()->getDataLayout().getTypeStoreSize(T));
  B.CreateAlignedStore(B.CreateFAdd(B.CreateAlignedLoad(T, Total.Place, Alignment), Total.Sum), Total.Place, Alignment);
  B.CreateBr(Added);
  B.SetInsertPoint(Added);
}

/// Where a number of the thread with this number in the block lies.
Value *ReverseWriter::placeOnStage(Type *T, Value *Slot, Value *Thread) {
  uint64_t Threads = Request.threadsOfBlock();
  Value *Index = B.CreateAdd(B.CreateMul(Slot, B.getInt32(static_cast<uint32_t>(Threads)), "", true, true), Thread, "",
                             true, true);
  return B.CreateInBoundsGEP(T, Stage, Index);
}

/// The sums over warps that are on the stage: each warp of those that have read one element takes other ones of them.
void ReverseWriter::addStaged(ArrayRef<LaneTotal> Totals, const ReadersOfElement &Readers, unsigned FirstSlot) {
  unsigned Shift = Log2_32(WarpSize * Readers.WarpsApart);
  Type *T = Totals.front().Sum->getType();
  Value *Member = B.CreateAnd(B.CreateLShr(NumberInBlock, Shift), B.getInt32(Readers.Warps - 1));
  Value *First = B.CreateAnd(NumberInBlock, B.getInt32(~((Readers.Warps - 1) << Shift)));
  for (unsigned Begin = 0; Begin < Totals.size(); Begin += Readers.Warps) {
    ArrayRef<LaneTotal> Part = Totals.slice(Begin, std::min<size_t>(Readers.Warps, Totals.size() - Begin));
    BasicBlock *Done = newBlock("stage.done");
    if (Part.size() < Readers.Warps) {
      BasicBlock *Own = newBlock("stage.own");
      B.CreateCondBr(B.CreateICmpULT(Member, B.getInt32(static_cast<uint32_t>(Part.size()))), Own, Done);
      B.SetInsertPoint(Own);
    }
    Value *Slot = B.CreateAdd(Member, B.getInt32(FirstSlot + Begin), "", true, true);
    LaneTotal Mine;
    for (unsigned Warp = 0; Warp < Readers.Warps; ++Warp) {
      Value *Thread = B.CreateAdd(First, B.getInt32(Warp << Shift), "", true, true);
      Value *Given = B.CreateAlignedLoad(T, placeOnStage(T, Slot, Thread), Align(DL.getTypeStoreSize(T)));
      Mine.Sum = Mine.Sum ? B.CreateFAdd(Mine.Sum, Given) : Given;
    }
    for (auto [K, Total] : enumerate(Part)) {
      Value *IsMine = B.CreateICmpEQ(Member, B.getInt32(static_cast<uint32_t>(K)));
      Mine.Place = Mine.Place ? B.CreateSelect(IsMine, Total.Place, Mine.Place) : Total.Place;
      Mine.IsHere = Mine.IsHere ? B.CreateSelect(IsMine, Total.IsHere, Mine.IsHere) : Total.IsHere;
    }
    addAlone(B, Mine, [this](const Twine &Name) { return newBlock(Name); });
    B.CreateBr(Done);
    B.SetInsertPoint(Done);
  }
}

void ReverseWriter::addRound(ArrayRef<SharedSums::Group> Groups) {
  auto NewBlock = [this](const Twine &Name) { return newBlock(Name); };
  SmallVector<LaneTotal, 16> Own;
  std::vector<std::pair<ReadersOfElement, SmallVector<LaneTotal, 16>>> OverWarps;
  for (const SharedSums::Group &Group : Groups) {
    SmallVector<UniformAddition, 32> Additions;
    for (const LoadInst *Load : Group.Loads) {
      Value *Place = Addresses.of(const_cast<Value *>(Load->getPointerOperand()));
      Additions.push_back({B.CreateAddrSpaceCast(Place, PointerType::get(Context, SharedSpace)),
                           B.CreateLoad(Group.Type, VariableOfTurn.lookup(Load)),
                           {Group.Type}});
    }
    auto &Totals =
        Group.Readers.Warps > 1 ? OverWarps.emplace_back(Group.Readers, SmallVector<LaneTotal, 16>()).second : Own;
    laneTotals(B, Additions, Group.Readers.Lanes, [&](const LaneTotal &Total) { Totals.push_back(Total); });
  }
  // As many at a time as the stage has room for.
  bool IsFirst = true;
  while (IsFirst || any_of(OverWarps, [](const auto &Each) { return !Each.second.empty(); })) {
    struct Batch {
      ReadersOfElement Readers;
      SmallVector<LaneTotal, 8> Totals;
      unsigned FirstSlot;
    };
    SmallVector<Batch, 2> Batches;
    unsigned Used = 0;
    for (auto &[Readers, Totals] : OverWarps) {
      if (Totals.empty())
        continue;
      Type *T = Totals.front().Sum->getType();
      // Slots are as wide as the type of the sums on them.
      if (!Batches.empty() && Batches.front().Totals.front().Sum->getType() != T)
        continue;
      uint64_t Slots = Sums.stageBytes() / (Request.threadsOfBlock() * DL.getTypeStoreSize(T)) - Used;
      size_t Taken = std::min<size_t>(Slots, Totals.size());
      if (!Taken)
        continue;
      Batches.push_back({Readers, {Totals.begin(), Totals.begin() + Taken}, Used});
      Totals.erase(Totals.begin(), Totals.begin() + Taken);
      for (const LaneTotal &Total : Batches.back().Totals)
        B.CreateAlignedStore(Total.Sum, placeOnStage(T, B.getInt32(Used++), NumberInBlock),
                             Align(DL.getTypeStoreSize(T)));
    }
    createBarrier(B);
    if (IsFirst)
      for (const LaneTotal &Total : Own)
        addAlone(B, Total, NewBlock);
    for (const Batch &Each : Batches)
      addStaged(Each.Totals, Each.Readers, Each.FirstSlot);
    createBarrier(B);
    IsFirst = false;
  }
}

void ReverseWriter::addSharedSums(const BasicBlock &Block, const Instruction *Before) {
  auto Found = Sums.plans().find({&Block, Before});
  if (Found == Sums.plans().end())
    return;
  const SharedSums &Plan = Found->second;
  auto ForEach = [&](function_ref<void(const LoadInst &, AllocaInst *)> Do) {
    for (const auto &Groups : Plan.Rounds)
      for (const SharedSums::Group &Group : Groups)
        for (const LoadInst *Load : Group.Loads)
          Do(*Load, VariableOfTurn.lookup(Load));
  };
  BasicBlock *Together = newBlock("sums"), *Atomically = newBlock("sums.atomic"), *Done = newBlock("sums.done");
  B.CreateCondBr(HasDeclaredSize, Together, Atomically);
  B.SetInsertPoint(Atomically);
  ForEach([&](const LoadInst &Load, AllocaInst *Variable) {
    addToShared(B, Addresses.of(const_cast<Value *>(Load.getPointerOperand())),
                B.CreateLoad(Variable->getAllocatedType(), Variable));
  });
  B.CreateBr(Done);
  B.SetInsertPoint(Together);
  for (const auto &Groups : Plan.Rounds)
    addRound(Groups);
  B.CreateBr(Done);
  B.SetInsertPoint(Done);
  ForEach([&](const LoadInst &, AllocaInst *Variable) {
    B.CreateStore(ConstantFP::getNegativeZero(Variable->getAllocatedType()), Variable);
  });
}
