//===- Prepare.cpp - the form of a function that is differentiated ----------------------------------------------===//

#include "Derivative/Prepare/Prepare.h"
#include "Derivative/Addresses/IndexForms.h"
#include "Derivative/Addresses/UniformAddresses.h"
#include "Derivative/Analysis/Constants.h"
#include "Derivative/Canonical/Collectives.h"
#include "Derivative/Canonical/Division.h"
#include "Derivative/CustomRules/ConstantViews.h"
#include "Derivative/CustomRules/RuleCalls.h"
#include "Derivative/Loops/UnrollLoops.h"
#include "Derivative/Prepare/ClosedSwitches.h"
#include "Derivative/Prepare/CopiedBytes.h"
#include "Derivative/Prepare/EarlyReturns.h"
#include "Derivative/Prepare/FunctionTables.h"
#include "Derivative/Prepare/InlineCalls.h"
#include "Derivative/Prepare/KeptAddresses.h"
#include "Derivative/Prepare/LoopIds.h"
#include "Derivative/Prepare/OwnReferences.h"
#include "Derivative/Prepare/PassedStructs.h"
#include "Derivative/Prepare/PointerChoices.h"
#include "Derivative/Prepare/PointerDifferences.h"
#include "Derivative/Prepare/RetypeLocals.h"
#include "Derivative/Prepare/SourceReads.h"
#include "Derivative/Prepare/SplitMembers.h"
#include "Derivative/Prepare/StorageMarks.h"
#include "Derivative/Prepare/StoredNumbers.h"
#include "Derivative/Prepare/StrideFactors.h"
#include "Derivative/Shared/SharedVariables.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/ADCE.h"
#include "llvm/Transforms/Scalar/DeadStoreElimination.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/GVN.h"
#include "llvm/Transforms/Scalar/IndVarSimplify.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/LoopRotation.h"
#include "llvm/Transforms/Scalar/LoopUnrollPass.h"
#include "llvm/Transforms/Scalar/LowerConstantIntrinsics.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/Scalarizer.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/LCSSA.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LowerAtomic.h"
#include "llvm/Transforms/Utils/UnifyFunctionExitNodes.h"

using namespace llvm;
using namespace kernix;

