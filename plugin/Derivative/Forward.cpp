//===- Forward.cpp - writing forward derivatives ----------------------------------------------------------------===//

#include "Derivative/Forward.h"
#include "Derivative/Accumulation/FixedOrder.h"
#include "Derivative/Accumulation/ShadowAddresses.h"
#include "Derivative/Accumulation/WarpSums.h"
#include "Derivative/Canonical/Collectives.h"
#include "Derivative/CustomRules/RuleDerivatives.h"
#include "Derivative/DerivativePlaces.h"
#include "Derivative/Rules/Rule.h"
#include "Derivative/Shared/SharedVariables.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

using namespace llvm;
using namespace kernix;

namespace {

class ForwardWriter {
public:
  ForwardWriter(const DerivativeRequest &Request, const Prepared &P, MemoryObjects &Objects, Activity &Active,
                Refusals &Refused)
      : Request(Request), P(P), Objects(Objects), Active(Active), Body(*Request.Body), DL(P.F->getDataLayout()),
        Places(Body), B(Body.getContext()), Entry(Body.getContext()), Arguments(Request, P, Entry),
        Shared(Request, Floats, Entry),
        Addresses(Objects, Arguments, Shared, Floats, Refused, B, Entry, [this](Value *V) { return valueOf(V); }) {}

  void write() {
    GlobalValue::LinkageTypes Linkage = Body.getLinkage();
    Body.deleteBody();
    Body.setLinkage(Linkage);
    Places.describe();
    BasicBlock *First = BasicBlock::Create(Body.getContext(), "entry", &Body);
    BasicBlock *Start = BasicBlock::Create(Body.getContext(), "start", &Body);
    Entry.SetInsertPoint(BranchInst::Create(Start, First));
    for (Argument &A : P.F->args())
      Map[&A] = Arguments.primal(A);
    SmallVector<BasicBlock *, 16> Blocks;
    for (BasicBlock &Block : *P.F) {
      BasicBlock *Copy = CloneBasicBlock(&Block, Map, "", &Body);
      Map[&Block] = Copy;
      Blocks.push_back(Copy);
    }
    remapInstructionsInBlocks(Blocks, Map);
    for (BasicBlock *Block : Blocks)
      for (Instruction &I : *Block)
        Places.move(I);
    B.SetInsertPoint(Start);
    B.SetCurrentDebugLocation(Places.ofRest());
    B.CreateBr(cast<BasicBlock>(Map[&P.F->getEntryBlock()]));
    // Variables belong to the entry, shadows too.
    for (BasicBlock *Block : Blocks)
      for (Instruction &I : make_early_inc_range(*Block))
        if (isa<AllocaInst>(I) && isa<ConstantInt>(cast<AllocaInst>(I).getArraySize()))
          I.moveBefore(First->begin());
    for (Instruction &I : instructions(*P.F))
      if (auto *Phi = dyn_cast<PHINode>(&I); Phi && Active.isActive(Phi)) {
        B.SetInsertPoint(cast<Instruction>(Map[Phi]));
        Tangents[Phi] = B.CreatePHI(Phi->getType(), Phi->getNumIncomingValues());
      }
    // A tangent may be used before the block that computes it comes by in this order, so phis are filled last and all
    // else is visited along the dominator tree.
    for (BasicBlock *Block : ReversePostOrderTraversal<Function *>(P.F))
      for (Instruction &I : *Block)
        forward(I);
    for (Instruction &I : instructions(*P.F))
      if (auto *Phi = dyn_cast<PHINode>(&I); Phi && Active.isActive(Phi)) {
        auto *Tangent = cast<PHINode>(Tangents[Phi]);
        auto *Copy = cast<PHINode>(Map[Phi]);
        for (unsigned K = 0; K < Phi->getNumIncomingValues(); ++K)
          Tangent->addIncoming(tangentOf(Phi->getIncomingValue(K)), Copy->getIncomingBlock(K));
      }
    Shared.divideDynamic();
    Addresses.checkStrides(Request);
    Places.finish();
  }

private:
  Value *valueOf(Value *V) {
    auto Found = Map.find(V);
    return Found == Map.end() ? V : static_cast<Value *>(Found->second);
  }

  Value *tangentOf(Value *V) {
    if (Value *Known = Tangents.lookup(V))
      return Known;
    return Constant::getNullValue(V->getType());
  }

