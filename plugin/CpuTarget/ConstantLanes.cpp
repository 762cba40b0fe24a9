//===- ConstantLanes.cpp - shuffles whose source lanes are known ------------------------------------------------===//

#include "CpuTarget/ConstantLanes.h"
#include "CpuTarget/CallGraph.h"
#include "CpuTarget/Geometry.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace kernix {

namespace {

constexpr uint64_t Lanes = 32;
constexpr unsigned LargestTree = 32;

std::optional<GeometryItem> geometryOf(const Value *V) {
  const auto *Call = dyn_cast<CallBase>(V);
  const Function *Callee = Call ? calledFunction(*Call) : nullptr;
  return Callee ? geometryItem(*Callee) : std::nullopt;
}

/// The item in a block of one row: threadIdx.y is 0, blockDim.y is 1. threadIdx.x is Thread; null for the others.
Constant *inRow(GeometryItem Item, Type *T, uint64_t Thread) {
  if (Item.Field == SF_ThreadIdx)
    return ConstantInt::get(T, Item.Axis == 0 ? Thread : 0);
  return Item.Field == SF_BlockDim && Item.Axis != 0 ? ConstantInt::get(T, 1) : nullptr;
}

/// Computes Source for one thread.
class Evaluation {
public:
  Evaluation(uint64_t Thread, const DataLayout &DL) : Thread(Thread), DL(DL) {}

  Constant *of(const Value *V) {
    if (auto *Known = dyn_cast<Constant>(V))
      return const_cast<Constant *>(Known);
    const auto *I = dyn_cast<Instruction>(V);
    if (!I || isa<PHINode>(I) || I->mayReadOrWriteMemory())
      return nullptr;
    if (auto It = Done.find(I); It != Done.end())
      return It->second;
    if (Done.size() == LargestTree)
      return nullptr;
    return Done[I] = compute(*I);
  }

private:
  Constant *compute(const Instruction &I) {
    if (std::optional<GeometryItem> Item = geometryOf(&I))
      return inRow(*Item, I.getType(), Thread);
    SmallVector<Constant *> Operands;
    for (const Value *Operand : I.operand_values())
      Operands.push_back(of(Operand));
    // The row times its length, which is not known.
    if (I.getOpcode() == Instruction::Mul)
      for (Constant *Factor : Operands)
        if (Factor && Factor->isNullValue())
          return Factor;
    if (is_contained(Operands, nullptr))
      return nullptr;
    return ConstantFoldInstOperands(const_cast<Instruction *>(&I), Operands, DL);
  }

  const uint64_t Thread;
  const DataLayout &DL;
  DenseMap<const Instruction *, Constant *> Done;
};

/// True if the low bits of V, as many as number the lanes, depend on those of threadIdx.x alone.
bool lowBitsAreLanes(const Value *V, unsigned Depth = 0) {
  if (isa<Constant>(V) || geometryOf(V))
    return true;
  const auto *I = dyn_cast<Instruction>(V);
  if (!I || Depth == LargestTree / 2 || I->getType()->getScalarSizeInBits() < 8)
    return false;
  switch (I->getOpcode()) {
  case Instruction::Add:
  case Instruction::Sub:
  case Instruction::Mul:
  case Instruction::And:
  case Instruction::Or:
  case Instruction::Xor:
  case Instruction::ZExt:
  case Instruction::SExt:
  case Instruction::Trunc:
    return all_of(I->operand_values(), [&](const Value *O) { return lowBitsAreLanes(O, Depth + 1); });
  default:
    return false;
  }
}

/// True if all threads of one lane compute the same V.
bool dependsOnLane(const Value *V, unsigned Depth = 0) {
  if (isa<Constant>(V))
    return true;
  const auto *I = dyn_cast<Instruction>(V);
  if (!I || Depth == LargestTree / 2 || geometryOf(V))
    return false;
  const APInt *Mask;
  Value *Masked;
  if (match(I, m_And(m_Value(Masked), m_APInt(Mask))) && Mask->ult(Lanes) && lowBitsAreLanes(Masked))
    return true;
  return all_of(I->operand_values(), [&](const Value *O) { return dependsOnLane(O, Depth + 1); });
}

} // namespace

std::optional<SmallVector<int, 32>> constantLanes(const Value &Source, const DataLayout &DL) {
  if (!dependsOnLane(&Source))
    return std::nullopt;
  SmallVector<int, 32> Result;
  for (uint64_t Lane = 0; Lane != Lanes; ++Lane) {
    const auto *From = dyn_cast_or_null<ConstantInt>(Evaluation(Lane, DL).of(&Source));
    if (!From)
      return std::nullopt;
    Result.push_back(static_cast<int>(From->getValue().ult(Lanes) ? From->getZExtValue() : Lane));
  }
  return Result;
}

} // namespace kernix