namespace {

SimplifyCFGOptions withoutSpeculation() {
  return SimplifyCFGOptions()
      .speculateBlocks(false)
      .speculateUnpredictables(false)
      .convertSwitchToLookupTable(false)
      .convertSwitchRangeToICmp(false)
      .hoistCommonInsts(false)
      .sinkCommonInsts(false)
      .needCanonicalLoops(true);
}

LICMOptions licmWithoutSpeculation() {
  LICMOptions Options;
  Options.AllowSpeculation = false;
  return Options;
}

GVNPass forwarding() { return GVNPass(GVNOptions().setPRE(false).setLoadPRE(false)); }

void run(Function &F, FunctionAnalysisManager &FAM, FunctionPassManager &Passes) {
  FAM.invalidate(F, PreservedAnalyses::none());
  PreservedAnalyses Preserved = Passes.run(F, FAM);
  FAM.invalidate(F, Preserved);
}

/// Passes that may take latches apart, and none of loops.
void runHeld(Function &F, FunctionAnalysisManager &FAM, FunctionPassManager &Passes) {
  {
    HeldLoopIds Held(F);
    run(F, FAM, Passes);
  }
  FAM.invalidate(F, PreservedAnalyses::none());
}

void intoRegisters(Function &F, FunctionAnalysisManager &FAM, Refusals &Refused) {
  FunctionPassManager Passes;
  Passes.addPass(SROAPass(SROAOptions::PreserveCFG));
  run(F, FAM, Passes);
  refusePointerDifferences(F, Refused);
  guardStoredNumbers(F); // copies of variables have become stores
  Passes = FunctionPassManager();
  Passes.addPass(EarlyCSEPass());
  Passes.addPass(SimplifyCFGPass(withoutSpeculation()));
  Passes.addPass(InstCombinePass());
  runHeld(F, FAM, Passes);
}

/// Only loops of few iterations, whose number is known.
void unrollCounted(Function &F, FunctionAnalysisManager &FAM) {
  FunctionPassManager Passes;
  LoopPassManager Rotate;
  Rotate.addPass(LoopRotatePass(/*EnableHeaderDuplication=*/true, /*PrepareForLTO=*/false));
  Passes.addPass(createFunctionToLoopPassAdaptor(std::move(Rotate), /*UseMemorySSA=*/true));
  LoopPassManager Unroll;
  Unroll.addPass(IndVarSimplifyPass());
  Unroll.addPass(LoopFullUnrollPass(/*OptLevel=*/3));
  Passes.addPass(createFunctionToLoopPassAdaptor(std::move(Unroll)));
  run(F, FAM, Passes);
}

void scalarize(Function &F, FunctionAnalysisManager &FAM) {
  FunctionPassManager Passes;
  ScalarizerPassOptions Options;
  Options.ScalarizeVariableInsertExtract = true;
  Options.ScalarizeLoadStore = true;
  Passes.addPass(ScalarizerPass(Options));
  run(F, FAM, Passes);
}

void simplify(Function &F, FunctionAnalysisManager &FAM) {
  FunctionPassManager Passes;
  Passes.addPass(SROAPass(SROAOptions::ModifyCFG));
  Passes.addPass(EarlyCSEPass(/*UseMemorySSA=*/true));
  Passes.addPass(SimplifyCFGPass(withoutSpeculation()));
  Passes.addPass(InstCombinePass());
  Passes.addPass(SimplifyCFGPass(withoutSpeculation()));
  runHeld(F, FAM, Passes);
  Passes = FunctionPassManager();
  {
    LoopPassManager Rotate;
    Rotate.addPass(LoopRotatePass(/*EnableHeaderDuplication=*/true, /*PrepareForLTO=*/false));
    Rotate.addPass(LICMPass(licmWithoutSpeculation()));
    Passes.addPass(createFunctionToLoopPassAdaptor(std::move(Rotate), /*UseMemorySSA=*/true));
  }
  run(F, FAM, Passes);
  Passes = FunctionPassManager();
  Passes.addPass(SimplifyCFGPass(withoutSpeculation()));
  Passes.addPass(InstCombinePass());
  runHeld(F, FAM, Passes);
  unrollAsAsked(F, FAM);
  Passes = FunctionPassManager();
  {
    LoopPassManager Count;
    Count.addPass(IndVarSimplifyPass());
    Count.addPass(LoopFullUnrollPass(/*OptLevel=*/3));
    Passes.addPass(createFunctionToLoopPassAdaptor(std::move(Count)));
  }
  run(F, FAM, Passes);
  Passes = FunctionPassManager();
  Passes.addPass(SROAPass(SROAOptions::ModifyCFG));
  Passes.addPass(EarlyCSEPass(/*UseMemorySSA=*/true));
  Passes.addPass(forwarding());
  Passes.addPass(LowerConstantIntrinsicsPass()); // what is not known to be constant by now is not: std::next
  Passes.addPass(DSEPass());
  Passes.addPass(InstCombinePass());
  Passes.addPass(SimplifyCFGPass(withoutSpeculation()));
  Passes.addPass(ADCEPass());
  runHeld(F, FAM, Passes);
  forgetUnrolling(F, FAM);
}

/// Each access leads to one object; true if that took a change.
bool separatePointers(Function &F, FunctionAnalysisManager &FAM) {
  FAM.invalidate(F, PreservedAnalyses::none());
  bool Changed = recomputeKeptAddresses(F, FAM.getResult<DominatorTreeAnalysis>(F));
  // Each round takes one end of a copy, or one level of pointers to pointers.
  for (unsigned Round = 0; Round < 8; ++Round) {
    FAM.invalidate(F, PreservedAnalyses::none());
    if (!splitPointerChoices(F, FAM.getResult<DominatorTreeAnalysis>(F), FAM.getResult<LoopAnalysis>(F)))
      break;
    Changed = true;
  }
  FAM.invalidate(F, PreservedAnalyses::none());
  if (!Changed)
    return false;
  settleStoredNumbers(F);
  FunctionPassManager Passes;
  Passes.addPass(ADCEPass()); // pointers that are left keep variables in memory
  Passes.addPass(SROAPass(SROAOptions::PreserveCFG));
  runHeld(F, FAM, Passes);
  guardStoredNumbers(F);
  Passes = FunctionPassManager();
  Passes.addPass(EarlyCSEPass(/*UseMemorySSA=*/true));
  Passes.addPass(SimplifyCFGPass(withoutSpeculation()));
  runHeld(F, FAM, Passes);
  return true;
}

unsigned unknownCalls(Function &F) {
  return static_cast<unsigned>(count_if(instructions(F), [](const Instruction &I) {
    const auto *Call = dyn_cast<CallBase>(&I);
    return Call && Call->isIndirectCall();
  }));
}

/// What one thread adds to its own variables, as the gradients of bwd_diff, needs no atomic operation.
void plainLocalAtomics(Function &F) {
  for (Instruction &I : make_early_inc_range(instructions(F)))
    if (auto *Atomic = dyn_cast<AtomicRMWInst>(&I);
        Atomic && isa<AllocaInst>(getUnderlyingObject(Atomic->getPointerOperand(), 0)))
      lowerAtomicRMWInst(Atomic);
}

/// `#pragma unroll`, as clang writes it, and as it has been named already.
bool isMarkOfUnrolling(const Metadata *Operand) {
  const auto *Node = dyn_cast_or_null<MDNode>(Operand);
  const auto *Name = Node && Node->getNumOperands() == 1 ? dyn_cast<MDString>(Node->getOperand(0)) : nullptr;
  return Name &&
         is_contained({"llvm.loop.unroll.enable", "llvm.loop.unroll.full", UnrollAnnotation}, Name->getString());
}

/// Names what the source says of a loop in its metadata, before passes change the places of loops.
void markLoops(Function &F, const DerivativeRequest &Request) {
  LLVMContext &Context = F.getContext();
  for (BasicBlock &Block : F) {
    Instruction *Terminator = Block.getTerminator();
    MDNode *Id = Terminator ? Terminator->getMetadata(LLVMContext::MD_loop) : nullptr;
    if (!Id)
      continue;
    // Hints like unroll.disable, which -O1 puts everywhere, would keep small arrays in memory.
    SmallVector<Metadata *, 4> Operands = {nullptr};
    int64_t Bound = 0;
    const char *Choice = nullptr;
    for (const MDOperand &Operand : drop_begin(Id->operands()))
      if (isMarkOfUnrolling(Operand))
        Operands.push_back(MDNode::get(Context, MDString::get(Context, UnrollAnnotation)));
      else if (auto *Place = dyn_cast_or_null<DILocation>(Operand.get())) {
        Operands.push_back(Place);
        for (const StatementMark &Mark : Request.MaxIters)
          if (Mark.isAt(*Place))
            Bound = Mark.Value;
        for (const auto *Choices : {&Request.Recompute, &Request.Store})
          for (const StatementMark &Mark : *Choices)
            if (Mark.isAt(*Place))
              Choice = Choices == &Request.Store ? StoreAnnotation : RecomputeAnnotation;
      }
    if (Choice)
      Operands.push_back(MDNode::get(Context, MDString::get(Context, Choice)));
    if (Bound) {
      Metadata *Entry[] = {MDString::get(Context, "kernix.max_iters"),
                           ConstantAsMetadata::get(ConstantInt::get(Type::getInt64Ty(Context), Bound))};
      Operands.push_back(MDNode::get(Context, Entry));
    }
    MDNode *New = MDNode::getDistinct(Context, Operands);
    New->replaceOperandWith(0, New);
    Terminator->setMetadata(LLVMContext::MD_loop, New);
  }
}

/// A parameter by value is there as a whole: a copy of it that is only read, at computed places perhaps, needs not be
/// made. How many such copies there are.
unsigned showParameterSizes(Function &F) {
  unsigned Found = 0;
  for (Instruction &I : instructions(F)) {
    auto *Copy = dyn_cast<MemCpyInst>(&I);
    auto *A = Copy ? dyn_cast<Argument>(Copy->getSource()) : nullptr;
    auto *Length = Copy ? dyn_cast<ConstantInt>(Copy->getLength()) : nullptr;
    if (!A || !Length || !A->onlyReadsMemory())
      continue;
    ++Found;
    if (A->getDereferenceableBytes() >= Length->getZExtValue())
      continue;
    A->removeAttr(Attribute::Dereferenceable);
    A->removeAttr(Attribute::Alignment);
    A->addAttr(Attribute::getWithDereferenceableBytes(F.getContext(), Length->getZExtValue()));
    A->addAttr(Attribute::getWithAlignment(F.getContext(), Copy->getSourceAlign().valueOrOne()));
  }
  return Found;
}

uint64_t sizeOfNumber(const Leaf &Number) { return Number.Scalar->getPrimitiveSizeInBits() / 8; }

/// The number of a parameter, by value or by reference, of which a byte of its storage is a part.
const Leaf *numberAt(const RequestParameter &Parameter, uint64_t Place) {
  auto Found = find_if(Parameter.Leaves, [&](const Leaf &L) {
    return (L.Kind == Leaf::Value || L.Kind == Leaf::Memory) && L.Scalar &&
           Place - static_cast<uint64_t>(L.Offset) < sizeOfNumber(L);
  });
  return Found == Parameter.Leaves.end() ? nullptr : &*Found;
}

/// The integer that lies at Place, beside numbers: of as many bytes as are aligned there, before the next number.
Type *integerAt(LLVMContext &Context, const RequestParameter &Parameter, uint64_t Place, uint64_t End) {
  uint64_t Size = 1;
  while (Place % (2 * Size) == 0 && Place + 2 * Size <= End &&
         none_of(seq(Place, Place + 2 * Size), [&](uint64_t At) { return numberAt(Parameter, At); }))
    Size *= 2;
  return IntegerType::get(Context, static_cast<unsigned>(8 * Size));
}

/// The bits at a place of a parameter's storage: a load for each number, and for what lies between them.
Value *loadNumbersAlone(IRBuilder<> &B, const LoadInst &Load, Argument &A, uint64_t Begin,
                        const RequestParameter &Parameter) {
  const uint64_t End = Begin + Load.getDataLayout().getTypeStoreSize(Load.getType());
  IntegerType *Wide = B.getIntNTy(static_cast<unsigned>(8 * (End - Begin)));
  Value *Whole = nullptr;
  for (uint64_t Place = Begin; Place < End;) {
    const Leaf *Number = numberAt(Parameter, Place);
    Type *T = Number ? Number->Scalar : integerAt(B.getContext(), Parameter, Place, End);
    const uint64_t Size = T->getPrimitiveSizeInBits() / 8, First = Number ? Number->Offset : Place;
    const Align Known = std::max(commonAlignment(A.getPointerAlignment(Load.getDataLayout()), First),
                                 First < Begin ? Align(1) : commonAlignment(Load.getAlign(), First - Begin));
    Value *Part = B.CreateAlignedLoad(T, B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), &A, First), Known);
    Value *Bits = B.CreateBitCast(Part, B.getIntNTy(static_cast<unsigned>(8 * Size)));
    Bits = B.CreateZExtOrTrunc(B.CreateLShr(Bits, 8 * (Place - First)), Wide);
    Bits = B.CreateShl(Bits, 8 * (Place - Begin));
    Whole = Whole ? B.CreateOr(Whole, Bits, "", /*IsDisjoint=*/true) : Bits;
    Place = First + Size;
  }
  return B.CreateBitCast(Whole, Load.getType());
}

