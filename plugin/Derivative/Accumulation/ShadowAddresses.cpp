//===- ShadowAddresses.cpp - where the derivative of an element lies --------------------------------------------===//

#include "Derivative/Accumulation/ShadowAddresses.h"
#include "Derivative/Launch/FailedLaunch.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace kernix;

Instruction *kernix::copyWith(IRBuilder<> &B, const Instruction &I, ArrayRef<Value *> Operands) {
  Instruction *Copy = I.clone();
  Copy->setDebugLoc(DebugLoc());
  Copy->dropPoisonGeneratingFlags();
  for (unsigned K = 0; K < Operands.size(); ++K)
    Copy->setOperand(K, Operands[K]);
  B.Insert(Copy);
  return Copy;
}

Value *ShadowAddresses::object(const MemoryObject &O) {
  if (O.Kind == MemoryObject::Shared)
    return Shared.of(O);
  return O.Kind == MemoryObject::Local ? local(O) : Arguments.shadow(O);
}

Value *ShadowAddresses::local(const MemoryObject &O) {
  const auto &Variable = *cast<AllocaInst>(O.Base);
  AllocaInst *&Shadow = Locals[&Variable];
  if (Shadow)
    return Shadow;
  const DataLayout &DL = Variable.getDataLayout();
  Type *T = Variable.getAllocatedType();
  Align Alignment = Variable.getAlign();
  if (Floats.contains(O)) {
    T = typeOfFloatShadow(T, O.Scalar, DL);
    Alignment = alignOfFloatShadow(Alignment);
  }
  Shadow = new AllocaInst(T, DL.getAllocaAddrSpace(), nullptr, Alignment, "shadow", Entry.GetInsertBlock()->begin());
  Entry.CreateMemSet(Shadow, Entry.getInt8(0), DL.getTypeAllocSize(T), Alignment);
  return Shadow;
}

/// O: see index().
bool ShadowAddresses::dependsOnStride(const Value *V, const MemoryObject *O) {
  const auto *I = dyn_cast<Instruction>(V);
  if (!I)
    return false;
  if (auto Found = Strided.find({V, O}); Found != Strided.end())
    return Found->second;
  Strided[{V, O}] = false;
  bool Depends = false;
  if (const auto *Load = dyn_cast<LoadInst>(I)) {
    Depends = O ? Objects.isStrideOf(*Load, *O) : Objects.isStride(*Load);
  } else if (!isa<CmpInst>(I)) {
    for (const Use &Operand : I->operands())
      Depends |= dependsOnStride(Operand, O);
  }
  return Strided[{V, O}] = Depends;
}

/// What -fsanitize=signed-integer-overflow makes of arithmetic, where I is the number that it gives.
static const WithOverflowInst *checkedResult(const Instruction &I) {
  const auto *Part = dyn_cast<ExtractValueInst>(&I);
  return Part && Part->getIndices()[0] == 0 ? dyn_cast<WithOverflowInst>(Part->getAggregateOperand()) : nullptr;
}

/// Whether Index is a sum of products of which each has a stride of the view.
bool ShadowAddresses::isMultipleOfStride(const Value *Index, const MemoryObject &O) {
  if (const auto *C = dyn_cast<ConstantInt>(Index))
    return C->isZero();
  if (const auto *Load = dyn_cast<LoadInst>(Index))
    return Objects.isStrideOf(*Load, O);
  const auto *I = dyn_cast<Instruction>(Index);
  if (!I)
    return false;
  auto IsMultiple = [&](const Use &Operand) { return isMultipleOfStride(Operand, O); };
  if (const WithOverflowInst *Checked = checkedResult(*I))
    return Checked->getBinaryOp() == Instruction::Mul ? any_of(Checked->args(), IsMultiple)
                                                      : all_of(Checked->args(), IsMultiple);
  switch (I->getOpcode()) {
  case Instruction::Mul:
    return any_of(I->operands(), IsMultiple);
  case Instruction::Shl:
    return IsMultiple(I->getOperandUse(0));
  case Instruction::Select:
    return IsMultiple(I->getOperandUse(1)) && IsMultiple(I->getOperandUse(2));
  case Instruction::Add:
  case Instruction::Sub:
  case Instruction::Or:
  case Instruction::SExt:
  case Instruction::ZExt:
  case Instruction::Trunc:
  case Instruction::Freeze:
    return all_of(I->operands(), IsMultiple);
  default:
    return false;
  }
}

