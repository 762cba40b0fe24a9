//===- Collectives.cpp - barriers, shuffles and votes under canonical names -------------------------------------===//

#include "Derivative/Canonical/Collectives.h"
#include "Derivative/Canonical/Geometry.h"
#include "Derivative/Canonical/MathFunctions.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace kernix;

namespace {

StringRef shuffleSuffix(const Type *T) {
  if (T->isIntegerTy(32))
    return "i32";
  return T->isIntegerTy(64) ? "i64" : typeSuffix(T);
}

Intrinsic::ID shuffleIntrinsic(StringRef Kind) {
  return StringSwitch<Intrinsic::ID>(Kind)
      .Case("idx", Intrinsic::nvvm_shfl_sync_idx_i32)
      .Case("up", Intrinsic::nvvm_shfl_sync_up_i32)
      .Case("down", Intrinsic::nvvm_shfl_sync_down_i32)
      .Case("bfly", Intrinsic::nvvm_shfl_sync_bfly_i32)
      .Default(Intrinsic::not_intrinsic);
}

/// Shuffles words of 32 bits, which is what the hardware has.
class ShuffleLowering {
public:
  ShuffleLowering(IRBuilderBase &Builder, CallInst &Call, StringRef Kind)
      : Builder(Builder), Kind(Kind), Mask(Call.getArgOperand(0)), Given(Call.getArgOperand(1)),
        Lane(Call.getArgOperand(2)), Width(Call.getArgOperand(3)), Type(Call.getType()) {}

  Value *onGpu() {
    // Bits 8 to 12: which lanes share a segment; bits 0 to 4: the last lane that may be read.
    Value *Segment = Builder.CreateShl(Builder.CreateSub(Builder.getInt32(32), Width), 8);
    Value *Clamp = Kind == "up" ? Segment : Builder.CreateOr(Segment, Builder.getInt32(31));
    auto Shuffle = [&](Value *Word) {
      return Builder.CreateIntrinsic(shuffleIntrinsic(Kind), ArrayRef<llvm::Type *>(), {Mask, Word, Lane, Clamp});
    };
    Value *Bits = toBits();
    if (!Bits->getType()->isIntegerTy(64))
      return fromBits(Shuffle(Builder.CreateZExt(Bits, Builder.getInt32Ty())));
    Value *Low = Shuffle(Builder.CreateTrunc(Bits, Builder.getInt32Ty()));
    Value *High = Shuffle(Builder.CreateTrunc(Builder.CreateLShr(Bits, 32), Builder.getInt32Ty()));
    llvm::Type *Int64 = Builder.getInt64Ty();
    return fromBits(
        Builder.CreateOr(Builder.CreateZExt(Low, Int64), Builder.CreateShl(Builder.CreateZExt(High, Int64), 32)));
  }

  /// As the CPU target's header does it.
  Value *onCpu() {
    llvm::Type *Int32 = Builder.getInt32Ty(), *Int64 = Builder.getInt64Ty();
    Module &M = *Builder.GetInsertBlock()->getModule();
    FunctionCallee Read = M.getOrInsertFunction("kernix_cpu_warp_shuffle", Int64, Int32, Int64, Int32);
    Value *Bits = Builder.CreateZExt(toBits(), Int64);
    return fromBits(Builder.CreateCall(Read, {Mask, Bits, sourceLane()}));
  }

private:
  IRBuilderBase &Builder;
  StringRef Kind;
  Value *Mask, *Given, *Lane, *Width;
  llvm::Type *Type;

  llvm::Type *bitsType() const { return Builder.getIntNTy(Type->getPrimitiveSizeInBits().getFixedValue()); }
  Value *toBits() { return Builder.CreateBitCast(Given, bitsType()); }
  Value *fromBits(Value *Bits) { return Builder.CreateBitCast(Builder.CreateTrunc(Bits, bitsType()), Type); }

  Value *geometry(StringRef Name) {
    FunctionCallee F =
        Builder.GetInsertBlock()->getModule()->getOrInsertFunction(findGeometry(Name)->Cpu, Builder.getInt32Ty());
    CallInst *Read = Builder.CreateCall(F);
    Read->setDoesNotAccessMemory();
    return Read;
  }

  Value *ownLane() {
    Value *Row = Builder.CreateAdd(geometry("thread_idx.y"),
                                   Builder.CreateMul(geometry("block_dim.y"), geometry("thread_idx.z")));
    Value *Thread = Builder.CreateAdd(geometry("thread_idx.x"), Builder.CreateMul(geometry("block_dim.x"), Row));
    return Builder.CreateAnd(Thread, 31);
  }