/// Bits of numbers of a parameter, or of what a reference refers to, that are read as another type, several numbers at
/// once perhaps, as small structs are passed.
void loadNumbersAlone(Function &F, const DerivativeRequest &Request) {
  const DataLayout &DL = F.getDataLayout();
  for (Instruction &I : make_early_inc_range(instructions(F))) {
    auto *Load = dyn_cast<LoadInst>(&I);
    Type *T = Load && Load->isSimple() ? Load->getType() : nullptr;
    if (!T || !T->isSingleValueType() || T->isPointerTy())
      continue;
    APInt Offset(DL.getIndexTypeSizeInBits(Load->getPointerOperandType()), 0);
    auto *A = dyn_cast<Argument>(Load->getPointerOperand()->stripAndAccumulateConstantOffsets(DL, Offset, true));
    const uint64_t Size = DL.getTypeStoreSize(T);
    if (!A || A->getArgNo() >= Request.Parameters.size() || Offset.isNegative() || Size > 8 ||
        DL.getTypeSizeInBits(T) != 8 * Size)
      continue;
    const RequestParameter &Parameter = Request.Parameters[A->getArgNo()];
    const uint64_t Begin = Offset.getZExtValue();
    // Behind what a reference refers to there may be more of it.
    if (!Parameter.Leaves.empty() && Parameter.Leaves[0].Kind == Leaf::Memory && Begin + Size > Parameter.Size)
      continue;
    bool HasOthers = false;
    for (uint64_t Place = Begin; Place < Begin + Size; ++Place)
      if (const Leaf *Number = numberAt(Parameter, Place))
        HasOthers |= Number->Scalar != T->getScalarType() ||
                     (Begin - static_cast<uint64_t>(Number->Offset)) % sizeOfNumber(*Number) != 0;
    if (!HasOthers)
      continue;
    IRBuilder<> B(Load);
    Load->replaceAllUsesWith(loadNumbersAlone(B, *Load, *A, Begin, Parameter));
    Load->eraseFromParent();
  }
}

