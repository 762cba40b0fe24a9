//===- RuleEffects.cpp - what a function with a rule does with memory ---------------------------------------------===//
//
// Looks into a private copy of the helper that takes f's parameters by address, with everything inlined: what is behind
// those addresses is f's own, what is behind pointers in them is not. What it cannot see through counts as both read
// and written.
//
//===------------------------------------------------------------------------------------------------------------===//

#include "Derivative/Canonical/CalledCode.h"
#include "Derivative/Canonical/Raise.h"
#include "Derivative/CustomRules/CustomRules.h"
#include "Derivative/CustomRules/StoredPlaces.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;
using namespace kernix;

namespace {

/// More calls than this are not followed.
constexpr unsigned MostCalls = 2000;

void inlineAll(Function &F) {
  SmallVector<CallBase *, 16> Work;
  for (Instruction &I : instructions(F))
    if (auto *Call = dyn_cast<CallBase>(&I))
      Work.push_back(Call);
  for (unsigned Calls = 0; !Work.empty() && Calls < MostCalls; ++Calls) {
    CallBase *Call = Work.pop_back_val();
    if (raiseCall(*Call))
      continue;
    Function *Callee = Call->getCalledFunction();
    if (!Callee || Callee->isDeclaration() || Callee == &F)
      continue;
    InlineFunctionInfo Info;
    if (InlineFunction(*Call, Info).isSuccess())
      append_range(Work, Info.InlinedCallSites);
  }
}

/// Its own: a local variable, a parameter, the place of what it returns.
bool isOwn(const Value *Pointer) { return isa<Argument, AllocaInst>(getUnderlyingObject(Pointer, 0)); }

bool isConstant(const Value *Pointer) {
  const auto *Global = dyn_cast<GlobalVariable>(getUnderlyingObject(Pointer, 0));
  return Global && Global->isConstant();
}

/// Which numbers and pointers of f's parameters, and which variables, f writes itself.
class OwnWrites {
public:
  OwnWrites(CustomRule &Rule, const Function &F) : Rule(Rule), DL(F.getDataLayout()) {
    for (unsigned K = 0; K < Rule.Parameters.size(); ++K) {
      Places[F.getArg(K)] = &Rule.Parameters[K];
      for (RuleLeaf &Leaf : Rule.Parameters[K].Leaves)
        Leaf.MayChange = false;
    }
  }

  void add(const Instruction &I) {
    if (const auto *Store = dyn_cast<StoreInst>(&I)) {
      write(Store->getPointerOperand(), Store->getValueOperand()->getType());
      leave(Store->getValueOperand());
    } else if (const auto *Atomic = dyn_cast<AtomicRMWInst>(&I)) {
      write(Atomic->getPointerOperand(), Atomic->getType());
    } else if (const auto *Memory = dyn_cast<MemIntrinsic>(&I)) {
      const auto *Length = dyn_cast<ConstantInt>(Memory->getLength());
      write(Memory->getRawDest(), nullptr, Length ? std::optional(Length->getZExtValue()) : std::nullopt);
    } else if (!leavesPointersAlone(I)) {
      for (const Use &U : I.operands())
        if (U->getType()->isPointerTy())
          leave(U);
    }
  }

private:
  static bool leavesPointersAlone(const Instruction &I) {
    const auto *Intrinsic = dyn_cast<IntrinsicInst>(&I);
    return isa<LoadInst, GetElementPtrInst, AddrSpaceCastInst, PHINode, SelectInst, ICmpInst>(I) ||
           (Intrinsic && Intrinsic->isAssumeLikeIntrinsic());
  }

  /// Null: of an unknown type.
  void write(const Value *Pointer, Type *Written) {
    write(Pointer, Written, DL.getTypeStoreSize(Written).getFixedValue());
  }

  void write(const Value *Pointer, Type *Written, std::optional<uint64_t> Size) {
    APInt Offset(DL.getIndexTypeSizeInBits(Pointer->getType()), 0);
    const Value *Base = Pointer->stripAndAccumulateConstantOffsets(DL, Offset, /*AllowNonInbounds=*/true);
    SmallVector<const Value *, 4> Bases;
    getUnderlyingObjects(Pointer, Bases, nullptr, 0);
    for (const Value *Each : Bases) {
      bool IsKnown = Size && Each == Base;
      change(Each, IsKnown ? Offset.getSExtValue() : 0, IsKnown ? Size : std::nullopt);
      const auto *Variable = dyn_cast<GlobalVariable>(Each);
      if (Variable && !Variable->isConstant() && (!Written || Written->isFPOrFPVectorTy()))
        Rule.WrittenVariable = Variable;
    }
  }

  /// What has its address may write there.
  void leave(const Value *V) {
    if (!V->getType()->isPointerTy())
      return;
    SmallVector<const Value *, 4> Bases;
    getUnderlyingObjects(V, Bases, nullptr, 0);
    for (const Value *Each : Bases)
      change(Each, 0, std::nullopt);
  }

  void change(const Value *Place, int64_t Offset, std::optional<uint64_t> Size) {
    RuleParameter *P = Places.lookup(Place);
    if (!P)
      return;
    for (RuleLeaf &Leaf : P->Leaves) {
      auto Bytes = static_cast<int64_t>(DL.getTypeStoreSize(Leaf.Type));
      Leaf.MayChange |= !Size || (Leaf.Offset < Offset + static_cast<int64_t>(*Size) && Offset < Leaf.Offset + Bytes);
    }
  }

