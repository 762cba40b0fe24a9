//===- ThreadTables.cpp - addresses of all threads of a block of known size -------------------------------------===//

#include "Derivative/Addresses/ThreadTables.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"

using namespace llvm;
using namespace kernix;

/// Sums of sums that are followed.
static constexpr unsigned MostDepth = 16;

const ThreadTables::Column *ThreadTables::computed(const Value *V) {
  auto [Found, IsNew] = Known.try_emplace(V);
  Column &Result = Found->second;
  if (IsNew && V->getType()->isIntegerTy()) {
    if (const auto *C = dyn_cast<ConstantInt>(V))
      Result.assign(threads(), C->getValue());
    else if (const auto *I = dyn_cast<Instruction>(V))
      Result = compute(*I);
  }
  return Result.empty() ? nullptr : &Result;
}

/// Empty if it is not known.
ThreadTables::Column ThreadTables::compute(const Instruction &I) {
  if (const auto *Call = dyn_cast<CallBase>(&I); Call && Call->getCalledFunction() && Call->arg_empty()) {
    StringRef Name = Call->getCalledFunction()->getName();
    bool IsId = Name.consume_front("kernix.thread_idx.");
    if ((!IsId && !Name.consume_front("kernix.block_dim.")) || Name.size() != 1)
      return {};
    ReadsExtents |= !IsId;
    auto Axis = static_cast<size_t>(Name[0] - 'x');
    size_t Apart = 1;
    for (size_t K = 0; K < Axis; ++K)
      Apart *= static_cast<size_t>(Block[K]);
    auto Extent = static_cast<size_t>(Block[Axis]);
    Column Result;
    for (size_t Thread = 0; Thread < threads(); ++Thread)
      Result.emplace_back(I.getType()->getIntegerBitWidth(), IsId ? Thread / Apart % Extent : Extent);
    return Result;
  }
  const auto *Intrinsic = dyn_cast<IntrinsicInst>(&I);
  if (!isa<BinaryOperator, CastInst, ICmpInst, SelectInst>(I) &&
      !(Intrinsic && canConstantFoldCallTo(Intrinsic, Intrinsic->getCalledFunction())))
    return {};
  SmallVector<const Column *, 3> Operands;
  for (const Use &Operand : Intrinsic ? Intrinsic->args() : I.operands()) {
    Operands.push_back(computed(Operand.get()));
    if (!Operands.back())
      return {};
  }
  Column Result;
  for (size_t Thread = 0; Thread < threads(); ++Thread) {
    SmallVector<Constant *, 3> Values;
    for (const Column *Operand : Operands)
      Values.push_back(ConstantInt::get(I.getContext(), (*Operand)[Thread]));
    Constant *Folded = nullptr;
    if (const auto *Comparison = dyn_cast<ICmpInst>(&I))
      Folded = ConstantFoldCompareInstOperands(Comparison->getPredicate(), Values[0], Values[1], DL);
    else if (Intrinsic)
      Folded = ConstantFoldCall(Intrinsic, Intrinsic->getCalledFunction(), Values);
    else
      Folded = ConstantFoldInstOperands(&I, Values, DL);
    const auto *Value = dyn_cast_or_null<ConstantInt>(Folded); // poison: no thread may do so
    if (!Value)
      return {};
    Result.push_back(Value->getValue());
  }
  return Result;
}

/// V with zeros or its sign in front.
std::optional<ThreadTable> ThreadTables::extended(const Value *V, bool IsSigned, unsigned Depth) {
  ThreadTable Result;
  if (!V->getType()->isIntegerTy() || V->getType()->getIntegerBitWidth() > 64 || Depth > MostDepth)
    return std::nullopt;
  if (const Column *Values = computed(V)) {
    for (const APInt &Value : *Values)
      Result.OfThread.push_back(IsSigned ? static_cast<uint64_t>(Value.getSExtValue()) : Value.getZExtValue());
    return Result;
  }
  if (const auto *I = dyn_cast<Instruction>(V))
    if (std::optional<ThreadTable> Sum = sum(*I, IsSigned, Depth))
      return Sum;
  if (Uniform.of(V) != UniformValues::Block)
    return std::nullopt;
  Result.OfThread.assign(threads(), 0);
  Result.Common[{V, IsSigned}] = 1;
  return Result;
}