/// Whether what Gep adds leads to an element by its indices, or to a part of one.
bool ShadowAddresses::isElementOfView(const GEPOperator &Gep, const MemoryObject &O) {
  const DataLayout &DL = B.GetInsertBlock()->getDataLayout();
  SmallMapVector<Value *, APInt, 4> Steps;
  APInt Constant(DL.getIndexTypeSizeInBits(Gep.getType()), 0);
  if (!Gep.collectOffset(DL, Constant.getBitWidth(), Steps, Constant))
    return false;
  int64_t Size = O.TheLeaf->Numbers * static_cast<int64_t>(DL.getTypeStoreSize(O.TheLeaf->Scalar));
  return Constant.getSExtValue() >= 0 && Constant.getSExtValue() < Size &&
         all_of(Steps, [&](const auto &Step) { return isMultipleOfStride(Step.first, O); });
}

void ShadowAddresses::checkStrides(const DerivativeRequest &Request) {
  for (auto [Parameter, Where] : LikePrimal) {
    BasicBlock &First = Request.Body->getEntryBlock();
    Entry.SetInsertPoint(First.getTerminator());
    Value *AreSame = Arguments.hasStridesOfPrimal(Parameter);
    BasicBlock *Go = First.splitBasicBlock(First.getTerminator(), "strides");
    BasicBlock *Wrong = BasicBlock::Create(First.getContext(), "other.strides", Request.Body);
    First.getTerminator()->eraseFromParent();
    Entry.SetInsertPoint(&First);
    Entry.CreateCondBr(AreSame, Go, Wrong);
    IRBuilder<> Failing(Wrong);
    Failing.SetCurrentDebugLocation(Entry.getCurrentDebugLocation());
    failLaunch(Failing, Request, Where->getDebugLoc().get(),
               "'" + Request.Parameters[Parameter].Name +
                   "' is accessed in other ways than by its own indices, and its derivative has other strides; give "
                   "one of the same strides");
    Entry.SetInsertPoint(First.getTerminator());
  }
}

Value *ShadowAddresses::index(Value *Index, const MemoryObject *O) {
  if (!dependsOnStride(Index, O))
    return ValueOf(Index);
  auto *I = cast<Instruction>(Index);
  if (auto *Load = dyn_cast<LoadInst>(I)) {
    APInt Offset(Load->getDataLayout().getIndexTypeSizeInBits(Load->getPointerOperandType()), 0);
    if (isa<Argument>(
            Load->getPointerOperand()->stripAndAccumulateConstantOffsets(Load->getDataLayout(), Offset, true)))
      return Arguments.shadowStride(*Load);
  } else if (isa<BinaryOperator, CastInst, SelectInst>(I)) {
    SmallVector<Value *, 3> Operands;
    for (Use &Operand : I->operands())
      Operands.push_back(index(Operand, O));
    return copyWith(B, *I, Operands);
  } else if (const WithOverflowInst *Checked = checkedResult(*I)) {
    return B.CreateBinOp(Checked->getBinaryOp(), index(Checked->getLHS(), O), index(Checked->getRHS(), O));
  }
  Refused.error(*I, "a view is indexed in a way whose address in the gradient's view cannot be computed: the index "
                    "depends on the view's strides through a loop or a computed axis");
  return PoisonValue::get(Index->getType());
}

Value *ShadowAddresses::baseOf(Value *Pointer) {
  if (const MemoryObject *O = Objects.only(Pointer))
    return object(*O);
  if (auto *Gep = dyn_cast<GEPOperator>(Pointer))
    return baseOf(Gep->getPointerOperand());
  auto *Select = dyn_cast<SelectInst>(Pointer);
  if (!Select) {
    Refused.error(*cast<Instruction>(Pointer), "a pointer that leads to different objects on different ways cannot be "
                                               "followed; use an index");
    return PoisonValue::get(Pointer->getType());
  }
  return B.CreateSelect(ValueOf(Select->getCondition()), baseOf(Select->getTrueValue()),
                        baseOf(Select->getFalseValue()));
}

