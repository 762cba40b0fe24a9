//===- RuleChecks.cpp - refusing calls whose written derivative cannot be right -----------------------------------===//

#include "Derivative/Analysis/Activity.h"
#include "Derivative/Analysis/Constants.h"
#include "kernix/abi.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace kernix;

namespace {

/// Compares what is done to the two halves of a view's copy, `primal` and `differential`, whose members lie as many
/// bytes from each other.
class HalvesOfViews {
public:
  HalvesOfViews(int64_t Farther, MemoryObjects &Objects, const DataLayout &DL)
      : Farther(Farther), Objects(Objects), DL(DL) {}

  /// Whether Its is computed from the members of the one half as V is from those of the other.
  bool areAlike(const Value *V, const Value *Its) {
    Its = whereWanted(Its);
    if (V == Its)
      return !isOfOneHalf(V);
    if (!Seen.insert({V, Its}).second)
      return true;
    if (const auto *Load = dyn_cast<LoadInst>(V), *ItsLoad = dyn_cast<LoadInst>(Its); Load && ItsLoad)
      return Load->getType() == ItsLoad->getType() &&
             areMembers(Load->getPointerOperand(), ItsLoad->getPointerOperand());
    const auto *I = dyn_cast<Instruction>(V), *J = dyn_cast<Instruction>(Its);
    if (!I || !J || !I->isSameOperationAs(J))
      return false;
    if (const auto *Phi = dyn_cast<PHINode>(I); Phi && !equal(Phi->blocks(), cast<PHINode>(J)->blocks()))
      return false;
    return !I->mayReadOrWriteMemory() &&
           equal(I->operands(), J->operands(), [&](const Use &A, const Use &B) { return areAlike(A, B); });
  }

private:
  /// Whether V comes from a pointer or a stride in one of the halves. The shapes of both are the same.
  bool isOfOneHalf(const Value *V) {
    const auto *I = dyn_cast<Instruction>(V);
    if (!I || !Asked.insert(I).second)
      return false;
    const auto *Load = dyn_cast<LoadInst>(I);
    if (!Load)
      return any_of(I->operands(), [&](const Use &U) { return isOfOneHalf(U); });
    const MemoryObject *O = Objects.only(Load->getPointerOperand());
    if (!O || !Objects.holdsView(*O))
      return false;
    APInt Offset(DL.getIndexTypeSizeInBits(Load->getPointerOperandType()), 0);
    bool IsKnown = Load->getPointerOperand()->stripAndAccumulateConstantOffsets(DL, Offset, true) == O->Base;
    const int64_t InHalf = Offset.getSExtValue() % Farther;
    constexpr int64_t Shape = offsetof(kernix_tensor_view, shape), Strides = offsetof(kernix_tensor_view, strides);
    static_assert(Shape < Strides);
    return !IsKnown || InHalf < Shape ||
           (InHalf >= Strides && InHalf < Strides + int64_t(sizeof(int64_t)) * KERNIX_MAX_RANK);
  }

  /// Places in the parameter, as many bytes apart.
  bool areMembers(const Value *Place, const Value *Its) {
    const MemoryObject *O = Objects.only(Place);
    APInt First(DL.getIndexTypeSizeInBits(Place->getType()), 0), Second = First;
    const Value *Base = Place->stripAndAccumulateConstantOffsets(DL, First, true);
    return O && O->Kind == MemoryObject::Parameter &&
           Base == Its->stripAndAccumulateConstantOffsets(DL, Second, true) && Second - First == Farther;
  }