  /// Runs Then where the caller has given the shadow that Pointer leads into.
  Value *whereGiven(Value *Pointer, const MemoryObject &O, Type *T, function_ref<Value *()> Then) {
    if (!hasOptionalShadow(O))
      return Then();
    Value *IsGiven = B.CreateIsNotNull(Addresses.baseOf(Pointer));
    BasicBlock *From = B.GetInsertBlock();
    BasicBlock *After = From->splitBasicBlock(B.GetInsertPoint());
    BasicBlock *Given = BasicBlock::Create(B.getContext(), "given", &Body, After);
    From->getTerminator()->eraseFromParent();
    B.SetInsertPoint(From);
    B.CreateCondBr(IsGiven, Given, After);
    B.SetInsertPoint(Given);
    Value *Result = Then();
    Given = B.GetInsertBlock();
    B.CreateBr(After);
    B.SetInsertPoint(After, After->begin());
    if (!T)
      return nullptr;
    PHINode *Either = B.CreatePHI(T, 2);
    Either->addIncoming(Result, Given);
    Either->addIncoming(Constant::getNullValue(T), From);
    return Either;
  }

  bool writesTangent(const Instruction &I, const MemoryObject &O) {
    return Active.isActiveAccess(I) || (O.isTensorLike() && O.TheLeaf->Active && O.TheLeaf->Access != Leaf::In);
  }

  void forwardAccess(Instruction &I) {
    MemoryAccess Access = accessOf(I);
    auto *Pointer = const_cast<Value *>(Access.Pointer);
    const MemoryObject &O = *Objects.of(Pointer).front();
    const Align Alignment = DL.getABITypeAlign(Access.Type);
    if (!Access.Stored) {
      if (Active.isActive(&I))
        Tangents[&I] = whereGiven(Pointer, O, Access.Type, [&]() -> Value * {
          return B.CreateAlignedLoad(Access.Type, Addresses.of(Pointer), Alignment);
        });
      return;
    }
    if (!Access.Type->isFloatingPointTy() || !writesTangent(I, O))
      return;
    Value *Tangent = tangentOf(const_cast<Value *>(Access.Stored));
    whereGiven(Pointer, O, nullptr, [&]() -> Value * {
      Value *Place = Addresses.of(Pointer);
      if (isa<StoreInst>(I))
        B.CreateAlignedStore(Tangent, Place, Alignment);
      else if (O.Kind == MemoryObject::Shared)
        addToShared(B, Place, Tangent);
      else
        addAtomically(B, Place, Tangent);
      return nullptr;
    });
  }

  /// The rule gives value and tangent: f itself need not be called.
  void forwardRuleCall(CallBase &Call, const CustomRule &Rule, Instruction &Copy) {
    RuleDerivative D(Call, Rule, Body, B, Objects, Addresses, [this](Value *V) { return valueOf(V); });
    D.call([&](const RuleArgument &A) { return tangentOf(Call.getArgOperand(A.Index)); }, nullptr);
    Value *Whole = Call.getType()->isVoidTy() ? nullptr : PoisonValue::get(Call.getType());
    forEachResult(Rule, [&](const RuleResult &R) { Whole = B.CreateInsertValue(Whole, D.value(R), R.Index); });
    for (User *U : Call.users())
      if (auto *Part = dyn_cast<ExtractValueInst>(U); Part && Active.isActive(Part))
        forEachResult(Rule, [&](const RuleResult &R) {
          if (R.Index == Part->getIndices()[0])
            Tangents[Part] = D.derivative(R);
        });
    if (Whole) {
      Copy.replaceAllUsesWith(Whole);
      Map[&Call] = Whole;
    }
    Copy.eraseFromParent();
  }

