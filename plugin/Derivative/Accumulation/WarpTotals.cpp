//===- WarpTotals.cpp - many sums over the lanes of a warp at once ----------------------------------------------===//

#include "Derivative/Accumulation/WarpTotals.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace kernix;

namespace {

Value *fromOther(IRBuilder<> &B, Value *V, unsigned Step) {
  return shuffled(B, {Intrinsic::nvvm_shfl_sync_bfly_f32, Intrinsic::nvvm_shfl_sync_bfly_i32}, B.getInt32(~0U), V,
                  B.getInt32(Step));
}

class Totals {
public:
  Totals(IRBuilder<> &B, const LaneGroup &Group, function_ref<void(const LaneTotal &)> Take)
      : B(B), Group(Group), Take(Take),
        Lane(B.CreateIntrinsic(Intrinsic::nvvm_read_ptx_sreg_laneid, ArrayRef<Type *>(), {})) {
    Value *Lanes = Group.AtLaunch ? Group.AtLaunch : B.getInt32(Group.Lanes);
    Number = B.CreateAnd(B.CreateUDiv(Lane, B.getInt32(Group.Apart)), B.CreateSub(Lanes, B.getInt32(1)));
  }

  /// As many as a power of two, and no more than lanes.
  void sum(ArrayRef<UniformAddition> Given) {
    SmallVector<Value *, 32> Sums, Places;
    for (const UniformAddition &A : Given) {
      Sums.push_back(A.Added);
      Places.push_back(A.Place);
    }
    unsigned Step = Group.Apart;
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
    Value *Sum = Sums[0];
    for (; Step < (Group.AtLaunch ? WarpSize : Group.Apart * Group.Lanes); Step *= 2) {
      Value *Other = fromOther(B, Sum, Step);
      if (Step >= Group.Apart * Group.Lanes)
        Other = B.CreateSelect(B.CreateICmpUGT(Group.AtLaunch, B.getInt32(Step)), Other,
                               ConstantFP::getNegativeZero(Sum->getType()));
      Sum = B.CreateFAdd(Sum, Other);
    }
    add(Sum, Places[0], static_cast<unsigned>(Given.size()));
  }

  /// What has not been added yet.
  void finish() {
    if (!Pending)
      return;
    Take({Place, Pending, IsHere});
    Pending = nullptr;
  }

private:
  /// Numbered lanes up to Sums have a sum each, and all others copies of these. The sums of several exchanges are added
  /// at once, by different lanes.
  void add(Value *Sum, Value *At, unsigned Sums) {
    bool IsSame = Pending && At->getType() == Place->getType();
    if (!IsSame || Used + Sums > Group.Lanes) {
      finish();
      Used = 0;
    }
    // A multiple of Sums, since exchanges do not grow.
    unsigned Begin = Used;
    Value *IsOwn = B.CreateICmpULT(B.CreateSub(Number, B.getInt32(Begin)), B.getInt32(Sums));
    IsHere = Pending ? B.CreateOr(IsHere, IsOwn) : IsOwn;
    Place = Pending ? B.CreateSelect(IsOwn, At, Place) : At;
    Pending = Pending ? B.CreateSelect(IsOwn, Sum, Pending) : Sum;
    Used = Begin + Sums;
  }

  IRBuilder<> &B;
  const LaneGroup &Group;
  function_ref<void(const LaneTotal &)> Take;
  Value *Lane, *Number = nullptr;
  Value *Pending = nullptr, *Place = nullptr, *IsHere = nullptr;
  unsigned Used = 0;
};

} // namespace

void kernix::laneTotals(IRBuilder<> &B, ArrayRef<UniformAddition> Additions, const LaneGroup &Group,
                        function_ref<void(const LaneTotal &)> Take) {
  Totals All(B, Group, Take);
  for (size_t Most = Group.Lanes; !Additions.empty();) {
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
