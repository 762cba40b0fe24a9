//===- Adjoint.cpp - adjoints of single instructions ------------------------------------------------------------===//

#include "Derivative/Canonical/Collectives.h"
#include "Derivative/Reverse/ReverseWriter.h"
#include "Derivative/Rules/Rule.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;
using namespace kernix;

/// The phi whose sum V is part of: that of the outermost loop that adds V up.
static PHINode *sumOf(const Value *V, const LoopInfo &Loops, const LoopPlans &Plans) {
  const auto *I = dyn_cast<Instruction>(V);
  PHINode *Found = nullptr;
  for (const Loop *L = I ? Loops.getLoopFor(I->getParent()) : nullptr; L; L = L->getParentLoop())
    if (PHINode *Sum = Plans.of(L).Sums.lookup(V))
      Found = Sum;
  return Found;
}

bool ReverseWriter::isInSum(const Value *V) const { return sumOf(V, Loops, Plans); }

AllocaInst *ReverseWriter::adjointSlot(const Value *V) {
  if (PHINode *Sum = sumOf(V, Loops, Plans))
    V = Sum;
  AllocaInst *&Slot = Adjoints[V];
  // -0.0 is the neutral element of addition: x + -0.0 is x, for all x, so that it folds away.
  if (!Slot)
    Slot = newVariable(typeOfSum(V->getType()), "adjoint", ConstantFP::getNegativeZero(typeOfSum(V->getType())));
  return Slot;
}

void ReverseWriter::addToAdjoint(Value *V, Value *Added) {
  if (!Added || isa<Constant>(V) || !Active.isActive(V))
    return;
  AllocaInst *Slot = adjointSlot(V);
  Type *T = Slot->getAllocatedType();
  if (Added->getType() != T)
    Added = B.CreateFPExt(Added, T);
  B.CreateStore(B.CreateFAdd(B.CreateLoad(T, Slot), Added), Slot);
  if (AllocaInst *HasGiven = HasGivenToLanes.lookup(V))
    B.CreateStore(B.getTrue(), HasGiven);
}

Value *ReverseWriter::takeSummedAdjoint(const Value *V) {
  AllocaInst *Slot = adjointSlot(V);
  Type *T = Slot->getAllocatedType();
  Value *Adjoint = B.CreateLoad(T, Slot);
  if (!isInSum(V))
    B.CreateStore(ConstantFP::getNegativeZero(T), Slot);
  return Adjoint;
}

Value *ReverseWriter::takeAdjoint(const Value *V) {
  Value *Adjoint = takeSummedAdjoint(V);
  return Adjoint->getType() == V->getType() ? Adjoint : B.CreateFPTrunc(Adjoint, V->getType());
}

/// Flags that hold for adjoints too. That a number is finite in the primal says nothing about its adjoint.
static FastMathFlags flagsOfAdjoint(const Instruction &I) {
  FastMathFlags Flags;
  if (const auto *Op = dyn_cast<FPMathOperator>(&I)) {
    Flags.setAllowContract(Op->hasAllowContract());
    Flags.setAllowReassoc(Op->hasAllowReassoc());
    Flags.setAllowReciprocal(Op->hasAllowReciprocal());
    Flags.setApproxFunc(Op->hasApproxFunc());
    Flags.setNoSignedZeros(Op->hasNoSignedZeros());
  }
  return Flags;
}

/// Nothing where the primal has not chosen I: see ChosenParts.
Value *ReverseWriter::whereChosen(const Instruction &I, Value *Given) {
  if (!Given)
    return nullptr;
  for (const ChosenParts::Choice &Choice : Chosen.of(I)) {
    Value *Nothing = ConstantFP::getNegativeZero(Given->getType());
    Value *Condition = valueOf(Choice.Condition);
    Given = B.CreateSelect(Condition, Choice.WhenTrue ? Given : Nothing, Choice.WhenTrue ? Nothing : Given);
  }
  return Given;
}

