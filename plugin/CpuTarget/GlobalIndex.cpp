//===- GlobalIndex.cpp - blockIdx.x * blockDim.x + threadIdx.x ---------------------------------------------------===//

#include "CpuTarget/GlobalIndex.h"
#include "CpuTarget/CallGraph.h"
#include "CpuTarget/Geometry.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace kernix {

namespace {

/// True if V is the x component of Field, extended or not.
bool isGeometry(const Value *V, StateField Field) {
  if (const auto *Extension = dyn_cast<ZExtInst>(V))
    V = Extension->getOperand(0);
  const auto *Call = dyn_cast<CallBase>(V);
  const Function *Callee = Call ? calledFunction(*Call) : nullptr;
  std::optional<GeometryItem> Item = Callee ? geometryItem(*Callee) : std::nullopt;
  return Item && Item->Field == Field && Item->Axis == 0;
}

bool isBlockStart(const Value *V) {
  Value *A, *B;
  return match(V, m_Mul(m_Value(A), m_Value(B))) && ((isGeometry(A, SF_BlockIdx) && isGeometry(B, SF_BlockDim)) ||
                                                     (isGeometry(A, SF_BlockDim) && isGeometry(B, SF_BlockIdx)));
}

bool isGlobalIndex(const Value *V) {
  Value *A, *B;
  return match(V, m_Add(m_Value(A), m_Value(B))) &&
         ((isBlockStart(A) && isGeometry(B, SF_ThreadIdx)) || (isGeometry(A, SF_ThreadIdx) && isBlockStart(B)));
}

/// Collects the global indices that V goes into; false if it goes anywhere else.
bool onlyMakesIndices(Value *V, SmallSetVector<Instruction *, 8> &Indices) {
  return all_of(V->users(), [&](User *U) {
    auto *I = cast<Instruction>(U);
    if (isGlobalIndex(I)) {
      Indices.insert(I);
      return true;
    }
    return (isa<ZExtInst>(I) || isBlockStart(I)) && onlyMakesIndices(I, Indices);
  });
}

} // namespace

std::optional<SmallVector<Instruction *>> globalIndices(Function &F) {
  SmallSetVector<Instruction *, 8> Indices;
  for (Instruction &I : instructions(F))
    if ((isGeometry(&I, SF_ThreadIdx) || isGeometry(&I, SF_BlockIdx)) && !onlyMakesIndices(&I, Indices))
      return std::nullopt;
  if (Indices.empty())
    return std::nullopt;
  return SmallVector<Instruction *>(Indices.begin(), Indices.end());
}

} // namespace kernix