  Value *sourceLane() {
    Value *Own = ownLane();
    Value *Segment = Builder.CreateSub(Builder.getInt32(32), Width);
    Value *First = Builder.CreateAnd(Own, Segment), *Inside = Builder.CreateNot(Segment);
    Value *Operand = Builder.CreateAnd(Lane, 31);
    if (Kind == "idx")
      return Builder.CreateOr(First, Builder.CreateAnd(Operand, Inside));
    Value *Source = Kind == "up"     ? Builder.CreateSub(Own, Operand)
                    : Kind == "down" ? Builder.CreateAdd(Own, Operand)
                                     : Builder.CreateXor(Own, Operand);
    Value *Last = Builder.CreateOr(First, Builder.CreateAnd(Inside, 31));
    Value *IsInside = Kind == "up" ? Builder.CreateICmpSGE(Source, First) : Builder.CreateICmpSLE(Source, Last);
    return Builder.CreateSelect(IsInside, Source, Own);
  }
};

Value *lowerBarrier(IRBuilderBase &Builder, Module &M, bool IsGpu) {
  if (IsGpu)
    return Builder.CreateIntrinsic(Intrinsic::nvvm_barrier_cta_sync_aligned_all, ArrayRef<Type *>(),
                                   {Builder.getInt32(0)});
  return Builder.CreateCall(M.getOrInsertFunction("kernix_cpu_barrier", Builder.getVoidTy()));
}

} // namespace

Function *kernix::declareCollective(Module &M, const Twine &Name, FunctionType *Type, StringRef Source) {
  std::string Full = Name.str();
  Function *F = M.getFunction(Full);
  if (!F) {
    F = Function::Create(Type, GlobalValue::ExternalLinkage, Full, M);
    F->setConvergent();
    F->setDoesNotThrow();
    F->setDoesNotFreeMemory();
    F->addFnAttr(Attribute::NoCallback);
    // Memory is exchanged at a barrier only; the others exchange what they are given.
    if (!StringRef(Full).contains("barrier") && !StringRef(Full).contains("syncwarp"))
      F->setOnlyAccessesInaccessibleMemory();
  }
  if (!Source.empty() && !F->hasFnAttribute(SourceAttribute))
    F->addFnAttr(SourceAttribute, Source);
  return F;
}

Function *kernix::declareShuffle(Module &M, StringRef Kind, Type *T) {
  StringRef Suffix = shuffleSuffix(T);
  if (Suffix.empty())
    return nullptr;
  llvm::Type *Int32 = Type::getInt32Ty(M.getContext());
  return declareCollective(M, "kernix.shfl." + Kind + "." + Suffix,
                           FunctionType::get(T, {Int32, T, Int32, Int32}, false), {});
}

static constexpr char Lanes[] = "kernix.lanes";

Function *kernix::declareLanes(Module &M) {
  llvm::Type *Int32 = Type::getInt32Ty(M.getContext());
  return declareCollective(M, Lanes, FunctionType::get(Int32, {Int32}, false), {});
}

static constexpr char Barrier[] = "kernix.barrier";

CallInst *kernix::createBarrier(IRBuilderBase &Builder) {
  Module &M = *Builder.GetInsertBlock()->getModule();
  return Builder.CreateCall(declareCollective(M, Barrier, FunctionType::get(Builder.getVoidTy(), false), {}));
}

void kernix::mergeBarriers(Function &F) {
  for (BasicBlock &Block : F) {
    CallInst *Last = nullptr; // since which no memory has been touched
    for (Instruction &I : make_early_inc_range(Block)) {
      auto *Call = dyn_cast<CallInst>(&I);
      bool IsBarrier = Call && Call->getCalledFunction() && Call->getCalledFunction()->getName() == Barrier;
      if (IsBarrier && Last)
        Last->eraseFromParent();
      if (IsBarrier)
        Last = Call;
      else if (I.mayReadOrWriteMemory() || (Call && Call->isConvergent()))
        Last = nullptr;
    }
  }
}

/// Whether the lanes exchange something, and it is known by what they give.
static bool isExchange(const Instruction &I) {
  const auto *Call = dyn_cast<CallInst>(&I);
  const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
  return Callee &&
         (isShuffle(*Callee) || Callee->getName() == Lanes || Callee->getName().starts_with("llvm.nvvm.shfl.sync."));
}

