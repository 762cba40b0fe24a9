//===- Memory.cpp - the memory objects of a prepared function ---------------------------------------------------===//

#include "Derivative/Analysis/Memory.h"
#include "Derivative/CustomRules/RuleCalls.h"
#include "Derivative/Prepare/LocalLayout.h"
#include "Derivative/Shared/SharedPools.h"
#include "Derivative/Shared/SharedVariables.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/CaptureTracking.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"

using namespace llvm;
using namespace kernix;

MemoryObjects::MemoryObjects(const Prepared &P, const DerivativeRequest &Request, bool AsPrepared)
    : P(P), Request(Request), AsPrepared(AsPrepared) {}
MemoryObjects::~MemoryObjects() = default;

/// A pointer that a parameter passed by value holds and that is not differentiated.
bool MemoryObjects::isInactivePointer(const Value *Base) {
  const auto *Load = dyn_cast<LoadInst>(Base);
  if (!Load)
    return isa<ConstantPointerNull, UndefValue>(Base);
  const MemoryObject *Holder = only(Load->getPointerOperand());
  if (!Holder || Holder->Kind != MemoryObject::Parameter)
    return false;
  const auto &Leaves = Request.Parameters[Holder->ParameterIndex].Leaves;
  APInt Offset(64, 0);
  const Value *Start = Load->getPointerOperand()->stripAndAccumulateConstantOffsets(P.F->getDataLayout(), Offset, true);
  return none_of(Leaves, [&](const Leaf &L) {
    return L.Kind == Leaf::Pointer && L.Active && (Start != Holder->Base || L.Offset == Offset.getSExtValue());
  });
}

/// As the source says it: functions' own variables have mangled names. To a second derivative a first one's shadow is a
/// variable, too.
static std::string nameOfVariable(const GlobalVariable &Global) {
  StringRef Mangled = Global.getName();
  const bool IsShadow = Mangled.consume_front(ShadowName);
  if (IsShadow) // LLVM numbers what has the same name
    Mangled = Mangled.take_front(Mangled.find('.'));
  std::string Name = demangle(Mangled);
  // scope(T...)::name
  size_t Scope = Name.rfind("::");
  return (Scope == std::string::npos ? Name : Name.substr(Scope + 2)) + (IsShadow ? "_grad" : "");
}

/// Integers, arrays of them and vectors as uint4.
static bool areIntegers(const Type *T) {
  if (const auto *Array = dyn_cast<ArrayType>(T))
    return areIntegers(Array->getElementType());
  if (const auto *Struct = dyn_cast<StructType>(T))
    return all_of(Struct->elements(), areIntegers);
  return T->isIntegerTy();
}

/// Loads, stores and atomic operations; others have no type.
static std::pair<const Value *, Type *> accessedAs(const Instruction &I) {
  if (const auto *Atomic = dyn_cast<AtomicRMWInst>(&I))
    return {Atomic->getPointerOperand(), Atomic->getType()};
  const Value *Pointer = getLoadStorePointerOperand(&I);
  return {Pointer, Pointer ? getLoadStoreType(&I) : nullptr};
}

/// Numbers of one type, among which padding may be: what is moved along with them does no harm as such a number.
Type *MemoryObjects::scalarOfVariable(const Value &Variable, Type *Declared) {
  const DataLayout &DL = P.F->getDataLayout();
  if (Type *Scalar = homogeneousScalar(Declared, DL))
    return Scalar;
  Type *Scalar = paddedScalar(Declared, DL);
  if (!Scalar)
    return nullptr;
  // Bytes that are accessed alone are no padding.
  const bool HasParts = any_of(instructions(*P.F), [&](const Instruction &I) {
    auto [Pointer, T] = accessedAs(I);
    return Pointer && T->isIntegerTy() && DL.getTypeStoreSize(T) < DL.getTypeStoreSize(Scalar) &&
           getUnderlyingObject(Pointer, 0) == &Variable;
  });
  return HasParts ? nullptr : Scalar;
}

