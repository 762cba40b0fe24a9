//===- SharedVariables.cpp - __shared__ variables and their shadows ---------------------------------------------===//

#include "Derivative/Shared/SharedVariables.h"
#include "Derivative/Accumulation/FloatGradients.h"
#include "Derivative/Canonical/Collectives.h"
#include "Derivative/Canonical/Geometry.h"
#include "Derivative/Launch/LaunchFacts.h"
#include "Derivative/Shared/SharedPools.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/ReplaceConstant.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;
using namespace kernix;

static Value *geometry(IRBuilder<> &B, StringRef Name) {
  return B.CreateCall(declareGeometry(*B.GetInsertBlock()->getModule(), *findGeometry(Name)));
}

bool kernix::isDynamicShared(const GlobalVariable &Global) {
  const auto *Array = dyn_cast<ArrayType>(Global.getValueType());
  return Global.isDeclaration() && Array && !Array->getNumElements() && !Global.getName().starts_with("_ZTV");
}

bool kernix::isSharedVariable(const GlobalVariable &Global) {
  if (Global.getParent()->getTargetTriple().isNVPTX())
    return Global.getAddressSpace() == 3;
  // No other variable of device code is left without an initialiser.
  return isDynamicShared(Global) ||
         (Global.hasInitializer() && isa<UndefValue>(Global.getInitializer()) && !Global.isConstant());
}

void kernix::joinDynamicShared(Function &F) {
  SmallSetVector<GlobalVariable *, 4> Names;
  for (const Instruction &I : instructions(F))
    for (const Use &Operand : I.operands())
      if (auto *Name = dyn_cast<GlobalVariable>(getUnderlyingObject(Operand.get(), /*MaxLookup=*/0));
          Name && isSharedVariable(*Name) && isDynamicShared(*Name))
        Names.insert(Name);
  if (Names.size() < 2)
    return;
  auto AlignmentOf = [](const GlobalVariable *Name) { return Name->getAlign().valueOrOne(); };
  GlobalVariable *Kept = *max_element(
      Names, [&](const GlobalVariable *A, const GlobalVariable *B) { return AlignmentOf(A) < AlignmentOf(B); });
  for (GlobalVariable *Name : Names) {
    if (Name == Kept)
      continue;
    convertUsersOfConstantsToInstructions(Name, &F);
    Name->replaceUsesWithIf(Kept, [&](const Use &U) {
      const auto *User = dyn_cast<Instruction>(U.getUser());
      return User && User->getFunction() == &F;
    });
  }
}

void kernix::addToShared(IRBuilder<> &B, Value *Place, Value *Added) {
  Module &M = *B.GetInsertBlock()->getModule();
  SyncScope::ID Scope = B.getContext().getOrInsertSyncScopeID(M.getTargetTriple().isNVPTX() ? "block" : "");
  B.CreateAtomicRMW(AtomicRMWInst::FAdd, Place, Added, Align(M.getDataLayout().getTypeStoreSize(Added->getType())),
                    AtomicOrdering::Monotonic, Scope);
}

Value *SharedShadows::of(const MemoryObject &O) {
  Value *&Shadow = Shadows[&O];
  if (Shadow)
    return Shadow;
  auto *Variable = const_cast<GlobalVariable *>(cast<GlobalVariable>(O.Base));
  if (isDynamicShared(*Variable)) {
    if (!Part) { // there is only one such variable: joinDynamicShared
      Parts = 1 + Floats.times(O);
      Part = Entry.CreateUDiv(geometry(Entry, "dynamic_shared_size"), Entry.getInt32(Parts));
    }
    return Shadow = Entry.CreateGEP(Entry.getInt8Ty(), Variable, Part);
  }
  Type *T = Variable->getValueType();
  MaybeAlign Alignment = Variable->getAlign();
  if (Floats.contains(O)) {
    T = typeOfFloatShadow(T, O.Scalar, Body.getDataLayout());
    Alignment = alignOfFloatShadow(Alignment.valueOrOne());
  }
  auto *Copy = new GlobalVariable(*Body.getParent(), T, false, GlobalValue::InternalLinkage, UndefValue::get(T),
                                  ShadowName + Variable->getName(), nullptr, Variable->getThreadLocalMode(),
                                  Variable->getAddressSpace());
  Copy->setAlignment(Alignment);
  return Shadow = Copy;
}

void SharedShadows::divideDynamic() {
  // A backward kernel has parts of its own.
  unsigned OfPrimal = Request.FactsOfPrimal ? std::max(launchFact(*Request.FactsOfPrimal, DynamicSharedFactor), 1U) : 1;
  if (Request.Facts)
    setLaunchFact(Request, DynamicSharedFactor, Parts * OfPrimal);
  if (!Part)
    return;
  const Value *Own = cast<Instruction>(Part)->getOperand(0);
  for (Instruction &I : make_early_inc_range(instructions(Body)))
    if (auto *Call = dyn_cast<CallInst>(&I); Call && Call != Own && Call->getCalledFunction() &&
                                             Call->getCalledFunction()->getName() == "kernix.dynamic_shared_size") {
      Call->replaceAllUsesWith(Part);
      Call->eraseFromParent();
    }
}