/// Of what can be extended by parts. Integers of 64 bits wrap as sums of their parts do.
std::optional<ThreadTable> ThreadTables::sum(const Instruction &I, bool IsSigned, unsigned Depth) {
  bool IsWide = I.getType()->getIntegerBitWidth() == 64;
  if (isa<SExtInst>(I) && (IsSigned || IsWide))
    return extended(I.getOperand(0), true, Depth + 1);
  if (const auto *ZExt = dyn_cast<ZExtInst>(&I)) {
    std::optional<ThreadTable> Result = extended(I.getOperand(0), false, Depth + 1);
    return Result || !ZExt->hasNonNeg() ? Result : extended(I.getOperand(0), true, Depth + 1);
  }
  uint64_t OfFirst = 1, OfSecond = 1;
  bool IsExact = IsWide;
  if (const auto *Or = dyn_cast<PossiblyDisjointInst>(&I)) {
    IsExact = Or->isDisjoint();
  } else if (const auto *Operator = dyn_cast<OverflowingBinaryOperator>(&I)) {
    IsExact |= IsSigned ? Operator->hasNoSignedWrap() : Operator->hasNoUnsignedWrap();
    const auto *Constant = dyn_cast<ConstantInt>(I.getOperand(1));
    switch (I.getOpcode()) {
    case Instruction::Add:
      break;
    case Instruction::Sub:
      OfSecond = ~uint64_t(0);
      break;
    case Instruction::Mul:
      if (!Constant)
        return std::nullopt;
      OfFirst = IsSigned ? static_cast<uint64_t>(Constant->getSExtValue()) : Constant->getZExtValue();
      OfSecond = 0;
      break;
    case Instruction::Shl:
      // Signed, a number by whose sign bit is shifted would be another one.
      if (!Constant || Constant->getValue().uge(I.getType()->getIntegerBitWidth() - 1))
        return std::nullopt;
      OfFirst = uint64_t(1) << Constant->getZExtValue();
      OfSecond = 0;
      break;
    default:
      return std::nullopt;
    }
  } else {
    return std::nullopt;
  }
  if (!IsExact)
    return std::nullopt;
  ThreadTable Result;
  Result.OfThread.assign(threads(), 0);
  for (auto [Operand, Times] : {std::pair(I.getOperand(0), OfFirst), std::pair(I.getOperand(1), OfSecond)}) {
    if (!Times)
      continue;
    std::optional<ThreadTable> Part = extended(Operand, IsSigned, Depth + 1);
    if (!Part)
      return std::nullopt;
    for (size_t Thread = 0; Thread < threads(); ++Thread)
      Result.OfThread[Thread] += Times * Part->OfThread[Thread];
    for (auto [V, Factor] : Part->Common)
      Result.Common[V] += Times * Factor;
  }
  erase_if(Result.Common, [](const auto &Entry) { return !Entry.second; });
  return Result;
}

std::optional<ThreadTable> ThreadTables::offset(const Value *Pointer, const Value *Base) {
  ThreadTable Result;
  Result.OfThread.assign(threads(), 0);
  while (Pointer != Base) {
    const auto *Operator = dyn_cast<class Operator>(Pointer);
    if (!Operator)
      return std::nullopt;
    if (Operator->getOpcode() == Instruction::AddrSpaceCast || Operator->getOpcode() == Instruction::BitCast) {
      Pointer = Operator->getOperand(0);
      continue;
    }
    const auto *Step = dyn_cast<GEPOperator>(Operator);
    if (!Step)
      return std::nullopt;
    unsigned Bits = DL.getIndexTypeSizeInBits(Step->getType());
    SmallMapVector<Value *, APInt, 4> Indices;
    APInt Constant(Bits, 0);
    if (!Step->collectOffset(DL, Bits, Indices, Constant))
      return std::nullopt;
    for (uint64_t &Bytes : Result.OfThread)
      Bytes += static_cast<uint64_t>(Constant.getSExtValue());
    for (const auto &[Index, Factor] : Indices) {
      std::optional<ThreadTable> Part =
          Index->getType()->getIntegerBitWidth() > Bits ? std::nullopt : extended(Index, true);
      if (!Part)
        return std::nullopt;
      auto Times = static_cast<uint64_t>(Factor.getSExtValue());
      for (size_t Thread = 0; Thread < threads(); ++Thread)
        Result.OfThread[Thread] += Times * Part->OfThread[Thread];
      for (auto [V, Count] : Part->Common)
        Result.Common[V] += Times * Count;
    }
    Pointer = Step->getPointerOperand();
  }
  erase_if(Result.Common, [](const auto &Entry) { return !Entry.second; });
  return Result;
}
