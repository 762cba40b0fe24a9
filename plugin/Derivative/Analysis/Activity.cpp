//===- Activity.cpp - what depends on the inputs and matters to the outputs -------------------------------------===//

#include "Derivative/Analysis/Activity.h"
#include "Derivative/Analysis/Constants.h"
#include "Derivative/Analysis/ReferenceLayout.h"
#include "Derivative/Canonical/Collectives.h"
#include "Derivative/CustomRules/ConstantViews.h"
#include "Derivative/Prepare/SourceReads.h"
#include "Derivative/Rules/Rule.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace kernix;

MemoryAccess kernix::accessOf(const Instruction &I) {
  if (const auto *Load = dyn_cast<LoadInst>(&I))
    return {Load->getPointerOperand(), nullptr, Load->getType()};
  if (const auto *Store = dyn_cast<StoreInst>(&I))
    return {Store->getPointerOperand(), Store->getValueOperand(), Store->getValueOperand()->getType()};
  if (const auto *Atomic = dyn_cast<AtomicRMWInst>(&I))
    return {Atomic->getPointerOperand(), Atomic->getValOperand(), Atomic->getValOperand()->getType()};
  if (const auto *Exchange = dyn_cast<AtomicCmpXchgInst>(&I))
    return {Exchange->getPointerOperand(), Exchange->getNewValOperand(), Exchange->getNewValOperand()->getType()};
  return {};
}

bool kernix::propagates(const Instruction &I) {
  switch (I.getOpcode()) {
  case Instruction::FCmp:
  case Instruction::ICmp:
  case Instruction::FPToSI:
  case Instruction::FPToUI:
  case Instruction::GetElementPtr:
    return false;
  default:
    break;
  }
  if (const auto *Call = dyn_cast<CallBase>(&I)) {
    const Function *Callee = Call->getCalledFunction();
    if (Callee && (isConstantMark(*Callee) || Callee->getName().starts_with("kernix.match_")))
      return false; // which lanes have the same bits is no number
    const Rule *R = Callee ? findRule(*Callee) : nullptr;
    return !R || R->Scale;
  }
  return true;
}

/// Bits of a number without those of its fraction, which are the same all around it: (__float_as_int(x) >> 23) & 255.
static bool isExponent(const Instruction &I, MemoryObjects &Objects) {
  const Value *Bits = nullptr;
  const APInt *Constant = nullptr;
  bool Shifts = match(&I, m_Shr(m_Value(Bits), m_APInt(Constant)));
  if (!Shifts && !match(&I, m_And(m_Value(Bits), m_APInt(Constant))))
    return false;
  const Type *Number = nullptr;
  if (const auto *Cast = dyn_cast<BitCastInst>(Bits)) {
    Number = Cast->getSrcTy();
  } else if (const auto *Load = dyn_cast<LoadInst>(Bits)) {
    for (const MemoryObject *O : Objects.of(Load->getPointerOperand())) {
      if (!O->Scalar || (Number && Number != O->Scalar))
        return false;
      Number = O->Scalar;
    }
  }
  if (!Number || !Number->isFloatingPointTy() || Number->getScalarSizeInBits() != I.getType()->getScalarSizeInBits())
    return false;
  unsigned Fraction = static_cast<unsigned>(Number->getFPMantissaWidth()) - 1;
  return Shifts ? Constant->uge(Fraction) : Constant->countr_zero() >= Fraction;
}

/// Bytes may be part of anything.
static bool mayHoldNumbers(const Type &T) {
  return T.isFPOrFPVectorTy() || T.isIntegerTy(8) ||
         any_of(T.subtypes(), [](const Type *Part) { return mayHoldNumbers(*Part); });
}

