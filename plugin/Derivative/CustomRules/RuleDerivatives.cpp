//===- RuleDerivatives.cpp - calling a derivative that the source has written -------------------------------------===//

#include "Derivative/CustomRules/RuleDerivatives.h"
#include "Derivative/Reverse/ReverseWriter.h"

using namespace llvm;
using namespace kernix;

Value *RuleDerivative::shadowPointer(const RuleArgument &A) {
  Value *Pointer = Call.getArgOperand(A.Index), *Nothing = Constant::getNullValue(A.Leaf->Type);
  const MemoryObject *O = Objects.only(Pointer);
  bool Has = O && (O->Kind == MemoryObject::Local || (O->isTensorLike() && O->TheLeaf->Active));
  if (!A.hasShadow() || !Has)
    return Nothing;
  Value *Place = Addresses.of(Pointer);
  return hasOptionalShadow(*O) ? B.CreateSelect(B.CreateIsNull(Addresses.baseOf(Pointer)), Nothing, Place) : Place;
}

Value *RuleDerivative::shadowOf(const RuleParameter &P, unsigned FirstArgument,
                                function_ref<Value *(const RuleArgument &)> Shadow) {
  SmallVector<Value *, 16> Leaves;
  switch (P.Slot) {
  case RuleParameter::None:
    return nullptr;
  case RuleParameter::Value:
  case RuleParameter::Memory:
    if (!P.IsActive && !(Rule.IsForward && P.Slot == RuleParameter::Value))
      return nullptr;
    for (unsigned K = 0; K < P.Leaves.size(); ++K) {
      RuleArgument A = {&P, &P.Leaves[K], FirstArgument + K};
      Leaves.push_back(A.hasDerivative() ? Shadow(A) : nullptr);
    }
    break;
  case RuleParameter::Pointer:
    Leaves.push_back(shadowPointer({&P, &P.Leaves[0], FirstArgument}));
    break;
  case RuleParameter::View:
    for (unsigned K = 0; K < P.Leaves.size(); ++K) {
      RuleArgument A = {&P, &P.Leaves[K], FirstArgument + K};
      Value *V = Call.getArgOperand(A.Index);
      Leaves.push_back(A.Leaf->Type->isPointerTy() ? shadowPointer(A)
                       : A.Leaf->IsStride          ? Addresses.index(V)
                                                   : ValueOf(V));
    }
    break;
  }
  return makeRuleMemory(B, Body, P, Leaves);
}

void RuleDerivative::call(function_ref<Value *(const RuleArgument &)> Shadow,
                          function_ref<Value *(const RuleResult &)> Cotangent) {
  Value *Nothing = Constant::getNullValue(B.getPtrTy());
  SmallVector<Value *, 16> Arguments;
  unsigned Index = 0;
  for (const RuleParameter &P : Rule.Parameters) {
    SmallVector<Value *, 8> Leaves;
    for (unsigned K = 0; K < P.Leaves.size(); ++K)
      Leaves.push_back(ValueOf(Call.getArgOperand(Index + K)));
    Values.push_back(makeRuleMemory(B, Body, P, Leaves));
    Shadows.push_back(shadowOf(P, Index, Shadow));
    Arguments.append({Values.back(), Shadows.back() ? Shadows.back() : Nothing});
    Index += static_cast<unsigned>(P.Leaves.size());
  }
  if (Rule.Thunk->arg_size() > Arguments.size()) {
    const RuleParameter &R = *Rule.Result;
    if (Cotangent) {
      SmallVector<Value *, 8> Leaves(R.Leaves.size(), nullptr);
      forEachResult(Rule, [&](const RuleResult &Part) {
        if (Part.IsResult && Part.hasDerivative())
          Leaves[Part.Index] = Cotangent(Part);
      });
      Result = makeRuleMemory(B, Body, R, Leaves);
    } else {
      Result = makeRuleMemory(B, Body, Rule.HasDual ? 2 * R.Size : R.Size, R.Alignment);
    }
    Arguments.push_back(Result);
  }
  B.CreateCall(Rule.Thunk, Arguments);
}