/// What Gep does in the primal, in a shadow where each number lies twice as far from the beginning.
Value *ShadowAddresses::twiceAsFar(GEPOperator &Gep, Value *Base) {
  const DataLayout &DL = B.GetInsertBlock()->getDataLayout();
  unsigned Bits = DL.getIndexTypeSizeInBits(Gep.getType());
  SmallMapVector<Value *, APInt, 4> Steps;
  APInt Constant(Bits, 0);
  bool IsKnown = Gep.collectOffset(DL, Bits, Steps, Constant);
  assert(IsKnown && "no type has a size that depends on the launch");
  (void)IsKnown;
  for (auto &[Index, Step] : Steps) {
    uint64_t Twice = 2 * Step.getZExtValue();
    Type *T = Twice == 4 ? B.getFloatTy() : ArrayType::get(B.getInt8Ty(), Twice);
    Base = B.CreateGEP(T, Base, index(Index, Objects.only(&Gep)));
  }
  return Constant.isZero() ? Base : B.CreateConstGEP1_64(B.getInt8Ty(), Base, 2 * Constant.getZExtValue());
}

Value *ShadowAddresses::of(Value *Pointer) {
  if (isa<Argument, AllocaInst, GlobalVariable>(Pointer))
    return object(*Objects.only(Pointer));
  if (auto *Cast = dyn_cast<AddrSpaceCastOperator>(Pointer))
    return B.CreateAddrSpaceCast(of(Cast->getPointerOperand()), Pointer->getType());
  if (auto *Gep = dyn_cast<GEPOperator>(Pointer)) {
    Value *Base = of(Gep->getPointerOperand());
    const MemoryObject *O = Objects.only(Pointer);
    if (O && Floats.contains(*O))
      return twiceAsFar(*Gep, Base);
    // Of several objects none has strides in common with the others.
    for (const MemoryObject *Each : Objects.of(Pointer))
      if (Objects.isOfView(*Each) && !(O && isElementOfView(*Gep, *O)))
        LikePrimal.insert({Each->ParameterIndex, dyn_cast<Instruction>(Pointer)});
    SmallVector<Value *, 4> Indices;
    for (Use &Index : Gep->indices())
      Indices.push_back(O ? index(Index, O) : ValueOf(Index));
    return B.CreateGEP(Gep->getSourceElementType(), Base, Indices);
  }
  if (auto *Select = dyn_cast<SelectInst>(Pointer))
    return B.CreateSelect(ValueOf(Select->getCondition()), of(Select->getTrueValue()), of(Select->getFalseValue()));
  // A pointer that moves: as far from its object's beginning as in the primal.
  const MemoryObject *O = Objects.only(Pointer);
  if (!O || (Objects.isOfView(*O) && dependsOnStride(Pointer, O))) {
    Refused.error(*cast<Instruction>(Pointer), "a pointer that leads to different objects on different ways cannot be "
                                               "followed; use an index");
    return PoisonValue::get(Pointer->getType());
  }
  if (Objects.isOfView(*O))
    LikePrimal.insert({O->ParameterIndex, cast<Instruction>(Pointer)});
  auto *Base = const_cast<Value *>(O->Base);
  Type *Integer = cast<Instruction>(Pointer)->getDataLayout().getIntPtrType(Pointer->getType());
  Value *First = B.CreateAddrSpaceCast(ValueOf(Base), Pointer->getType());
  Value *Way = B.CreateSub(B.CreatePtrToInt(ValueOf(Pointer), Integer), B.CreatePtrToInt(First, Integer));
  if (Floats.contains(*O))
    Way = B.CreateShl(Way, 1);
  return B.CreateGEP(B.getInt8Ty(), B.CreateAddrSpaceCast(object(*O), Pointer->getType()), Way);
}
