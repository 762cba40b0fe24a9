//===- Distances.cpp - addresses that are always as far apart ---------------------------------------------------===//

#include "Derivative/Accumulation/Distances.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"

using namespace llvm;
using namespace kernix;

namespace {

/// A sum of multiples of integers as they are, each extended to 64 bits, modulo 2^64.
class ExactSum {
public:
  explicit ExactSum(const DataLayout &DL) : DL(DL) {}

  /// Adds what leads to Pointer from where its address cannot be taken apart, which it returns.
  const Value *addAddress(const Value *Pointer, uint64_t Factor) {
    for (;;) {
      if (const auto *Cast = dyn_cast<AddrSpaceCastOperator>(Pointer)) {
        Pointer = Cast->getPointerOperand();
        continue;
      }
      const auto *Gep = dyn_cast<GEPOperator>(Pointer);
      SmallMapVector<Value *, APInt, 4> Variables;
      APInt Bytes(64, 0);
      if (!Gep || !Gep->collectOffset(DL, 64, Variables, Bytes))
        return Pointer;
      Constant += Factor * Bytes.getZExtValue();
      for (auto &[Index, Scale] : Variables)
        add(Index, Factor * Scale.getZExtValue(), Signed);
      Pointer = Gep->getPointerOperand();
    }
  }

  std::optional<int64_t> constant() const {
    if (any_of(Terms, [](const auto &Term) { return Term.second != 0; }))
      return std::nullopt;
    return static_cast<int64_t>(Constant);
  }

private:
  enum Extension { Signed, Unsigned };

  /// V is what the address was computed from: if V were poison, so would the access be.
  void add(const Value *V, uint64_t Factor, Extension As, unsigned Depth = 0) {
    if (const auto *C = dyn_cast<ConstantInt>(V); C && C->getBitWidth() <= 64) {
      Constant += Factor * (As == Signed ? static_cast<uint64_t>(C->getSExtValue()) : C->getZExtValue());
      return;
    }
    const auto *I = dyn_cast<Instruction>(V);
    if (!I || Depth > 12 || !addParts(*I, Factor, As, Depth + 1))
      Terms[{V, As}] += Factor;
  }

  bool addParts(const Instruction &I, uint64_t Factor, Extension As, unsigned Depth) {
    if (isa<ZExtInst>(I) && !I.getOperand(0)->getType()->isIntegerTy(1)) {
      add(I.getOperand(0), Factor, I.hasNonNeg() ? Signed : Unsigned, Depth);
      return true;
    }
    // Extended as unsigned, the result of a signed extension is another number.
    if (isa<SExtInst>(I) && (As == Signed || I.getType()->getIntegerBitWidth() == 64)) {
      add(I.getOperand(0), Factor, Signed, Depth);
      return true;
    }
    if (!isExact(I, As))
      return false;
    const auto *By = dyn_cast<ConstantInt>(I.getOperand(1));
    switch (I.getOpcode()) {
    case Instruction::Add:
    case Instruction::Or:
    case Instruction::Sub:
      add(I.getOperand(0), Factor, As, Depth);
      add(I.getOperand(1), I.getOpcode() == Instruction::Sub ? -Factor : Factor, As, Depth);
      return true;
    case Instruction::Mul:
      if (By)
        add(I.getOperand(0), Factor * (As == Signed ? static_cast<uint64_t>(By->getSExtValue()) : By->getZExtValue()),
            As, Depth);
      return By;
    case Instruction::Shl:
      if (By)
        add(I.getOperand(0), Factor << By->getZExtValue(), As, Depth);
      return By;
    default:
      return false;
    }
  }

  /// Whether extending the result is the same as computing it of what has been extended.
  static bool isExact(const Instruction &I, Extension As) {
    if (const auto *Or = dyn_cast<PossiblyDisjointInst>(&I))
      return Or->isDisjoint();
    if (!isa<OverflowingBinaryOperator>(I))
      return false;
    if (const auto *By = dyn_cast<ConstantInt>(I.getOperand(1));
        I.getOpcode() == Instruction::Shl && (!By || By->getValue().uge(By->getBitWidth())))
      return false;
    return I.getType()->getIntegerBitWidth() == 64 || (As == Signed ? I.hasNoSignedWrap() : I.hasNoUnsignedWrap());
  }

  const DataLayout &DL;
  uint64_t Constant = 0;
  MapVector<std::pair<const Value *, unsigned>, uint64_t> Terms;
};

} // namespace

std::optional<int64_t> kernix::exactDistance(const Value *First, const Value *Second, const DataLayout &DL) {
  ExactSum Sum(DL);
  if (Sum.addAddress(Second, 1) != Sum.addAddress(First, static_cast<uint64_t>(-1)))
    return std::nullopt;
  return Sum.constant();
}