void ReverseWriter::reverseInstruction(Instruction &I) {
  if (const CustomRule *Rule = ruleOf(&I, Objects.rules())) {
    if (Active.isActive(&I))
      reverseRuleCall(cast<CallBase>(I), *Rule);
    return;
  }
  if (ruleCallOf(&I, Objects.rules()))
    return; // the call takes its adjoint
  IRBuilder<>::FastMathFlagGuard Guard(B);
  B.setFastMathFlags(flagsOfAdjoint(I));
  if (accessOf(I).Pointer) {
    if (Contents.isUndone(I) && Contents.runs(regionOf(I.getParent()).L, I))
      undoStore(cast<StoreInst>(I));
    if (Active.isActiveAccess(I))
      reverseAccess(I);
    return;
  }
  if (const CallInst *Ordering = orderingCall(I)) {
    reverseOrdering(*Ordering);
    return;
  }
  if (!Active.isActive(&I))
    return;
  PHINode *Sum = sumOf(&I, Loops, Plans);
  Value *Adjoint = takeAdjoint(&I);
  auto Give = [&](unsigned Operand, function_ref<Value *()> Part) {
    Value *V = I.getOperand(Operand);
    if (const LoadInst *Load = LoadOfProduct.lookup(&I); Load && Load == V) {
      AllocaInst *Turn = VariableOfTurn.lookup(Load);
      Type *T = Turn->getAllocatedType();
      Value *Given = T == Adjoint->getType() ? Adjoint : B.CreateFPExt(Adjoint, T);
      B.CreateStore(B.CreateFAdd(B.CreateLoad(T, Turn), Given), Turn);
      return;
    }
    // Members of a sum share one adjoint.
    if (Active.isActive(V) && !(Sum && sumOf(V, Loops, Plans) == Sum))
      addToAdjoint(V, whereChosen(I, Part()));
  };
  switch (I.getOpcode()) {
  case Instruction::FAdd:
    Give(0, [&] { return Adjoint; });
    Give(1, [&] { return Adjoint; });
    return;
  case Instruction::FSub:
    Give(0, [&] { return Adjoint; });
    Give(1, [&] { return B.CreateFNeg(Adjoint); });
    return;
  case Instruction::FMul:
    Give(0, [&] { return B.CreateFMul(Adjoint, valueOf(I.getOperand(1))); });
    Give(1, [&] { return B.CreateFMul(Adjoint, valueOf(I.getOperand(0))); });
    return;
  case Instruction::FDiv: {
    // d(1 / b) = -(1 / b)^2 db: no second division.
    if (isReciprocal(I)) {
      Give(1, [&] { return B.CreateFNeg(B.CreateFMul(B.CreateFMul(Adjoint, valueOf(&I)), valueOf(&I))); });
      return;
    }
    // d(a / b) = da / b - (a / b) db / b.
    Value *Quotient = B.CreateFDiv(Adjoint, valueOf(I.getOperand(1)));
    Give(0, [&] { return Quotient; });
    Give(1, [&] { return B.CreateFNeg(B.CreateFMul(Quotient, valueOf(&I))); });
    return;
  }
  case Instruction::FNeg:
    Give(0, [&] { return B.CreateFNeg(Adjoint); });
    return;
  case Instruction::FPExt:
    Give(0, [&] { return B.CreateFPTrunc(Adjoint, I.getOperand(0)->getType()); });
    return;
  case Instruction::FPTrunc:
    Give(0, [&] { return B.CreateFPExt(Adjoint, I.getOperand(0)->getType()); });
    return;
  case Instruction::Freeze:
    Give(0, [&] { return Adjoint; });
    return;
  case Instruction::Select: {
    Value *Nothing = ConstantFP::getNegativeZero(I.getType());
    if (I.getOperand(1) == I.getOperand(2))
      return Give(1, [&] { return Adjoint; });
    Give(1, [&] { return B.CreateSelect(valueOf(I.getOperand(0)), Adjoint, Nothing); });
    Give(2, [&] { return B.CreateSelect(valueOf(I.getOperand(0)), Nothing, Adjoint); });
    return;
  }
  default:
    if (const CallInst *Shuffle = collectiveCall(I)) {
      reverseShuffle(const_cast<CallInst &>(*Shuffle), Adjoint);
      return;
    }
    reverseCall(cast<CallBase>(I), Adjoint);
  }
}