bool kernix::mayHoldNumbers(const MemoryObject &O) {
  if (const auto *Variable = dyn_cast<AllocaInst>(O.Base))
    return ::mayHoldNumbers(*Variable->getAllocatedType());
  if (O.Kind == MemoryObject::Global)
    return ::mayHoldNumbers(*cast<GlobalVariable>(O.Base)->getValueType());
  return O.Kind == MemoryObject::Shared || (O.isTensorLike() && O.TheLeaf->Active);
}

/// Memory of the function's own that a call may leave numbers in for what comes after it.
static bool keepsNumbers(const MemoryObject &O) {
  bool IsOwn = O.Kind == MemoryObject::Local || O.Kind == MemoryObject::Shared || O.Kind == MemoryObject::Global;
  return IsOwn && mayHoldNumbers(O);
}

static bool isLeafVaried(const Leaf &L) { return L.Active && L.Kind == Leaf::Value; }

Activity::Activity(const Prepared &P, const DerivativeRequest &Request, MemoryObjects &Objects)
    : Request(Request), Objects(Objects) {
  findSeparate(P);
  for (const Instruction &I : instructions(*P.F))
    if (MemoryAccess Access = accessOf(I); Access.Pointer)
      for (const MemoryObject *O : Objects.of(Access.Pointer))
        if (O->isTensorLike() && O->TheLeaf->Active) {
          if (O->TheLeaf->Access != Leaf::Out)
            VariedObjects.insert(O);
          if (O->TheLeaf->Access != Leaf::In)
            UsefulObjects.insert(O);
        }
  bool Changed = true;
  while (Changed) {
    Changed = false;
    for (const Instruction &I : instructions(*P.F))
      Changed |= vary(I);
  }
  Changed = true;
  while (Changed) {
    Changed = false;
    for (const BasicBlock &Block : *P.F)
      for (const Instruction &I : reverse(Block))
        Changed |= use(I);
  }
}

SmallVector<const Value *, 2> kernix::pointersRead(const Instruction &I, const CustomRules *Rules) {
  SmallVector<const Value *, 2> Result;
  if (MemoryAccess Access = accessOf(I); Access.Pointer && !isa<StoreInst>(I))
    Result.push_back(Access.Pointer);
  else if (const auto *Copy = dyn_cast<MemTransferInst>(&I))
    Result.push_back(Copy->getRawSource());
  else if (const CustomRule *Rule = ruleOf(&I, Rules))
    forEachArgument(*Rule, [&](const RuleArgument &A) {
      if (A.Leaf->Type->isPointerTy())
        Result.push_back(cast<CallBase>(I).getArgOperand(A.Index));
    });
  return Result;
}

SmallVector<const Value *, 2> kernix::pointersWritten(const Instruction &I, const CustomRules *Rules) {
  SmallVector<const Value *, 2> Result;
  if (MemoryAccess Access = accessOf(I); Access.Pointer && Access.Stored)
    Result.push_back(Access.Pointer);
  else if (const auto *Copy = dyn_cast<MemIntrinsic>(&I))
    Result.push_back(Copy->getRawDest());
  else if (const CustomRule *Rule = ruleOf(&I, Rules))
    forEachArgument(*Rule, [&](const RuleArgument &A) {
      if (mayWrite(*Rule, A))
        Result.push_back(cast<CallBase>(I).getArgOperand(A.Index));
    });
  return Result;
}