/// The number of a result, or of what a reference parameter refers to, that begins in [Place, End); null: none does.
const Leaf *nextNumber(const RequestParameter &Parameter, uint64_t Place, uint64_t End) {
  const Leaf *Next = nullptr;
  for (const Leaf &L : Parameter.Leaves)
    if (const auto At = static_cast<uint64_t>(L.Offset);
        L.Kind == Leaf::Memory && L.Scalar && At >= Place && At < End && (!Next || L.Offset < Next->Offset))
      Next = &L;
  return Next;
}

/// Numbers and what lies beside them that are stored as one integer, as small structs are returned.
void storeNumbersAlone(Function &F, const DerivativeRequest &Request) {
  const DataLayout &DL = F.getDataLayout();
  for (Instruction &I : make_early_inc_range(instructions(F))) {
    auto *Store = dyn_cast<StoreInst>(&I);
    Type *T = Store && Store->isSimple() ? Store->getValueOperand()->getType() : nullptr;
    if (!T || !T->isIntegerTy())
      continue;
    APInt Offset(DL.getIndexTypeSizeInBits(Store->getPointerOperandType()), 0);
    auto *A = dyn_cast<Argument>(Store->getPointerOperand()->stripAndAccumulateConstantOffsets(DL, Offset, true));
    const uint64_t Size = DL.getTypeStoreSize(T);
    if (!A || A->getArgNo() >= Request.Parameters.size() || Offset.isNegative() || DL.getTypeSizeInBits(T) != 8 * Size)
      continue;
    const RequestParameter &Parameter = Request.Parameters[A->getArgNo()];
    const uint64_t Begin = Offset.getZExtValue(), End = Begin + Size;
    SmallVector<std::pair<Type *, uint64_t>, 8> Parts;
    bool HasNumber = false, IsWhole = true;
    for (uint64_t Place = Begin; Place < End;) {
      const Leaf *Number = nextNumber(Parameter, Place, End);
      const uint64_t Until = Number ? static_cast<uint64_t>(Number->Offset) : End;
      for (; Place < Until; Place += DL.getTypeStoreSize(Parts.back().first)) {
        uint64_t Bytes = 8;
        while (Place % Bytes != 0 || Place + Bytes > Until)
          Bytes /= 2;
        Parts.push_back({IntegerType::get(F.getContext(), static_cast<unsigned>(8 * Bytes)), Place});
      }
      if (!Number)
        break;
      Parts.push_back({Number->Scalar, Place});
      Place += sizeOfNumber(*Number);
      HasNumber = true;
      IsWhole &= Place <= End;
    }
    // One that begins before.
    IsWhole &= none_of(Parameter.Leaves, [&](const Leaf &L) {
      return L.Kind == Leaf::Memory && L.Scalar &&
             static_cast<uint64_t>(L.Offset)<Begin &&static_cast<uint64_t>(L.Offset) + sizeOfNumber(L)> Begin;
    });
    if (!HasNumber || !IsWhole || Parts.size() == 1)
      continue;
    IRBuilder<> B(Store);
    for (auto [Part, Place] : Parts) {
      const uint64_t Behind = Place - Begin;
      Value *Bits = Store->getValueOperand();
      Bits = B.CreateTrunc(B.CreateLShr(Bits, 8 * Behind), B.getIntNTy(Part->getPrimitiveSizeInBits()));
      B.CreateAlignedStore(B.CreateBitCast(Bits, Part),
                           B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Store->getPointerOperand(), Behind),
                           commonAlignment(Store->getAlign(), Behind));
    }
    Store->eraseFromParent();
  }
}

