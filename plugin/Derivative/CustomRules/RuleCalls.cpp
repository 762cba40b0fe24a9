//===- RuleCalls.cpp - calls of functions whose derivative is written by hand -------------------------------------===//

#include "Derivative/CustomRules/RuleCalls.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;
using namespace kernix;

const CustomRule *kernix::ruleOf(const Value *V, const CustomRules *Rules) {
  const auto *Call = dyn_cast<CallBase>(V);
  const Function *Callee = Call && Rules ? Call->getCalledFunction() : nullptr;
  return Callee ? Rules->ofCanonical(Callee) : nullptr;
}

const CallBase *kernix::ruleCallOf(const Value *V, const CustomRules *Rules) {
  const auto *Part = dyn_cast<ExtractValueInst>(V);
  return Part && ruleOf(Part->getAggregateOperand(), Rules) ? cast<CallBase>(Part->getAggregateOperand()) : nullptr;
}

void kernix::forEachArgument(const CustomRule &Rule, function_ref<void(const RuleArgument &)> Visit) {
  unsigned Index = 0;
  for (const RuleParameter &P : Rule.Parameters)
    for (const RuleLeaf &Leaf : P.Leaves)
      Visit({&P, &Leaf, Index++});
}

void kernix::forEachResult(const CustomRule &Rule, function_ref<void(const RuleResult &)> Visit) {
  unsigned Index = 0, Argument = 0;
  if (Rule.Result)
    for (const RuleLeaf &Leaf : Rule.Result->Leaves)
      Visit({&*Rule.Result, &Leaf, Index++, true, 0});
  for (const RuleParameter &P : Rule.Parameters)
    for (const RuleLeaf &Leaf : P.Leaves) {
      if (P.Slot == RuleParameter::Memory)
        Visit({&P, &Leaf, Index++, false, Argument});
      ++Argument;
    }
}

RuleResult kernix::resultOf(const ExtractValueInst &Part, const CustomRule &Rule) {
  std::optional<RuleResult> Found;
  forEachResult(Rule, [&](const RuleResult &R) {
    if (R.Index == Part.getIndices()[0])
      Found = R;
  });
  return *Found;
}

static Value *placeOf(IRBuilder<> &B, Value *Memory, uint64_t Offset) {
  return Offset ? B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Memory, Offset) : Memory;
}

/// A struct with the parts of P where they are, if there is one: passes understand it better than bytes.
static Type *memoryType(LLVMContext &Context, const DataLayout &DL, uint64_t Size, const RuleParameter *P) {
  if (P) {
    SmallVector<Type *, 16> Types;
    for (const RuleLeaf &Leaf : P->Leaves)
      Types.push_back(Leaf.Type);
    auto *Struct = StructType::get(Context, Types);
    const StructLayout *Layout = DL.getStructLayout(Struct);
    bool Same = Layout->getSizeInBytes() == Size;
    for (unsigned K = 0; K < Types.size(); ++K)
      Same &= Layout->getElementOffset(K) == static_cast<uint64_t>(P->Leaves[K].Offset);
    if (Same)
      return Struct;
  }
  return ArrayType::get(Type::getInt8Ty(Context), Size);
}

static AllocaInst *newMemory(Function &F, uint64_t Size, Align Alignment, const RuleParameter *P) {
  const DataLayout &DL = F.getDataLayout();
  return new AllocaInst(memoryType(F.getContext(), DL, Size, P), DL.getAllocaAddrSpace(), nullptr, Alignment, "",
                        F.getEntryBlock().begin());
}

Value *kernix::makeRuleMemory(IRBuilder<> &B, Function &Body, uint64_t Size, Align Alignment) {
  AllocaInst *Memory = newMemory(Body, Size, Alignment, nullptr);
  if (Size)
    B.CreateMemSet(Memory, B.getInt8(0), Size, Alignment);
  return Memory;
}

Value *kernix::makeRuleMemory(IRBuilder<> &B, Function &Body, const RuleParameter &P, ArrayRef<Value *> Leaves) {
  AllocaInst *Memory = newMemory(Body, P.Size, P.Alignment, &P);
  for (unsigned K = 0; K < P.Leaves.size(); ++K)
    B.CreateAlignedStore(Leaves[K] ? Leaves[K] : Constant::getNullValue(P.Leaves[K].Type),
                         placeOf(B, Memory, static_cast<uint64_t>(P.Leaves[K].Offset)),
                         commonAlignment(P.Alignment, static_cast<uint64_t>(P.Leaves[K].Offset)));
  return Memory;
}