  /// Of `if (differential.data_) differential.data_ += n`: the address that is moved.
  static const Value *whereWanted(const Value *V) {
    auto IsWanted = [](const Value *Condition) -> std::optional<bool> {
      const auto *Compare = dyn_cast<ICmpInst>(Condition);
      if (!Compare || !Compare->isEquality() || !isa<ConstantPointerNull>(Compare->getOperand(1)))
        return std::nullopt;
      return Compare->getPredicate() == CmpInst::ICMP_NE;
    };
    if (const auto *Choice = dyn_cast<SelectInst>(V))
      if (std::optional<bool> Wanted = IsWanted(Choice->getCondition()))
        return *Wanted ? Choice->getTrueValue() : Choice->getFalseValue();
    const auto *Phi = dyn_cast<PHINode>(V);
    if (!Phi || Phi->getNumIncomingValues() != 2)
      return V;
    // The block that decides is one of the two, or before both.
    for (const BasicBlock *From : Phi->blocks())
      for (const BasicBlock *Block : {From, From->getSinglePredecessor()}) {
        const auto *Branch = Block ? dyn_cast<BranchInst>(Block->getTerminator()) : nullptr;
        std::optional<bool> Wanted =
            Branch && Branch->isConditional() ? IsWanted(Branch->getCondition()) : std::nullopt;
        if (!Wanted)
          continue;
        const BasicBlock *There = Branch->getSuccessor(*Wanted ? 0 : 1), *Else = Branch->getSuccessor(*Wanted ? 1 : 0);
        auto Edge = [&](const BasicBlock *To) { return Phi->getBasicBlockIndex(To == Phi->getParent() ? Block : To); };
        if (There != Else && Edge(There) >= 0 && Edge(Else) >= 0)
          return Phi->getIncomingValue(static_cast<unsigned>(Edge(There)));
      }
    return V;
  }

  int64_t Farther;
  MemoryObjects &Objects;
  const DataLayout &DL;
  SmallSet<std::pair<const Value *, const Value *>, 16> Seen;
  SmallPtrSet<const Value *, 16> Asked;
};

class Checker {
public:
  Checker(const CallBase &Call, const CustomRule &Rule, const DerivativeRequest &Request, MemoryObjects &Objects,
          Activity &Active, Refusals &Refused)
      : Call(Call), Rule(Rule), Request(Request), IsReverse(Request.Mode == DerivativeRequest::Reverse),
        Objects(Objects), Active(Active), Refused(Refused) {}

  void check(const RuleArgument &A) {
    const Value *V = Call.getArgOperand(A.Index);
    if (A.isNumber() && !A.hasDerivative() && Active.isVaried(V) && !A.Parameter->IsNoDiff)
      refuse("numbers with a derivative are in " + name(A) + ", for which the derivative of " + name() +
             " has no gradient; write it as a function that takes the object and its gradient" +
             (isKept(A) ? ", or, where " + name() +
                              " writes them itself before it reads them, mark the variable [[kernix::no_diff]]"
                        : ""));
    if (!A.Leaf->Type->isPointerTy())
      return;
    auto All = Objects.seen(V);
    for (const MemoryObject *O : All)
      if (A.hasShadow() ? checkShadow(A, *O) : checkConstant(A, *O))
        return;
    if (Active.isActive(&Call) && All.size() > 1)
      refuse(
          A.Parameter->Name == "self"
              ? "the object whose " + name() +
                    " is called is one of several here: choose between what each gives, as in c ? x.load(i) : w.load(i)"
              : name(A) + " may point to different objects");
  }

  /// Numbers that f computes from numbers with a derivative, and that its own derivative does not know of.
  void checkResults() {
    if (HasRefused)
      return;
    if (const GlobalVariable *Variable = Rule.WrittenVariable;
        Variable && Active.isVariedRule(Call) && !isMarkedConstant(*Variable) && isUsed(*Variable)) {
      refuse(name() + " may write numbers with a derivative to the variable '" + demangle(Variable->getName()) +
             "', for which its own derivative has no gradient; let it return them, or write them to a parameter");
      return;
    }
    for (const User *U : Call.users()) {
      const auto *Part = dyn_cast<ExtractValueInst>(U);
      if (!Part || !Active.isActive(Part))
        continue;
      RuleResult R = resultOf(*Part, Rule);
      if (!R.isWithoutGradient())
        continue;
      bool IsObject = !R.IsResult && R.Parameter->Name == "self";
      refuse("an output depends on a number that " + name() +
             (R.IsResult ? " returns" : " writes to '" + R.Parameter->Name + "'") +
             ", for which its own derivative has no gradient" +
             (IsObject ? "; write that as a function that takes the object and its gradient" : ""));
      return;
    }
  }