Value *RuleDerivative::value(const RuleResult &R) {
  return loadRuleLeaf(B, R.IsResult ? Result : Values[indexOf(*R.Parameter)], *R.Parameter, *R.Leaf);
}

Value *RuleDerivative::derivative(const RuleResult &R) {
  if (R.IsResult)
    return loadRuleLeaf(B, Result, *R.Parameter, *R.Leaf, R.Parameter->Size);
  return loadRuleLeaf(B, Shadows[indexOf(*R.Parameter)], *R.Parameter, *R.Leaf);
}

Value *RuleDerivative::gradient(const RuleArgument &A) {
  return loadRuleLeaf(B, Shadows[indexOf(*A.Parameter)], *A.Parameter, *A.Leaf);
}

void ReverseWriter::saveRuleMemory(CallBase &Call, const CustomRule &Rule) {
  forEachArgument(Rule, [&](const RuleArgument &A) {
    const MemoryObject *O = A.Leaf->Type->isPointerTy() ? Objects.only(Call.getArgOperand(A.Index)) : nullptr;
    if (!O || O->Kind != MemoryObject::Local)
      return;
    auto *Variable = const_cast<AllocaInst *>(cast<AllocaInst>(O->Base));
    std::optional<TypeSize> Size = Variable->getAllocationSize(DL);
    if (!Size || Size->isScalable()) {
      Refused.error(Call, "it is called with a local array of a size that is not constant");
      return;
    }
    AllocaInst *&Saved = RuleMemory[{&Call, Variable}];
    if (!Saved) {
      Saved = newVariable(Variable->getAllocatedType(), "before");
      Saved->setAlignment(Variable->getAlign());
    }
    B.CreateMemCpy(Saved, Saved->getAlign(), valueOf(Variable), Variable->getAlign(), Size->getFixedValue());
  });
}

void ReverseWriter::reverseRuleCall(CallBase &Call, const CustomRule &Rule) {
  auto ValueBefore = [&](Value *V) -> Value * {
    const MemoryObject *O = V->getType()->isPointerTy() ? Objects.only(V) : nullptr;
    AllocaInst *Saved = O ? RuleMemory.lookup({&Call, O->Base}) : nullptr;
    if (!Saved)
      return valueOf(V);
    Type *Integer = DL.getIntPtrType(V->getType());
    Value *Begin = valueOf(const_cast<Value *>(O->Base));
    Value *Way = B.CreateSub(B.CreatePtrToInt(valueOf(V), Integer), B.CreatePtrToInt(Begin, Integer));
    return B.CreateGEP(B.getInt8Ty(), Saved, Way);
  };
  if (const RepeatedStores::Basis *Basis = Repeated.basisOf(Call))
    checkAssumptions(Call, Basis->View, {}, Basis->Conditions, ViewTests);
  DenseMap<unsigned, Value *> Adjoints;
  for (User *U : Call.users())
    if (auto *Part = dyn_cast<ExtractValueInst>(U); Part && Active.isActive(Part))
      // Rules are spared the -0.0 that stands for nothing.
      Adjoints[Part->getIndices()[0]] = B.CreateFAdd(takeAdjoint(Part), ConstantFP::getZero(Part->getType()));
  RuleDerivative D(Call, Rule, Body, B, Objects, Addresses, ValueBefore);
  auto Cotangent = [&](const RuleResult &R) { return Adjoints.lookup(R.Index); };
  D.call(
      [&](const RuleArgument &A) {
        Value *Found = nullptr;
        forEachResult(Rule, [&](const RuleResult &R) {
          if (!R.IsResult && R.Argument == A.Index)
            Found = Cotangent(R);
        });
        return Found;
      },
      Cotangent);
  forEachArgument(Rule, [&](const RuleArgument &A) {
    Value *V = Call.getArgOperand(A.Index);
    if (A.hasDerivative() && Active.isActive(V))
      addToAdjoint(V, D.gradient(A));
  });
}