void ReverseWriter::reverseCall(CallBase &Call, Value *Adjoint) {
  PHINode *Sum = sumOf(&Call, Loops, Plans);
  for (unsigned K = 0; K < Call.arg_size(); ++K) {
    Value *V = Call.getArgOperand(K);
    if (!Active.isActive(V) || (Sum && sumOf(V, Loops, Plans) == Sum))
      continue;
    RuleNeeds Reads = needsOf(Call, K);
    SmallVector<Value *, 4> Operands(Call.arg_size(), nullptr);
    for (unsigned J : Reads.Operands.set_bits())
      Operands[J] = valueOf(Call.getArgOperand(J));
    Value *Result = Reads.Result ? valueOf(&Call) : nullptr;
    addToAdjoint(V, whereChosen(Call, scaleBy(B, Call, Operands, Result, K, Adjoint)));
  }
}

Type *ReverseWriter::typeInShadow(const Instruction &Access) {
  MemoryAccess To = accessOf(Access);
  return ShadowsInFloat.typeIn(*Objects.of(To.Pointer).front(), To.Type);
}

Value *ReverseWriter::readCotangent(Instruction &I, bool Clear) {
  MemoryAccess Access = accessOf(I);
  auto *Pointer = const_cast<Value *>(Access.Pointer);
  const MemoryObject &O = *Objects.of(Pointer).front();
  // Gradients of the value that is taken away here.
  if (any_of(Objects.of(Pointer),
             [](const MemoryObject *Any) { return Any->isTensorLike() && Any->TheLeaf->Access == Leaf::InOut; }))
    writeAdditions(false);
  Type *T = typeInShadow(I);
  auto Read = [&] {
    Value *Place = Addresses.of(Pointer);
    const auto *Store = dyn_cast<StoreInst>(&I);
    return Store && Clear && Writers.isShared(Pointer) ? takeFromShared(*Store, T, Place) : readShadow(T, Place, Clear);
  };
  if (!hasOptionalShadow(O))
    return Read();
  BasicBlock *From = B.GetInsertBlock(), *Given = newBlock("cotangent"), *Go = newBlock("reverse");
  Value *Base = Addresses.baseOf(Pointer);
  From = B.GetInsertBlock();
  Usual.assumeWanted(Base);
  B.CreateCondBr(B.CreateIsNotNull(Base), Given, Go);
  B.SetInsertPoint(Given);
  Value *Cotangent = Read();
  Given = B.GetInsertBlock();
  B.CreateBr(Go);
  B.SetInsertPoint(Go);
  PHINode *Either = B.CreatePHI(Access.Type, 2);
  Either->addIncoming(Cotangent, Given);
  Either->addIncoming(ConstantFP::getNegativeZero(Access.Type), From);
  return Either;
}

Value *ReverseWriter::readShadow(Type *T, Value *Place, bool Clear) {
  const Align Alignment = DL.getABITypeAlign(T);
  Value *Adjoint = B.CreateAlignedLoad(T, Place, Alignment);
  if (Clear)
    B.CreateAlignedStore(Constant::getNullValue(T), Place, Alignment);
  return Adjoint;
}

bool ReverseWriter::isStoredAlone(const StoreInst &Store) {
  const std::optional<LaunchConditions> &Apart = Writers.apartIf(Store);
  return (Apart && Apart->empty()) || Request.IsDifferentiated;
}

