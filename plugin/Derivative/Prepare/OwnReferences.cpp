//===- OwnReferences.cpp - integers behind references become variables ----------------------------------------===//

#include "Derivative/Prepare/OwnReferences.h"
#include "Derivative/Canonical/Collectives.h"
#include "Derivative/Requests.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;
using namespace kernix;

/// Whether one of the pointers that I accesses as other threads may see leads there.
static bool isWatched(const Instruction &I, const Argument &A) {
  if (!I.isAtomic() && !I.isVolatile())
    return false;
  return any_of(I.operands(), [&](const Use &Operand) {
    SmallVector<const Value *, 4> Bases;
    if (Operand->getType()->isPointerTy())
      getUnderlyingObjects(Operand, Bases, nullptr, 0);
    return is_contained(Bases, &A);
  });
}

/// Of what is read and written at its beginning.
static Align alignmentOf(const Argument &A) {
  Align Known;
  for (const User *U : A.users())
    if (const auto *I = dyn_cast<Instruction>(U); I && getLoadStorePointerOperand(I) == &A)
      Known = std::max(Known, getLoadStoreAlignment(I));
  return Known;
}

void kernix::ownReferences(Function &F, const DerivativeRequest &Request) {
  if (any_of(instructions(F), [](const Instruction &I) { return orderingCall(I); }))
    return;
  IRBuilder<> B(F.getContext());
  B.SetInsertPoint(&*F.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  for (Argument &A : F.args()) {
    const RequestParameter &Parameter = Request.Parameters[A.getArgNo()];
    const bool AreIntegers =
        !Parameter.Leaves.empty() && Parameter.Leaves[0].Kind == Leaf::Memory && !Parameter.Leaves[0].Scalar;
    if (!AreIntegers || !Parameter.Size || A.use_empty() ||
        any_of(instructions(F), [&](const Instruction &I) { return isWatched(I, A); }))
      continue;
    const Align Alignment = alignmentOf(A);
    const uint64_t Each = Alignment <= 8 && isAligned(Alignment, Parameter.Size) ? Alignment.value() : 1;
    Type *Storage = ArrayType::get(B.getIntNTy(static_cast<unsigned>(8 * Each)), Parameter.Size / Each);
    AllocaInst *Own = B.CreateAlloca(Storage, nullptr, Parameter.Name);
    Own->setAlignment(std::max(Alignment, Align(8)));
    A.replaceAllUsesWith(Own);
    if (Parameter.Leaves[0].Access == Leaf::Out) // what was there is not known any more
      B.CreateMemSet(Own, B.getInt8(0), Parameter.Size, Own->getAlign());
    else
      B.CreateMemCpy(Own, Own->getAlign(), &A, Alignment, Parameter.Size);
  }
}
