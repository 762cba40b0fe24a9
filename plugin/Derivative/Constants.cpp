//===- Constants.cpp - what [[kernix::no_diff]] makes constant ----------------------------------------------------===//

#include "Derivative/Constants.h"
#include "Derivative/Annotations.h"
#include "Derivative/HiddenVariables.h"
#include "Derivative/InlineCalls.h"
#include "Derivative/LocalLayout.h"
#include "Derivative/NumbersIn.h"
#include "HandOver.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;
using namespace kernix;

namespace {

constexpr char Prefix[] = "kernix.constant.", Hidden[] = "no_diff", Marked[] = "kernix.no_diff";

CallInst *callConstant(IRBuilder<> &B, Value *V) {
  std::string Name = Prefix;
  raw_string_ostream(Name) << *V->getType();
  Function *F = cast<Function>(B.GetInsertBlock()
                                   ->getModule()
                                   ->getOrInsertFunction(Name, FunctionType::get(V->getType(), {V->getType()}, false))
                                   .getCallee());
  F->setDoesNotAccessMemory();
  F->setDoesNotThrow();
  F->addFnAttr(Attribute::WillReturn);
  return B.CreateCall(F, {V});
}

Value *constantNumber(IRBuilder<> &B, Value *V) { return V->getType()->isFloatingPointTy() ? callConstant(B, V) : V; }

/// Puts a constant in the place of V, which B stands behind.
void replaceByConstant(IRBuilder<> &B, Value &V) {
  replaceNumbersOfUses(B, V, [&](Value *Number) { return constantNumber(B, Number); });
}

/// The same where an integer holds the bits of a number.
void replaceBitsByConstant(IRBuilder<> &B, Value &V) {
  replaceNumbersOfUses(B, V, [&](Value *Bits) { return callConstant(B, Bits); });
}

/// Whether the bits of an integer leave the function, or become a number there: they may be those of numbers.
bool mayCarryNumber(const Value &V) {
  SmallVector<const Value *, 8> Work = {&V};
  SmallPtrSet<const Value *, 16> Seen;
  while (!Work.empty()) {
    const Value *At = Work.pop_back_val();
    if (!Seen.insert(At).second)
      continue;
    for (const User *U : At->users()) {
      if (const auto *Store = dyn_cast<StoreInst>(U)) {
        if (Store->getValueOperand() == At)
          return true;
      } else if (isa<ReturnInst, BitCastInst>(U)) {
        return true;
      } else if (isa<PHINode, SelectInst, TruncInst, ZExtInst, InsertElementInst, InsertValueInst>(U) ||
                 (isa<BinaryOperator>(U) && cast<BinaryOperator>(U)->isBitwiseLogicOp()) ||
                 (isa<BinaryOperator>(U) && cast<BinaryOperator>(U)->isShift())) {
        Work.push_back(U);
      }
    }
  }
  return false;
}

bool isOwn(const Value *Pointer) { return isa<AllocaInst>(getUnderlyingObject(Pointer, 0)); }

void makeConstantWithin(Instruction &I) {
  Type *T = I.getType();
  bool IsInteger = T->isIntegerTy() && T->getIntegerBitWidth() >= 16;
  // What a call without memory returns is made of constants.
  bool ComesIn = isa<AtomicRMWInst, ExtractValueInst>(I) ||
                 (isa<CallBase>(I) && !cast<CallBase>(I).doesNotAccessMemory() && !T->isAggregateType()) ||
                 (isa<LoadInst>(I) && !isOwn(cast<LoadInst>(I).getPointerOperand()));
  if (!ComesIn || (IsInteger && !mayCarryNumber(I)) || I.isTerminator())
    return;
  IRBuilder<> B(I.getParent(), std::next(I.getIterator()));
  B.SetCurrentDebugLocation(I.getDebugLoc());
  IsInteger ? replaceBitsByConstant(B, I) : replaceByConstant(B, I);
}

} // namespace

Value *kernix::makeConstant(IRBuilder<> &B, Value *V) {
  return replaceNumbers(B, V, [&](Value *Number) { return constantNumber(B, Number); });
}

void kernix::constantResult(CallBase &Call) {
  if (Call.isTerminator() || Call.getType()->isVoidTy())
    return;
  IRBuilder<> B(Call.getParent(), std::next(Call.getIterator()));
  replaceByConstant(B, Call);
}

bool kernix::isMarkedConstant(const GlobalVariable &Variable) { return Variable.hasMetadata(Marked); }

bool kernix::isConstantMark(const Function &F) { return F.getName().starts_with(Prefix); }

void kernix::lowerConstants(Function &Body) {
  for (Instruction &I : make_early_inc_range(instructions(Body)))
    if (auto *Call = dyn_cast<CallBase>(&I);
        Call && Call->getCalledFunction() && isConstantMark(*Call->getCalledFunction())) {
      Call->replaceAllUsesWith(Call->getArgOperand(0));
      Call->eraseFromParent();
    }
}

SmallPtrSet<const Function *, 4> kernix::readConstantMarks(Module &M) {
  SmallPtrSet<const Function *, 4> Functions;
  forEachAnnotation(M, NoDiffAnnotation, [&](GlobalObject &Annotated, const ConstantStruct *) {
    if (const auto *F = dyn_cast<Function>(&Annotated))
      Functions.insert(F);
    else
      Annotated.setMetadata(Marked, MDNode::get(M.getContext(), {}));
  });
  removeAnnotations(M, NoDiffAnnotation);
  forEachVariableAnnotation(M, NoDiffAnnotation, [&](AllocaInst &Variable, StringRef, const DILocation *Place) {
    Variable.setMetadata(Marked,
                         MDNode::get(M.getContext(), Place ? ArrayRef<Metadata *>(const_cast<DILocation *>(Place))
                                                           : ArrayRef<Metadata *>()));
  });
  return Functions;
}