Value *kernix::loadRuleLeaf(IRBuilder<> &B, Value *Memory, const RuleParameter &P, const RuleLeaf &Leaf, uint64_t At) {
  uint64_t Offset = At + static_cast<uint64_t>(Leaf.Offset);
  return B.CreateAlignedLoad(Leaf.Type, placeOf(B, Memory, Offset), commonAlignment(P.Alignment, Offset));
}

void kernix::canonicalizeRuleCall(CallBase &Marker, const CustomRule &Rule, Function &Canonical) {
  IRBuilder<> B(&Marker);
  SmallVector<Value *, 16> Arguments;
  for (unsigned K = 0; K < Rule.Parameters.size(); ++K)
    for (const RuleLeaf &Leaf : Rule.Parameters[K].Leaves)
      Arguments.push_back(loadRuleLeaf(B, Marker.getArgOperand(K), Rule.Parameters[K], Leaf));
  CallInst *Call = B.CreateCall(&Canonical, Arguments);
  Value *Returned = nullptr;
  if (Rule.Result)
    Returned = newMemory(*Marker.getFunction(), Rule.Result->Size, Rule.Result->Alignment, &*Rule.Result);
  forEachResult(Rule, [&](const RuleResult &R) {
    Value *To = R.IsResult ? Returned : nullptr;
    for (unsigned K = 0; K < Rule.Parameters.size(); ++K)
      if (&Rule.Parameters[K] == R.Parameter)
        To = Marker.getArgOperand(K);
    uint64_t Offset = static_cast<uint64_t>(R.Leaf->Offset);
    B.CreateAlignedStore(B.CreateExtractValue(Call, R.Index), placeOf(B, To, Offset),
                         commonAlignment(R.Parameter->Alignment, Offset));
  });
  if (Returned)
    Marker.replaceAllUsesWith(Returned);
  Marker.eraseFromParent();
}

namespace {

class Splitter {
public:
  Splitter(Function &F, const CustomRules &Rules, Refusals &Refused) : F(F), Rules(Rules), Refused(Refused) {}

  void split() {
    SmallVector<CallBase *, 8> Calls;
    for (Instruction &I : instructions(F))
      if (ruleOf(&I, &Rules) && !I.getType()->isVoidTy())
        Calls.push_back(cast<CallBase>(&I));
    for (CallBase *Call : Calls) {
      auto *Struct = cast<StructType>(Call->getType());
      IRBuilder<> B(Call->getParent(), std::next(Call->getIterator()));
      for (unsigned K = 0; K < Struct->getNumElements(); ++K)
        Parts[{Call, K}] = B.CreateExtractValue(Call, K);
    }
    // Whole structs may have been merged; their parts are merged instead.
    SmallVector<ExtractValueInst *, 16> Uses;
    for (Instruction &I : instructions(F))
      if (auto *Part = dyn_cast<ExtractValueInst>(&I); Part && isOfRule(Part->getAggregateOperand(), 0))
        Uses.push_back(Part);
    for (ExtractValueInst *Part : Uses) {
      Value *Found = part(Part->getAggregateOperand(), Part->getIndices()[0]);
      if (!Found) {
        Refused.error(*Part, "what a function with a derivative of its own returns is moved around as a whole");
        return;
      }
      if (Found != Part) {
        Part->replaceAllUsesWith(Found);
        Part->eraseFromParent();
      }
    }
    for (auto &[Key, Part] : Parts)
      if (auto *I = dyn_cast<Instruction>(Part); I && I->use_empty())
        Unused.push_back(I);
    for (Instruction *I : Unused)
      I->eraseFromParent();
  }

private:
  bool isOfRule(Value *V, unsigned Depth) {
    if (ruleOf(V, &Rules))
      return true;
    if (auto *Phi = dyn_cast<PHINode>(V); Phi && Depth < 8)
      return any_of(Phi->incoming_values(), [&](Value *In) { return isOfRule(In, Depth + 1); });
    if (auto *Select = dyn_cast<SelectInst>(V); Select && Depth < 8)
      return isOfRule(Select->getTrueValue(), Depth + 1) || isOfRule(Select->getFalseValue(), Depth + 1);
    return false;
  }