/// Of what is differentiated again: nothing may have to be undone.
void ReverseWriter::checkUndone() {
  MapVector<const MemoryObject *, const Instruction *> Overwritten; // in a loop, if anywhere there
  for (const Instruction &I : instructions(*P.F))
    if (const auto *Store = dyn_cast<StoreInst>(&I); Store && Contents.isUndone(I)) {
      const Instruction *&Where = Overwritten[Objects.only(Store->getPointerOperand())];
      if (!Where || (Loops.getLoopFor(I.getParent()) && !Loops.getLoopFor(Where->getParent())))
        Where = &I;
    }
  for (auto [O, Where] : Overwritten)
    Refused.error(*Where,
                  "this overwrites " + (!O || O->Name.empty() ? "shared memory" : "'" + O->Name + "'") +
                      ", which is read in a loop, and the backward puts back what was there: that has no second "
                      "derivative; unroll the loop ('#pragma unroll' and a constant number of iterations), or keep "
                      "the numbers in registers and exchange them by shuffles");
}

/// The same. Where stores are each thread's alone in some launches only, nothing is exchanged in the others.
void ReverseWriter::checkSharedStores() {
  for (const Instruction &I : instructions(*P.F)) {
    const auto *Store = dyn_cast<StoreInst>(&I);
    if (!Store || !isTakenBack(*Store, Writers, Active, Contents) || Writers.apartIf(*Store)->empty())
      continue;
    BasicBlock *Wrong = newBlock("same.element"), *Go = newBlock("alone");
    B.CreateCondBr(TurnTests.hold(*Writers.apartIf(*Store)), Go, Wrong);
    B.SetInsertPoint(Wrong);
    fail(*Store, "in blocks of this size several threads may store to one element of shared memory here, which has no "
                 "second derivative");
    B.SetInsertPoint(Go);
  }
}

/// Reads and clears the adjoint of what a store to shared memory has stored.
Value *ReverseWriter::takeFromShared(const StoreInst &Store, Type *T, Value *Place) {
  if (isStoredAlone(Store))
    return readShadow(T, Place, true);
  const std::optional<LaunchConditions> &Apart = Writers.apartIf(Store);
  if (!Apart)
    return exchangeInShared(B, Place, Constant::getNullValue(T));
  Value *Holds = TurnTests.hold(*Apart);
  if (!PlainTests.empty() || !Turns.plans().empty()) // there is a version without tests anyway
    Usual.assumeTrue(Holds);
  BasicBlock *Alone = newBlock("take"), *Together = newBlock("take.atomic"), *Taken = newBlock("taken");
  B.CreateCondBr(Holds, Alone, Together);
  B.SetInsertPoint(Alone);
  Value *Own = readShadow(T, Place, true);
  B.CreateBr(Taken);
  B.SetInsertPoint(Together);
  Value *Exchanged = exchangeInShared(B, Place, Constant::getNullValue(T));
  Together = B.GetInsertBlock();
  B.CreateBr(Taken);
  B.SetInsertPoint(Taken);
  PHINode *Either = B.CreatePHI(T, 2);
  Either->addIncoming(Own, Alone);
  Either->addIncoming(Exchanged, Together);
  return Either;
}

AllocaInst *ReverseWriter::lastStoreSeen(const StoreGroup &Group) {
  AllocaInst *&Seen = LastStores[&Group];
  if (!Seen)
    Seen = newVariable(B.getInt1Ty(), "stored", B.getFalse());
  return Seen;
}