void kernix::mergeExchanges(Function &F) {
  for (BasicBlock &Block : F) {
    if (count_if(Block, isExchange) < 2)
      continue;
    // With the exchanges, what is computed of them.
    DenseMap<hash_code, SmallVector<Instruction *, 1>> Earlier;
    for (Instruction &I : make_early_inc_range(Block)) {
      if (!isExchange(I) && !isa<BinaryOperator, UnaryOperator, SelectInst, CmpInst, CastInst>(I))
        continue;
      auto &Alike = Earlier[hash_combine(I.getOpcode(), hash_combine_range(I.value_op_begin(), I.value_op_end()))];
      auto *Same = find_if(Alike, [&](const Instruction *Other) { return Other->isIdenticalTo(&I); });
      if (Same == Alike.end()) {
        Alike.push_back(&I);
        continue;
      }
      I.replaceAllUsesWith(*Same);
      I.eraseFromParent();
    }
  }
}

bool kernix::isBarrier(const Function &F) { return F.getName().starts_with(Barrier); }

bool kernix::isWarpSync(const Function &F) { return F.getName() == "kernix.syncwarp"; }

bool kernix::isShuffle(const Function &F) { return F.getName().starts_with("kernix.shfl."); }

bool kernix::namesAllLanes(const CallBase &Call) {
  const auto *Mask = Call.arg_empty() ? nullptr : dyn_cast<ConstantInt>(Call.getArgOperand(0));
  return Mask && Mask->isMinusOne();
}

bool kernix::isCollective(const Function &F) {
  StringRef Name = F.getName();
  if (!Name.consume_front("kernix.") || !F.isConvergent())
    return false;
  return Name != "activemask";
}

const CallInst *kernix::collectiveCall(const Instruction &I) {
  const auto *Call = dyn_cast<CallInst>(&I);
  const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
  return Callee && isCollective(*Callee) ? Call : nullptr;
}

const CallInst *kernix::orderingCall(const Instruction &I) {
  const CallInst *Call = collectiveCall(I);
  return Call && (isBarrier(*Call->getCalledFunction()) || isWarpSync(*Call->getCalledFunction())) ? Call : nullptr;
}

Value *kernix::lowerCollective(IRBuilderBase &Builder, CallInst &Call, bool IsGpu) {
  const Function &F = *Call.getCalledFunction();
  Module &M = *Call.getModule();
  StringRef Name = F.getName();
  if (Name == Barrier)
    return lowerBarrier(Builder, M, IsGpu);
  if (Name == "kernix.syncwarp" && IsGpu)
    return Builder.CreateIntrinsic(Intrinsic::nvvm_bar_warp_sync, ArrayRef<Type *>(), {Call.getArgOperand(0)});
  if (Name == "kernix.syncwarp")
    return Builder.CreateCall(M.getOrInsertFunction("kernix_cpu_warp_sync", Builder.getVoidTy(), Builder.getInt32Ty()),
                              {Call.getArgOperand(0)});
  if (Name == "kernix.lanes" && IsGpu)
    return Builder.CreateIntrinsic(Intrinsic::nvvm_vote_ballot_sync, ArrayRef<Type *>(),
                                   {Call.getArgOperand(0), Builder.getTrue()});
  if (Name == "kernix.lanes") {
    llvm::Type *Int32 = Builder.getInt32Ty();
    return Builder.CreateCall(M.getOrInsertFunction("kernix_cpu_warp_ballot", Int32, Int32, Int32),
                              {Call.getArgOperand(0), Builder.getInt32(1)});
  }
  if (Name.consume_front("kernix.shfl.")) {
    ShuffleLowering Lowering(Builder, Call, Name.split('.').first);
    return IsGpu ? Lowering.onGpu() : Lowering.onCpu();
  }
  // Functions that only a primal calls are still in its module.
  Function *Source = M.getFunction(F.getFnAttribute(SourceAttribute).getValueAsString());
  if (!Source || Source->getFunctionType() != F.getFunctionType())
    return nullptr;
  CallInst *New = Builder.CreateCall(Source, SmallVector<Value *>(Call.args()));
  New->setAttributes(AttributeList().addFnAttributes(
      M.getContext(), AttrBuilder(M.getContext(), Source->getAttributes().getFnAttrs())));
  return New;
}
