//===- RaiseMemory.cpp - loads and stores with cache hints, atomic additions ------------------------------------===//
//
// Other atomics are left alone, and so is __ldcv, which is volatile.
//
//===------------------------------------------------------------------------------------------------------------===//

#include "Derivative/Canonical/CalledCode.h"
#include "Derivative/Canonical/NarrowTypes.h"
#include "Derivative/Prepare/CallScalars.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace kernix;

namespace {

/// What a pointer points to: Count numbers of one type.
struct Pointee {
  Type *Scalar = nullptr;
  unsigned Count = 1;
};

Type *scalarByLetter(LLVMContext &Context, char Letter) {
  switch (Letter) {
  case 'f':
    return Type::getFloatTy(Context);
  case 'd':
    return Type::getDoubleTy(Context);
  case 'a':
  case 'c':
  case 'h':
    return Type::getInt8Ty(Context);
  case 's':
  case 't':
    return Type::getInt16Ty(Context);
  case 'i':
  case 'j':
    return Type::getInt32Ty(Context);
  case 'l':
  case 'm':
  case 'x':
  case 'y':
    return Type::getInt64Ty(Context);
  default:
    return nullptr;
  }
}

/// CUDA's vector types: "float4".
Pointee vectorByName(LLVMContext &Context, StringRef Name) {
  if (Name.empty() || Name.back() < '1' || Name.back() > '4')
    return {};
  unsigned Count = static_cast<unsigned>(Name.back() - '0');
  StringRef Element = Name.drop_back();
  Element.consume_front("u");
  char Letter = StringSwitch<char>(Element)
                    .Case("float", 'f')
                    .Case("double", 'd')
                    .Case("char", 'c')
                    .Case("short", 's')
                    .Case("int", 'i')
                    .Cases({"long", "longlong"}, 'l')
                    .Default(0);
  return {scalarByLetter(Context, Letter), Count};
}

/// Of the first parameter, a pointer (the leading P and K are gone).
Pointee pointee(LLVMContext &Context, const MangledName &Symbol, StringRef Parameter) {
  if (std::optional<NarrowKind> Kind = narrowKind(Context, Symbol))
    return {Kind->Scalar, Kind->Count};
  size_t Length;
  if (Parameter.consumeInteger(10, Length))
    return Parameter.empty() ? Pointee() : Pointee{scalarByLetter(Context, Parameter[0]), 1};
  return vectorByName(Context, Parameter.take_front(Length));
}

/// CUDA's vectors of two and four are aligned as a whole, by 16 bytes at most; those of three as one element.
Align alignmentOf(const Pointee &P) {
  uint64_t Size = P.Scalar->getScalarSizeInBits() / 8;
  return Align(P.Count == 3 ? Size : std::min<uint64_t>(Size * P.Count, 16));
}

bool raiseLoad(CallBase &Call, const MangledName &Symbol, bool IsConstant) {
  StringRef Parameter = Symbol.Parameters;
  if (!Parameter.consume_front("PK") || Call.arg_size() == 0)
    return false;
  Pointee P = pointee(Call.getContext(), Symbol, Parameter);
  if (!P.Scalar || sourceArguments(Call) != 1 || !returnsScalars(Call, P.Scalar, P.Count))
    return false;
  RaiseBuilder Builder(Call);
  Scalars Numbers = loadScalars(Builder, sourceArgument(Call, 0), P.Scalar, P.Count, alignmentOf(P));
  if (IsConstant)
    for (Value *Number : Numbers)
      cast<LoadInst>(Number)->setMetadata(LLVMContext::MD_invariant_load, MDNode::get(Call.getContext(), {}));
  replaceByScalars(Builder, Call, Numbers);
  return true;
}

bool raiseStore(CallBase &Call, const MangledName &Symbol) {
  StringRef Parameter = Symbol.Parameters;
  if (!Parameter.consume_front("P") || Call.arg_size() != 2)
    return false;
  Pointee P = pointee(Call.getContext(), Symbol, Parameter);
  if (!P.Scalar)
    return false;
  RaiseBuilder Builder(Call);
  Scalars Numbers = readArgument(Builder, Call, 1, P.Scalar, P.Count);
  if (Numbers.empty())
    return false;
  storeScalars(Builder, Numbers, Call.getArgOperand(0), alignmentOf(P));
  replaceCall(Call, nullptr);
  return true;
}

/// Relaxed, as CUDA's are. The CPU knows no blocks.
SyncScope::ID scopeOf(const Module &M, StringRef Suffix) {
  if (!M.getTargetTriple().isNVPTX() || Suffix == "_system")
    return SyncScope::System;
  return M.getContext().getOrInsertSyncScopeID(Suffix == "_block" ? "block" : "device");
}

bool raiseAtomicAdd(CallBase &Call, const MangledName &Symbol, StringRef Suffix, bool IsSubtraction) {
  StringRef Parameter = Symbol.Parameters;
  if (!Suffix.empty() && Suffix != "_block" && Suffix != "_system")
    return false;
  if (!Parameter.consume_front("P") || sourceArguments(Call) != 2)
    return false;
  Pointee P = pointee(Call.getContext(), Symbol, Parameter);
  if (!P.Scalar || !P.Scalar->isFloatingPointTy() || !returnsScalars(Call, P.Scalar, P.Count))
    return false;
  RaiseBuilder Builder(Call);
  Scalars Numbers = readArgument(Builder, Call, 1, P.Scalar, P.Count);
  if (Numbers.empty())
    return false;
  Value *Address = sourceArgument(Call, 0);
  SyncScope::ID Scope = scopeOf(*Call.getModule(), Suffix);
  Align Alignment(P.Scalar->getScalarSizeInBits() / 8);
  Scalars Old;
  for (auto [I, Number] : enumerate(Numbers)) {
    Value *Element = I == 0 ? Address : Builder.CreateConstInBoundsGEP1_64(P.Scalar, Address, I);
    Value *Added = IsSubtraction ? Builder.CreateFNeg(Number) : Number;
    Old.push_back(
        Builder.CreateAtomicRMW(AtomicRMWInst::FAdd, Element, Added, Alignment, AtomicOrdering::Monotonic, Scope));
  }
  replaceByScalars(Builder, Call, Old);
  return true;
}

bool comparesAndSwaps(const Function &F) { return anyInCalledCode(F, IsaPred<AtomicCmpXchgInst>); }

} // namespace

bool kernix::raiseOwnAddition(CallBase &Call) {
  const Function &Callee = *Call.getCalledFunction();
  std::optional<MangledName> Symbol = parseMangledName(Callee.getName());
  return Symbol && Symbol->Scope.empty() && Symbol->Name == "atomicAdd" && comparesAndSwaps(Callee) &&
         raiseAtomicAdd(Call, *Symbol, "", false);
}

bool kernix::raiseMemory(CallBase &Call, const MangledName &Symbol) {
  StringRef Name = Symbol.Name;
  if (Name == "__ldg")
    return raiseLoad(Call, Symbol, true);
  if (Name == "__ldca" || Name == "__ldcg" || Name == "__ldcs" || Name == "__ldlu")
    return raiseLoad(Call, Symbol, false);
  if (Name == "__stwb" || Name == "__stcg" || Name == "__stcs" || Name == "__stwt")
    return raiseStore(Call, Symbol);
  if (Name.consume_front("atomicAdd"))
    return raiseAtomicAdd(Call, Symbol, Name, false);
  if (Name.consume_front("atomicSub"))
    return raiseAtomicAdd(Call, Symbol, Name, true);
  return false;
}
