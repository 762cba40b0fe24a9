//===- FixedOrder.cpp - what a deterministic build refuses ------------------------------------------------------===//

#include "Derivative/Accumulation/FixedOrder.h"
#include "kernix/abi.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace kernix;

static constexpr char InABuild[] = "; a deterministic build adds in a fixed order";

namespace {

/// Why a rule may add to memory in the order in which threads come; empty: it does not.
std::string whyUnordered(const CustomRule &Rule) {
  // Views that come with kernix are written in the language of rules.
  if (Rule.holdsGradient() && addsAtomically(*Rule.Thunk))
    return "'" + Rule.Name + "' adds to its gradient by atomic operations" + InABuild +
           "; use loadUniform where no two threads read one element, or kernix::TensorView";
  bool IsHidden = any_of(instructions(*Rule.Thunk), [](const Instruction &I) {
    const auto *Called = dyn_cast<CallBase>(&I);
    return Called && !isa<IntrinsicInst>(I) &&
           (!Called->getCalledFunction() || Called->getCalledFunction()->isDeclaration());
  });
  if (IsHidden)
    return "how the derivative of '" + Rule.Name + "' adds is not known, since its body is not visible" + InABuild;
  if (addsAtomically(*Rule.Thunk))
    return "the derivative of '" + Rule.Name + "' adds by atomic operations" + InABuild +
           "; let it add plainly where no two threads meet";
  return "";
}

/// Calls Found(where, what, whose gradient) for each sum whose order threads decide. Null: of no parameter alone.
void findSumsOverThreads(const Prepared &P, MemoryObjects &Objects, Activity &Active, const Need &Needed,
                         const Accumulation &Accumulations,
                         function_ref<void(const Instruction &, const Twine &, const MemoryObject *)> Found) {
  SmallPtrSet<const MemoryObject *, 4> Seen;
  for (const Instruction &I : instructions(*P.F)) {
    if (const CustomRule *Rule = ruleOf(&I, Objects.rules()); Rule && Active.isActive(&I)) {
      if (std::string Why = whyUnordered(*Rule); !Why.empty())
        Found(I, Why, nullptr);
      continue;
    }
    if (const auto *Atomic = dyn_cast<AtomicRMWInst>(&I);
        Atomic && Atomic->getType()->isFloatingPointTy() && Needed.contains(&I))
      Found(I, Twine("the backward makes this sum of atomic additions again, and needs it") + InABuild, nullptr);
    MemoryAccess Access = accessOf(I);
    if (!Access.Pointer || !isa<LoadInst>(I) || !Active.isActiveAccess(I))
      continue;
    for (const MemoryObject *O : Objects.of(Access.Pointer)) {
      if (!Seen.insert(O).second)
        continue;
      if (O->Kind == MemoryObject::Parameter)
        Found(I,
              "the gradient of '" + O->Name + "' is a sum over all threads" + InABuild +
                  "; mark it [[kernix::no_diff]], or give each thread an element of a tensor",
              O);
      else if (O->Kind == MemoryObject::Shared)
        Found(I, "several threads may add to one adjoint of the shared '" + O->Name + "'" + InABuild, nullptr);
    }
  }
  for (const auto &[O, Choice] : Accumulations.choices()) {
    if (!Seen.contains(O)) // only written: its cotangent is read
      continue;
    if (Choice.Way == Accumulation::Choice::Atomic)
      Found(*Choice.Where,
            "threads may add to one element of the gradient of '" + O->Name + "': " + Choice.Reason + InABuild, O);
    else if (Choice.Way == Accumulation::Choice::Warp)
      Found(*Choice.Where, "[[kernix::diff(warp)]] of '" + O->Name + "' adds for each warp" + InABuild, O);
  }
}

/// Between what P is in every usual launch, where `Ids` have extents. Sets bits of the parameters that it depends on.
class UsualValues {
public:
  UsualValues(const IndexForms &Forms, unsigned Ids) : Forms(Forms), Ids(Ids) {}

  bool isNeverNegative(const Polynomial &P) {
    if (P.isBroken())
      return false;
    __int128 Least = 0;
    for (const auto &[Product, C] : P.terms()) {
      std::optional<int64_t> Bound = C > 0 ? least(Product) : most(Product);
      if (!Bound)
        return false;
      Least += static_cast<__int128>(C) * *Bound;
    }
    return Least >= 0;
  }
  unsigned parameters() const { return Parameters; }

private:
  bool isExtent(unsigned Atom) const { return Forms.meaning(Atom).Kind == AtomMeaning::Extent; }

  std::optional<int64_t> least(const Monomial &Product) {
    int64_t Least = 1;
    for (unsigned Atom : Product) {
      if (isExtent(Atom))
        continue; // 1
      if (!isBounded(Atom))
        return std::nullopt;
      Least *= Forms.isStride(Atom) ? 1 : 0;
    }
    return Least;
  }

  /// The extents together are below the limit, and so is each other value.
  std::optional<int64_t> most(const Monomial &Product) {
    SmallSet<unsigned, 6> Extents;
    unsigned Factors = 0;
    bool HasExtents = false;
    for (unsigned Atom : Product) {
      if (isExtent(Atom) && !(Ids & (1U << (Atom - FirstExtent))))
        continue; // 1
      if (isExtent(Atom) && Extents.insert(Atom).second)
        HasExtents = true;
      else if (isExtent(Atom) || isBounded(Atom))
        ++Factors;
      else
        return std::nullopt;
    }
    Factors += HasExtents;
    constexpr int64_t Limit = KERNIX_USUAL_LIMIT - 1;
    if (Factors > 2)
      return std::nullopt;
    return Factors == 0 ? 1 : Factors == 1 ? Limit : Limit * Limit;
  }

