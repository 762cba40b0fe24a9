//===- ConstantVariables.cpp - variables and parameters that [[kernix::no_diff]] makes constant
//--------------------===//

#include "Derivative/Analysis/Constants.h"
#include "Derivative/Prepare/HiddenVariables.h"
#include "Derivative/Prepare/LocalLayout.h"
#include "Derivative/Prepare/LoopIds.h"
#include "Derivative/Prepare/PointerChoices.h"
#include "Derivative/Prepare/StoredNumbers.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Scalar/ADCE.h"
#include "llvm/Transforms/Scalar/SROA.h"

using namespace llvm;
using namespace kernix;

namespace {

/// All kinds start with the first; the others are of pointers.
constexpr char Hidden[] = "no_diff", HiddenPointer[] = "no_diff.pointer", HiddenCopy[] = "no_diff.pointer.copied";

bool isConstant(const Value *V) {
  const auto *Call = dyn_cast<CallBase>(V);
  return Call && Call->getCalledFunction() && isConstantMark(*Call->getCalledFunction());
}

/// What it gives is constant already.
bool isWrapped(const Instruction &I) { return I.hasOneUse() && isConstant(I.user_back()); }

void wrapResult(Instruction &I) {
  if (isWrapped(I))
    return;
  IRBuilder<> B(I.getParent(), std::next(I.getIterator()));
  replaceByConstant(B, I);
}

void wrapOperand(Instruction &I, unsigned Operand) {
  Value *V = I.getOperand(Operand);
  if (isa<Constant>(V) || isConstant(V))
    return;
  IRBuilder<> B(&I);
  I.setOperand(Operand, makeConstant(B, V));
}

/// A copy of a struct to where nothing has a derivative, by words that are constants as other numbers that are stored
/// there. False: it stays.
bool storeConstants(MemTransferInst &Copy) {
  constexpr uint64_t MostBytes = 256;
  const auto *Length = dyn_cast<ConstantInt>(Copy.getLength());
  if (!Length || Copy.isVolatile() || Copy.getRawSource() == Copy.getRawDest())
    return false;
  const uint64_t Bytes = Length->getZExtValue();
  if (Bytes % 2 != 0 || Bytes > MostBytes)
    return false;
  IRBuilder<> B(&Copy);
  const Align From = Copy.getSourceAlign().valueOrOne(), To = Copy.getDestAlign().valueOrOne();
  auto At = [&](Value *Base, uint64_t Offset) { return B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Base, Offset); };
  // All loads first: the ranges of memmove may overlap.
  SmallVector<std::pair<Value *, uint64_t>, 8> Words;
  for (uint64_t Offset = 0; Offset < Bytes;) {
    const uint64_t Size = std::min<uint64_t>(8, bit_floor(Bytes - Offset));
    Words.push_back({B.CreateAlignedLoad(B.getIntNTy(static_cast<unsigned>(8 * Size)), At(Copy.getRawSource(), Offset),
                                         commonAlignment(From, Offset)),
                     Offset});
    Offset += Size;
  }
  for (auto [Word, Offset] : Words)
    wrapOperand(*B.CreateAlignedStore(Word, At(Copy.getRawDest(), Offset), commonAlignment(To, Offset)), 0);
  Copy.eraseFromParent();
  return true;
}

/// A pointer of which all ways come from hidden ones.
bool isAllHidden(Instruction &I) {
  SmallVector<const Value *, 4> Bases;
  getUnderlyingObjects(&I, Bases, nullptr, 0);
  return all_of(Bases, [](const Value *Base) {
    auto *Call = const_cast<Instruction *>(dyn_cast<Instruction>(Base));
    return isa<ConstantPointerNull, UndefValue>(Base) || (Call && hidingCall(*Call, Hidden));
  });
}

/// What a variable is a copy of that is written by nothing else: a parameter that is handed over by value.
const Value *copiedFrom(const AllocaInst &Variable) {
  const Value *Source = nullptr;
  SmallVector<const Value *, 4> Work = {&Variable};
  while (!Work.empty()) {
    const Value *At = Work.pop_back_val();
    for (const User *U : At->users()) {
      auto *I = const_cast<Instruction *>(cast<Instruction>(U));
      if (isa<GetElementPtrInst>(I) || hidingCall(*I, "")) {
        Work.push_back(I);
      } else if (const auto *Copy = dyn_cast<MemTransferInst>(I); Copy && Copy->getRawDest() == At) {
        if (Source)
          return nullptr;
        Source = Copy->getRawSource();
      } else if (isa<StoreInst>(I)) {
        return nullptr;
      }
    }
  }
  return Source;
}