/// One load at the entry for each part of a parameter's storage that is read at a constant place: nothing writes it.
void loadParametersOnce(Function &F, const DerivativeRequest &Request) {
  const DataLayout &DL = F.getDataLayout();
  DenseMap<std::tuple<unsigned, int64_t, Type *>, LoadInst *> Loads;
  Instruction *Entry = &*F.getEntryBlock().getFirstNonPHIOrDbgOrAlloca();
  for (Instruction &I : make_early_inc_range(instructions(F))) {
    auto *Load = dyn_cast<LoadInst>(&I);
    if (!Load || !Load->isSimple())
      continue;
    APInt Offset(DL.getIndexTypeSizeInBits(Load->getPointerOperandType()), 0);
    auto *A = dyn_cast<Argument>(Load->getPointerOperand()->stripAndAccumulateConstantOffsets(DL, Offset, true));
    if (!A)
      continue;
    const auto &Leaves = Request.Parameters[A->getArgNo()].Leaves;
    if (!Leaves.empty() && Leaves[0].Kind == Leaf::Memory)
      continue;
    LoadInst *&First = Loads[{A->getArgNo(), Offset.getSExtValue(), Load->getType()}];
    if (!First) {
      IRBuilder<> B(F.getContext());
      B.SetInsertPoint(Entry);
      B.SetCurrentDebugLocation(Load->getDebugLoc());
      Value *Place = A;
      if (!Offset.isZero())
        Place = B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), A, Offset.getZExtValue());
      First = B.CreateAlignedLoad(Load->getType(), Place, Load->getAlign());
    }
    if (Load == First)
      continue;
    Load->replaceAllUsesWith(First);
    if (Load == Entry)
      Entry = Load->getNextNode();
    Load->eraseFromParent();
  }
}

/// One read at the entry of each id and extent of the launch. They never change, but nothing is hoisted over a barrier,
/// and a read in a loop would be a step that may be another one in each iteration.
void readGeometryOnce(Function &F) {
  DenseMap<unsigned, Instruction *> Reads;
  Instruction *Entry = &*F.getEntryBlock().getFirstNonPHIOrDbgOrAlloca();
  for (Instruction &I : make_early_inc_range(instructions(F))) {
    std::optional<unsigned> Atom = geometryAtom(&I);
    if (!Atom)
      continue;
    Instruction *&First = Reads[*Atom];
    if (First) {
      I.replaceAllUsesWith(First);
      I.eraseFromParent();
      continue;
    }
    First = &I;
    if (&I == Entry)
      Entry = I.getNextNode();
    else
      I.moveBefore(Entry->getIterator());
  }
}

