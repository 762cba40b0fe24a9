//===- UnreadValues.cpp - which tensors a backward kernel does not read ----------------------------------------===//

#include "Derivative/Analysis/UnreadValues.h"
#include "Derivative/Launch/LaunchFacts.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace kernix;

namespace {

/// Follows the address of a parameter to the pointers that lie in it, and these to whatever looks behind them. What is
/// not understood reads.
class Reader {
public:
  bool reads(Argument *Parameter) {
    push(*Parameter, /*IsParameter=*/true);
    while (!Work.empty()) {
      auto [Pointer, IsParameter] = Work.pop_back_val();
      for (const Use &U : Pointer->uses())
        if (!follow(U, IsParameter))
          return true;
    }
    return false;
  }

private:
  void push(const Value &V, bool IsParameter) {
    if (Seen.insert(&V).second)
      Work.push_back({&V, IsParameter});
  }

  /// False: the memory behind a pointer is read, or may be.
  bool follow(const Use &U, bool IsParameter) {
    const auto *I = cast<Instruction>(U.getUser());
    if (isa<GetElementPtrInst, AddrSpaceCastInst, PHINode, SelectInst>(I)) {
      push(*I, IsParameter);
      return true;
    }
    if (isa<ICmpInst>(I) || I->isLifetimeStartOrEnd())
      return true;
    const auto *Load = dyn_cast<LoadInst>(I);
    if (!Load || !IsParameter)
      return false;
    if (Load->getType()->isPointerTy()) {
      push(*Load, false);
      return true;
    }
    // Sizes and strides of a view, and numbers.
    return Load->getType()->isFloatingPointTy() ||
           (Load->getType()->isIntegerTy() &&
            none_of(Load->users(), [](const User *V) { return isa<IntToPtrInst>(V); }));
  }

  SmallVector<std::pair<const Value *, bool>, 16> Work;
  SmallPtrSet<const Value *, 32> Seen;
};

} // namespace

void kernix::writeUnreadValues(const DerivativeRequest &Request) {
  unsigned Unread = 0;
  for (unsigned K = 0; K < Request.Parameters.size() && K < 32; ++K)
    if (!Reader().reads(Request.Body->getArg(2 * K)))
      Unread |= 1U << K;
  setLaunchFact(Request, UnreadValues, Unread);
}
