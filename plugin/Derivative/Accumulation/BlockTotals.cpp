//===- BlockTotals.cpp - sums over a block before memory is touched ---------------------------------------------===//

#include "Derivative/Accumulation/BlockTotals.h"
#include "Derivative/Accumulation/WarpTotals.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace kernix;

namespace {

/// Fewer are summed one by one.
constexpr size_t FewestTogether = 3;

class BlockTotals {
public:
  BlockTotals(IRBuilder<> &B, ArrayRef<UniformAddition> Additions) : B(B), Additions(Additions) {
    Module &M = *B.GetInsertBlock()->getModule();
    for (const UniformAddition &A : Additions) {
      Type *Array = ArrayType::get(A.Added->getType(), WarpSize);
      Partial.push_back(new GlobalVariable(M, Array, false, GlobalValue::InternalLinkage, UndefValue::get(Array),
                                           "kernix_block_sums", nullptr, GlobalValue::NotThreadLocal, 3));
    }
  }

  void write() {
    BasicBlock *Work = newBlock("block.sum"), *Last = newBlock("block.last"), *Done = newBlock("block.done");
    Value *IsWanted = B.getFalse();
    for (const UniformAddition &A : Additions)
      IsWanted = B.CreateOr(IsWanted, A.IsWanted ? A.IsWanted : B.CreateIsNotNull(A.Place));
    B.CreateCondBr(IsWanted, Work, Done);
    B.SetInsertPoint(Work);
    numberThreads();
    choose([&] { sumOfWarpsTogether(); }, [&] { sumOfWarps(); });
    B.CreateIntrinsic(Intrinsic::nvvm_barrier_cta_sync_all, ArrayRef<Type *>(), {B.getInt32(0)});
    B.CreateCondBr(B.CreateICmpEQ(Warp, B.getInt32(0)), Last, Done);
    B.SetInsertPoint(Last);
    choose([&] { addTogether(); }, [&] { addOneByOne(); });
    B.CreateBr(Done);
    B.SetInsertPoint(Done);
  }

private:
  BasicBlock *newBlock(const Twine &Name) {
    return BasicBlock::Create(B.getContext(), Name, B.GetInsertBlock()->getParent());
  }
  Value *special(Intrinsic::ID Id) { return B.CreateIntrinsic(Id, ArrayRef<Type *>(), {}); }
  void inCase(Value *Condition, function_ref<void()> Then) {
    BasicBlock *Yes = newBlock("block.given"), *Next = newBlock("block.next");
    B.CreateCondBr(Condition, Yes, Next);
    B.SetInsertPoint(Yes);
    Then();
    B.CreateBr(Next);
    B.SetInsertPoint(Next);
  }

  void numberThreads() {
    Value *Width = special(Intrinsic::nvvm_read_ptx_sreg_ntid_x),
          *Height = special(Intrinsic::nvvm_read_ptx_sreg_ntid_y);
    Value *Row = B.CreateAdd(B.CreateMul(special(Intrinsic::nvvm_read_ptx_sreg_tid_z), Height),
                             special(Intrinsic::nvvm_read_ptx_sreg_tid_y));
    Value *Thread = B.CreateAdd(B.CreateMul(Row, Width), special(Intrinsic::nvvm_read_ptx_sreg_tid_x));
    Threads = B.CreateMul(B.CreateMul(Width, Height), special(Intrinsic::nvvm_read_ptx_sreg_ntid_z));
    Lane = B.CreateAnd(Thread, B.getInt32(WarpSize - 1));
    Warp = B.CreateLShr(Thread, Log2_32(WarpSize));
    // The last warp may have fewer lanes.
    Value *Left = B.CreateSub(Threads, B.CreateAnd(Thread, B.getInt32(~(WarpSize - 1))));
    Lanes = B.CreateBinaryIntrinsic(Intrinsic::umin, Left, B.getInt32(WarpSize));
    Mask = B.CreateLShr(B.getInt32(~0U), B.CreateSub(B.getInt32(WarpSize), Lanes));
  }

  /// One way for few sums; for more, which of both depends on whether all warps are whole.
  void choose(function_ref<void()> Together, function_ref<void()> OneByOne) {
    if (Additions.size() < FewestTogether)
      return OneByOne();
    BasicBlock *Whole = newBlock("block.whole"), *Parts = newBlock("block.parts"), *Go = newBlock("block.go");
    Value *Rest = B.CreateAnd(Threads, B.getInt32(WarpSize - 1));
    B.CreateCondBr(B.CreateICmpEQ(Rest, B.getInt32(0)), Whole, Parts);
    B.SetInsertPoint(Whole);
    Together();
    B.CreateBr(Go);
    B.SetInsertPoint(Parts);
    OneByOne();
    B.CreateBr(Go);
    B.SetInsertPoint(Go);
  }