void SharedShadows::clearAll(BasicBlock &First) {
  if (Shadows.empty())
    return;
  const DataLayout &DL = Body.getDataLayout();
  IRBuilder<> B(First.getTerminator());
  auto Product = [&](Value *X, Value *Y) { return B.CreateMul(X, Y, "", true, true); };
  Value *Rows = B.CreateAdd(geometry(B, "thread_idx.y"),
                            Product(geometry(B, "thread_idx.z"), geometry(B, "block_dim.y")), "", true, true);
  Value *Own = B.CreateAdd(geometry(B, "thread_idx.x"), Product(Rows, geometry(B, "block_dim.x")), "", true, true);
  Value *Threads = Product(geometry(B, "block_dim.x"), Product(geometry(B, "block_dim.y"), geometry(B, "block_dim.z")));
  BasicBlock *At = &First;
  auto Clear = [&](Value *Shadow, Value *Count, Type *Word, bool IsOnly) {
    BasicBlock *Next = SplitBlock(At, At->getTerminator()->getIterator());
    BasicBlock *Header = BasicBlock::Create(Body.getContext(), "clear", &Body, Next);
    BasicBlock *Step = BasicBlock::Create(Body.getContext(), "clear.step", &Body, Next);
    At->getTerminator()->setSuccessor(0, Header);
    B.SetInsertPoint(Header);
    PHINode *Index = B.CreatePHI(B.getInt32Ty(), 2);
    B.CreateCondBr(B.CreateICmpULT(Index, Count), Step, Next);
    B.SetInsertPoint(Step);
    StoreInst *Zero = B.CreateStore(Constant::getNullValue(Word), B.CreateInBoundsGEP(Word, Shadow, Index));
    if (!IsOnly)
      Zero->setMetadata(ClearMark, MDNode::get(B.getContext(), {}));
    Index->addIncoming(Own, At);
    Index->addIncoming(B.CreateAdd(Index, Threads, "", true, true), Step);
    B.CreateBr(Header);
    At = Next;
  };
  for (auto [O, Shadow] : Shadows) {
    const auto *Copy = dyn_cast<GlobalVariable>(Shadow);
    // As what they are, if it is known: a second derivative reads this.
    Type *Word = O->Scalar ? Floats.typeIn(*O, O->Scalar) : B.getInt8Ty();
    // Of several types the smallest: zeros of it are zeros of the others.
    bool IsOnly = true;
    if (!O->Scalar)
      if (Type *Number = numberIn(Copy ? *Copy : *cast<GlobalVariable>(O->Base), Body, IsOnly);
          Number && (!Copy || DL.getTypeAllocSize(Copy->getValueType()) % DL.getTypeAllocSize(Number) == 0))
        Word = Number;
    IsOnly &= Word->isFloatingPointTy();
    if (O->IsPool && !Copy && !Word->isFloatingPointTy()) // what is not a multiple of it holds no number
      Word = B.getInt32Ty();
    uint64_t Width = DL.getTypeStoreSize(Word);
    if (!Copy) {
      B.SetInsertPoint(At->getTerminator());
      Value *Size = B.CreateMul(Part, B.getInt32(Parts - 1), "", true, true);
      Clear(Shadow, B.CreateUDiv(Size, B.getInt32(static_cast<uint32_t>(Width))), Word, IsOnly);
      continue;
    }
    uint64_t Size = DL.getTypeAllocSize(Copy->getValueType());
    if (!Word->isFloatingPointTy() && Size % 4 == 0 && Copy->getAlign().valueOrOne() >= Align(4))
      Word = B.getInt32Ty();
    Clear(Shadow, B.getInt32(static_cast<uint32_t>(Size / DL.getTypeStoreSize(Word))), Word, IsOnly);
  }
  B.SetInsertPoint(At->getTerminator());
  createBarrier(B);
}

void kernix::checkSharedSizes(const Prepared &P, MemoryObjects &Objects, Activity &Active, const FloatShadows &Floats,
                              Refusals &Refused) {
  SmallPtrSet<const MemoryObject *, 8> Seen;
  uint64_t Own = 0, Shadows = 0;
  const Instruction *Largest = nullptr;
  for (const Instruction &I : instructions(*P.F)) {
    MemoryAccess Access = accessOf(I);
    if (!Access.Pointer)
      continue;
    for (const MemoryObject *O : Objects.of(Access.Pointer)) {
      if (O->Kind != MemoryObject::Shared || !Seen.insert(O).second)
        continue;
      const auto *Variable = cast<GlobalVariable>(O->Base);
      if (isDynamicShared(*Variable))
        continue;
      uint64_t Size = I.getDataLayout().getTypeAllocSize(Variable->getValueType());
      Own += Size;
      Shadows += Active.isActive(O) ? Size * Floats.times(*O) : 0;
      Largest = Largest ? Largest : &I;
    }
  }
  if (Shadows && Own + Shadows > MostStaticBytes)
    Refused.error(*Largest, "its __shared__ variables have " + Twine(Own) + " bytes and their derivatives " +
                                Twine(Shadows) + ", more than the " + Twine(MostStaticBytes) +
                                " that a kernel may declare; use dynamic shared memory or smaller tiles");
}

uint64_t kernix::roomForShared(const Prepared &P, MemoryObjects &Objects, const FloatShadows &Floats) {
  SmallPtrSet<const MemoryObject *, 8> Seen;
  uint64_t Used = 0;
  for (const Instruction &I : instructions(*P.F))
    if (MemoryAccess Access = accessOf(I); Access.Pointer)
      for (const MemoryObject *O : Objects.of(Access.Pointer))
        if (O->Kind == MemoryObject::Shared && Seen.insert(O).second)
          if (const auto *Variable = cast<GlobalVariable>(O->Base); !isDynamicShared(*Variable))
            Used += I.getDataLayout().getTypeAllocSize(Variable->getValueType()) * (1 + Floats.times(*O));
  return Used < MostStaticBytes ? MostStaticBytes - Used : 0;
}