void ReverseWriter::checkOwnReads() {
  for (const auto &[Access, Conditions] : Own.assumed()) {
    BasicBlock *Wrong = newBlock("element.of.others"), *Go = newBlock("start");
    const bool IsLoad = isa<LoadInst>(Access);
    Value *Holds = OwnTests.hold(Conditions);
    if (!PlainTests.empty()) // there is a version without tests anyway
      Usual.assumeTrue(Holds);
    B.CreateCondBr(Holds, Go, Wrong);
    B.SetInsertPoint(Wrong);
    fail(*Access, IsLoad ? "with these arguments another thread may have written what is read behind a barrier; the "
                           "derivative takes it for the thread's own"
                         : "with these arguments another thread may have stored before a barrier what is stored behind "
                           "it; both values would have a gradient");
    B.SetInsertPoint(Go);
  }
}

void ReverseWriter::checkAssumptions(const Instruction &Store, StringRef Tensor, const Assumptions &Assumed,
                                     const LaunchConditions &Conditions, LaunchTests &Tests, StringRef WaysOut) {
  BasicBlock *Wrong = newBlock("same.element"), *Go = newBlock("reverse");
  Value *Holds = whetherHolds(Assumed, Objects, Entry, [this](const Argument &A) { return argument(A); });
  if (!Conditions.empty()) {
    Value *Test = Tests.hold(Conditions);
    if (!PlainTests.empty()) // there is a version without tests anyway
      Usual.assumeTrue(Test);
    Holds = Entry.CreateAnd(Holds, Test);
  }
  B.CreateCondBr(Holds, Go, Wrong);
  B.SetInsertPoint(Wrong);
  const std::string Needed = Tests.text(Conditions);
  fail(Store,
       "with these arguments several stores may be to the same element of '" + Tensor.str() +
           "'; the derivative takes them for different ones" + (Needed.empty() ? "" : ", which needs " + Needed) +
           "; to differentiate other calls, keep the value in a local variable and store it once" + WaysOut.str());
  B.SetInsertPoint(Go);
}

void ReverseWriter::reverseAccess(Instruction &I) {
  MemoryAccess Access = accessOf(I);
  if (!Access.Stored) {
    addToMemory(I, takeSummedAdjoint(&I));
    return;
  }
  const MemoryObject &O = *Objects.of(Access.Pointer).front();
  // Only a store takes the old value away; a pure output's cotangent is the caller's and stays as it is.
  bool Overwrites = isa<StoreInst>(I);
  bool Clear = Overwrites && (!hasOptionalShadow(O) || O.TheLeaf->Access == Leaf::InOut);
  const auto *Store = dyn_cast<StoreInst>(&I);
  const StoreGroup *Group = Store ? Stores.groupOf(*Store) : nullptr;
  if (Group && !(Group->Assumed.empty() && Group->Conditions.empty()))
    checkAssumptions(I, O.Name, Group->Assumed, Group->Conditions, StoreTests, ", use atomicAdd" + waysOutOf(O));
  if (!Clear && !Active.isActive(Access.Stored)) {
    // It still takes the place of an earlier store.
    if (Group && Group->Overwrites)
      B.CreateStore(B.getTrue(), lastStoreSeen(*Group));
    return;
  }
  if (Store && O.isTensorLike() && Objects.only(Access.Pointer) && Active.isActive(Access.Stored))
    emitCheck("kernix_check_store", O, Access.Pointer);
  if (const LaunchConditions *Conditions = Store ? Stores.conditionsOf(*Store) : nullptr)
    checkAssumptions(I, O.Name, {}, *Conditions, StoreTests);
  if (!Group || !Group->Overwrites) {
    addToAdjoint(const_cast<Value *>(Access.Stored), readCotangent(I, Clear));
    return;
  }
  AllocaInst *Seen = lastStoreSeen(*Group);
  Value *WasSeen = B.CreateLoad(B.getInt1Ty(), Seen);
  B.CreateStore(B.getTrue(), Seen);
  Value *Cotangent = readCotangent(I, false);
  addToAdjoint(const_cast<Value *>(Access.Stored),
               B.CreateSelect(WasSeen, ConstantFP::getNegativeZero(Cotangent->getType()), Cotangent));
}