/// A pool of bytes or words, such as `extern __shared__ char pool[]` or `__shared__ uint4 tile[32]`, holds what is read
/// and written there. So does an array of structs of which only the numbers of one type are used.
Type *MemoryObjects::scalarOfShared(const GlobalVariable &Global) {
  Type *Declared = Global.getValueType();
  if (auto *Array = dyn_cast<ArrayType>(Declared); Array && !Array->getNumElements())
    Declared = Array->getElementType();
  // Also the one that it is declared to hold may be used as another: extern __shared__ double pool[].
  if (Type *Scalar = scalarOfVariable(Global, Declared)) {
    bool IsOnly;
    Type *Used = numberIn(Global, *P.F, IsOnly);
    return Used && IsOnly ? Used : Scalar;
  }
  if (!AsPrepared && !areIntegers(Declared))
    return nullptr;
  Type *Found = nullptr;
  for (const Instruction &I : instructions(*P.F)) {
    auto [Pointer, T] = accessedAs(I);
    if (!Pointer || getUnderlyingObject(Pointer, 0) != &Global)
      continue;
    if (Found && Found != T)
      return nullptr;
    Found = T;
  }
  return Found && Found->isFloatingPointTy() ? Found : nullptr;
}

const MemoryObject *MemoryObjects::object(const Value *Base) {
  std::unique_ptr<MemoryObject> &Slot = Objects[Base];
  if (Slot)
    return Slot.get();
  Slot = std::make_unique<MemoryObject>();
  MemoryObject &O = *Slot;
  O.Base = Base;
  const DataLayout &DL = P.F->getDataLayout();
  if (const auto *A = dyn_cast<Argument>(Base)) {
    const PreparedArgument &Meaning = P.Arguments[A->getArgNo()];
    const RequestParameter &Parameter = Request.Parameters[Meaning.Parameter];
    O.ParameterIndex = Meaning.Parameter;
    O.Name = Parameter.Name;
    if (Meaning.Leaf >= 0) {
      O.Kind = MemoryObject::Tensor;
      O.TheLeaf = &Parameter.Leaves[Meaning.Leaf];
      O.Scalar = O.TheLeaf->Scalar;
    } else if (!Parameter.Leaves.empty() && Parameter.Leaves[0].Kind == Leaf::Memory) {
      O.Kind = MemoryObject::Reference;
      O.TheLeaf = &Parameter.Leaves[0];
      if (all_of(Parameter.Leaves, [&](const Leaf &L) { return L.Scalar == O.TheLeaf->Scalar; }))
        O.Scalar = O.TheLeaf->Scalar;
    } else {
      O.Kind = MemoryObject::Parameter;
    }
  } else if (const auto *Alloca = dyn_cast<AllocaInst>(Base)) {
    O.Kind = MemoryObject::Local;
    O.Scalar = scalarOfVariable(*Alloca, Alloca->getAllocatedType());
  } else if (const auto *Global = dyn_cast<GlobalVariable>(Base)) {
    O.Kind = isSharedVariable(*Global) ? MemoryObject::Shared
             : Global->isConstant()    ? MemoryObject::Constant
                                       : MemoryObject::Global;
    O.IsPool = O.Kind == MemoryObject::Shared && AsPrepared && isSharedPool(*Global, *P.F);
    O.Scalar = O.IsPool                         ? nullptr
               : O.Kind == MemoryObject::Shared ? scalarOfShared(*Global)
                                                : homogeneousScalar(Global->getValueType(), DL);
    O.Name = nameOfVariable(*Global);
  } else {
    O.Kind = isInactivePointer(Base) ? MemoryObject::Opaque : MemoryObject::Unknown;
  }
  return Slot.get();
}

/// Whether the pointer lies in memory, or is computed there, that the function does not write: it leads to nothing
/// whose address only the function knows.
bool MemoryObjects::isOfCaller(const Value *Base, SmallPtrSetImpl<const Value *> &Asked) {
  if (const auto *Integer = dyn_cast<IntToPtrInst>(Base))
    Base = Integer->getOperand(0);
  if (!Asked.insert(Base).second)
    return true;
  const auto *Load = dyn_cast<LoadInst>(Base);
  return Load && all_of(seen(Load->getPointerOperand()), [&](const MemoryObject *Holder) {
           return Holder->Kind == MemoryObject::Unknown
                      ? isOfCaller(Holder->Base, Asked)
                      : Holder->Kind != MemoryObject::Local && Holder->Kind != MemoryObject::Shared;
         });
}

bool MemoryObjects::isOfCaller(const MemoryObject &Unknown) {
  SmallPtrSet<const Value *, 4> Asked;
  return isOfCaller(Unknown.Base, Asked);
}