/// A pointer that comes from a parameter of the request itself. It has no derivative anyway, wherever it goes: pointers
/// that have one are arguments of their own.
bool isOfParameter(const Value *Pointer, const DerivativeRequest &Request) {
  constexpr unsigned MostSteps = 16; // copies may go in a circle
  for (unsigned Step = 0; Step < MostSteps; ++Step) {
    const Value *Base = getUnderlyingObject(Pointer, 0);
    if (const auto *A = dyn_cast<Argument>(Base))
      return A->getArgNo() < Request.Parameters.size() && !Request.Parameters[A->getArgNo()].CarriesGradient &&
             none_of(
                 Request.Parameters[A->getArgNo()].Leaves,
                 [](const Leaf &L) { return L.Kind == Leaf::Memory && L.Active; });
    if (const auto *Variable = dyn_cast<AllocaInst>(Base)) {
      Pointer = copiedFrom(*Variable);
      if (!Pointer)
        return false;
      continue;
    }
    if (const auto *Load = dyn_cast<LoadInst>(Base))
      Pointer = Load->getPointerOperand();
    else if (auto *Call = const_cast<CallInst *>(dyn_cast<CallInst>(Base)); Call && hidingCall(*Call, Hidden))
      Pointer = Call->getArgOperand(0);
    else
      return false;
  }
  return false;
}

/// Makes constant what goes through pointers that are hidden, or lie in hidden variables.
class Follower {
public:
  /// Strictly: everything that is not understood is an error.
  Follower(Function &F, Refusals *Strict) : F(F), Strict(Strict) {}

  /// True if a pointer leads to a hidden place or to another one.
  bool run() {
    for (Instruction &I : instructions(F))
      if (CallInst *Call = hidingCall(I, Hidden))
        push(Call, hidingCall(I, HiddenPointer) != nullptr);
    while (!Work.empty()) {
      auto [V, IsPointer] = Work.pop_back_val();
      SmallVector<Use *, 8> Uses;
      for (Use &U : V->uses())
        Uses.push_back(&U);
      for (Use *U : Uses)
        follow(*U, IsPointer);
    }
    return IsChosen;
  }

private:
  void push(Instruction *I, bool IsPointer) {
    if (Seen.insert(I).second)
      Work.push_back({I, IsPointer});
  }

  /// IsPointer: the marked variable is a pointer or holds it, and this is where it leads.
  void follow(Use &U, bool IsPointer) {
    auto &I = *cast<Instruction>(U.getUser());
    if (isa<GetElementPtrInst, AddrSpaceCastInst>(I) || hidingCall(I, ""))
      return push(&I, IsPointer);
    if (isa<PHINode, SelectInst>(I) && isAllHidden(I))
      return push(&I, IsPointer);
    if (isa<PHINode, SelectInst>(I) && all_of(I.users(), [](User *Next) {
          return isa<Instruction>(Next) && hidingCall(*cast<Instruction>(Next), Hidden);
        }))
      return;
    IsChosen |= isa<PHINode, SelectInst>(I);
    if (auto *Load = dyn_cast<LoadInst>(&I)) {
      if (Load->getType()->isPointerTy())
        hideLoaded(*Load);
      else
        wrapResult(*Load);
      return;
    }
    // Of a variable, too: LLVM may find what is stored there before it is known that a read leads there, by a pointer
    // in a struct for instance.
    if (auto *Store = dyn_cast<StoreInst>(&I); Store && U.getOperandNo() == 1) {
      if (IsPointer || !Store->getValueOperand()->getType()->isPointerTy())
        wrapOperand(*Store, 0);
      return;
    }
    // Kept where it will be found again.
    if (auto *Store = dyn_cast<StoreInst>(&I))
      if (auto *Base = dyn_cast<Instruction>(getUnderlyingObject(Store->getPointerOperand(), 0));
          Base && hidingCall(*Base, Hidden))
        return;
    if (isa<AtomicRMWInst>(I) && IsPointer) {
      wrapOperand(I, 1);
      return wrapResult(I);
    }
    if (auto *Copy = dyn_cast<MemTransferInst>(&I); Copy && Strict && IsPointer && U.getOperandNo() == 0 &&
                                                    isOfParameter(U.get(), Strict->request()) && storeConstants(*Copy))
      return;
    if (Strict && IsPointer && !isa<ICmpInst, MemSetInst>(I) && !I.isLifetimeStartOrEnd() &&
        !isOfParameter(U.get(), Strict->request()))
      Strict->error(I, isa<MemTransferInst>(I)
                           ? "what a pointer or reference that is [[kernix::no_diff]] leads to is copied as a whole; "
                             "copy it member by member"
                           : "a pointer or reference that is [[kernix::no_diff]] is used here in a way that cannot be "
                             "followed; use the value that it leads to");
  }

