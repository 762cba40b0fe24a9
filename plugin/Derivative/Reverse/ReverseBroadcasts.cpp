//===- ReverseBroadcasts.cpp - numbers that a lane gives to its warp, reversed ----------------------------------===//
//
// Where all lanes of a warp read one lane, what they give to its number is summed. Kernels hand out a warp's numbers
// one after the other, and five exchanges for each sum are many: those of a block are therefore reversed together,
// where the first of them is, with the sums of WarpTotals.h. Each lane then fetches the sum of what it has given out.
//
//===------------------------------------------------------------------------------------------------------------===//

#include "Derivative/Accumulation/WarpTotals.h"
#include "Derivative/Canonical/Collectives.h"
#include "Derivative/Reverse/ReverseWriter.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace kernix;

namespace kernix {

/// A number that one lane gives to its warp.
struct Broadcast {
  const Value *Number = nullptr;
  Value *Source = nullptr;     ///< the lane, the same for all
  const Value *Base = nullptr; ///< that lane is the sum of this, which may be null,
  uint64_t Offset = 0;         ///< and of this
  Value *Adjoint = nullptr;    ///< of what this lane has received
  size_t Place = 0;            ///< in the source
  size_t Group = 0;            ///< that of the first with the same number and base

  /// Whether it is given out by the lane that is Distance lanes behind that of First.
  bool follows(const Broadcast &First, uint64_t Distance) const {
    return Number == First.Number && Base == First.Base && Offset == First.Offset + Distance;
  }
};

} // namespace kernix

static std::pair<const Value *, uint64_t> splitLane(const Value *V) {
  const APInt *C = nullptr;
  const Value *Base = nullptr;
  if (match(V, m_APInt(C)))
    return {nullptr, C->getZExtValue() % WarpSize};
  if (match(V, m_Add(m_Value(Base), m_APInt(C))) || match(V, m_DisjointOr(m_Value(Base), m_APInt(C))))
    return {Base, C->getZExtValue() % WarpSize};
  return {V, 0};
}

/// From one lane, which is the same for all, to the whole warp.
bool ReverseWriter::isBroadcast(const CallInst &Call) const {
  const Type *T = Call.getType();
  const auto *Width = dyn_cast<ConstantInt>(Call.getArgOperand(3));
  return writesNvidiaCode() && Call.getCalledFunction()->getName().starts_with("kernix.shfl.idx") && Width &&
         Width->equalsInt(WarpSize) && (T->isFloatTy() || T->isDoubleTy()) &&
         Uniform.of(Call.getArgOperand(2)) <= UniformValues::Warp;
}

/// Those of a block which can be reversed where the first of them is: until there nothing asks for the adjoints of the
/// numbers given out.
ArrayRef<CallInst *> ReverseWriter::broadcastsWith(CallInst &Call) {
  auto [Known, IsNew] = Broadcasts.try_emplace(Call.getParent());
  std::vector<SmallVector<CallInst *, 8>> &Groups = Known->second;
  for (Instruction &I : *Call.getParent()) {
    const CallInst *Shuffle = IsNew && Active.isActive(&I) ? collectiveCall(I) : nullptr;
    if (!Shuffle || !isShuffle(*Shuffle->getCalledFunction()) || !isBroadcast(*Shuffle))
      continue;
    auto Group = find_if(Groups, [&](const SmallVector<CallInst *, 8> &Members) {
      const CallInst &First = *Members.front();
      const auto *Number = dyn_cast<Instruction>(Shuffle->getArgOperand(1));
      return First.getArgOperand(0) == Shuffle->getArgOperand(0) && First.getType() == Shuffle->getType() &&
             !(Number && Number->getParent() == I.getParent() && !Number->comesBefore(&First));
    });
    (Group == Groups.end() ? Groups.emplace_back() : *Group).push_back(cast<CallInst>(&I));
  }
  for (const SmallVector<CallInst *, 8> &Group : Groups)
    if (is_contained(Group, &Call))
      return Group;
  llvm_unreachable("a broadcast is in the list of its block");
}