/// Makes the pointers of active pointer leaves arguments, so that alias analysis knows that they do not overlap.
Prepared withPointerArguments(Function *F, const DerivativeRequest &Request) {
  Prepared P;
  const DataLayout &DL = F->getDataLayout();
  SmallVector<Type *, 8> Types;
  for (unsigned K = 0; K < F->arg_size(); ++K) {
    P.Arguments.push_back({K, -1});
    Types.push_back(F->getArg(K)->getType());
  }
  for (unsigned K = 0; K < Request.Parameters.size(); ++K)
    for (unsigned L = 0; L < Request.Parameters[K].Leaves.size(); ++L)
      if (const Leaf &TheLeaf = Request.Parameters[K].Leaves[L]; TheLeaf.Kind == Leaf::Pointer && TheLeaf.Active) {
        P.Arguments.push_back({K, static_cast<int>(L)});
        Types.push_back(PointerType::getUnqual(F->getContext()));
      }
  Function *New = Function::Create(FunctionType::get(F->getReturnType(), Types, false), GlobalValue::InternalLinkage,
                                   F->getAddressSpace(), F->getName() + ".prepared", F->getParent());
  New->copyAttributesFrom(F);
  New->setCallingConv(CallingConv::C);
  New->setSubprogram(F->getSubprogram());
  F->setSubprogram(nullptr);
  New->splice(New->begin(), F);
  for (unsigned K = 0; K < F->arg_size(); ++K)
    F->getArg(K)->replaceAllUsesWith(New->getArg(K));
  // Of an argument that nothing else leads to, LLVM thinks that no call changes what is there: not even a barrier.
  bool HasBarrier = any_of(instructions(*New), orderingCall);
  for (unsigned K = 0; K < New->arg_size(); ++K) {
    int L = P.Arguments[K].Leaf;
    if (L < 0 || !HasBarrier || Request.Parameters[P.Arguments[K].Parameter].Leaves[L].Access != Leaf::InOut)
      New->addParamAttr(K, Attribute::NoAlias);
  }
  for (Instruction &I : make_early_inc_range(instructions(*New))) {
    auto *Load = dyn_cast<LoadInst>(&I);
    if (!Load || !Load->getType()->isPointerTy())
      continue;
    APInt Offset(DL.getIndexTypeSizeInBits(Load->getPointerOperandType()), 0);
    auto *A = dyn_cast<Argument>(Load->getPointerOperand()->stripAndAccumulateConstantOffsets(DL, Offset, true));
    if (!A)
      continue;
    for (unsigned K = static_cast<unsigned>(Request.Parameters.size()); K < P.Arguments.size(); ++K) {
      const Leaf &TheLeaf = Request.Parameters[P.Arguments[K].Parameter].Leaves[P.Arguments[K].Leaf];
      if (P.Arguments[K].Parameter != A->getArgNo() || TheLeaf.Offset != Offset.getSExtValue())
        continue;
      Load->replaceAllUsesWith(New->getArg(K));
      Load->eraseFromParent();
      break;
    }
  }
  F->eraseFromParent();
  P.F = New;
  return P;
}

bool isInOrder(Function &F, FunctionAnalysisManager &FAM, Refusals &Refused) {
  for (BasicBlock &Block : F) {
    Instruction *Terminator = Block.getTerminator();
    if (isa<IndirectBrInst, CallBrInst>(Terminator)) {
      Refused.error(*Terminator, "it jumps to a computed label; use switch");
      return false;
    }
    const Instruction *Throws = isa<InvokeInst, ResumeInst>(Terminator) || Block.isEHPad() ? Terminator : nullptr;
    for (const Instruction &I : Block)
      if (const auto *Call = dyn_cast<CallBase>(&I);
          Call && Call->getCalledFunction() && Call->getCalledFunction()->getName().starts_with("__cxa_throw"))
        Throws = Call;
    if (Throws) {
      Refused.error(*Throws, "it may throw an exception here: what is differentiated must be noexcept");
      return false;
    }
  }
  LoopInfo &Loops = FAM.getResult<LoopAnalysis>(F);
  ReversePostOrderTraversal<const Function *> Order(&F);
  if (containsIrreducibleCFG<const BasicBlock *>(Order, Loops)) {
    // Back to a block that is not on every way there: the loop has two entries.
    const Instruction *Where = F.getEntryBlock().getTerminator();
    DominatorTree &Dominators = FAM.getResult<DominatorTreeAnalysis>(F);
    SmallPtrSet<const BasicBlock *, 16> Visited;
    for (const BasicBlock *Block : Order) {
      Visited.insert(Block);
      for (const BasicBlock *Next : successors(Block))
        if (Visited.contains(Next) && !Dominators.dominates(Next, Block))
          Where = Block->getTerminator();
    }
    Refused.error(*Where, "goto jumps into a loop: the control flow is irreducible; write it with for, while, break "
                          "and continue");
    return false;
  }
  for (Loop *L : Loops.getLoopsInPreorder())
    if (!L->isLoopSimplifyForm()) {
      Refused.error(*L->getHeader()->getTerminator(), "a loop that cannot be brought into canonical form");
      return false;
    }
  return true;
}

} // namespace

