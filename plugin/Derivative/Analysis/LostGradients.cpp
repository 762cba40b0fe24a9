//===- LostGradients.cpp - where a derivative ends without anybody having said so -------------------------------===//

#include "Derivative/Analysis/LostGradients.h"
#include "Derivative/Analysis/Activity.h"
#include "Derivative/Analysis/Constants.h"
#include "Derivative/Canonical/Collectives.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace kernix;

namespace {

/// Values are looked at this far around a conversion.
constexpr size_t MostValues = 64;

bool isToInteger(const Instruction &I) {
  if (isa<FPToSIInst, FPToUIInst>(I))
    return true;
  const auto *Call = dyn_cast<IntrinsicInst>(&I);
  return Call && (Call->getIntrinsicID() == Intrinsic::fptosi_sat || Call->getIntrinsicID() == Intrinsic::fptoui_sat);
}

bool isArithmetic(const Instruction &I) {
  return isa<BinaryOperator, UnaryOperator, PHINode, SelectInst, FPTruncInst, FPExtInst>(I) ||
         (isa<IntrinsicInst>(I) && I.getType()->isFloatingPointTy());
}

/// The number and what it is computed from by arithmetic.
SmallPtrSet<const Value *, 16> sourcesOf(const Value *Number) {
  SmallPtrSet<const Value *, 16> Found;
  SmallVector<const Value *, 16> Work = {Number};
  while (!Work.empty() && Found.size() < MostValues) {
    const Value *V = Work.pop_back_val();
    if (isa<llvm::Constant>(V) || !Found.insert(V).second)
      continue;
    if (const auto *I = dyn_cast<Instruction>(V); I && isArithmetic(*I))
      for (const Value *Operand : I->operands())
        if (Operand->getType()->isFloatingPointTy())
          Work.push_back(Operand);
  }
  return Found;
}

class LostGradients {
public:
  LostGradients(const DerivativeRequest &Request, const Prepared &P, Refusals &Refused)
      : P(P), Objects(P, Request), Active(P, Request, Objects), Refused(Refused) {}

  void run() {
    for (const Instruction &I : instructions(*P.F)) {
      if (isToInteger(I) && Active.isVaried(I.getOperand(0)))
        lookAtConversion(I);
      else if (const auto *Load = dyn_cast<LoadInst>(&I))
        lookAtLoad(*Load);
    }
  }

private:
  const Prepared &P;
  MemoryObjects Objects;
  Activity Active;
  Refusals &Refused;

  void lookAtConversion(const Instruction &Conversion) {
    bool BecomesBits = false, IsInRemainder = false;
    SmallPtrSet<const Value *, 16> Seen;
    SmallVector<const Instruction *, 16> Work = {&Conversion};
    while (!Work.empty() && Seen.size() < MostValues) {
      const Instruction *I = Work.pop_back_val();
      if (!Seen.insert(I).second)
        continue;
      for (const Use &U : I->uses()) {
        const auto *User = cast<Instruction>(U.getUser());
        if (isa<SIToFPInst, UIToFPInst>(User)) {
          if (isPartOfRemainder(*User, Conversion.getOperand(0)))
            IsInRemainder = true;
          else if (Active.isUseful(User))
            return warn(Conversion);
        } else if (User->getType()->isFloatingPointTy()) {
          BecomesBits |= isa<BitCastInst>(User) && Active.isUseful(User);
        } else if (isIntegerOf(U)) {
          Work.push_back(User);
        } else if (accessOf(*User).Stored == I) {
          BecomesBits |= any_of(Objects.of(accessOf(*User).Pointer), isActiveTensor);
          append_range(Work, integersIn(accessOf(*User).Pointer));
        }
      }
    }
    // Beside a remainder the bits are those of a power of two: exp(x) = 2^n exp(x - n ln 2).
    if (BecomesBits && !IsInRemainder)
      warn(Conversion);
  }

  static bool isActiveTensor(const MemoryObject *O) { return O->isTensorLike() && O->TheLeaf->Active; }