  /// An object whose numbers are those of a view adds to the view's gradient, or to none in silence.
  void checkGradient(const RuleParameter &Parameter) {
    SmallVector<RuleArgument, 24> Arguments;
    SmallVector<RuleArgument, 3> Pointers;
    forEachArgument(Rule, [&](const RuleArgument &A) {
      if (A.Parameter != &Parameter)
        return;
      Arguments.push_back(A);
      if (A.Leaf->Type->isPointerTy())
        Pointers.push_back(A);
    });
    if (!Parameter.HoldsGradient || Pointers.empty() || !Active.isActive(&Call))
      return;
    auto ObjectOf = [&](const RuleArgument &A) { return Objects.only(Call.getArgOperand(A.Index)); };
    const MemoryObject *Numbers = ObjectOf(Pointers[0]);
    const RequestParameter *View = Numbers ? Objects.viewOf(*Numbers) : nullptr;
    if (!View)
      return;
    if (Pointers.size() == 1)
      return (void)refuse(name() + " is called on an object with the numbers of the view '" + View->Name +
                          "', which has no place for their gradient; let it hold the view, or a variable marked "
                          "[[kernix::no_diff]] what is read");
    const MemoryObject *Gradient = ObjectOf(Pointers[1]);
    const int64_t Farther = Pointers[1].Leaf->Offset - Pointers[0].Leaf->Offset;
    auto IsAlike = [&](const RuleArgument &A) {
      const auto *Its = find_if(Arguments, [&](const RuleArgument &Other) {
        return Other.Leaf->Offset == A.Leaf->Offset + Farther && Other.Leaf->Type == A.Leaf->Type;
      });
      return A.Leaf->Offset >= Pointers[1].Leaf->Offset || Its == Arguments.end() ||
             HalvesOfViews(Farther, Objects, Call.getDataLayout())
                 .areAlike(Call.getArgOperand(A.Index), Call.getArgOperand(Its->Index));
    };
    if (Gradient && Objects.viewOf(*Gradient) == View && all_of(Arguments, IsAlike))
      return;
    refuse(name() + " is called on an object with the numbers of the view '" + View->Name +
           "', but not with their gradient; let 'differential' lead to what 'primal' leads to, with the same shape and "
           "strides, or a variable marked [[kernix::no_diff]] hold what is read");
  }

private:
  bool refuse(const Twine &Message) {
    Refused.error(Call, Message);
    HasRefused = true;
    return true;
  }

  /// Outside of f: what f alone works with, as a sum over the block does, is its own business.
  bool isUsed(const GlobalVariable &Variable) const {
    SmallVector<const Value *, 8> Work = {&Variable};
    while (!Work.empty())
      for (const User *U : Work.pop_back_val()->users()) {
        if (const auto *I = dyn_cast<Instruction>(U); I && I->getFunction() == Call.getFunction())
          return true;
        if (isa<ConstantExpr>(U))
          Work.push_back(U);
      }
    return false;
  }

  /// In an object, by the function that is called on it: by an earlier call, then.
  static bool isKept(const RuleArgument &A) {
    return A.Parameter->Name == "self" && A.Parameter->Slot == RuleParameter::Memory && A.Leaf->MayChange;
  }

  std::string name() const { return "'" + Rule.Name + "'"; }
  static std::string name(const RuleArgument &A) { return "'" + A.Parameter->Name + "'"; }

