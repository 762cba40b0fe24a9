//===- SourceReads.cpp - reads of the source whose gradient is assigned -------------------------------------------===//

#include "Derivative/Prepare/SourceReads.h"
#include "Derivative/Analysis/Constants.h"
#include "Derivative/Analysis/Memory.h"
#include "Derivative/CustomRules/RuleCalls.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace kernix;

namespace {

constexpr char MarkName[] = "kernix.read";
/// Of a copy whose numbers are marked one by one. What a longer one writes stays in memory.
constexpr uint64_t MostBytes = 4096;

bool isAssigned(const Leaf &L) { return L.Kind == Leaf::Pointer && L.Active && L.Diff == "once"; }

bool assignsAny(const DerivativeRequest &Request) {
  return Request.Mode == DerivativeRequest::Reverse &&
         any_of(Request.Parameters, [](const RequestParameter &P) { return any_of(P.Leaves, isAssigned); });
}

/// Read is the operands of the call, see SourceReads.h. B stands behind what reads. For LLVM the call writes somewhere,
/// so that no pass deletes it.
void mark(IRBuilder<> &B, ArrayRef<Value *> Read) {
  FunctionCallee Mark = B.GetInsertBlock()->getModule()->getOrInsertFunction(
      MarkName, FunctionType::get(B.getVoidTy(), /*isVarArg=*/true));
  CallInst *Call = B.CreateCall(Mark, Read);
  Call->setDoesNotThrow();
  MemoryEffects Effects = MemoryEffects::inaccessibleMemOnly(ModRefInfo::Mod);
  for (unsigned K = 0; K < Read.size(); ++K)
    if (Read[K]->getType()->isPointerTy()) {
      Effects |= MemoryEffects::argMemOnly(ModRefInfo::Ref);
      Call->addParamAttr(K, Attribute::getWithCaptureInfo(B.getContext(), CaptureInfo::none()));
      Call->addParamAttr(K, Attribute::ReadOnly);
    }
  Call->setMemoryEffects(Effects);
  Call->addFnAttr(Attribute::WillReturn);
}

/// The source of the copy that Mark is about; null: it is about a number.
Value *copiedFrom(const CallInst &Mark) {
  if (Mark.arg_size() == 1)
    return nullptr;
  return Mark.getArgOperand(Mark.getArgOperand(1)->getType()->isPointerTy() ? 1 : 0);
}

bool isMarkedRead(const Value &V) {
  return any_of(V.users(), [](const User *U) {
    return isReadMark(*cast<Instruction>(U)) || (isa<ExtractValueInst>(U) && isMarkedRead(*U));
  });
}

/// Whether no pointer of a parameter leads there whose gradient is assigned. Before those pointers are arguments.
bool leadsElsewhere(const Value *Pointer, const DerivativeRequest &Request, const DataLayout &DL) {
  const Value *Base = getUnderlyingObject(Pointer, 0);
  if (isa<AllocaInst, GlobalVariable, Argument>(Base))
    return true;
  const auto *Load = dyn_cast<LoadInst>(Base);
  if (!Load)
    return false;
  const Value *Place = Load->getPointerOperand();
  APInt Offset(DL.getIndexTypeSizeInBits(Place->getType()), 0);
  const auto *A = dyn_cast<Argument>(Place->stripAndAccumulateConstantOffsets(DL, Offset, true));
  return A && none_of(Request.Parameters[A->getArgNo()].Leaves,
                      [&](const Leaf &L) { return isAssigned(L) && L.Offset == Offset.getSExtValue(); });
}

/// A copy reads as many bytes, of which its destination may never be asked for some. No load of these bytes yet: LLVM
/// would take the numbers out of it.
void markCopy(MemTransferInst &Copy) {
  IRBuilder<> B(Copy.getParent(), std::next(Copy.getIterator()));
  B.SetCurrentDebugLocation(Copy.getDebugLoc());
  const auto *Length = dyn_cast<ConstantInt>(Copy.getLength());
  if (Length && Length->getValue().ule(MostBytes))
    mark(B, {Copy.getRawSource(), B.getInt64(Length->getZExtValue())});
  else
    mark(B, {Copy.getRawDest(), Copy.getRawSource()});
}

/// A call that may throw is refused.
void markResult(CallBase &Call, const CustomRule &Rule) {
  if (Call.isTerminator())
    return;
  IRBuilder<> B(Call.getParent(), std::next(Call.getIterator()));
  B.SetCurrentDebugLocation(Call.getDebugLoc());
  forEachResult(Rule, [&](const RuleResult &R) {
    if (R.IsResult && R.hasDerivative())
      mark(B, {B.CreateExtractValue(&Call, R.Index)});
  });
}

SmallVector<CallInst *, 8> marksIn(Function &F) {
  SmallVector<CallInst *, 8> Found;
  const Function *Mark = F.getParent()->getFunction(MarkName);
  if (!Mark)
    return Found;
  for (Instruction &I : instructions(F))
    if (isReadMark(I))
      Found.push_back(cast<CallInst>(&I));
  return Found;
}

/// What LLVM may have made of a number that was loaded: a part of what is read there in some other way.
bool isOfLoads(const Value *V) {
  const auto *Operation = dyn_cast<BinaryOperator>(V);
  return isa<PHINode, SelectInst, CastInst, FreezeInst, ExtractElementInst, InsertElementInst, ShuffleVectorInst>(V) ||
         (Operation && (Operation->isShift() || Operation->isBitwiseLogicOp()));
}

/// The loads one of which gives V.
void loadsOf(Value *V, SmallPtrSetImpl<Value *> &Seen, SmallVectorImpl<LoadInst *> &Loads) {
  if (!Seen.insert(V).second)
    return;
  if (auto *Load = dyn_cast<LoadInst>(V))
    Loads.push_back(Load);
  else if (isOfLoads(V))
    for (Value *Operand : cast<User>(V)->operands())
      loadsOf(Operand, Seen, Loads);
}

/// Memory that lies at a constant distance behind an address.
struct Range {
  const BasicBlock *Block;
  const Value *Base;
  int64_t Begin, End;