/// Members have been reached in the other order: the first one is the last.
void ReverseWriter::reverseBroadcast(CallInst &Call, Value *Adjoint) {
  AdjointOfBroadcast[&Call] = Adjoint;
  ArrayRef<CallInst *> Members = broadcastsWith(Call);
  if (&Call != Members.front())
    return;
  Type *T = Call.getType();
  Value *Nothing = ConstantFP::getNegativeZero(T), *Mask = valueOf(Call.getArgOperand(0));
  Value *Own = B.CreateIntrinsic(Intrinsic::nvvm_read_ptx_sreg_laneid, ArrayRef<Type *>(), {});
  Value *Here = B.CreateCall(declareLanes(*Body.getParent()), {Mask});
  // What one number is given out from stands together, in the order of the lanes.
  MapVector<const Value *, AllocaInst *> Sums;
  SmallVector<Broadcast, 8> All;
  for (CallInst *Member : Members) {
    auto [Base, Offset] = splitLane(Member->getArgOperand(2));
    Value *Source = B.CreateAnd(valueOf(Member->getArgOperand(2)), B.getInt32(WarpSize - 1));
    const Value *Number = Member->getArgOperand(1);
    const auto *First = find_if(All, [&](const Broadcast &B) { return B.Number == Number && B.Base == Base; });
    size_t Group = First == All.end() ? All.size() : First->Group;
    All.push_back({Number, Source, Base, Offset, AdjointOfBroadcast[Member], All.size(), Group});
    if (AllocaInst *&Sum = Sums[Number]; !Sum) {
      Sum = newVariable(T, "sum");
      B.CreateStore(Nothing, Sum);
    }
  }
  auto Rank = [](const Broadcast &Each) { return std::tuple(Each.Group, Each.Offset, Each.Place); };
  sort(All, [&](const Broadcast &One, const Broadcast &Other) { return Rank(One) < Rank(Other); });
  auto AddTo = [&](const Broadcast &Each, Value *Part) {
    B.CreateStore(B.CreateFAdd(B.CreateLoad(T, Sums[Each.Number]), Part), Sums[Each.Number]);
  };

  BasicBlock *AreAll = newBlock("lanes.all"), *AreSome = newBlock("lanes.some"), *Done = newBlock("lanes.done");
  B.CreateCondBr(B.CreateICmpEQ(Here, B.getInt32(~0U)), AreAll, AreSome);
  B.SetInsertPoint(AreAll);
  for (ArrayRef<Broadcast> Left = All; !Left.empty();) {
    size_t Size = std::min<size_t>(bit_floor(Left.size()), WarpSize);
    sumBroadcasts(Left.take_front(Size), Own, AddTo);
    Left = Left.drop_front(Size);
  }
  B.CreateBr(Done);

  // Lanes that are not here have nothing to give: one after the other.
  B.SetInsertPoint(AreSome);
  AllocaInst *At = newVariable(B.getInt32Ty(), "lane");
  B.CreateStore(B.getInt32(0), At);
  BasicBlock *Again = newBlock("lane");
  B.CreateBr(Again);
  B.SetInsertPoint(Again);
  Value *Lane = B.CreateLoad(B.getInt32Ty(), At);
  Value *IsHere = B.CreateTrunc(B.CreateLShr(Here, Lane), B.getInt1Ty());
  Function *Shuffle = declareShuffle(*Body.getParent(), "idx", T);
  for (const Broadcast &Each : All) {
    Value *Part = B.CreateCall(Shuffle, {Mask, Each.Adjoint, Lane, B.getInt32(WarpSize)});
    AddTo(Each, B.CreateSelect(B.CreateAnd(IsHere, B.CreateICmpEQ(Own, Each.Source)), Part, Nothing));
  }
  Value *Next = B.CreateAdd(Lane, B.getInt32(1));
  B.CreateStore(Next, At);
  B.CreateCondBr(B.CreateICmpULT(Next, B.getInt32(WarpSize)), Again, Done);
  B.SetInsertPoint(Done);
  for (auto [Number, Sum] : Sums)
    addToAdjoint(const_cast<Value *>(Number), B.CreateLoad(T, Sum));
}

/// As many as a power of two, and all lanes are here.
void ReverseWriter::sumBroadcasts(ArrayRef<Broadcast> All, Value *Own,
                                  function_ref<void(const Broadcast &Each, Value *Part)> AddTo) {
  SmallVector<UniformAddition, 8> Additions;
  for (unsigned K = 0; K < All.size(); ++K)
    Additions.push_back({B.getInt32(K), All[K].Adjoint, {}});
  Value *Sum = nullptr;
  laneTotals(B, Additions, LaneGroup(), [&](const LaneTotal &Total) { Sum = Total.Sum; });
  unsigned Bits = Log2_64(All.size());
  Value *Nothing = ConstantFP::getNegativeZero(Sum->getType());
  for (size_t Begin = 0, End = 0; Begin < All.size(); Begin = End) {
    for (End = Begin + 1; End < All.size() && All[End].follows(All[Begin], End - Begin);)
      ++End;
    Value *Index = B.CreateAnd(B.CreateSub(Own, All[Begin].Source), B.getInt32(WarpSize - 1));
    Value *IsOwn = B.CreateICmpULT(Index, B.getInt32(static_cast<uint32_t>(End - Begin)));
    Value *Part = Sum;
    if (Bits) {
      // Sum K is in the lanes whose lowest bits are those of K, turned around.
      Value *K = B.CreateAdd(Index, B.getInt32(static_cast<uint32_t>(Begin)));
      Value *Holder = B.CreateLShr(B.CreateUnaryIntrinsic(Intrinsic::bitreverse, K), B.getInt32(32 - Bits));
      Part = shuffled(B, {Intrinsic::nvvm_shfl_sync_idx_f32, Intrinsic::nvvm_shfl_sync_idx_i32}, B.getInt32(~0U), Sum,
                      Holder);
    }
    AddTo(All[Begin], B.CreateSelect(IsOwn, Part, Nothing));
  }
}