/// What ends the launch ends it where it stands, behind its call: UnifyFunctionExitNodes makes one block of all these
/// ends.
static void separateEnds(Function &F) {
  for (BasicBlock &Block : make_early_inc_range(F)) {
    if (!isa<UnreachableInst>(Block.front()))
      continue;
    for (BasicBlock *Before : to_vector(predecessors(&Block)))
      if (auto *Branch = dyn_cast<BranchInst>(Before->getTerminator()); Branch && Branch->isUnconditional()) {
        auto *End = new UnreachableInst(F.getContext(), Branch->getIterator());
        End->setDebugLoc(Branch->getDebugLoc());
        Branch->eraseFromParent();
      }
    if (pred_empty(&Block))
      Block.eraseFromParent();
  }
}

void kernix::canonicalLoops(Function &F, FunctionAnalysisManager &FAM) {
  {
    HeldLoopIds Held(F);
    FunctionPassManager Clean;
    Clean.addPass(ADCEPass());
    run(F, FAM, Clean);
    // Blocks that nothing leads to any more would have no reverse.
    removeUnreachableBlocks(F);
    FunctionPassManager Unify;
    Unify.addPass(UnifyFunctionExitNodesPass());
    run(F, FAM, Unify);
    separateEnds(F);
  }
  FAM.invalidate(F, PreservedAnalyses::none());
  FunctionPassManager Passes;
  Passes.addPass(LoopSimplifyPass());
  Passes.addPass(LCSSAPass());
  run(F, FAM, Passes);
}

int64_t kernix::maxIterationsOf(const MDNode *LoopId) {
  if (!LoopId)
    return 0;
  for (const MDOperand &Operand : drop_begin(LoopId->operands())) {
    const auto *Node = dyn_cast_or_null<MDNode>(Operand.get());
    if (!Node || Node->getNumOperands() != 2)
      continue;
    const auto *Name = dyn_cast_or_null<MDString>(Node->getOperand(0).get());
    if (Name && Name->getString() == "kernix.max_iters")
      return mdconst::extract<ConstantInt>(Node->getOperand(1))->getSExtValue();
  }
  return 0;
}

bool kernix::isMarked(const MDNode *LoopId, StringRef Mark) {
  return LoopId && any_of(drop_begin(LoopId->operands()), [&](const MDOperand &Operand) {
           const auto *Node = dyn_cast_or_null<MDNode>(Operand.get());
           const auto *Name =
               Node && Node->getNumOperands() == 1 ? dyn_cast_or_null<MDString>(Node->getOperand(0).get()) : nullptr;
           return Name && Name->getString() == Mark;
         });
}