/// A load that a constant has been made of.
static bool isConstantLoad(const LoadInst &Load) {
  return Load.hasOneUse() && isa<CallBase>(Load.user_back()) && cast<CallBase>(Load.user_back())->getCalledFunction() &&
         isConstantMark(*cast<CallBase>(Load.user_back())->getCalledFunction());
}

static void wrapLoad(LoadInst &Load) {
  if (isConstantLoad(Load))
    return;
  IRBuilder<> B(Load.getParent(), std::next(Load.getIterator()));
  replaceByConstant(B, Load);
}

void kernix::hideConstantVariables(Function &F, FunctionAnalysisManager &FAM, Refusals &Refused) {
  SmallVector<AllocaInst *, 4> Variables;
  for (Instruction &I : instructions(F))
    if (auto *Variable = dyn_cast<AllocaInst>(&I); Variable && Variable->getMetadata(Marked))
      Variables.push_back(Variable);
  for (AllocaInst *Variable : Variables) {
    MDNode *Mark = Variable->getMetadata(Marked);
    Variable->setMetadata(Marked, nullptr);
    DebugLoc Place;
    if (Mark->getNumOperands())
      Place = dyn_cast<DILocation>(Mark->getOperand(0));
    CallInst *Call = hideVariable(*Variable, Hidden, Place);
    if (Variable->getAllocatedType()->isPointerTy())
      Refused.error(*Call,
                    "[[kernix::no_diff]] on a reference or a pointer: what it leads to may be reached by others, "
                    "too; mark a variable that holds the value");
  }
  SmallVector<Value *, 8> Work;
  for (Instruction &I : instructions(F))
    if (hidingCall(I, Hidden))
      Work.push_back(&I);
  if (Work.empty())
    return;
  // The addresses of variables are in memory so far, in `this` for instance.
  FunctionPassManager Passes;
  Passes.addPass(SROAPass(SROAOptions::PreserveCFG));
  FAM.invalidate(F, PreservedAnalyses::none());
  FAM.invalidate(F, Passes.run(F, FAM));
  SmallVector<LoadInst *, 16> Loads;
  while (!Work.empty())
    for (User *U : Work.pop_back_val()->users()) {
      if (isa<GetElementPtrInst, AddrSpaceCastInst>(U))
        Work.push_back(U);
      else if (auto *Load = dyn_cast<LoadInst>(U); Load && Load->getType()->isFPOrFPVectorTy())
        Loads.push_back(Load);
    }
  for (LoadInst *Load : Loads)
    wrapLoad(*Load);
}

SmallVector<AllocaInst *, 4> kernix::showConstantVariables(Function &F) {
  SmallVector<AllocaInst *, 4> Variables;
  for (Instruction &I : make_early_inc_range(instructions(F))) {
    CallInst *Call = hidingCall(I, Hidden);
    if (!Call)
      continue;
    AllocaInst *Variable = &hiddenVariable(*Call);
    if (!is_contained(Variables, Variable))
      Variables.push_back(Variable);
    Variable->setDebugLoc(Call->getDebugLoc()); // for messages
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
          if (Load->getType()->isFloatingPointTy())
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
      wrapLoad(*Load);
  }
}

Function *kernix::constantCopy(const CallBase &Call, Function &F, FunctionAnalysisManager &FAM, Refusals &Refused) {
  ValueToValueMapTy Map;
  Function *Copy = CloneFunction(&F, Map);
  Copy->setLinkage(GlobalValue::InternalLinkage);
  Copy->setComdat(nullptr);
  for (Attribute::AttrKind Kind : {Attribute::OptimizeNone, Attribute::NoInline})
    Copy->removeFnAttr(Kind);
  inlineCalls(*Copy, FAM, Refused);
  stripDescriptions(*Copy);
  FunctionPassManager Passes;
  Passes.addPass(SROAPass(SROAOptions::PreserveCFG));
  Passes.addPass(EarlyCSEPass());
  FAM.invalidate(*Copy, PreservedAnalyses::none());
  FAM.invalidate(*Copy, Passes.run(*Copy, FAM));
  SmallVector<Instruction *, 32> All;
  for (Instruction &I : instructions(*Copy))
    All.push_back(&I);
  for (Instruction *I : All) {
    if (auto *Transfer = dyn_cast<MemTransferInst>(I); Transfer && !isOwn(Transfer->getRawSource()))
      Refused.error(Call, "it copies memory in a way that cannot be made constant; copy number by number");
    else
      makeConstantWithin(*I);
  }
  IRBuilder<> B(&*Copy->getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  for (Argument &A : Copy->args()) {
    if (!A.getType()->isIntegerTy()) {
      replaceByConstant(B, A);
    } else if (A.getType()->getIntegerBitWidth() >= 16 && mayCarryNumber(A)) {
      replaceBitsByConstant(B, A);
    }
  }
  if (!Refused.any())
    return Copy;
  FAM.clear(*Copy, Copy->getName());
  Copy->eraseFromParent();
  return nullptr;
}
