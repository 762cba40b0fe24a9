//===- RaiseCollectives.cpp - barriers, shuffles, votes and what else threads do together -----------------------===//

#include "Derivative/Canonical/Collectives.h"
#include "Derivative/Canonical/NarrowTypes.h"
#include "Derivative/Prepare/CallScalars.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace kernix;

namespace {

/// Functions that have the same name and parameters on both targets and no derivative.
StringRef canonicalName(const MangledName &Symbol) {
  // Smallest and largest depend on the sign.
  bool IsSigned = Symbol.Parameters == "ji";
  return StringSwitch<StringRef>(Symbol.Name)
      .Case("__syncthreads_count", "barrier_count")
      .Case("__syncthreads_and", "barrier_and")
      .Case("__syncthreads_or", "barrier_or")
      .Case("__ballot_sync", "ballot")
      .Case("__any_sync", "any")
      .Case("__all_sync", "all")
      .Case("__activemask", "activemask")
      .Case("__syncwarp", "syncwarp")
      .Case("__match_any_sync", "match_any")
      .Case("__reduce_add_sync", "reduce_add")
      .Case("__reduce_and_sync", "reduce_and")
      .Case("__reduce_or_sync", "reduce_or")
      .Case("__reduce_xor_sync", "reduce_xor")
      .Case("__reduce_min_sync", IsSigned ? "reduce_smin" : "reduce_umin")
      .Case("__reduce_max_sync", IsSigned ? "reduce_smax" : "reduce_umax")
      .Default({});
}

bool raiseShuffle(CallBase &Call, const MangledName &Symbol, StringRef Kind) {
  if (sourceArguments(Call) != 4)
    return false;
  RaiseBuilder Builder(Call);
  Module &M = Builder.module();
  Type *T = Call.getType();
  unsigned Count = 1;
  if (std::optional<NarrowKind> Narrow = narrowKind(Call.getContext(), Symbol)) {
    T = Narrow->Scalar;
    Count = Narrow->Count;
  }
  Function *F = declareShuffle(M, Kind, T);
  if (!F || !returnsScalars(Call, T, Count))
    return false;
  Scalars Numbers = readArgument(Builder, Call, 1, T, Count);
  Value *Mask = sourceArgument(Call, 0), *Lane = sourceArgument(Call, 2), *Width = sourceArgument(Call, 3);
  if (Numbers.empty() || !Lane->getType()->isIntegerTy(32))
    return false;
  for (Value *&Number : Numbers)
    Number = Builder.CreateCall(F, {Mask, Number, Lane, Width});
  replaceByScalars(Builder, Call, Numbers);
  return true;
}

bool isZero(const Value *V) {
  const auto *Constant = dyn_cast<ConstantInt>(V);
  return Constant && Constant->isZero();
}

bool raiseBarrier(CallBase &Call) {
  Intrinsic::ID ID = Call.getIntrinsicID();
  bool IsBarrier = Call.getCalledFunction()->getName() == "kernix_cpu_barrier" ||
                   ID == Intrinsic::nvvm_barrier_cta_sync_aligned_all || ID == Intrinsic::nvvm_barrier_cta_sync_all;
  // Barriers by number are for parts of a block.
  if (!IsBarrier || (Call.arg_size() && !isZero(Call.getArgOperand(0))))
    return false;
  RaiseBuilder Builder(Call);
  createBarrier(Builder);
  replaceCall(Call, nullptr);
  return true;
}

/// What cooperative groups call, and what matches of numbers other than int are made of.
bool raiseGroupFunction(CallBase &Call) {
  StringRef Source = Call.getCalledFunction()->getName();
  StringRef Name = StringSwitch<StringRef>(Source)
                       .Case("kernix_cpu_warp_sync", "syncwarp")
                       .Case("kernix_cpu_warp_ballot", "ballot")
                       .Case("llvm.nvvm.bar.warp.sync", "syncwarp")
                       .Case("kernix_cpu_active_mask", "activemask")
                       .Case("llvm.nvvm.activemask", "activemask")
                       .Case("llvm.nvvm.match.any.sync.i32", "match_any")
                       .Cases({"kernix_cpu_warp_match", "llvm.nvvm.match.any.sync.i64"}, "match_any64")
                       .Case("llvm.nvvm.match.all.sync.i32p", "match_all")
                       .Case("llvm.nvvm.match.all.sync.i64p", "match_all64")
                       .Default({});
  if (Name.empty())
    return false;
  RaiseBuilder Builder(Call);
  Function *F = declareCollective(Builder.module(), "kernix." + Name, Call.getFunctionType(), Source);
  replaceCall(Call, Builder.CreateCall(F, SmallVector<Value *>(Call.args())));
  return true;
}

} // namespace

bool kernix::raiseCollective(CallBase &Call) {
  if (raiseBarrier(Call) || raiseGroupFunction(Call))
    return true;
  const Function &Callee = *Call.getCalledFunction();
  std::optional<MangledName> Symbol = parseMangledName(Callee.getName());
  if (!Symbol || !Symbol->Scope.empty())
    return false;
  StringRef Kind = StringSwitch<StringRef>(Symbol->Name)
                       .Case("__shfl_sync", "idx")
                       .Case("__shfl_up_sync", "up")
                       .Case("__shfl_down_sync", "down")
                       .Case("__shfl_xor_sync", "bfly")
                       .Default({});
  if (!Kind.empty())
    return raiseShuffle(Call, *Symbol, Kind);
  StringRef Name = canonicalName(*Symbol);
  if (Name.empty() || Callee.isDeclaration())
    return false;
  // 64-bit matches are other functions, which are inlined.
  for (const Use &Argument : Call.args())
    if (!Argument->getType()->isIntegerTy(32))
      return false;
  RaiseBuilder Builder(Call);
  Function *F = declareCollective(Builder.module(), "kernix." + Name, Call.getFunctionType(), Callee.getName());
  replaceCall(Call, Builder.CreateCall(F, SmallVector<Value *>(Call.args())));
  return true;
}