bool Activity::varyRule(const CallBase &Call, const CustomRule &Rule) {
  const bool HoldsGradient = Rule.holdsGradient() && !isOnConstantView(Call);
  bool Found = false, Changed = false;
  forEachArgument(Rule, [&](const RuleArgument &A) {
    const Value *V = Call.getArgOperand(A.Index);
    Found |= A.hasDerivative() && Varied.contains(V);
    // Numbers of a tensor whose gradient the object knows.
    Found |= HoldsGradient && A.Parameter->HoldsGradient && A.Leaf->Type->isPointerTy();
    if (A.hasShadow())
      for (const MemoryObject *O : Objects.of(V))
        Found |= VariedObjects.contains(O) ||
                 (O->isTensorLike() && O->TheLeaf->Active && (O->TheLeaf->Access != Leaf::Out || mayWrite(Rule, A)));
  });
  if (Found)
    Changed |= VariedRules.insert(&Call).second;
  // An object that holds its gradients has them whatever the request says.
  if (!Found && !HoldsGradient)
    return false;
  Changed |= Varied.insert(&Call).second;
  forEachArgument(Rule, [&](const RuleArgument &A) {
    if (!mayWrite(Rule, A))
      return;
    if (A.hasShadow())
      for (const MemoryObject *O : Objects.of(Call.getArgOperand(A.Index)))
        Changed |= VariedObjects.insert(O).second;
    else if (Found && !A.Parameter->IsNoDiff)
      for (const MemoryObject *O : Objects.seen(Call.getArgOperand(A.Index)))
        Changed |= keepsNumbers(*O) && VariedObjects.insert(O).second;
  });
  return Changed;
}

bool Activity::useRule(const CallBase &Call, const CustomRule &Rule) {
  bool Found = Useful.contains(&Call) ||
               (Rule.holdsGradient() && !isOnConstantView(Call) && (Rule.WritesMemory || Call.getType()->isVoidTy()));
  bool Changed = false;
  forEachArgument(Rule, [&](const RuleArgument &A) {
    if (A.hasShadow() && mayWrite(Rule, A))
      for (const MemoryObject *O : Objects.of(Call.getArgOperand(A.Index)))
        Found |= UsefulObjects.contains(O) || O->Kind != MemoryObject::Local;
  });
  if (!Found)
    return false;
  Changed |= Useful.insert(&Call).second;
  forEachArgument(Rule, [&](const RuleArgument &A) {
    const Value *V = Call.getArgOperand(A.Index);
    if (A.hasDerivative() && !isa<llvm::Constant>(V))
      Changed |= Useful.insert(V).second;
    if (A.hasShadow())
      for (const MemoryObject *O : Objects.of(V))
        Changed |= UsefulObjects.insert(O).second;
  });
  return Changed;
}

/// In a struct of mixed types the integers have nothing to do with the numbers, if every access keeps to what is
/// declared there.
void Activity::findSeparate(const Prepared &P) {
  MapVector<const MemoryObject *, SmallVector<const Instruction *, 4>> Beside;
  DenseSet<const MemoryObject *> Mixed;
  auto Mix = [&](const Value *Pointer) {
    for (const MemoryObject *O : Objects.of(Pointer))
      Mixed.insert(O);
  };
  for (const Instruction &I : instructions(*P.F)) {
    MemoryAccess Access = accessOf(I);
    if (!Access.Pointer) {
      if (const auto *Call = dyn_cast<CallBase>(&I))
        for (const Use &Argument : Call->args())
          if (Argument->getType()->isPointerTy())
            Mix(Argument);
      continue;
    }
    if (Access.Stored && Access.Stored->getType()->isPointerTy())
      Mix(Access.Stored);
    auto All = Objects.of(Access.Pointer);
    for (const MemoryObject *O : All) {
      if (O->IsPool) {
        if (All.size() > 1)
          Mixed.insert(O);
        else if (!Access.Type->isFloatingPointTy())
          Beside[O].push_back(&I);
        continue;
      }
      const auto *Variable = dyn_cast<AllocaInst>(O->Base);
      bool IsReference = O->Kind == MemoryObject::Reference;
      if (!IsReference && (!Variable || O->Scalar))
        continue;
      const uint64_t Size = P.F->getDataLayout().getTypeStoreSize(Access.Type).getFixedValue();
      LocalCell Cell = IsReference ? cellInReference(Access.Pointer, *O, Size, Objects, P.F->getDataLayout())
                                   : cellInLocal(Access.Pointer, *Variable, Size);
      bool IsNumber = Access.Type->isFloatingPointTy();
      if (All.size() > 1 || Cell.Kind != (IsNumber ? LocalCell::Number : LocalCell::Beside) ||
          (IsNumber && Cell.Scalar != Access.Type))
        Mixed.insert(O);
      else if (!IsNumber)
        Beside[O].push_back(&I);
    }
  }
  for (auto &[O, Accesses] : Beside)
    if (!Mixed.contains(O))
      Separate.insert_range(Accesses);
}