  void hideLoaded(LoadInst &Load) {
    if (Load.hasOneUse())
      if (auto *User = dyn_cast<Instruction>(Load.user_back()); User && hidingCall(*User, Hidden))
        return;
    SmallVector<Use *, 8> Uses;
    for (Use &U : Load.uses())
      Uses.push_back(&U);
    IRBuilder<> B(Load.getParent(), std::next(Load.getIterator()));
    CallInst *Call = hidePointer(B, &Load, HiddenPointer);
    for (Use *U : Uses)
      U->set(Call);
    push(Call, true);
  }

  Function &F;
  Refusals *Strict;
  bool IsChosen = false;
  SmallVector<std::pair<Instruction *, bool>, 8> Work;
  SmallPtrSet<Instruction *, 16> Seen;
};

} // namespace

/// Of structs between which was chosen.
static void showKeptPointers(Function &F, FunctionAnalysisManager &FAM) {
  {
    HeldLoopIds Held(F);
    FunctionPassManager Passes;
    Passes.addPass(ADCEPass());
    Passes.addPass(SROAPass(SROAOptions::PreserveCFG));
    FAM.invalidate(F, PreservedAnalyses::none());
    FAM.invalidate(F, Passes.run(F, FAM));
  }
  FAM.invalidate(F, PreservedAnalyses::none());
}

void kernix::hideConstantArguments(CallBase &Call, const Function &Callee) {
  MDNode *Marked = Callee.getMetadata(ConstantMark);
  if (!Marked)
    return;
  IRBuilder<> B(&Call);
  for (const MDOperand &Operand : Marked->operands()) {
    auto K = static_cast<unsigned>(mdconst::extract<ConstantInt>(Operand)->getZExtValue());
    Value *Pointer = Call.getArgOperand(K);
    Call.setArgOperand(K, hidePointer(B, Pointer, Call.isByValArgument(K) ? HiddenCopy : HiddenPointer));
  }
}

void kernix::markConstantCopies(Function &F) {
  for (Instruction &I : make_early_inc_range(instructions(F))) {
    CallInst *Call = hidingCall(I, HiddenCopy);
    if (!Call)
      continue;
    // Of a function that only reads its parameter there is no copy.
    auto *Copy = Call->hasOneUse() ? dyn_cast<MemTransferInst>(Call->user_back()) : nullptr;
    auto *Variable = Copy ? dyn_cast<AllocaInst>(Copy->getRawDest()->stripPointerCasts()) : nullptr;
    if (Variable) {
      Variable->setMetadata(ConstantMark, MDNode::get(F.getContext(), {}));
    } else {
      IRBuilder<> B(Call);
      Call->replaceAllUsesWith(hidePointer(B, Call->getArgOperand(0), HiddenPointer));
      Call->eraseFromParent();
      continue;
    }
    showVariable(*Call);
  }
}