Prepared kernix::prepare(const DerivativeRequest &Request, FunctionAnalysisManager &FAM, Refusals &Refused) {
  ValueToValueMapTy Map;
  Function *F = CloneFunction(Request.Primal, Map);
  F->setLinkage(GlobalValue::InternalLinkage);
  F->setComdat(nullptr);
  F->setCallingConv(CallingConv::C);
  for (Attribute::AttrKind Kind : {Attribute::OptimizeNone, Attribute::NoInline, Attribute::Convergent,
                                   Attribute::SanitizeAddress, Attribute::SanitizeThread, Attribute::StackProtect})
    F->removeFnAttr(Kind);
  // A parameter passed by value is only read; copies of it need not be kept.
  for (unsigned K = 0; K < F->arg_size(); ++K) {
    const auto &Leaves = Request.Parameters[K].Leaves;
    F->addParamAttr(K, Attribute::NoAlias);
    if (Leaves.empty() || Leaves[0].Kind != Leaf::Memory)
      F->addParamAttr(K, Attribute::ReadOnly);
  }
  markLoops(*F, Request);
  unsigned Forwarded = 0;
  Recursion Levels;
  constexpr unsigned MostRounds = 24;
  for (unsigned Round = 0, Rounds = MostRounds; Round < Rounds; ++Round) {
    const unsigned Before = Levels.Inlined;
    bool Inlined = inlineCalls(*F, FAM, Refused, Round + 1 < Rounds ? &Levels : nullptr);
    Rounds += Levels.Inlined != Before; // as many levels as calls may be inlined
    markReads(*F, Request);
    hideConstantVariables(*F, FAM, Refused);
    if (Request.Mode == DerivativeRequest::Reverse)
      hideStorageVariables(*F, FAM, Refused);
    if (Refused.any()) {
      FAM.clear(*F, F->getName());
      F->eraseFromParent();
      return {};
    }
    markLoops(*F, Request);
    stripDescriptions(*F);
    copyPassedStructs(*F);
    showParameterSizes(*F);
    unsigned Unknown = unknownCalls(*F);
    if (Unknown)
      chooseFromTables(*F);
    if (Round) // until then every pointer is a variable
      separatePointers(*F, FAM);
    // Function pointers become known once they are in registers. So do the parts of an object whose address was in
    // memory until then, in `this` for instance; these take one more round.
    intoRegisters(*F, FAM, Refused);
    while (forgetOtherReads(*F, Request))
      intoRegisters(*F, FAM, Refused);
    if (Inlined || !Round || unknownCalls(*F) < Unknown)
      continue;
    // The address of a virtual table, read in another block than it was written in; of one of several objects it takes
    // some rounds from the object to the function. At last, each entry of a table that a loop goes through.
    if (Forwarded++ == 5 || !Unknown)
      break;
    if (Forwarded == 5) {
      if (Request.Mode == DerivativeRequest::Reverse)
        keepLoopsThatRecompute(*F, FAM.getResult<LoopAnalysis>(*F));
      unrollCounted(*F, FAM);
    }
    FunctionPassManager Passes;
    Passes.addPass(forwarding());
    Passes.addPass(InstCombinePass());
    runHeld(*F, FAM, Passes);
  }
  // Copies of copies go one at a time.
  for (unsigned Copies = showParameterSizes(*F), Before = ~0U; Copies && Copies < Before;
       Before = std::exchange(Copies, showParameterSizes(*F)))
    intoRegisters(*F, FAM, Refused);
  joinDynamicShared(*F);
  // Of two pointers that are read from parameters and of which one is used, LLVM may have made one that is read from a
  // chosen parameter.
  separatePointers(*F, FAM);
  settleStoredNumbers(*F, Refused);
  if (Request.Mode == DerivativeRequest::Reverse && Request.Kind != DerivativeRequest::Kernel)
    ownReferences(*F, Request);
  loadParametersOnce(*F, Request);
  readGeometryOnce(*F);
  FAM.clear(*F, F->getName());
  Prepared P = withPointerArguments(F, Request);
  {
    MemoryObjects Objects(P, Request);
    settleReads(*P.F, Objects);
  }
  scalarize(*P.F, FAM);
  hideDivisions(*P.F);
  plainLocalAtomics(*P.F);
  retypeLocals(*P.F);
  SmallVector<AllocaInst *, 4> Constants = showConstantVariables(*P.F, Refused);
  copyPassedStructs(*P.F); // copies of up to eight bytes have become loads and stores
  {
    MemoryObjects Objects(P, Request);
    expandCopies(*P.F, Objects);
    splitMembers(*P.F, Objects);
    markCopiedReads(*P.F, Objects, Request);
  }
  loadNumbersAlone(*P.F, Request); // what was no copy of a struct
  storeNumbersAlone(*P.F, Request);
  markStoredValues(*P.F);
  constantVariables(Constants, Refused);
  if (Request.Mode == DerivativeRequest::Reverse) {
    FAM.invalidate(*P.F, PreservedAnalyses::none());
    keepLoopsThatRecompute(*P.F, FAM.getResult<LoopAnalysis>(*P.F));
  }
  simplify(*P.F, FAM);
  {
    MemoryObjects Objects(P, Request);
    expandCopies(*P.F, Objects);
    retypeCopies(*P.F, Objects);
  }
  // Two loads on the ways to one place may have become one load of a chosen address.
  separatePointers(*P.F, FAM);
  {
    MemoryObjects Objects(P, Request);
    factorStrides(*P.F, Objects);
  }
  restoreDivisions(*P.F);
  stripDescriptions(*P.F);
  settleStorageMarks(*P.F);
  splitRuleResults(*P.F, *Request.Rules, Refused);
  {
    HeldLoopIds Held(*P.F);
    closeSwitches(*P.F);
    if (Request.FactsOfPrimal) {
      returnAtOnce(*P.F);
      FAM.invalidate(*P.F, PreservedAnalyses::none());
    }
  }
  canonicalLoops(*P.F, FAM);
  if (Request.Mode == DerivativeRequest::Reverse && Request.Kind == DerivativeRequest::Kernel)
    hoistUniformAddresses(*P.F);
  keepReads(*P.F);
  markConstantViews(P, Request);
  FAM.invalidate(*P.F, PreservedAnalyses::none());
  if (Request.FactsOfPrimal && none_of(*P.F, [](const BasicBlock &B) { return isa<ReturnInst>(B.getTerminator()); }))
    Refused.error(*P.F->getEntryBlock().getTerminator(),
                  "every launch of it would end in an error: what it asks of the "
                  "launch at one place rules out what it asks at another");
  if (Refused.any() || !isInOrder(*P.F, FAM, Refused)) {
    FAM.clear(*P.F, P.F->getName());
    P.F->eraseFromParent();
    return {};
  }
  return P;
}
