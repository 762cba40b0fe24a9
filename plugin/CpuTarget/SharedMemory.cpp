//===- SharedMemory.cpp - where __shared__ variables live --------------------------------------------------------===//

#include "CpuTarget/SharedMemory.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/ReplaceConstant.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

namespace kernix {

/// `extern __shared__ T x[];`: the only arrays of unknown bound that device code can declare without -fgpu-rdc.
static bool isDynamic(const GlobalVariable &Variable) {
  const auto *Array = dyn_cast<ArrayType>(Variable.getValueType());
  // The virtual tables of type information in libstdc++ are declared like that too.
  return Variable.isDeclaration() && Array && Array->getNumElements() == 0 && !Variable.getName().starts_with("_ZTV");
}

bool isShared(const GlobalVariable &Variable) {
  // No other variable of device code is left without an initialiser: CUDA forbids one for __shared__ only.
  return isDynamic(Variable) || (Variable.hasInitializer() && isa<UndefValue>(Variable.getInitializer()) &&
                                 !Variable.isConstant() && !Variable.getName().starts_with("llvm."));
}

/// The address of a block's shared memory, as SharedMemory::address() reads it.
static bool isArena(const Value *V, const ObjectLayout &Layout, const DataLayout &DL) {
  const auto *Load = dyn_cast<LoadInst>(V);
  if (!Load || !Load->hasMetadata(LLVMContext::MD_invariant_load))
    return false;
  APInt Offset(DL.getIndexTypeSizeInBits(Load->getPointerOperandType()), 0);
  const Value *State = Load->getPointerOperand()->stripAndAccumulateConstantOffsets(DL, Offset, true);
  if (const auto *Address = dyn_cast<IntrinsicInst>(State);
      Address && Address->getIntrinsicID() == Intrinsic::threadlocal_address)
    State = Address->getArgOperand(0);
  const auto *Variable = dyn_cast<GlobalVariable>(State);
  if (!Variable || Variable->getName() != CurrentStateName)
    return false;
  const StructLayout *Fields = DL.getStructLayout(Layout.State);
  return Offset == Fields->getElementOffset(SF_Shared) || Offset == Fields->getElementOffset(SF_DynamicShared);
}

bool isSharedMemory(const Value &Pointer, const ObjectLayout &Layout, const DataLayout &DL) {
  SmallVector<const Value *> Objects;
  getUnderlyingObjects(&Pointer, Objects, nullptr, 0);
  return all_of(Objects, [&](const Value *Object) { return isArena(Object, Layout, DL); });
}

void SharedMemory::collect(Module &M) {
  const DataLayout &DL = M.getDataLayout();
  for (GlobalVariable &Variable : M.globals()) {
    if (!isShared(Variable))
      continue;
    if (isDynamic(Variable)) {
      Places.insert({&Variable, {0, 0, true, {}}});
      continue;
    }
    uint64_t Bytes = DL.getTypeAllocSize(Variable.getValueType());
    Align Alignment = std::max(Variable.getAlign().valueOrOne(), DL.getPrefTypeAlign(Variable.getValueType()));
    uint64_t Offset = alignTo(Size, Alignment);
    Places.insert({&Variable, {Offset, Bytes, false, {}}});
    Size = Offset + Bytes;
  }
}

/// The address of a variable at the entry of F. An invariant load: while device code runs, its block's arena stays.
Value *SharedMemory::address(Function &F, const Place &P) {
  IRBuilder<> Builder(F.getContext());
  Builder.SetInsertPointPastAllocas(&F);
  Value *Field = stateField(Builder, Layout, currentState(Builder), P.Dynamic ? SF_DynamicShared : SF_Shared);
  LoadInst *Arena = Builder.CreateLoad(Builder.getPtrTy(), Field);
  Arena->setMetadata(LLVMContext::MD_invariant_load, MDNode::get(F.getContext(), {}));
  Arena->setMetadata(LLVMContext::MD_nonnull, MDNode::get(F.getContext(), {}));
  if (P.Offset == 0)
    return Arena;
  return Builder.CreateInBoundsGEP(Builder.getInt8Ty(), Arena, Builder.getInt64(P.Offset));
}

void SharedMemory::rewriteUses(GlobalVariable &Variable, Place &P) {
  DenseMap<Function *, Value *> Addresses;
  for (Use &U : make_early_inc_range(Variable.uses())) {
    auto *User = dyn_cast<Instruction>(U.getUser());
    if (!User)
      continue;
    Function *F = User->getFunction();
    P.Users.insert(F);
    Value *&Address = Addresses[F];
    if (!Address)
      Address = address(*F, P);
    U.set(Address);
  }
  Variable.removeDeadConstantUsers();
  if (!Variable.use_empty())
    Variable.getContext().emitError("kernix: the address of __shared__ variable '" + Variable.getName() +
                                    "' is used as a constant initialiser, which has no CPU target");
}

static bool leadsTo(const Constant &C, const SmallPtrSetImpl<Constant *> &Variables) {
  return any_of(C.operands(), [&](const Use &U) {
    auto *Part = cast<Constant>(U.get());
    return Variables.contains(Part) || (!isa<GlobalValue>(Part) && leadsTo(*Part, Variables));
  });
}

/// Stores a constant with one instruction for each of its scalars.
static void storeParts(IRBuilder<> &Builder, const DataLayout &DL, Constant *C, Value *To, uint64_t Offset) {
  auto *Struct = dyn_cast<StructType>(C->getType());
  auto *Array = dyn_cast<ArrayType>(C->getType());
  if (!Struct && !Array) {
    Builder.CreateStore(C, Offset ? Builder.CreateConstInBoundsGEP1_64(Builder.getInt8Ty(), To, Offset) : To);
    return;
  }
  uint64_t Count = Struct ? Struct->getNumElements() : Array->getNumElements();
  for (uint64_t K = 0; K < Count; ++K)
    storeParts(Builder, DL, C->getAggregateElement(K), To,
               Offset + (Struct ? DL.getStructLayout(Struct)->getElementOffset(K).getFixedValue()
                                : K * DL.getTypeAllocSize(Array->getElementType()).getFixedValue()));
}

/// What `T *buffers[] = {first, second};` is initialised from: each function that reads it gets a table of its own.
static void copyTables(Module &M, const SmallPtrSetImpl<Constant *> &Variables) {
  SmallVector<Constant *> Tables;
  for (GlobalVariable &Variable : M.globals())
    if (Variable.isConstant() && Variable.hasLocalLinkage() && Variable.hasInitializer() &&
        leadsTo(Variable, Variables))
      Tables.push_back(&Variable);
  convertUsersOfConstantsToInstructions(Tables);
  for (Constant *C : Tables) {
    auto *Table = cast<GlobalVariable>(C);
    DenseMap<Function *, Value *> Copies;
    for (Use &U : make_early_inc_range(Table->uses())) {
      auto *User = dyn_cast<Instruction>(U.getUser());
      if (!User)
        continue;
      Value *&Copy = Copies[User->getFunction()];
      if (!Copy) {
        IRBuilder<> Builder(&*User->getFunction()->getEntryBlock().begin());
        AllocaInst *Memory = Builder.CreateAlloca(Table->getValueType());
        Memory->setAlignment(std::max(Table->getAlign().valueOrOne(), Memory->getAlign()));
        Builder.SetInsertPointPastAllocas(User->getFunction());
        storeParts(Builder, M.getDataLayout(), Table->getInitializer(), Memory, 0);
        Copy = Memory;
      }
      U.set(Copy);
    }
    Table->removeDeadConstantUsers();
    if (Table->use_empty())
      Table->eraseFromParent();
  }
}

SharedMemory::SharedMemory(Module &M, const ObjectLayout &Layout) : Layout(Layout) {
  collect(M);
  if (Places.empty())
    return;
  SmallPtrSet<Constant *, 16> Variables;
  SmallVector<Constant *> List;
  for (auto &[Variable, P] : Places) {
    Variables.insert(Variable);
    List.push_back(Variable);
  }
  removeFromUsedLists(M, [&](Constant *C) { return Variables.contains(C->stripPointerCasts()); });
  copyTables(M, Variables);
  convertUsersOfConstantsToInstructions(List);
  for (auto &[Variable, P] : Places) {
    rewriteUses(*Variable, P);
    if (Variable->use_empty())
      Variable->eraseFromParent();
  }
}

bool SharedMemory::usedIn(const FunctionSet &Set) const {
  return any_of(Places, [&](const auto &Entry) {
    return any_of(Entry.second.Users, [&](const Function *F) { return Set.contains(F); });
  });
}

bool SharedMemory::isUsedBy(const Function &F) const {
  return any_of(Places, [&](const auto &Entry) { return Entry.second.Users.contains(&F); });
}

uint64_t SharedMemory::bytesUsedIn(const FunctionSet &Set) const {
  uint64_t Bytes = 0;
  for (const auto &[Variable, P] : Places)
    if (any_of(P.Users, [&](const Function *F) { return Set.contains(F); }))
      Bytes += P.Bytes;
  return Bytes;
}

} // namespace kernix
