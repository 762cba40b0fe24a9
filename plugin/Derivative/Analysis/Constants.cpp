//===- Constants.cpp - what [[kernix::no_diff]] makes constant ----------------------------------------------------===//

#include "Derivative/Analysis/Constants.h"
#include "Derivative/Analysis/Activity.h"
#include "Derivative/Annotations.h"
#include "Derivative/Canonical/Collectives.h"
#include "Derivative/Canonical/Raise.h"
#include "Derivative/Prepare/InlineCalls.h"
#include "Derivative/Prepare/NumbersIn.h"
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

constexpr char Prefix[] = "kernix.constant.";

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

/// A call of a copy (constantCopy), or of what calls it: it is made constant when it is inlined.
bool isOfNextLevel(const CallBase &Call) {
  const Function *Callee = Call.getCalledFunction();
  return Callee && !Callee->isDeclaration();
}

/// Whether an integer may leave the function by this use, or become a number: then it may be the bits of one. InCopy:
/// the function is such a copy.
bool mayCarryNumber(const Use &Of, bool InCopy) {
  SmallVector<const Use *, 8> Work = {&Of};
  SmallPtrSet<const User *, 16> Seen;
  while (!Work.empty()) {
    const Use &U = *Work.pop_back_val();
    const auto &I = *cast<Instruction>(U.getUser());
    if (isa<ReturnInst>(I) || accessOf(I).Stored == U.get())
      return true;
    const auto *Call = dyn_cast<CallBase>(&I);
    bool IsLane = Call && Call->getCalledFunction() && isShuffle(*Call->getCalledFunction()) && U.getOperandNo() != 1;
    Type *T = I.getType();
    if (IsLane || T->isVoidTy() || (InCopy && Call && isOfNextLevel(*Call)) || T->isPtrOrPtrVectorTy() ||
        !propagates(I) || !Seen.insert(&I).second)
      continue;
    if (T->isFPOrFPVectorTy())
      return true;
    for (const Use &Next : I.uses())
      Work.push_back(&Next);
  }
  return false;
}

/// The same for the bits of numbers, where they may become some again: nothing is in the way of what finds out about
/// indices and bounds.
void replaceBitsByConstant(IRBuilder<> &B, Value &V, bool InCopy) {
  SmallVector<Use *, 8> Uses;
  for (Use &U : V.uses())
    if (mayCarryNumber(U, InCopy))
      Uses.push_back(&U);
  if (Uses.empty())
    return;
  Value *New = replaceNumbers(B, &V, [&](Value *Bits) { return callConstant(B, Bits); });
  for (Use *U : Uses)
    U->set(New);
}

bool isOwn(const Value *Pointer) { return isa<AllocaInst>(getUnderlyingObject(Pointer, 0)); }

void makeConstantWithin(Instruction &I) {
  // What a call without memory returns is made of constants.
  bool ComesIn = isa<AtomicRMWInst, ExtractValueInst>(I) ||
                 (isa<CallBase>(I) && !cast<CallBase>(I).doesNotAccessMemory() && !I.getType()->isAggregateType()) ||
                 (isa<LoadInst>(I) && !isOwn(cast<LoadInst>(I).getPointerOperand()));
  if (!ComesIn || I.isTerminator())
    return;
  IRBuilder<> B(I.getParent(), std::next(I.getIterator()));
  B.SetCurrentDebugLocation(I.getDebugLoc());
  replaceByConstant(B, I);
}

/// A function that does nothing but call F, where that has a canonical form, which it then has instead: a copy of a
/// shuffle would be of how words are exchanged. Null: it has none.
Function *canonicalCopy(Function &F) {
  if (F.isVarArg())
    return nullptr;
  Function *Copy = Function::Create(F.getFunctionType(), GlobalValue::InternalLinkage, F.getAddressSpace(),
                                    F.getName() + ".constant", F.getParent());
  Copy->copyAttributesFrom(&F);
  IRBuilder<> B(BasicBlock::Create(F.getContext(), "", Copy));
  CallInst *Call = B.CreateCall(&F, SmallVector<Value *, 4>(make_pointer_range(Copy->args())));
  Call->setCallingConv(F.getCallingConv());
  Call->setAttributes(F.getAttributes());
  if (F.getReturnType()->isVoidTy())
    B.CreateRetVoid();
  else
    B.CreateRet(Call);
  if (raiseCall(*Call))
    return Copy;
  Copy->eraseFromParent();
  return nullptr;
}

/// Of an end of Copy: a variable only of calls that are marked themselves, for a struct that they return or are given.
bool isTemporary(const Value *End, const MemTransferInst &Copy, function_ref<bool(const Value *)> IsMarked) {
  const auto *Variable = dyn_cast<AllocaInst>(getUnderlyingObject(End));
  SmallVector<const Value *, 8> Work = {Variable};
  while (Variable && !Work.empty())
    for (const User *U : Work.pop_back_val()->users()) {
      if (isa<GetElementPtrInst, AddrSpaceCastInst>(U)) {
        Work.push_back(U);
        continue;
      }
      const auto *Store = dyn_cast<StoreInst>(U);
      const Value *Stored = Store ? Store->getValueOperand() : nullptr;
      if (const auto *Part = dyn_cast_or_null<ExtractValueInst>(Stored))
        Stored = Part->getAggregateOperand();
      bool IsOfCall = IsMarked(Store ? Stored : U) && !isa<MemTransferInst>(U);
      if (U != &Copy && !isa<LifetimeIntrinsic>(U) && !IsOfCall)
        return false;
    }
  return Variable;
}

} // namespace

bool kernix::mayBeBits(const Type &T) { return T.isIntOrIntVectorTy() && T.getScalarSizeInBits() >= 16; }

