//===- StorageMarks.cpp - [[kernix::store]] and [[kernix::recompute]] on variables and functions
//-------------------===//

#include "Derivative/Prepare/StorageMarks.h"
#include "Derivative/Annotations.h"
#include "Derivative/Prepare/HiddenVariables.h"
#include "Derivative/Prepare/NumbersIn.h"
#include "Derivative/Prepare/Prepare.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Scalar/SROA.h"

using namespace llvm;
using namespace kernix;

namespace {

constexpr char ValuePrefix[] = "kernix.marked.";
/// Of metadata, and of hidden variables: "kernix.store" and "kernix.recompute".
constexpr const char *Marks[] = {StoreAnnotation, RecomputeAnnotation};

StringRef nameIn(const MDNode *Mark) { return Mark ? cast<MDString>(Mark->getOperand(0))->getString() : StringRef(); }

MDNode *markOf(LLVMContext &Context, StringRef Name) { return MDNode::get(Context, MDString::get(Context, Name)); }

bool isHiding(User *U) {
  auto *I = dyn_cast<Instruction>(U);
  return I && hidingCall(*I, "");
}

/// The name of the function says all: "kernix.marked.<type>.<mark>:<name>".
Value *markNumber(IRBuilder<> &B, Value *V, StringRef Mark, StringRef Name) {
  if (isa<Constant>(V))
    return V;
  std::string Text = ValuePrefix;
  raw_string_ostream(Text) << *V->getType() << '.' << Mark << ':' << Name;
  auto *F = cast<Function>(B.GetInsertBlock()
                               ->getModule()
                               ->getOrInsertFunction(Text, FunctionType::get(V->getType(), {V->getType()}, false))
                               .getCallee());
  if (auto *Call = dyn_cast<CallInst>(V); Call && Call->getCalledFunction() == F)
    return V;
  F->setDoesNotAccessMemory();
  F->setDoesNotThrow();
  F->addFnAttr(Attribute::WillReturn);
  return B.CreateCall(F, {V});
}

/// Integers that are stored into a struct may be the bits of numbers that it holds, which are followed as such.
bool isOfIntegers(const AllocaInst &Variable) {
  Type *T = Variable.getAllocatedType();
  while (auto *Array = dyn_cast<ArrayType>(T))
    T = Array->getElementType();
  return T->isIntegerTy();
}

/// Address: where Variable is, hidden or not.
void markStores(Instruction &Address, const AllocaInst &Variable, StringRef Mark, StringRef Name) {
  bool MarksIntegers = isOfIntegers(Variable);
  SmallVector<Value *, 8> Work = {&Address};
  while (!Work.empty())
    for (User *U : Work.pop_back_val()->users()) {
      if (isa<GetElementPtrInst, AddrSpaceCastInst>(U) || isHiding(U)) {
        Work.push_back(U);
      } else if (auto *Store = dyn_cast<StoreInst>(U)) {
        IRBuilder<> B(Store);
        Value *Marked = replaceNumbers(B, Store->getValueOperand(), [&](Value *Number) {
          return Number->getType()->isIntegerTy() && !MarksIntegers ? Number : markNumber(B, Number, Mark, Name);
        });
        Store->setOperand(0, Marked);
      }
    }
}

/// The variables of F that are hidden by a mark.
void forEachHidden(Function &F, function_ref<void(CallInst &, StringRef Mark, StringRef Name)> Visit) {
  for (Instruction &I : make_early_inc_range(instructions(F)))
    for (const char *Mark : Marks)
      if (CallInst *Hidden = hidingCall(I, (StringRef(Mark) + ":").str())) {
        Visit(*Hidden, Mark, Hidden->getCalledFunction()->getName().split(':').second);
        break;
      }
}

} // namespace

void kernix::readStorageMarks(Module &M) {
  LLVMContext &Context = M.getContext();
  for (const char *Mark : Marks) {
    std::string Text = std::string(Mark) + ":";
    forEachAnnotationWith(
        M, Text, [&](GlobalObject &Annotated, StringRef Name) { Annotated.setMetadata(Mark, markOf(Context, Name)); });
    removeAnnotations(M, Text);
    forEachVariableAnnotation(M, Text, [&](Value &Variable, StringRef Name, const DILocation *Place) {
      Metadata *Operands[] = {MDString::get(Context, Name), const_cast<DILocation *>(Place)};
      if (auto *Alloca = dyn_cast<AllocaInst>(&Variable))
        Alloca->setMetadata(Mark, MDNode::get(Context, ArrayRef(Operands, Place ? 2 : 1)));
    });
  }
}

