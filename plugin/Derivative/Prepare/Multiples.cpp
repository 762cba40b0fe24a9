//===- Multiples.cpp - addresses and lengths that are multiples of an element's size ------------------------------===//

#include "Derivative/Prepare/Multiples.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Support/KnownBits.h"
#include <numeric>

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace kernix;

/// Whether a sum or a product that has wrapped around is a multiple still; of 64 bits none has that is a length.
static bool keepsMultiples(const Value *V, uint64_t Size) {
  const auto *Operation = dyn_cast<OverflowingBinaryOperator>(V);
  return !Operation || isPowerOf2_64(Size) || V->getType()->getIntegerBitWidth() >= 64 ||
         Operation->hasNoUnsignedWrap() || Operation->hasNoSignedWrap();
}

bool Multiples::isMultiple(const Value *V, uint64_t Size) {
  const Value *A, *B;
  const APInt *Factor;
  uint64_t Shift;
  if (Size == 1)
    return true;
  if (const auto *C = dyn_cast<ConstantInt>(V))
    return C->getValue().abs().urem(Size) == 0;
  if (isPowerOf2_64(Size) && computeKnownBits(V, DL).countMinTrailingZeros() >= Log2_64(Size))
    return true;
  if (!keepsMultiples(V, Size))
    return false;
  if (match(V, m_Mul(m_Value(A), m_APInt(Factor))))
    return isMultiple(A, Size / std::gcd(Size, Factor->abs().getLimitedValue()));
  if (match(V, m_Shl(m_Value(A), m_ConstantInt(Shift))) && Shift < 64)
    return isMultiple(A, Size / std::gcd(Size, uint64_t(1) << Shift));
  if (match(V, m_ZExtOrSExt(m_Value(A))))
    return isMultiple(A, Size);
  // The distance of two iterators.
  if (match(V, m_Sub(m_PtrToInt(m_Value(A)), m_PtrToInt(m_Value(B)))))
    return getUnderlyingObject(A, 0) == getUnderlyingObject(B, 0) && isWhole(A, Size) && isWhole(B, Size);
  if (match(V, m_Add(m_Value(A), m_Value(B))) || match(V, m_Sub(m_Value(A), m_Value(B))))
    return isMultiple(A, Size) && isMultiple(B, Size);
  if (const auto *Select = dyn_cast<SelectInst>(V))
    return isMultiple(Select->getTrueValue(), Size) && isMultiple(Select->getFalseValue(), Size);
  const auto *Phi = dyn_cast<PHINode>(V);
  return Phi && (!Seen.insert({Phi, Size}).second ||
                 all_of(Phi->incoming_values(), [&](const Value *Incoming) { return isMultiple(Incoming, Size); }));
}

bool Multiples::isWhole(const Value *Pointer, uint64_t Size) {
  APInt Offset(DL.getIndexTypeSizeInBits(Pointer->getType()), 0);
  while (true) {
    if (const auto *Gep = dyn_cast<GEPOperator>(Pointer)) {
      SmallMapVector<Value *, APInt, 4> Indices;
      if (!Gep->collectOffset(DL, Offset.getBitWidth(), Indices, Offset) || !all_of(Indices, [&](const auto &Index) {
            return isMultiple(Index.first, Size / std::gcd(Size, Index.second.abs().getLimitedValue()));
          }))
        return false;
      Pointer = Gep->getPointerOperand();
    } else if (const auto *Cast = dyn_cast<AddrSpaceCastOperator>(Pointer)) {
      Pointer = Cast->getPointerOperand();
    } else {
      break;
    }
  }
  if (Offset.abs().urem(Size) != 0)
    return false;
  if (const auto *Select = dyn_cast<SelectInst>(Pointer))
    return isWhole(Select->getTrueValue(), Size) && isWhole(Select->getFalseValue(), Size);
  const auto *Phi = dyn_cast<PHINode>(Pointer);
  return !Phi || !Seen.insert({Phi, Size}).second ||
         all_of(Phi->incoming_values(), [&](const Value *Incoming) { return isWhole(Incoming, Size); });
}