  Range(const Instruction &I, const Value *Address, uint64_t Size) : Block(I.getParent()) {
    const DataLayout &DL = I.getDataLayout();
    APInt Offset(DL.getIndexTypeSizeInBits(Address->getType()), 0);
    Base = Address->stripAndAccumulateConstantOffsets(DL, Offset, /*AllowNonInbounds=*/true);
    Begin = Offset.getSExtValue();
    End = Begin + static_cast<int64_t>(Size);
  }
  bool contains(const Range &Other) const {
    return Block == Other.Block && Base == Other.Base && Begin <= Other.Begin && Other.End <= End;
  }
};

/// What is still copied: the loads that a copy will become are marked instead.
SmallVector<Range, 4> copiesIn(Function &F) {
  SmallVector<Range, 4> Copies;
  for (const Instruction &I : instructions(F))
    if (const auto *Copy = dyn_cast<MemTransferInst>(&I))
      if (const auto *Length = dyn_cast<ConstantInt>(Copy->getLength()))
        Copies.push_back(Range(I, Copy->getRawSource(), Length->getZExtValue()));
  return Copies;
}

/// The type of the numbers behind Pointer, if their gradient is assigned; null: it is not.
Type *assignedNumber(const Value *Pointer, MemoryObjects &Objects) {
  for (const MemoryObject *O : Objects.seen(Pointer))
    if (O->isTensorLike() && isAssigned(*O->TheLeaf))
      return O->TheLeaf->Scalar;
  return nullptr;
}

/// Marks the numbers of Scalar that lie in Size bytes at Place.
void markNumbersAt(IRBuilder<> &B, Value *Place, uint64_t Size, Align Known, Type *Scalar, ArrayRef<Range> Copies) {
  const DataLayout &DL = B.GetInsertBlock()->getDataLayout();
  const uint64_t Each = DL.getTypeStoreSize(Scalar);
  for (uint64_t At = 0; At + Each <= Size; At += Each) {
    Value *Number = At ? B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Place, At) : Place;
    LoadInst *Load = B.CreateAlignedLoad(Scalar, Number, commonAlignment(Known, At));
    if (const Range Read(*Load, Number, Each); any_of(Copies, [&](const Range &R) { return R.contains(Read); }))
      Load->eraseFromParent();
    else
      mark(B, {Load});
  }
}

/// Marks the numbers of Scalar that Load reads, as which type ever.
void markNumbers(LoadInst &Load, Type *Scalar) {
  const DataLayout &DL = Load.getDataLayout();
  IRBuilder<> B(Load.getParent(), std::next(Load.getIterator()));
  B.SetCurrentDebugLocation(Load.getDebugLoc());
  if (Load.getType() == Scalar)
    return mark(B, {&Load});
  markNumbersAt(B, Load.getPointerOperand(), DL.getTypeStoreSize(Load.getType()), Load.getAlign(), Scalar, {});
}

} // namespace

bool kernix::isReadMark(const Instruction &I) {
  const auto *Call = dyn_cast<CallInst>(&I);
  return Call && Call->getCalledFunction() && Call->getCalledFunction()->getName() == MarkName;
}