void kernix::markResult(CallBase &Call, const Function &Callee) {
  for (const char *Mark : Marks) {
    StringRef Name = nameIn(Callee.getMetadata(Mark));
    if (Name.empty())
      continue;
    if (Call.hasStructRetAttr()) {
      if (auto *Result = dyn_cast<AllocaInst>(Call.getArgOperand(0)->stripPointerCasts()))
        Result->setMetadata(Mark, markOf(Call.getContext(), Name));
    } else if (!Call.getType()->isVoidTy() && !Call.isTerminator()) {
      IRBuilder<> B(Call.getParent(), std::next(Call.getIterator()));
      B.SetCurrentDebugLocation(Call.getDebugLoc());
      // Integers may be the bits of a struct's numbers.
      replaceNumbersOfUses(B, Call, [&](Value *Number) {
        return Number->getType()->isIntegerTy() ? Number : markNumber(B, Number, Mark, Name);
      });
    }
  }
}

void kernix::hideStorageVariables(Function &F, FunctionAnalysisManager &FAM, Refusals &Refused) {
  SmallVector<AllocaInst *, 4> Variables;
  for (Instruction &I : instructions(F))
    if (auto *Variable = dyn_cast<AllocaInst>(&I))
      Variables.push_back(Variable);
  for (AllocaInst *Variable : Variables)
    for (const char *Mark : Marks) {
      MDNode *Found = Variable->getMetadata(Mark);
      if (!Found)
        continue;
      Variable->setMetadata(Mark, nullptr);
      DebugLoc Place = Found->getNumOperands() > 1 ? DebugLoc(cast<DILocation>(Found->getOperand(1))) : DebugLoc();
      CallInst *Hidden = hideVariable(*Variable, (StringRef(Mark) + ":" + nameIn(Found)).str(), Place);
      if (Variable->getAllocatedType()->isPointerTy())
        Refused.error(*Hidden, "[[kernix::" + StringRef(Mark).split('.').second +
                                   "]] on a reference or a pointer: it is for numbers; mark the variable that holds "
                                   "them");
    }
  bool Any = false;
  forEachHidden(F, [&](CallInst &, StringRef, StringRef) { Any = true; });
  if (!Any)
    return;
  // The addresses of variables are in memory so far, in `this` for instance.
  FunctionPassManager Passes;
  Passes.addPass(SROAPass(SROAOptions::PreserveCFG));
  FAM.invalidate(F, PreservedAnalyses::none());
  FAM.invalidate(F, Passes.run(F, FAM));
  forEachHidden(F, [](CallInst &Hidden, StringRef Mark, StringRef Name) {
    markStores(Hidden, hiddenVariable(Hidden), Mark, Name);
  });
}

void kernix::markStoredValues(Function &F) {
  forEachHidden(F, [](CallInst &Hidden, StringRef Mark, StringRef Name) {
    AllocaInst &Variable = hiddenVariable(Hidden);
    showVariable(Hidden);
    markStores(Variable, Variable, Mark, Name);
  });
}

void kernix::keepLoopsThatRecompute(Function &F, LoopInfo &Loops) {
  for (Instruction &I : instructions(F)) {
    const auto *Call = dyn_cast<CallInst>(&I);
    StringRef Name = Call && Call->getCalledFunction() ? Call->getCalledFunction()->getName() : StringRef();
    Loop *L = Loops.getLoopFor(I.getParent());
    if (L && Name.starts_with(ValuePrefix) && Name.split(':').first.ends_with(RecomputeAnnotation))
      L->setLoopAlreadyUnrolled();
  }
  for (Loop *L : Loops.getLoopsInPreorder())
    if (isMarked(L->getLoopID(), RecomputeAnnotation))
      L->setLoopAlreadyUnrolled();
}

void kernix::settleStorageMarks(Function &F) {
  SmallVector<CallInst *, 8> Calls;
  for (Instruction &I : instructions(F))
    if (auto *Call = dyn_cast<CallInst>(&I);
        Call && Call->getCalledFunction() && Call->getCalledFunction()->getName().starts_with(ValuePrefix))
      Calls.push_back(Call);
  for (CallInst *Call : Calls) {
    auto [Left, Name] = Call->getCalledFunction()->getName().split(':');
    StringRef Mark = Left.ends_with(StoreAnnotation) ? StoreAnnotation : RecomputeAnnotation;
    MDNode *Node = markOf(F.getContext(), Name);
    for (User *U : Call->users())
      if (auto *Store = dyn_cast<StoreInst>(U); Store && Store->getValueOperand() == Call)
        Store->setMetadata(Mark, Node);
    Value *V = Call->getArgOperand(0);
    // Of a value that is marked twice the first mark is a call still, or an instruction already.
    while (is_contained(Calls, V))
      V = cast<CallInst>(V)->getArgOperand(0);
    if (auto *I = dyn_cast<Instruction>(V))
      I->setMetadata(Mark, Node);
  }
  for (CallInst *Call : Calls) {
    Call->replaceAllUsesWith(Call->getArgOperand(0));
    Call->eraseFromParent();
  }
}

StorageMark kernix::storageMarkOf(const Instruction &I) {
  return {nameIn(I.getMetadata(StoreAnnotation)), nameIn(I.getMetadata(RecomputeAnnotation))};
}