void MemoryObjects::findKept() {
  SmallSetVector<const MemoryObject *, 4> Found;
  for (const Instruction &I : instructions(*P.F)) {
    if (ruleOf(&I, rules()))
      continue;
    for (const Use &U : I.operands()) {
      if (!U->getType()->isPointerTy() || !capturesAnyProvenance(DetermineUseCaptureKind(U, U).UseCC))
        continue;
      const auto *Store = dyn_cast<StoreInst>(&I);
      CallerHasKept |=
          !isa<PtrToIntInst>(I) && (!Store || any_of(seen(Store->getPointerOperand()), [](const MemoryObject *Place) {
            return Place->Kind != MemoryObject::Local && Place->Kind != MemoryObject::Shared;
          }));
      for (const MemoryObject *O : seen(U))
        if (O->Kind != MemoryObject::Constant && O->Kind != MemoryObject::Opaque && O->Kind != MemoryObject::Unknown)
          Found.insert(O);
    }
  }
  Kept = to_vector<4>(Found);
}

SmallVector<const MemoryObject *, 2> MemoryObjects::of(const Value *Pointer) {
  SmallVector<const MemoryObject *, 2> Result = seen(Pointer);
  if (none_of(Result, [](const MemoryObject *O) { return O->Kind == MemoryObject::Unknown; }))
    return Result;
  if (!Kept)
    findKept();
  if (CallerHasKept || any_of(Result, [&](const MemoryObject *O) {
        return O->Kind == MemoryObject::Unknown && !isNoAliasCall(O->Base) && !isOfCaller(*O);
      }))
    for (const MemoryObject *O : *Kept)
      if (!is_contained(Result, O))
        Result.push_back(O);
  return Result;
}

SmallVector<const MemoryObject *, 2> MemoryObjects::seen(const Value *Pointer) {
  SmallVector<const Value *, 4> Bases;
  getUnderlyingObjects(Pointer, Bases, nullptr, 0);
  SmallVector<const MemoryObject *, 2> Result;
  for (const Value *Base : Bases)
    if (!isa<ConstantPointerNull, UndefValue>(Base) || Bases.size() == 1)
      Result.push_back(object(Base));
  if (Result.empty())
    Result.push_back(object(Bases.front()));
  return Result;
}

const MemoryObject *MemoryObjects::only(const Value *Pointer) {
  auto All = seen(Pointer);
  return All.size() == 1 ? All[0] : nullptr;
}

const Leaf *MemoryObjects::leafAt(const Value *Pointer, const MemoryObject &Object, uint64_t Size, bool &Exact) {
  const RequestParameter &Parameter = Request.Parameters[Object.ParameterIndex];
  const DataLayout &DL = P.F->getDataLayout();
  APInt Offset(DL.getIndexTypeSizeInBits(Pointer->getType()), 0);
  const Value *Base = Pointer->stripAndAccumulateConstantOffsets(DL, Offset, true);
  Exact = Base == Object.Base;
  for (const Leaf &L : Parameter.Leaves) {
    int64_t Bytes = L.Kind == Leaf::Stride    ? 8 * L.Count
                    : L.Kind == Leaf::Pointer ? static_cast<int64_t>(DL.getPointerSize())
                    : L.Scalar                ? static_cast<int64_t>(DL.getTypeStoreSize(L.Scalar))
                                              : 0;
    if (!Exact) {
      if (L.Kind == Leaf::Value ? L.Active : L.Kind == Leaf::Stride)
        return &L; // may be any: the caller refuses or takes the pattern
      continue;
    }
    int64_t At = Offset.getSExtValue();
    if (At < L.Offset + Bytes && L.Offset < At + static_cast<int64_t>(Size))
      return &L;
  }
  return nullptr;
}

const RequestParameter *MemoryObjects::viewOf(const MemoryObject &O) {
  const auto *Load = dyn_cast<LoadInst>(O.Base);
  const MemoryObject *Holder = O.Kind == MemoryObject::Opaque && Load ? only(Load->getPointerOperand()) : nullptr;
  return Holder && holdsView(*Holder) ? &Request.Parameters[Holder->ParameterIndex] : nullptr;
}

bool MemoryObjects::isStride(const LoadInst &Load) {
  const MemoryObject *O = only(Load.getPointerOperand());
  if (!O || O->Kind != MemoryObject::Parameter)
    return false;
  bool Exact = false;
  const Leaf *L = leafAt(Load.getPointerOperand(), *O, Load.getDataLayout().getTypeStoreSize(Load.getType()), Exact);
  return L && L->Kind == Leaf::Stride;
}

bool MemoryObjects::isStrideOf(const LoadInst &Load, const MemoryObject &O) {
  return isOfView(O) && isStride(Load) && only(Load.getPointerOperand())->ParameterIndex == O.ParameterIndex;
}

bool MemoryObjects::isOfView(const MemoryObject &O) const {
  return O.Kind == MemoryObject::Tensor &&
         any_of(Request.Parameters[O.ParameterIndex].Leaves, [](const Leaf &L) { return L.Kind == Leaf::Stride; });
}