  void forward(Instruction &I) {
    if (isa<PHINode, AllocaInst>(I) || I.isTerminator())
      return;
    auto *Copy = cast<Instruction>(Map[&I]);
    B.SetInsertPoint(Copy->getParent(), std::next(Copy->getIterator()));
    B.SetCurrentDebugLocation(Copy->getDebugLoc());
    if (accessOf(I).Pointer)
      return forwardAccess(I);
    if (!Active.isActive(&I) || ruleCallOf(&I, Objects.rules()))
      return; // a part of a rule's result got its tangent from the call
    if (const CustomRule *Rule = ruleOf(&I, Objects.rules()))
      return forwardRuleCall(cast<CallBase>(I), *Rule, *Copy);
    IRBuilder<>::FastMathFlagGuard Guard(B);
    if (const auto *Op = dyn_cast<FPMathOperator>(&I)) {
      FastMathFlags Flags = Op->getFastMathFlags();
      Flags.setNoNaNs(false);
      Flags.setNoInfs(false);
      B.setFastMathFlags(Flags);
    }
    auto *A = I.getNumOperands() > 0 ? I.getOperand(0) : nullptr;
    auto *C = I.getNumOperands() > 1 ? I.getOperand(1) : nullptr;
    // An inactive operand has no tangent, rather than one of zero: 0 * inf is not 0.
    auto Has = [&](Value *V) { return Active.isActive(V); };
    auto Sum = [&](Value *X, Value *Y) { return X && Y ? B.CreateFAdd(X, Y) : X ? X : Y; };
    switch (I.getOpcode()) {
    case Instruction::FAdd:
      Tangents[&I] = Sum(Has(A) ? tangentOf(A) : nullptr, Has(C) ? tangentOf(C) : nullptr);
      return;
    case Instruction::FSub:
      Tangents[&I] = Has(A) && Has(C) ? B.CreateFSub(tangentOf(A), tangentOf(C))
                     : Has(A)         ? tangentOf(A)
                                      : B.CreateFNeg(tangentOf(C));
      return;
    case Instruction::FMul:
      Tangents[&I] = Sum(Has(A) ? B.CreateFMul(tangentOf(A), valueOf(C)) : nullptr,
                         Has(C) ? B.CreateFMul(valueOf(A), tangentOf(C)) : nullptr);
      return;
    case Instruction::FDiv: {
      Value *First = Has(A) ? B.CreateFDiv(tangentOf(A), valueOf(C)) : nullptr;
      Value *Second =
          Has(C) ? B.CreateFNeg(B.CreateFMul(B.CreateFDiv(tangentOf(C), valueOf(C)), valueOf(&I))) : nullptr;
      Tangents[&I] = Sum(First, Second);
      return;
    }
    case Instruction::FNeg:
      Tangents[&I] = B.CreateFNeg(tangentOf(A));
      return;
    case Instruction::FPExt:
      Tangents[&I] = B.CreateFPExt(tangentOf(A), I.getType());
      return;
    case Instruction::FPTrunc:
      Tangents[&I] = B.CreateFPTrunc(tangentOf(A), I.getType());
      return;
    case Instruction::Freeze:
      Tangents[&I] = tangentOf(A);
      return;
    case Instruction::Select:
      Tangents[&I] = B.CreateSelect(valueOf(A), tangentOf(I.getOperand(1)), tangentOf(I.getOperand(2)));
      return;
    default:
      break;
    }
    auto &Call = cast<CallBase>(I);
    SmallVector<Value *, 4> Operands;
    for (Use &Operand : Call.args())
      Operands.push_back(valueOf(Operand));
    if (isShuffle(*Call.getCalledFunction())) {
      // The tangent comes from where the value does.
      Operands[1] = tangentOf(Call.getArgOperand(1));
      Tangents[&I] = B.CreateCall(Call.getCalledFunction(), Operands);
      return;
    }
    Value *Total = nullptr;
    for (unsigned K = 0; K < Call.arg_size(); ++K)
      if (Active.isActive(Call.getArgOperand(K)))
        Total = Sum(Total, scaleBy(B, Call, Operands, valueOf(&Call), K, tangentOf(Call.getArgOperand(K))));
    if (Total)
      Tangents[&I] = Total;
  }

  const DerivativeRequest &Request;
  const Prepared &P;
  MemoryObjects &Objects;
  Activity &Active;
  Function &Body;
  const DataLayout &DL;
  DerivativePlaces Places;
  IRBuilder<> B, Entry;
  ShadowArguments Arguments;
  FloatShadows Floats; ///< none
  SharedShadows Shared;
  ShadowAddresses Addresses;
  ValueToValueMapTy Map;
  DenseMap<const Value *, Value *> Tangents;
};

} // namespace

void kernix::writeForward(const DerivativeRequest &Request, const Prepared &P, Refusals &Refused) {
  MemoryObjects Objects(P, Request, /*AsPrepared=*/true);
  Activity Active(P, Request, Objects);
  refuseWithoutRule(P, Request, Objects, Active, Refused);
  checkSharedSizes(P, Objects, Active, FloatShadows(), Refused);
  if (Request.IsDeterministic)
    refuseAtomicTangents(P, Objects, Active, Refused);
  if (!Refused.any())
    ForwardWriter(Request, P, Objects, Active, Refused).write();
}