  using ObjectSet = SmallPtrSet<const MemoryObject *, 4>;

  bool matters(const MemoryObject &O) const {
    ObjectSet Seen;
    return matters(O, Seen);
  }

  bool matters(const MemoryObject &O, ObjectSet &Seen) const {
    // A pointer to the pointer of a tensor.
    bool HoldsPointer =
        O.Kind == MemoryObject::Parameter && any_of(Request.Parameters[O.ParameterIndex].Leaves,
                                                    [](const Leaf &L) { return L.Kind == Leaf::Pointer && L.Active; });
    return HoldsPointer || Active.isVaried(&O) || (O.isTensorLike() && O.TheLeaf->Active) || leadsOn(O, Seen);
  }

  /// Whether pointers that are kept in a local variable lead to what matters, or nobody knows where.
  bool leadsOn(const MemoryObject &O, ObjectSet &Seen) const {
    if (O.Kind != MemoryObject::Local || !Seen.insert(&O).second)
      return false;
    auto IsOfVariable = [&](const Value *Pointer) { return is_contained(Objects.seen(Pointer), &O); };
    return any_of(instructions(*Call.getFunction()), [&](const Instruction &I) {
      const Value *Kept = nullptr;
      if (const auto *Store = dyn_cast<StoreInst>(&I)) {
        if (!Store->getValueOperand()->getType()->isPointerTy() || !IsOfVariable(Store->getPointerOperand()))
          return false;
        Kept = Store->getValueOperand();
      } else if (const auto *Copy = dyn_cast<MemTransferInst>(&I)) {
        if (!IsOfVariable(Copy->getRawDest()))
          return false;
        Kept = Copy->getRawSource();
      }
      return Kept && any_of(Objects.seen(Kept), [&](const MemoryObject *Other) {
               return matters(*Other, Seen) || isFromUnknown(*Other, Seen);
             });
    });
  }

  /// Behind a pointer that may lead to what matters. Views may be kept in a local array.
  bool isFromUnknown(const MemoryObject &O, ObjectSet &Seen) const {
    if (O.Kind != MemoryObject::Unknown)
      return false;
    const auto *Load = dyn_cast<LoadInst>(O.Base);
    return !Load || any_of(Objects.seen(Load->getPointerOperand()), [&](const MemoryObject *Holder) {
      return Holder->Kind == MemoryObject::Local ? leadsOn(*Holder, Seen) : !Objects.holdsView(*Holder);
    });
  }

  bool refuseUnknown(const RuleArgument &A) {
    return refuse("it is not known where " + name(A) +
                  " leads: a number with a derivative is only followed through parameters, tensors and local "
                  "variables");
  }

  /// Memory that the rule has no gradient for.
  bool checkConstant(const RuleArgument &A, const MemoryObject &O) {
    if (O.Kind == MemoryObject::Shared && Active.isActive(&Call))
      return checkShadow(A, O);
    if (ObjectSet Seen; Active.isActive(&Call) && !A.Parameter->IsNoDiff && isFromUnknown(O, Seen))
      return refuseUnknown(A);
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
      return refuseUnknown(A);
    }
    return false;
  }

  const CallBase &Call;
  const CustomRule &Rule;
  const DerivativeRequest &Request;
  bool IsReverse;
  MemoryObjects &Objects;
  Activity &Active;
  Refusals &Refused;
  bool HasRefused = false;
};

} // namespace

void kernix::refuseRuleCall(const CallBase &Call, const CustomRule &Rule, const DerivativeRequest &Request,
                            MemoryObjects &Objects, Activity &Active, Refusals &Refused) {
  Checker Check(Call, Rule, Request, Objects, Active, Refused);
  forEachArgument(Rule, [&](const RuleArgument &A) { Check.check(A); });
  Check.checkResults();
  for (const RuleParameter &Parameter : Rule.Parameters)
    Check.checkGradient(Parameter);
}
