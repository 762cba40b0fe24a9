//===- WarpTotals.cpp - many sums over the lanes of a warp at once ----------------------------------------------===//

#include "Derivative/WarpTotals.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace kernix;

namespace {

constexpr unsigned WarpSize = 32;

Value *fromOther(IRBuilder<> &B, Value *V, unsigned Step) {
  return shuffled(B, {Intrinsic::nvvm_shfl_sync_bfly_f32, Intrinsic::nvvm_shfl_sync_bfly_i32}, B.getInt32(~0U), V,
                  B.getInt32(Step));
}

class Totals {
public:
  Totals(IRBuilder<> &B, Value *Lanes, function_ref<void(Value *, Value *)> Add)
      : B(B), Lanes(Lanes), Add(Add),
        Lane(B.CreateIntrinsic(Intrinsic::nvvm_read_ptx_sreg_laneid, ArrayRef<Type *>(), {})),
        Number(Lanes ? B.CreateAnd(Lane, B.CreateSub(Lanes, B.getInt32(1))) : Lane) {}

  /// As many as a power of two.
  void sum(ArrayRef<UniformAddition> Given) {
    SmallVector<Value *, 32> Sums, Places;
    for (const UniformAddition &A : Given) {
      Sums.push_back(A.Added);
      Places.push_back(A.Place);
    }
    unsigned Step = 1;
    // The lower half to one, the upper half to the other.
    for (; Sums.size() > 1; Step *= 2) {
      Value *IsUpper = B.CreateICmpNE(B.CreateAnd(Lane, B.getInt32(Step)), B.getInt32(0));
      size_t Half = Sums.size() / 2;
      for (size_t K = 0; K < Half; ++K) {
        Value *Kept = B.CreateSelect(IsUpper, Sums[K + Half], Sums[K]);
        Value *Sent = B.CreateSelect(IsUpper, Sums[K], Sums[K + Half]);
        Sums[K] = B.CreateFAdd(Kept, fromOther(B, Sent, Step));
        Places[K] = B.CreateSelect(IsUpper, Places[K + Half], Places[K]);
      }
      Sums.resize(Half);
      Places.resize(Half);
    }
    auto Copies = static_cast<unsigned>(Given.size()); // one number of them all is in lanes this far apart
    Value *Sum = Sums[0];
    for (; Step < WarpSize; Step *= 2) {
      Value *Other = fromOther(B, Sum, Step);
      if (Lanes && Step >= LeastLanesOfGroup)
        Other = B.CreateSelect(B.CreateICmpUGT(Lanes, B.getInt32(Step)), Other,
                               ConstantFP::getNegativeZero(Sum->getType()));
      Sum = B.CreateFAdd(Sum, Other);
    }
    add(Sum, Places[0], Copies);
  }

  /// What has not been added yet.
  void finish() {
    if (!Pending)
      return;
    BasicBlock *Some = newBlock("lane.add"), *Done = newBlock("lane.added");
    B.CreateCondBr(Here, Some, Done);
    B.SetInsertPoint(Some);
    Add(Place, Pending);
    B.CreateBr(Done);
    B.SetInsertPoint(Done);
    Pending = nullptr;
  }

private:
  BasicBlock *newBlock(const Twine &Name) {
    return BasicBlock::Create(B.getContext(), Name, B.GetInsertBlock()->getParent());
  }

  /// Lanes Number < Copies have a number of their own, and all others copies of these. Several sums are added at once,
  /// by different lanes: the K-th of them by lanes that have a copy.
  void add(Value *Sum, Value *At, unsigned Copies) {
    unsigned Least = Lanes ? LeastLanesOfGroup : WarpSize;
    bool IsSame = Pending && Pending->getType() == Sum->getType() && At->getType() == Place->getType();
    if (!IsSame || Used + Copies > Least) {
      finish();
      Used = 0;
    }
    // Begins at a multiple of Copies, as sizes do not grow.
    unsigned Begin = (Used + Copies - 1) / Copies * Copies;
    if (Begin + Copies > Least) {
      finish();
      Begin = 0;
    }
    Value *IsOwn = B.CreateICmpULT(B.CreateSub(Number, B.getInt32(Begin)), B.getInt32(Copies));
    Value *IsSomething = B.CreateFCmpUNE(Sum, Constant::getNullValue(Sum->getType()));
    Value *Adds = B.CreateAnd(IsOwn, IsSomething);
    Here = Pending ? B.CreateOr(Here, Adds) : Adds;
    Place = Pending ? B.CreateSelect(IsOwn, At, Place) : At;
    Pending = Pending ? B.CreateSelect(IsOwn, Sum, Pending) : Sum;
    Used = Begin + Copies;
  }

  IRBuilder<> &B;
  Value *Lanes;
  function_ref<void(Value *, Value *)> Add;
  Value *Lane, *Number;
  Value *Pending = nullptr, *Place = nullptr, *Here = nullptr;
  unsigned Used = 0;
};

} // namespace

void kernix::addOverLanes(IRBuilder<> &B, ArrayRef<UniformAddition> Additions, Value *Lanes,
                          function_ref<void(Value *, Value *)> Add) {
  Totals All(B, Lanes, Add);
  for (size_t Most = Lanes ? LeastLanesOfGroup : WarpSize; !Additions.empty();) {
    while (Most > Additions.size())
      Most /= 2;
    All.sum(Additions.take_front(Most));
    Additions = Additions.drop_front(Most);
  }
  All.finish();
}

Value *kernix::mostOfWarp(IRBuilder<> &B, Value *V, unsigned Architecture) {
  if (Architecture >= 800)
    return B.CreateIntrinsic(Intrinsic::nvvm_redux_sync_umax, ArrayRef<Type *>(), {V, B.getInt32(~0U)});
  for (unsigned Step = 1; Step < WarpSize; Step *= 2)
    V = B.CreateBinaryIntrinsic(Intrinsic::umax, V, fromOther(B, V, Step));
  return V;
}

Value *kernix::holdsForAny(IRBuilder<> &B, Value *Condition) {
  return B.CreateIntrinsic(Intrinsic::nvvm_vote_any_sync, ArrayRef<Type *>(), {B.getInt32(~0U), Condition});
}