void kernix::hideConstantVariables(Function &F, FunctionAnalysisManager &FAM, Refusals &Refused) {
  markConstantCopies(F);
  SmallVector<AllocaInst *, 4> Variables;
  bool Any = false;
  for (Instruction &I : instructions(F)) {
    Any |= hidingCall(I, Hidden) != nullptr;
    if (auto *Variable = dyn_cast<AllocaInst>(&I); Variable && Variable->getMetadata(ConstantMark))
      Variables.push_back(Variable);
  }
  for (AllocaInst *Variable : Variables) {
    MDNode *Mark = Variable->getMetadata(ConstantMark);
    Variable->setMetadata(ConstantMark, nullptr);
    hideVariable(*Variable, Hidden, Mark->getNumOperands() ? dyn_cast<DILocation>(Mark->getOperand(0)) : nullptr);
  }
  if (!Any && Variables.empty())
    return;
  // The addresses of variables are in memory so far, in `this` for instance.
  FunctionPassManager Passes;
  Passes.addPass(SROAPass(SROAOptions::PreserveCFG));
  FAM.invalidate(F, PreservedAnalyses::none());
  FAM.invalidate(F, Passes.run(F, FAM));
  settleStoredNumbers(F);
  // An access by a pointer that may lead elsewhere, too, becomes one of each place, before what is stored to it is
  // taken for what it gives.
  constexpr unsigned MostRounds = 64; // pointers that are read through chosen ones go one at a time
  for (unsigned Round = 0; Round < MostRounds && (Follower(F, nullptr).run() || keepsConstantPointers(F)); ++Round) {
    FAM.invalidate(F, PreservedAnalyses::none());
    if (!splitPointerChoices(F, FAM.getResult<DominatorTreeAnalysis>(F), FAM.getResult<LoopAnalysis>(F)))
      break;
    settleStoredNumbers(F);
    showKeptPointers(F, FAM);
  }
  FAM.invalidate(F, PreservedAnalyses::none());
  // Of a variable that is a pointer itself nothing else is needed: where it leads has been hidden.
  for (Instruction &I : make_early_inc_range(instructions(F)))
    if (CallInst *Call = hidingCall(I, Hidden);
        Call && !hidingCall(I, HiddenPointer) && hiddenVariable(*Call).getAllocatedType()->isPointerTy() &&
        all_of(Call->uses(), [](const Use &U) {
          return isa<LoadInst>(U.getUser()) || (isa<StoreInst>(U.getUser()) && U.getOperandNo() == 1);
        }))
      showVariable(*Call);
}

SmallVector<AllocaInst *, 4> kernix::showConstantVariables(Function &F, Refusals &Refused) {
  Follower(F, &Refused).run();
  SmallVector<AllocaInst *, 4> Variables;
  for (Instruction &I : make_early_inc_range(instructions(F))) {
    CallInst *Call = hidingCall(I, Hidden);
    if (!Call)
      continue;
    if (!hidingCall(I, HiddenPointer)) {
      AllocaInst *Variable = &hiddenVariable(*Call);
      if (!is_contained(Variables, Variable))
        Variables.push_back(Variable);
      Variable->setDebugLoc(Call->getDebugLoc()); // for messages
    }
    showVariable(*Call);
  }
  return Variables;
}

/// An instruction that reads nothing of Variable, and does not take its address away.
static bool writesOnly(const Instruction &I, const AllocaInst &Variable) {
  if (const auto *Store = dyn_cast<StoreInst>(&I))
    return getUnderlyingObject(Store->getValueOperand(), 0) != &Variable;
  if (const auto *Copy = dyn_cast<MemTransferInst>(&I))
    return getUnderlyingObject(Copy->getRawSource(), 0) != &Variable;
  return isa<MemSetInst, ICmpInst>(I) || I.isLifetimeStartOrEnd();
}

void kernix::constantVariables(ArrayRef<AllocaInst *> Variables, Refusals &Refused) {
  for (AllocaInst *Variable : Variables) {
    SmallVector<Value *, 8> Work = {Variable};
    SmallVector<LoadInst *, 8> Loads;
    while (!Work.empty())
      for (User *U : Work.pop_back_val()->users()) {
        auto *I = cast<Instruction>(U);
        if (isa<GetElementPtrInst, AddrSpaceCastInst>(I)) {
          Work.push_back(I);
        } else if (auto *Load = dyn_cast<LoadInst>(I)) {
          uint64_t Size = Load->getDataLayout().getTypeStoreSize(Load->getType()).getFixedValue();
          if (Load->getType()->isFloatingPointTy() || mayBeBits(*Load->getType()))
            Loads.push_back(Load);
          else if (cellInLocal(Load->getPointerOperand(), *Variable, Size).Kind != LocalCell::Beside)
            Refused.error(*Load,
                          "a variable that is [[kernix::no_diff]] is copied as a whole; copy it member by member");
        } else if (writesOnly(*I, *Variable)) {
          continue;
        } else {
          Refused.error(*I, "a variable that is [[kernix::no_diff]] is used here in a way that cannot be followed; use "
                            "its value");
        }
      }
    for (LoadInst *Load : Loads)
      wrapResult(*Load);
  }
}