bool Activity::vary(const Instruction &I) {
  if (const CustomRule *Rule = ruleOf(&I, Objects.rules()))
    return varyRule(cast<CallBase>(I), *Rule);
  if (const CallBase *Call = ruleCallOf(&I, Objects.rules())) {
    RuleResult R = resultOf(cast<ExtractValueInst>(I), *ruleOf(Call, Objects.rules()));
    return ((Varied.contains(Call) && R.hasDerivative()) || (isVariedRule(*Call) && R.isWithoutGradient())) &&
           Varied.insert(&I).second;
  }
  MemoryAccess Access = accessOf(I);
  if (Separate.contains(&I)) {
    if (!Access.Stored || !Varied.contains(Access.Stored))
      return false;
    // An integer that carries bits of a number with a derivative: they are no strangers.
    for (const MemoryObject *O : Objects.of(Access.Pointer))
      for (const Instruction &Other : instructions(*I.getFunction()))
        if (Separate.contains(&Other) && is_contained(Objects.of(accessOf(Other).Pointer), O))
          Separate.erase(&Other);
  }
  if (Access.Pointer && Access.Stored) {
    // An atomic operation both reads and writes.
    bool Changed = false;
    if (Varied.contains(Access.Stored))
      for (const MemoryObject *O : Objects.of(Access.Pointer))
        Changed |= VariedObjects.insert(O).second;
    if (!isa<StoreInst>(I))
      for (const MemoryObject *O : Objects.of(Access.Pointer))
        if (VariedObjects.contains(O) || (O->isTensorLike() && O->TheLeaf->Active && O->TheLeaf->Access != Leaf::Out))
          Changed |= Varied.insert(&I).second;
    return Changed;
  }
  if (Access.Pointer) {
    if (Varied.contains(&I) || Access.Type->isPointerTy())
      return false;
    for (const MemoryObject *O : Objects.of(Access.Pointer)) {
      bool Found = VariedObjects.contains(O);
      if (O->Kind == MemoryObject::Parameter) {
        bool Exact = false;
        const Leaf *L = Objects.leafAt(Access.Pointer, *O, I.getDataLayout().getTypeStoreSize(Access.Type), Exact);
        Found = L && isLeafVaried(*L);
      } else if (O->isTensorLike()) {
        Found |= O->TheLeaf->Active && O->TheLeaf->Access != Leaf::Out;
      }
      if (Found) {
        VariedObjects.insert(O);
        return Varied.insert(&I).second;
      }
    }
    return false;
  }
  if (const auto *Copy = dyn_cast<MemTransferInst>(&I)) {
    bool Found = false, Changed = false;
    for (const MemoryObject *O : Objects.of(Copy->getRawSource()))
      Found |=
          VariedObjects.contains(O) || (O->isTensorLike() && O->TheLeaf->Active && O->TheLeaf->Access != Leaf::Out) ||
          (O->Kind == MemoryObject::Parameter && any_of(Request.Parameters[O->ParameterIndex].Leaves, isLeafVaried));
    if (Found)
      for (const MemoryObject *O : Objects.of(Copy->getRawDest()))
        Changed |= VariedObjects.insert(O).second;
    return Changed;
  }
  if (Varied.contains(&I) || I.getType()->isVoidTy() || !propagates(I) || isExponent(I, Objects))
    return false;
  auto Operands = I.operands();
  const auto *Select = dyn_cast<SelectInst>(&I);
  for (const Use &Operand : Operands)
    if (Varied.contains(Operand) && !(Select && Operand == Select->getCondition()))
      return Varied.insert(&I).second;
  // A callee that is not known may read what its pointers point to.
  if (const auto *Call = dyn_cast<CallBase>(&I); Call && !Call->doesNotAccessMemory())
    for (const Use &Argument : Call->args())
      if (Argument->getType()->isPointerTy())
        for (const MemoryObject *O : Objects.of(Argument))
          if (VariedObjects.contains(O))
            return Varied.insert(&I).second;
  return false;
}