  /// Whether the integer that U uses goes on in the user's result.
  static bool isIntegerOf(const Use &U) {
    const auto *User = cast<Instruction>(U.getUser());
    if (isa<BinaryOperator, CastInst, PHINode>(User) || (isa<SelectInst>(User) && U.getOperandNo() > 0))
      return true;
    if (isa<MinMaxIntrinsic>(User))
      return true;
    const CallInst *Call = collectiveCall(*User);
    return Call && Call->getType()->isIntegerTy() && U.getOperandNo() == 1 &&
           (isShuffle(*Call->getCalledFunction()) ||
            Call->getCalledFunction()->getName().starts_with("kernix.reduce_"));
  }

  /// What is read where an integer is kept: a variable of the thread or of the block.
  SmallVector<const Instruction *, 4> integersIn(const Value *Pointer) {
    SmallVector<const Instruction *, 4> Found;
    auto All = Objects.of(Pointer);
    for (const Instruction &I : instructions(*P.F))
      if (MemoryAccess Access = accessOf(I); Access.Pointer && I.getType()->isIntegerTy())
        if (any_of(Objects.of(Access.Pointer), [&](const MemoryObject *O) {
              return (O->Kind == MemoryObject::Local || O->Kind == MemoryObject::Shared) && is_contained(All, O);
            }))
          Found.push_back(&I);
    return Found;
  }

  void warn(const Instruction &Conversion) {
    Refused.warnOfLostGradient(Conversion,
                               "a derivative ends here: the number becomes an integer, and what is computed from that "
                               "is a constant",
                               "truncf, floorf or rintf do the same without a warning, and so does a variable marked "
                               "[[kernix::no_diff]] that holds the number");
  }

  /// `x - (int)x`, `x - n * period`: the whole part is taken from the number that it is the whole part of.
  bool isPartOfRemainder(const Instruction &Back, const Value *Number) {
    SmallPtrSet<const Value *, 16> Sources = sourcesOf(Number), Seen;
    SmallVector<const Instruction *, 8> Work = {&Back};
    while (!Work.empty() && Seen.size() < MostValues) {
      const Instruction *I = Work.pop_back_val();
      if (!Seen.insert(I).second)
        continue;
      for (const User *U : I->users()) {
        const auto *User = cast<Instruction>(U);
        if (!User->getType()->isFloatingPointTy() || !isArithmetic(*User))
          continue;
        for (const Value *Other : User->operands())
          if (Other != I && isSum(*User) && !isa<llvm::Constant>(Other) && sharesNumber(sourcesOf(Other), Sources))
            return true;
        Work.push_back(User);
      }
    }
    return false;
  }

  static bool isSum(const Instruction &I) {
    const auto *Call = dyn_cast<IntrinsicInst>(&I);
    return I.getOpcode() == Instruction::FAdd || I.getOpcode() == Instruction::FSub ||
           (Call && (Call->getIntrinsicID() == Intrinsic::fma || Call->getIntrinsicID() == Intrinsic::fmuladd));
  }

  bool sharesNumber(const SmallPtrSet<const Value *, 16> &A, const SmallPtrSet<const Value *, 16> &B) {
    return any_of(A, [&](const Value *V) { return B.contains(V) && Active.isVaried(V); });
  }

  void lookAtLoad(const LoadInst &Load) {
    if (!Load.getType()->isFloatingPointTy() || !Active.isUseful(&Load))
      return;
    for (const MemoryObject *O : Objects.of(Load.getPointerOperand()))
      if (O->Kind == MemoryObject::Global && !isMarkedConstant(*cast<GlobalVariable>(O->Base))) {
        std::string Name = O->Name.empty() ? demangle(O->Base->getName()) : O->Name;
        Refused.warnOfLostGradient(
            Load,
            "'" + Name +
                "' can be changed, and has no gradient: for the derivative it is a "
                "constant",
            "pass it as a parameter to get its gradient; [[kernix::no_diff]] on the variable, or "
            "const, says that it is meant");
      }
  }
};

} // namespace

void kernix::warnOfLostGradients(const DerivativeRequest &Request, const Prepared &P, Refusals &Refused) {
  bool MayLose = any_of(instructions(*P.F), [](const Instruction &I) {
    return isToInteger(I) || (isa<LoadInst>(I) && I.getType()->isFloatingPointTy() &&
                              isa<GlobalVariable>(getUnderlyingObject(I.getOperand(0))));
  });
  if (MayLose)
    LostGradients(Request, P, Refused).run();
}
