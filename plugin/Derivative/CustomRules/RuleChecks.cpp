//===- RuleChecks.cpp - refusing calls whose written derivative cannot be right -----------------------------------===//

#include "Derivative/Analysis/Activity.h"
#include "llvm/IR/Operator.h"

using namespace llvm;
using namespace kernix;

namespace {

class Checker {
public:
  Checker(const CallBase &Call, const CustomRule &Rule, const DerivativeRequest &Request, MemoryObjects &Objects,
          Activity &Active, Refusals &Refused)
      : Call(Call), Rule(Rule), IsReverse(Request.Mode == DerivativeRequest::Reverse), Objects(Objects), Active(Active),
        Refused(Refused) {}

  void check(const RuleArgument &A) {
    const Value *V = Call.getArgOperand(A.Index);
    if (A.isNumber() && !A.hasDerivative() && Active.isVaried(V) && !A.Parameter->IsNoDiff)
      refuse("numbers with a derivative are in " + name(A) + ", for which the derivative of " + name() +
             " has no gradient; write it as a function that takes the object and its gradient");
    if (!A.Leaf->Type->isPointerTy())
      return;
    auto All = Objects.of(V);
    for (const MemoryObject *O : All)
      if (A.hasShadow() ? checkShadow(A, *O) : checkConstant(A, *O))
        return;
    if (Active.isActive(&Call) && All.size() > 1)
      refuse(A.Parameter->Name == "self"
                 ? "the object whose " + name() + " is called is one of several here: choose between what each gives"
                 : name(A) + " may point to different objects");
  }

  /// An object whose numbers are those of a view adds to the view's gradient, or to none in silence.
  void checkGradient(const RuleParameter &Parameter) {
    SmallVector<const Value *, 3> Pointers;
    forEachArgument(Rule, [&](const RuleArgument &A) {
      if (A.Parameter == &Parameter && A.Leaf->Type->isPointerTy())
        Pointers.push_back(Call.getArgOperand(A.Index));
    });
    if (!Parameter.HoldsGradient || Pointers.size() < 2 || !Active.isActive(&Call))
      return;
    const MemoryObject *Numbers = Objects.only(Pointers[0]), *Gradient = Objects.only(Pointers[1]);
    const RequestParameter *View = Numbers ? Objects.viewOf(*Numbers) : nullptr;
    if (!View || (Gradient && Objects.viewOf(*Gradient) == View && isMoved(Pointers[0]) == isMoved(Pointers[1])))
      return;
    refuse(name() + " is called on an object with the numbers of the view '" + View->Name +
           "', but not with their gradient; let 'differential' lead to what 'primal' leads to, or a variable marked "
           "[[kernix::no_diff]] hold what is read");
  }

private:
  /// Whether something is added to the address, where there is one.
  static bool isMoved(const Value *Pointer) {
    SmallVector<const Value *, 4> Work = {Pointer};
    SmallPtrSet<const Value *, 4> Seen;
    while (!Work.empty()) {
      const Value *V = Work.pop_back_val();
      if (!Seen.insert(V).second)
        continue;
      if (const auto *Address = dyn_cast<GEPOperator>(V); Address && !Address->hasAllZeroIndices())
        return true;
      if (const auto *Choice = dyn_cast<SelectInst>(V))
        Work.append({Choice->getTrueValue(), Choice->getFalseValue()});
      if (const auto *Phi = dyn_cast<PHINode>(V))
        Work.append(Phi->value_op_begin(), Phi->value_op_end());
    }
    return false;
  }

  bool refuse(const Twine &Message) {
    Refused.error(Call, Message);
    return true;
  }

  std::string name() const { return "'" + Rule.Name + "'"; }
  static std::string name(const RuleArgument &A) { return "'" + A.Parameter->Name + "'"; }

  bool matters(const MemoryObject &O) const { return Active.isVaried(&O) || (O.isTensorLike() && O.TheLeaf->Active); }

  /// Memory that the rule has no gradient for.
  bool checkConstant(const RuleArgument &A, const MemoryObject &O) {
    if (O.Kind == MemoryObject::Shared && Active.isActive(&Call))
      return checkShadow(A, O);
    if (!matters(O))
      return false;
    if (mayWrite(Rule, A))
      return refuse(name() + " may write to numbers with a derivative through " + name(A) +
                    ", for which its own derivative has no gradient");
    if (A.Parameter->IsNoDiff)
      return false;
    return refuse("numbers with a derivative are read through " + name(A) + ", for which the derivative of " + name() +
                  " has no gradient; mark what it reads [[kernix::no_diff]], or give the derivative a gradient for it");
  }

  bool checkShadow(const RuleArgument &A, const MemoryObject &O) {
    if (!Active.isActive(&Call))
      return false;
    bool Writes = mayWrite(Rule, A);
    switch (O.Kind) {
    case MemoryObject::Local:
    case MemoryObject::Constant:
      return false;
    case MemoryObject::Tensor:
    case MemoryObject::Reference:
      if (Writes && O.TheLeaf->Access == Leaf::In)
        return refuse(name() + " may write to '" + O.Name + "', which is declared as an input");
      if (Writes && IsReverse)
        return refuse(name() + " may write to '" + O.Name +
                      "' through a pointer, and its derivative would have to change the gradient of an output; let it "
                      "write to a local variable, and store that");
      return false;
    case MemoryObject::Parameter:
      return refuse(name(A) + " points to a parameter, whose gradient belongs to all threads; pass a copy in a local "
                              "variable");
    case MemoryObject::Global:
    case MemoryObject::Opaque:
      return Writes &&
             refuse(name() + " may write numbers with a derivative to memory that has none, through " + name(A));
    case MemoryObject::Shared:
      return refuse(name(A) + " points to shared memory, which the derivative of " + name() +
                    " would find as it is later; pass the values");
    case MemoryObject::Unknown:
      return refuse("it is not known where " + name(A) +
                    " leads: a number with a derivative is only followed through parameters, tensors and local "
                    "variables");
    }
    return false;
  }

  const CallBase &Call;
  const CustomRule &Rule;
  bool IsReverse;
  MemoryObjects &Objects;
  Activity &Active;
  Refusals &Refused;
};

} // namespace

void kernix::refuseRuleCall(const CallBase &Call, const CustomRule &Rule, const DerivativeRequest &Request,
                            MemoryObjects &Objects, Activity &Active, Refusals &Refused) {
  Checker Check(Call, Rule, Request, Objects, Active, Refused);
  forEachArgument(Rule, [&](const RuleArgument &A) { Check.check(A); });
  for (const RuleParameter &Parameter : Rule.Parameters)
    Check.checkGradient(Parameter);
}