bool Activity::use(const Instruction &I) {
  if (const CustomRule *Rule = ruleOf(&I, Objects.rules()))
    return useRule(cast<CallBase>(I), *Rule);
  if (const CallBase *Call = ruleCallOf(&I, Objects.rules()))
    return Useful.contains(&I) && resultOf(cast<ExtractValueInst>(I), *ruleOf(Call, Objects.rules())).hasDerivative() &&
           Useful.insert(Call).second;
  // Its gradient is assigned, though it be zero.
  if (isReadMark(I))
    return Useful.insert(I.getOperand(0)).second;
  if (Separate.contains(&I))
    return false;
  MemoryAccess Access = accessOf(I);
  if (Access.Pointer && Access.Stored) {
    bool Found = false;
    for (const MemoryObject *O : Objects.of(Access.Pointer))
      Found |= UsefulObjects.contains(O) ||
               (O->isTensorLike() && O->TheLeaf->Active && O->TheLeaf->Access != Leaf::In) ||
               O->Kind == MemoryObject::Global || O->Kind == MemoryObject::Opaque || O->Kind == MemoryObject::Unknown;
    // What an atomic operation returns comes from the memory it works on.
    bool Changed = false;
    if (!isa<StoreInst>(I) && Useful.contains(&I)) {
      Found = true;
      for (const MemoryObject *O : Objects.of(Access.Pointer))
        Changed |= UsefulObjects.insert(O).second;
    }
    if (Found)
      for (const MemoryObject *O : Objects.of(Access.Pointer))
        Changed |= UsefulObjects.insert(O).second;
    return (Found && Useful.insert(Access.Stored).second) || Changed;
  }
  if (const auto *Copy = dyn_cast<MemTransferInst>(&I)) {
    bool Found = false, Changed = false;
    for (const MemoryObject *O : Objects.of(Copy->getRawDest()))
      Found |= UsefulObjects.contains(O) || (O->isTensorLike() && O->TheLeaf->Active && O->TheLeaf->Access != Leaf::In);
    if (Found)
      for (const MemoryObject *O : Objects.of(Copy->getRawSource()))
        Changed |= UsefulObjects.insert(O).second;
    return Changed;
  }
  bool Opaque = false;
  if (const auto *Call = dyn_cast<CallBase>(&I)) {
    const Function *Callee = Call->getCalledFunction();
    Opaque = !(Callee && (findRule(*Callee) || isCollective(*Callee))) && !Call->onlyReadsMemory();
  }
  if (!Useful.contains(&I) && !Opaque)
    return false;
  bool Changed = false;
  if (Access.Pointer) {
    for (const MemoryObject *O : Objects.of(Access.Pointer))
      Changed |= UsefulObjects.insert(O).second;
    return Changed;
  }
  if (!propagates(I) || isExponent(I, Objects))
    return false;
  const auto *Select = dyn_cast<SelectInst>(&I);
  for (const Use &Operand : I.operands())
    if (!isa<Constant, BasicBlock>(Operand) && !(Select && Operand == Select->getCondition()))
      Changed |= Useful.insert(Operand).second;
  return Changed;
}

bool Activity::isActiveAccess(const Instruction &I) {
  MemoryAccess Access = accessOf(I);
  if (!Access.Pointer || Separate.contains(&I))
    return false;
  if (!Access.Stored)
    return isActive(&I);
  for (const MemoryObject *O : Objects.of(Access.Pointer))
    if (isActive(O))
      return true;
  return isActive(Access.Stored);
}