void kernix::markReads(Function &F, const DerivativeRequest &Request) {
  if (Request.Mode != DerivativeRequest::Reverse)
    return;
  const bool AssignsAny = assignsAny(Request);
  for (Instruction &I : make_early_inc_range(instructions(F))) {
    if (const CustomRule *Rule = ruleOf(&I, Request.Rules)) {
      if (Rule->Assigns && !isMarkedRead(I))
        markResult(cast<CallBase>(I), *Rule);
      continue;
    }
    if (!AssignsAny)
      continue;
    const auto *Load = dyn_cast<LoadInst>(&I);
    auto *Copy = dyn_cast<MemTransferInst>(&I);
    const Value *Pointer = Load ? Load->getPointerOperand() : Copy ? Copy->getRawSource() : nullptr;
    if (!Pointer || leadsElsewhere(Pointer, Request, F.getDataLayout()))
      continue;
    if (Copy) {
      markCopy(*Copy);
    } else if (Load->getType()->isSized() && !Load->getType()->isPtrOrPtrVectorTy() && !isMarkedRead(I)) {
      IRBuilder<> B(I.getParent(), std::next(I.getIterator()));
      B.SetCurrentDebugLocation(I.getDebugLoc());
      mark(B, {&I});
    }
  }
}

bool kernix::forgetOtherReads(Function &F, const DerivativeRequest &Request) {
  SmallPtrSet<const Value *, 16> Marked;
  DenseSet<std::tuple<const BasicBlock *, const Value *, const Value *>> Copied;
  bool KeptLocals = false;
  for (CallInst *Mark : marksIn(F)) {
    if (const Value *Source = copiedFrom(*Mark)) {
      const bool IsOther = leadsElsewhere(Source, Request, F.getDataLayout());
      if (IsOther || !Copied.insert({Mark->getParent(), Mark->getArgOperand(0), Mark->getArgOperand(1)}).second)
        Mark->eraseFromParent();
      KeptLocals |= IsOther;
      continue;
    }
    Value *V = Mark->getArgOperand(0);
    // The element is read, whatever its number counts as.
    while (auto *Constant = dyn_cast<CallInst>(V)) {
      if (!Constant->getCalledFunction() || !isConstantMark(*Constant->getCalledFunction()))
        break;
      V = Constant->getArgOperand(0);
    }
    Mark->setArgOperand(0, V);
    const auto *Load = dyn_cast<LoadInst>(V);
    const bool MayBeRead = Load ? !leadsElsewhere(Load->getPointerOperand(), Request, F.getDataLayout())
                                : isa<ExtractValueInst>(V) || isOfLoads(V);
    // A mark in the block of the load keeps it there.
    const bool IsBesides = Load && Load->getParent() == Mark->getParent() && !Marked.insert(V).second;
    if (!MayBeRead || IsBesides)
      Mark->eraseFromParent();
  }
  return KeptLocals;
}

void kernix::settleReads(Function &F, MemoryObjects &Objects) {
  SmallPtrSet<Value *, 16> Seen;
  SmallVector<LoadInst *, 8> Loads;
  SmallVector<CallInst *, 4> OfCopies;
  for (CallInst *Mark : marksIn(F)) {
    if (isa<ExtractValueInst>(Mark->getArgOperand(0)))
      continue;
    if (copiedFrom(*Mark)) {
      OfCopies.push_back(Mark);
      continue;
    }
    loadsOf(Mark->getArgOperand(0), Seen, Loads);
    Mark->eraseFromParent();
  }
  const SmallVector<Range, 4> Copies = copiesIn(F);
  for (LoadInst *Load : Loads) {
    const Range Read(*Load, Load->getPointerOperand(), F.getDataLayout().getTypeStoreSize(Load->getType()));
    Type *Number = assignedNumber(Load->getPointerOperand(), Objects);
    if (Number && none_of(Copies, [&](const Range &Copy) { return Copy.contains(Read); }))
      markNumbers(*Load, Number);
  }
  for (CallInst *Mark : OfCopies) {
    Value *Source = copiedFrom(*Mark);
    const auto *Size = dyn_cast<ConstantInt>(Mark->getArgOperand(1)); // none: the copy has been kept until now
    if (Type *Number = Size ? assignedNumber(Source, Objects) : nullptr) {
      IRBuilder<> B(Mark);
      markNumbersAt(B, Source, Size->getZExtValue(), F.getDataLayout().getABITypeAlign(Number), Number, Copies);
    }
    Mark->eraseFromParent();
  }
}

void kernix::markCopiedReads(Function &F, MemoryObjects &Objects, const DerivativeRequest &Request) {
  if (!assignsAny(Request))
    return;
  for (Instruction &I : make_early_inc_range(instructions(F)))
    if (auto *Load = dyn_cast<LoadInst>(&I); Load && !isMarkedRead(*Load))
      if (Type *Number = assignedNumber(Load->getPointerOperand(), Objects); Number == Load->getType())
        markNumbers(*Load, Number);
}

void kernix::keepReads(Function &F) {
  for (CallInst *Mark : marksIn(F)) {
    Mark->setMemoryEffects(MemoryEffects::none());
    Mark->removeFnAttr(Attribute::WillReturn);
  }
}