  /// The sum over the first lanes, as many as Lanes says, in lane 0.
  Value *sumOfLanes(Value *V) {
    for (unsigned By = WarpSize / 2; By; By /= 2) {
      Value *Other = shuffled(B, {Intrinsic::nvvm_shfl_sync_down_f32, Intrinsic::nvvm_shfl_sync_down_i32}, Mask, V,
                              B.getInt32(By));
      Other = B.CreateSelect(B.CreateICmpULT(B.CreateAdd(Lane, B.getInt32(By)), Lanes), Other,
                             ConstantFP::getNegativeZero(V->getType()));
      V = B.CreateFAdd(V, Other);
    }
    return V;
  }

  Value *placeOf(size_t K, Value *Number) { return B.CreateGEP(Additions[K].Added->getType(), Partial[K], Number); }

  /// What the warps have, a number for each lane of the first warp.
  Value *partOf(size_t K) {
    Value *Warps = B.CreateLShr(B.CreateAdd(Threads, B.getInt32(WarpSize - 1)), Log2_32(WarpSize));
    Type *T = Additions[K].Added->getType();
    Value *Read = B.CreateLoad(T, placeOf(K, Lane));
    return B.CreateSelect(B.CreateICmpULT(Lane, Warps), Read, ConstantFP::getNegativeZero(T));
  }

  /// Where no thread has read it, there may be no such element.
  Value *isGiven(Value *Place, Value *Sum) {
    Value *IsSomething = B.CreateFCmpUNE(Sum, Constant::getNullValue(Sum->getType()));
    return B.CreateAnd(B.CreateIsNotNull(Place), IsSomething);
  }

  void sumOfWarps() {
    SmallVector<Value *, 4> Sums;
    for (const UniformAddition &A : Additions)
      Sums.push_back(sumOfLanes(A.Added));
    inCase(B.CreateICmpEQ(Lane, B.getInt32(0)), [&] {
      for (size_t K = 0; K < Additions.size(); ++K)
        B.CreateStore(Sums[K], placeOf(K, Warp));
    });
  }

  void addOneByOne() {
    SmallVector<Value *, 4> Sums;
    for (size_t K = 0; K < Additions.size(); ++K)
      Sums.push_back(sumOfLanes(partOf(K)));
    inCase(B.CreateICmpEQ(Lane, B.getInt32(0)), [&] {
      for (auto [Sum, A] : zip_equal(Sums, Additions))
        inCase(isGiven(A.Place, Sum), [&, Sum = Sum, &A = A] { addAtomically(B, A.Place, Sum, A.Number); });
    });
  }

  void sumOfWarpsTogether() {
    MapVector<Type *, SmallVector<UniformAddition, 8>> OfType;
    for (const auto &[K, A] : enumerate(Additions))
      OfType[A.Added->getType()].push_back({placeOf(K, Warp), A.Added, {A.Added->getType()}});
    for (const auto &[T, List] : OfType)
      laneTotals(B, List, LaneGroup(),
                 [&](const LaneTotal &Total) { inCase(Total.IsHere, [&] { B.CreateStore(Total.Sum, Total.Place); }); });
  }

  void addTogether() {
    using Key = std::tuple<Type *, unsigned, Type *>; // of the numbers in memory, and of their places
    MapVector<Key, SmallVector<UniformAddition, 8>> Alike;
    for (const auto &[K, A] : enumerate(Additions))
      Alike[Key(A.Number.Type, A.Number.MayBeFloat, A.Place->getType())].push_back({A.Place, partOf(K), A.Number});
    for (const auto &[What, List] : Alike)
      laneTotals(B, List, LaneGroup(), [&, Number = List.front().Number](const LaneTotal &Total) {
        inCase(B.CreateAnd(Total.IsHere, isGiven(Total.Place, Total.Sum)),
               [&] { addAtomically(B, Total.Place, Total.Sum, Number); });
      });
  }

  IRBuilder<> &B;
  ArrayRef<UniformAddition> Additions;
  SmallVector<GlobalVariable *, 4> Partial;
  Value *Threads = nullptr, *Lane = nullptr, *Warp = nullptr;
  Value *Lanes = nullptr, *Mask = nullptr; ///< of this warp
};

} // namespace

void kernix::addOverBlock(IRBuilder<> &B, ArrayRef<UniformAddition> Additions) { BlockTotals(B, Additions).write(); }