  CustomRule &Rule;
  const DataLayout &DL;
  DenseMap<const Value *, RuleParameter *> Places;
};

} // namespace

/// Whether something looks at V: through variables, and what is returned to those who call.
static bool isLookedAt(const Value &V, SmallPtrSetImpl<const Value *> &Seen) {
  if (!Seen.insert(&V).second)
    return false;
  return any_of(V.users(), [&](const User *U) {
    if (isa<CastInst, FreezeInst>(U))
      return isLookedAt(*U, Seen);
    if (const auto *Return = dyn_cast<ReturnInst>(U))
      return any_of(Return->getFunction()->users(), [&](const User *Caller) {
        const auto *Call = dyn_cast<CallBase>(Caller);
        return !Call || Call->getCalledFunction() != Return->getFunction() || isLookedAt(*Call, Seen);
      });
    const auto *Store = dyn_cast<StoreInst>(U);
    const auto *Variable = Store ? dyn_cast<AllocaInst>(Store->getPointerOperand()) : nullptr;
    return !Variable || Variable == &V || any_of(Variable->users(), [&](const User *Other) {
      return isa<LoadInst>(Other) ? isLookedAt(*Other, Seen)
                                  : !isa<StoreInst>(Other) && !cast<Instruction>(Other)->isLifetimeStartOrEnd();
    });
  });
}

static bool isLookedAt(const Instruction &I) {
  SmallPtrSet<const Value *, 8> Seen;
  return isLookedAt(I, Seen);
}

/// Integers have one sum in any order, and so have minima; what an operation returns depends on what came before it. A
/// loop around an exchange may add anything.
static bool dependsOnOrder(const Instruction &I) {
  if (isa<AtomicCmpXchgInst>(I))
    return true;
  if (const auto *Atomic = dyn_cast<AtomicRMWInst>(&I)) {
    AtomicRMWInst::BinOp Operation = Atomic->getOperation();
    return Operation == AtomicRMWInst::FAdd || Operation == AtomicRMWInst::FSub || Operation == AtomicRMWInst::Xchg ||
           isLookedAt(I);
  }
  const auto *Call = dyn_cast<CallBase>(&I);
  if (const auto *Assembly = Call ? dyn_cast<InlineAsm>(Call->getCalledOperand()) : nullptr)
    return Assembly->getAsmString().contains("atom") || Assembly->getAsmString().contains("red.");
  const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
  return Callee && Callee->getName().starts_with("llvm.nvvm.atomic") &&
         (I.getType()->isFloatingPointTy() || isLookedAt(I));
}

bool kernix::addsAtomically(const Function &F) { return anyInCalledCode(F, dependsOnOrder); }

void kernix::simplifyWhole(Function &F, FunctionAnalysisManager &FAM) {
  for (unsigned Round = 0; Round < 2; ++Round) { // function pointers in registers are followed in the second
    inlineAll(F);
    FunctionPassManager Passes;
    Passes.addPass(SROAPass(SROAOptions::ModifyCFG));
    Passes.addPass(EarlyCSEPass());
    Passes.addPass(SimplifyCFGPass());
    Passes.addPass(InstCombinePass());
    FAM.invalidate(F, PreservedAnalyses::none());
    FAM.invalidate(F, Passes.run(F, FAM));
  }
}

void kernix::findMemoryEffects(CustomRule &Rule, FunctionAnalysisManager &FAM) {
  ValueToValueMapTy Map;
  Function *Copy = CloneFunction(Rule.Primal, Map);
  Copy->setLinkage(GlobalValue::InternalLinkage);
  Copy->setComdat(nullptr);
  Copy->removeFnAttr(Attribute::OptimizeNone);
  Copy->removeFnAttr(Attribute::NoInline);
  simplifyWhole(*Copy, FAM);
  bool Reads = false, Writes = false, Stores = false;
  OwnWrites Own(Rule, *Copy);
  for (const Instruction &I : instructions(*Copy)) {
    Own.add(I);
    // What ends the launch, as a check of bounds does, is met by nobody who could see what it wrote.
    if (isa<UnreachableInst>(I.getParent()->getTerminator()))
      continue;
    if (const auto *Load = dyn_cast<LoadInst>(&I)) {
      Reads |= Load->isVolatile() || !(isOwn(Load->getPointerOperand()) || isConstant(Load->getPointerOperand()));
    } else if (const auto *Store = dyn_cast<StoreInst>(&I)) {
      Stores |= Store->isVolatile() || !isOwn(Store->getPointerOperand());
    } else if (const auto *Memory = dyn_cast<MemIntrinsic>(&I)) {
      Stores |= !isOwn(Memory->getRawDest());
      if (const auto *Transfer = dyn_cast<MemTransferInst>(Memory))
        Reads |= !isOwn(Transfer->getRawSource()) && !isConstant(Transfer->getRawSource());
    } else if (const auto *Intrinsic = dyn_cast<IntrinsicInst>(&I); Intrinsic && Intrinsic->isAssumeLikeIntrinsic()) {
      continue;
    } else if (I.mayReadOrWriteMemory()) {
      Reads = true;
      (isa<AtomicRMWInst>(I) ? Writes : Stores) |= I.mayWriteToMemory();
    }
  }
  Rule.ReadsMemory = Reads;
  Rule.WritesMemory = Writes || Stores;
  Rule.StoresMemory = Stores;
  FAM.clear(*Copy, Copy->getName());
  Copy->eraseFromParent();
}