  Value *part(Value *V, unsigned K) {
    if (auto Known = Parts.find({V, K}); Known != Parts.end())
      return Known->second;
    Type *T = cast<StructType>(V->getType())->getElementType(K);
    if (auto *C = dyn_cast<Constant>(V))
      return C->getAggregateElement(K);
    if (auto *Phi = dyn_cast<PHINode>(V)) {
      PHINode *New = PHINode::Create(T, Phi->getNumIncomingValues(), "", Phi->getIterator());
      Parts[{V, K}] = New;
      for (unsigned I = 0; I < Phi->getNumIncomingValues(); ++I) {
        Value *In = part(Phi->getIncomingValue(I), K);
        New->addIncoming(In ? In : PoisonValue::get(T), Phi->getIncomingBlock(I));
        if (!In)
          return nullptr;
      }
      return New;
    }
    if (auto *Select = dyn_cast<SelectInst>(V)) {
      Value *True = part(Select->getTrueValue(), K), *False = part(Select->getFalseValue(), K);
      return True && False ? IRBuilder<>(Select).CreateSelect(Select->getCondition(), True, False) : nullptr;
    }
    return nullptr;
  }

  Function &F;
  const CustomRules &Rules;
  Refusals &Refused;
  MapVector<std::pair<Value *, unsigned>, Value *> Parts;
  SmallVector<Instruction *, 16> Unused;
};

/// A call of f itself: its value is needed, and not its derivative.
void lowerCall(CallBase &Call, const CustomRule &Rule) {
  Function &Body = *Call.getFunction();
  IRBuilder<> B(&Call);
  SmallVector<Value *, 8> Memory;
  unsigned Index = 0;
  for (const RuleParameter &P : Rule.Parameters) {
    SmallVector<Value *, 8> Leaves;
    for (unsigned K = 0; K < P.Leaves.size(); ++K)
      Leaves.push_back(Call.getArgOperand(Index++));
    Memory.push_back(makeRuleMemory(B, Body, P, Leaves));
  }
  Value *Returned = nullptr;
  if (Rule.Result) {
    Returned = makeRuleMemory(B, Body, Rule.Result->Size, Rule.Result->Alignment);
    Memory.push_back(Returned);
  }
  B.CreateCall(Rule.Primal, Memory);
  Value *Whole = Call.getType()->isVoidTy() ? nullptr : PoisonValue::get(Call.getType());
  forEachResult(Rule, [&](const RuleResult &R) {
    Value *From = Returned;
    for (unsigned K = 0; K < Rule.Parameters.size() && !R.IsResult; ++K)
      if (&Rule.Parameters[K] == R.Parameter)
        From = Memory[K];
    Whole = B.CreateInsertValue(Whole, loadRuleLeaf(B, From, *R.Parameter, *R.Leaf), R.Index);
  });
  if (Whole)
    Call.replaceAllUsesWith(Whole);
  Call.eraseFromParent();
}

} // namespace

void kernix::splitRuleResults(Function &F, const CustomRules &Rules, Refusals &Refused) {
  Splitter(F, Rules, Refused).split();
}

void kernix::lowerRuleCalls(Function &Body, const CustomRules &Rules) {
  SmallVector<CallBase *, 8> Calls;
  for (Instruction &I : instructions(Body))
    if (ruleOf(&I, &Rules))
      Calls.push_back(cast<CallBase>(&I));
  for (CallBase *Call : Calls)
    lowerCall(*Call, *ruleOf(Call, &Rules));
  // A thunk is nothing but one call; its own calls are left to the optimiser.
  Calls.clear();
  for (Instruction &I : instructions(Body))
    if (auto *Call = dyn_cast<CallBase>(&I);
        Call && Call->getCalledFunction() && Rules.isHelper(*Call->getCalledFunction()))
      Calls.push_back(Call);
  for (CallBase *Call : Calls) {
    InlineFunctionInfo Info;
    InlineFunction(*Call, Info);
  }
}