  /// Whether the host can see its value: an argument, or an integer that lies in one.
  bool isBounded(unsigned Atom) {
    const AtomMeaning &Meaning = Forms.meaning(Atom);
    if (Meaning.Kind != AtomMeaning::Uniform && Meaning.Kind != AtomMeaning::Stride)
      return false;
    const Value *V = Meaning.V;
    while (isa<SExtInst, ZExtInst>(V))
      V = cast<CastInst>(V)->getOperand(0);
    // Where it lies may be no place at all.
    if (const auto *Load = dyn_cast<LoadInst>(V)) {
      const DataLayout &DL = Load->getDataLayout();
      APInt Offset(DL.getIndexTypeSizeInBits(Load->getPointerOperandType()), 0);
      V = Load->getPointerOperand()->stripAndAccumulateConstantOffsets(DL, Offset, /*AllowNonInbounds=*/true);
    }
    const auto *A = dyn_cast<Argument>(V);
    if (!A || A->getArgNo() >= 30)
      return false;
    Parameters |= 1U << A->getArgNo();
    return true;
  }

  const IndexForms &Forms;
  unsigned Ids;
  unsigned Parameters = 0;
};

/// Whether a function that is called adds by atomic operations, as the source does or as a derivative of its own.
bool callsAtomics(const Function &F) {
  return any_of(instructions(F), [](const Instruction &I) {
    const auto *Call = dyn_cast<CallBase>(&I);
    const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
    return Call && (!Callee || (!Callee->isDeclaration() && addsAtomically(*Callee)));
  });
}

} // namespace

void kernix::refuseSumsOverThreads(const DerivativeRequest &Request, const Prepared &P, MemoryObjects &Objects,
                                   Activity &Active, const Need &Needed, const Accumulation &Accumulations,
                                   Refusals &Refused) {
  if (Request.Kind == DerivativeRequest::Kernel)
    findSumsOverThreads(P, Objects, Active, Needed, Accumulations,
                        [&](const Instruction &I, const Twine &Text, const MemoryObject *) { Refused.error(I, Text); });
}

/// Whether nothing is added for O where its gradient is not asked for.
static bool isOptional(const MemoryObject &O) {
  return O.ParameterIndex < 32 &&
         (O.Kind == MemoryObject::Parameter || (O.isTensorLike() && O.TheLeaf && O.TheLeaf->Access == Leaf::In));
}

OrderOfSums kernix::orderOfSums(const DerivativeRequest &Request, const Prepared &P, MemoryObjects &Objects,
                                Activity &Active, const Need &Needed, const Accumulation &Accumulations) {
  if (Request.IsDeterministic)
    return {KERNIX_FIXED_ORDER_ALWAYS, 0};
  bool IsFixed = !Accumulations.isAllAtomic() && !callsAtomics(*Request.Body);
  unsigned Unordered = 0;
  findSumsOverThreads(P, Objects, Active, Needed, Accumulations,
                      [&](const Instruction &, const Twine &, const MemoryObject *O) {
                        if (O && isOptional(*O))
                          Unordered |= 1U << O->ParameterIndex;
                        else
                          IsFixed = false;
                      });
  // Proofs that tell threads apart by the same ids have the same launches.
  std::optional<unsigned> Ids;
  for (const auto &[O, Choice] : Accumulations.choices()) {
    IsFixed &= !Choice.IsMixed;
    if (Choice.Way == Accumulation::Choice::Plain && (Choice.Proof.Ids || !Choice.Proof.Assumed.empty())) {
      IsFixed &= !Ids || *Ids == Choice.Proof.Ids;
      Ids = Choice.Proof.Ids;
    }
  }
  if (!IsFixed)
    return {};
  if (!Ids)
    return {KERNIX_FIXED_ORDER_ALWAYS, Unordered};
  UsualValues Values(Accumulations.forms(), *Ids);
  for (const auto &[O, Choice] : Accumulations.choices())
    if (Choice.Way == Accumulation::Choice::Plain)
      for (const Polynomial &Condition : Choice.Proof.Assumed)
        if (!Values.isNeverNegative(Condition))
          return {};
  return {KERNIX_FIXED_ORDER | Values.parameters(), Unordered};
}

void kernix::refuseAtomicTangents(const Prepared &P, MemoryObjects &Objects, Activity &Active, Refusals &Refused) {
  for (const Instruction &I : instructions(*P.F)) {
    if (const CustomRule *Rule = ruleOf(&I, Objects.rules()); Rule && Active.isActive(&I)) {
      if (std::string Why = whyUnordered(*Rule); !Why.empty())
        Refused.error(I, Why);
      continue;
    }
    const auto *Atomic = dyn_cast<AtomicRMWInst>(&I);
    if (!Atomic)
      continue;
    if (Active.isActiveAccess(I))
      Refused.error(I, Twine("tangents are added by atomic operations here") + InABuild);
    else if (Atomic->getType()->isFloatingPointTy() &&
             any_of(Objects.of(Atomic->getPointerOperand()),
                    [](const MemoryObject *O) { return O->Kind == MemoryObject::Shared; }))
      Refused.error(I, Twine("tangents may depend on this sum of atomic additions") + InABuild);
  }
}
