//===- SineAndCosine.cpp - the sine and the cosine of one number together -----------------------------------------===//

#include "Derivative/Canonical/SineAndCosine.h"
#include "Derivative/Canonical/MathFunctions.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace kernix;

namespace {

struct Joined {
  Instruction *Place;
  Value *Sine, *Cosine;
};

struct Wanted {
  CallInst *Call;
  bool IsSine;
};

/// Of a number, or of a number times pi.
using Key = std::pair<Value *, unsigned>;

Joined join(CallInst &Call, bool IsTimesPi) {
  Function &F = *Call.getFunction();
  Type *T = Call.getType();
  IRBuilder<> Entry(&F.getEntryBlock(), F.getEntryBlock().begin()), B(&Call);
  Value *Slots[2];
  for (Value *&Slot : Slots) {
    Slot = Entry.CreateAlloca(T);
    if (Slot->getType() != Entry.getPtrTy())
      Slot = Entry.CreateAddrSpaceCast(Slot, Entry.getPtrTy());
  }
  StringRef Name = IsTimesPi ? (T->isFloatTy() ? "__nv_sincospif" : "__nv_sincospi")
                             : (T->isFloatTy() ? "__nv_sincosf" : "__nv_sincos");
  FunctionCallee Both = F.getParent()->getOrInsertFunction(Name, B.getVoidTy(), T, B.getPtrTy(), B.getPtrTy());
  B.CreateCall(Both, {Call.getArgOperand(0), Slots[0], Slots[1]});
  Value *Sine = B.CreateLoad(T, Slots[0]), *Cosine = B.CreateLoad(T, Slots[1]);
  return {cast<Instruction>(Cosine), Sine, Cosine};
}

} // namespace

void kernix::joinSinesAndCosines(Function &F) {
  MapVector<Key, SmallVector<Wanted, 2>> All;
  for (BasicBlock *Block : ReversePostOrderTraversal<Function *>(&F))
    for (Instruction &I : *Block) {
      auto *Call = dyn_cast<CallInst>(&I);
      const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
      std::optional<CanonicalName> Name = Callee ? parseCanonicalName(*Callee) : std::nullopt;
      if (!Name || Name->IsFast || !(Name->Type->isFloatTy() || Name->Type->isDoubleTy()))
        continue;
      bool IsTimesPi = Name->Name.consume_back("pi");
      if (Name->Name == "sin" || Name->Name == "cos")
        All[{Call->getArgOperand(0), IsTimesPi}].push_back({Call, Name->Name == "sin"});
    }
  All.remove_if(
      [](const auto &Entry) { return all_equal(map_range(Entry.second, [](const Wanted &W) { return W.IsSine; })); });
  if (All.empty())
    return;
  DominatorTree Tree(F);
  // What comes first on all paths is seen first.
  for (auto &[Of, List] : All) {
    SmallVector<Joined, 1> Done;
    for (const Wanted &W : List) {
      auto *Known = find_if(Done, [&](const Joined &J) { return Tree.dominates(J.Place, W.Call); });
      if (Known == Done.end()) {
        if (none_of(List, [&](const Wanted &Other) {
              return Other.IsSine != W.IsSine && Tree.dominates(W.Call, Other.Call);
            }))
          continue;
        Done.push_back(join(*W.Call, Of.second));
        Known = &Done.back();
      }
      W.Call->replaceAllUsesWith(W.IsSine ? Known->Sine : Known->Cosine);
    }
    for (const Wanted &W : List)
      if (W.Call->use_empty())
        W.Call->eraseFromParent();
  }
}