Value *kernix::makeConstant(IRBuilder<> &B, Value *V) {
  const bool AreBits = mayBeBits(*V->getType());
  return replaceNumbers(B, V,
                        [&](Value *Number) { return AreBits ? callConstant(B, Number) : constantNumber(B, Number); });
}

static void replaceByConstant(IRBuilder<> &B, Value &V, bool InCopy) {
  if (mayBeBits(*V.getType()))
    replaceBitsByConstant(B, V, InCopy);
  else
    replaceNumbersOfUses(B, V, [&](Value *Number) { return constantNumber(B, Number); });
}

void kernix::replaceByConstant(IRBuilder<> &B, Value &V) { ::replaceByConstant(B, V, false); }

void kernix::constantResult(CallBase &Call) {
  // Integers may be ids and bounds.
  if (Call.isTerminator() || Call.getType()->isVoidTy() || mayBeBits(*Call.getType()))
    return;
  IRBuilder<> B(Call.getParent(), std::next(Call.getIterator()));
  replaceByConstant(B, Call);
}

void kernix::markConstantCalls(Module &M, ArrayRef<DerivativeRequest> Requests) {
  if (all_of(Requests, [](const DerivativeRequest &Request) { return Request.NoDiff.empty(); }))
    return;
  auto IsMarked = [&](const Value *V) {
    const auto *Call = dyn_cast<CallBase>(V);
    return Call && any_of(Requests, [&](const DerivativeRequest &Request) { return Request.isConstant(*Call); });
  };
  SmallVector<CallBase *, 16> Results;
  for (Function &F : M)
    for (Instruction &I : instructions(F)) {
      if (!IsMarked(&I))
        continue;
      auto &Call = cast<CallBase>(I);
      auto *Copy = dyn_cast<MemTransferInst>(&I);
      if (Copy && !isTemporary(Copy->getSource(), *Copy, IsMarked) && !isTemporary(Copy->getDest(), *Copy, IsMarked))
        Copy->setMetadata(ConstantMark, MDNode::get(M.getContext(), {}));
      else if (Call.getCalledFunction() && Call.getCalledFunction()->isDeclaration())
        Results.push_back(&Call);
    }
  for (CallBase *Call : Results)
    constantResult(*Call);
}

bool kernix::isMarkedConstant(const GlobalVariable &Variable) { return Variable.hasMetadata(ConstantMark); }

bool kernix::isConstantMark(const Function &F) { return F.getName().starts_with(Prefix); }

void kernix::lowerConstants(Module &M) {
  for (Function &F : make_early_inc_range(M)) {
    if (!isConstantMark(F))
      continue;
    for (User *U : make_early_inc_range(F.users())) {
      auto *Call = cast<CallInst>(U);
      Call->replaceAllUsesWith(Call->getArgOperand(0));
      Call->eraseFromParent();
    }
    F.eraseFromParent();
  }
}

SmallPtrSet<const Function *, 4> kernix::readConstantMarks(Module &M) {
  SmallPtrSet<const Function *, 4> Functions;
  forEachAnnotation(M, NoDiffAnnotation, [&](GlobalObject &Annotated, const ConstantStruct *) {
    if (const auto *F = dyn_cast<Function>(&Annotated))
      Functions.insert(F);
    else
      Annotated.setMetadata(ConstantMark, MDNode::get(M.getContext(), {}));
  });
  removeAnnotations(M, NoDiffAnnotation);
  forEachVariableAnnotation(M, NoDiffAnnotation, [&](Value &Variable, StringRef, const DILocation *Place) {
    LLVMContext &Context = M.getContext();
    SmallVector<Metadata *, 4> Operands;
    if (auto *Alloca = dyn_cast<AllocaInst>(&Variable)) {
      if (Place)
        Operands.push_back(const_cast<DILocation *>(Place));
      Alloca->setMetadata(ConstantMark, MDNode::get(Context, Operands));
    } else if (auto *A = dyn_cast<Argument>(&Variable)) {
      // A parameter that the caller has put into memory.
      if (MDNode *Others = A->getParent()->getMetadata(ConstantMark))
        append_range(Operands, Others->operands());
      Operands.push_back(ConstantAsMetadata::get(ConstantInt::get(Type::getInt32Ty(Context), A->getArgNo())));
      A->getParent()->setMetadata(ConstantMark, MDNode::get(Context, Operands));
    }
  });
  return Functions;
}

void kernix::refuseConstantCopy(const CallBase &Call, Refusals &Refused) {
  Refused.error(
      Call, "it copies memory in a way that cannot be made constant; copy number by number, or write no_diff on the "
            "variable that takes the copy");
}

Function *kernix::constantCopy(const CallBase &Call, Function &F, FunctionAnalysisManager &FAM, Refusals &Refused) {
  Function *Copy = canonicalCopy(F);
  if (!Copy) {
    ValueToValueMapTy Map;
    Copy = CloneFunction(&F, Map);
  }
  Copy->setLinkage(GlobalValue::InternalLinkage);
  Copy->setComdat(nullptr);
  for (Attribute::AttrKind Kind : {Attribute::OptimizeNone, Attribute::NoInline})
    Copy->removeFnAttr(Kind);
  inlineCalls(*Copy, FAM, Refused, nullptr, &F);
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
      refuseConstantCopy(Call, Refused);
    else
      makeConstantWithin(*I);
  }
  IRBuilder<> B(&*Copy->getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  for (Argument &A : Copy->args())
    ::replaceByConstant(B, A, true);
  if (!Refused.any())
    return Copy;
  FAM.clear(*Copy, Copy->getName());
  Copy->eraseFromParent();
  return nullptr;
}
