//===- Reproducible.cpp - refusing what a backward function would not find again --------------------------------===//

#include "Derivative/Addresses/SingleStores.h"
#include "Derivative/Addresses/Steps.h"
#include "Derivative/Analysis/Need.h"
#include "Derivative/Analysis/OwnReads.h"
#include "Derivative/Canonical/Assembly.h"
#include "Derivative/Canonical/Collectives.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include <numeric>

using namespace llvm;
using namespace kernix;

namespace {

class Checker {
public:
  Checker(const Prepared &P, MemoryObjects &Objects, Activity &Active, const Need &Needed, SingleStores &Stores,
          OwnReads &Own, FunctionAnalysisManager &FAM, Refusals &Refused)
      : Objects(Objects), Active(Active), Needed(Needed), Stores(Stores), Own(Own), Views(Objects, *P.F, FAM),
        Refused(Refused), Dominators(FAM.getResult<DominatorTreeAnalysis>(*P.F)),
        Loops(FAM.getResult<LoopAnalysis>(*P.F)), Evolution(FAM.getResult<ScalarEvolutionAnalysis>(*P.F)) {
    for (const Instruction &I : instructions(*P.F)) {
      for (const Value *Pointer : pointersWritten(I, Objects.rules()))
        for (const MemoryObject *O : Objects.of(Pointer))
          if (O->Kind != MemoryObject::Local && O->Kind != MemoryObject::Shared)
            Writers[O].push_back(&I);
    }
  }

  /// Of an element that one thread stores before a barrier and another one behind it, perhaps in the next iteration of
  /// a loop, only the second store counts; by the cotangent of an output, which nothing clears, both would.
  void checkStores() {
    for (auto &[O, List] : Writers)
      for (const Instruction *Later : List)
        for (const Instruction *Earlier : List)
          if (O->isTensorLike() && O->TheLeaf->Access == Leaf::Out && isActiveStore(*Later) &&
              isActiveStore(*Earlier) && Own.isBehindBarrier(*Later, *Earlier) && !isNeverMet(*Later, *Earlier) &&
              Own.mayMeet(*Earlier, *Later))
            return Refused.error(*Later, "it stores to '" + O->Name +
                                             "' behind a barrier where another thread may have stored before, and both "
                                             "values would have a gradient; store each element once");
    for (const ViewStore &Later : Views.all())
      for (const ViewStore &Earlier : Views.all())
        if (isActiveStore(Later) && isActiveStore(Earlier) && Own.isBehindBarrier(*Later.Call, *Earlier.Call) &&
            mayMeet(Earlier, Later))
          return Refused.error(*Later.Call, "'" + Later.Rule->Name +
                                                "' stores behind a barrier where another thread may have stored "
                                                "before, and both values would have a gradient; store each element "
                                                "once");
  }

  void check(const Instruction &I) {
    bool IsNeeded = Needed.contains(&I);
    if (IsNeeded && isa<AtomicRMWInst, AtomicCmpXchgInst>(I) && !isRepeatedSum(I))
      return Refused.error(I, "the backward needs what this atomic operation returned, which depends on the order of "
                              "the threads; where it is the place of a result ('out[atomicAdd(count, 1)] = ...'), let "
                              "a kernel without derivatives find the places, and read them from a tensor here");
    if (const auto *Load = dyn_cast<LoadInst>(&I); Load && (IsNeeded || Active.isActive(&I)))
      return checkLoad(*Load);
    const auto *Call = dyn_cast<CallBase>(&I);
    if (const CustomRule *Rule = ruleOf(&I, Objects.rules()))
      return checkRuleCall(*Call, *Rule, IsNeeded);
    if (!Call || !IsNeeded)
      return;
    if (const auto *Copy = dyn_cast<MemIntrinsic>(Call)) {
      for (const Value *Source : pointersRead(*Copy, Objects.rules()))
        for (const MemoryObject *O : Objects.of(Source))
          checkReads(*Call, "this copy", *O);
      return;
    }
    const Function *Callee = Call->getCalledFunction();
    // Assembly that only computes is known by now, and that of CUDA's own functions: __ffs. Any other is convergent, as
    // far as clang knows.
    const auto *Assembly = dyn_cast<InlineAsm>(Call->getCalledOperand());
    if (Call->doesNotAccessMemory() && !Call->isConvergent() &&
        (Assembly ? !Assembly->hasSideEffects() : Callee != nullptr))
      return;
    // The same threads come to the copy together.
    if (Callee && isCollective(*Callee))
      return;
    if (Assembly)
      return Refused.error(I, "the backward needs the result of " + nameOfAssembly(*Call) +
                                  ", which it cannot compute again: write it in C++, or use the result where no number "
                                  "with a derivative depends on it");
    StringRef Name = Callee ? Callee->getName() : "a call";
    Name.consume_front("kernix.");
    if (Name == "activemask" || Name == "kernix_cpu_active_mask")
      return Refused.error(I,
                           "the backward needs to know which lanes run together here, which it cannot find again: let "
                           "all lanes of a warp come here, or name them with __ballot_sync before the branch");
    Refused.error(I, "the backward needs the result of '" + Name + "', which it cannot compute again");
  }

private:
  bool isActiveStore(const Instruction &I) { return isa<StoreInst>(I) && Active.isActive(accessOf(I).Stored); }

  bool isActiveStore(const ViewStore &Store) {
    bool Found = false;
    forEachArgument(*Store.Rule, [&](const RuleArgument &A) {
      // What a pointer leads to is not asked.
      Found |= !A.Parameter->HoldsGradient &&
               (A.Leaf->Type->isPointerTy() || Active.isActive(Store.Call->getArgOperand(A.Index)));
    });
    return Found;
  }

  /// Whether threads may store to one element by both.
  bool mayMeet(const ViewStore &Earlier, const ViewStore &Later) {
    if (Views.areOfDifferentViews(Earlier, Later))
      return false;
    const StoredPlace *Place = Views.commonPlace(Earlier, Later);
    return !Place || !Views.isOfParameter(Earlier, *Place) || !Views.isOfParameter(Later, *Place) ||
           Own.mayMeet(Earlier, Later, *Place);
  }

  /// An addition to shared memory whose order makes no difference.
  bool isRepeatedSum(const Instruction &I) {
    const auto *Atomic = dyn_cast<AtomicRMWInst>(&I);
    const MemoryObject *O = Atomic ? Objects.only(Atomic->getPointerOperand()) : nullptr;
    return O && O->Kind == MemoryObject::Shared &&
           none_of(I.users(), [&](const User *U) { return Needed.contains(U); });
  }

  /// Whether a pointer of which nothing is known may lead there. A kernel's parameters are copies of its own: to one
  /// whose address is kept somewhere such a store is among those that are known to write there. A function's may be
  /// references.
  bool mayBeUnknown(const MemoryObject &O) {
    return O.Kind != MemoryObject::Constant &&
           (O.Kind != MemoryObject::Parameter || Refused.request().Kind != DerivativeRequest::Kernel);
  }

  void checkLoad(const LoadInst &Load) {
    if (!Load.isSimple())
      return Refused.error(Load,
                           "the backward needs the value of a volatile or atomic load, which it cannot read again");
    for (const MemoryObject *O : Objects.of(Load.getPointerOperand())) {
      auto Found = Writers.find(O);
      if (Found != Writers.end() && O->isTensorLike() &&
          none_of(Found->second, [&](const Instruction *Writer) { return isAtSamePlaces(Load, *Writer); }) &&
          !all_of(Found->second, [&](const Instruction *Writer) { return isNeverMet(Load, *Writer); }))
        return Refused.error(Load, "it reads '" + O->Name +
                                       "' where another thread may write; read from one tensor and write to another");
      std::string Name = O->Name.empty() ? std::string("memory") : "'" + O->Name + "'";
      for (const Instruction *Writer : Found == Writers.end() ? ArrayRef<const Instruction *>() : Found->second) {
        if (Own.isBehindBarrier(Load, *Writer) && !isNeverMet(Load, *Writer) && !Own.isOwn(Load, *Writer))
          return Refused.error(Load, "it reads " + Name +
                                         " behind a barrier, where another thread may have written, and the backward "
                                         "would not find that value; exchange it in shared memory");
        if (!readsBefore(Load, *Writer) && Refused.request().FactsOfPrimal && O->isTensorLike())
          return Refused.error(Load, "the first derivative reads " + Name +
                                         " after it has written there: " + NotTwiceInPlace);
        if (!readsBefore(Load, *Writer))
          return Refused.error(Load, "it reads " + Name +
                                         " after it may have been written, and the backward would not find that value; "
                                         "keep it in a local variable");
      }
      for (auto &[Other, List] : Writers)
        if ((Other->Kind == MemoryObject::Unknown && mayBeUnknown(*O) && Other != O) ||
            (O->Kind == MemoryObject::Unknown && Other->Kind != MemoryObject::Local))
          return Refused.error(Load, "it reads memory that a store through an unknown pointer may have changed");
    }
  }

  /// What f reads when it is called again, and its rule when it is called, must be what f has read.
  void checkRuleCall(const CallBase &Call, const CustomRule &Rule, bool IsNeeded) {
    bool IsActive = Active.isActive(&Call);
    if (!IsNeeded && !IsActive)
      return;
    std::string Name = "'" + Rule.Name + "'";
    bool WritesLocal = false, WritesElsewhere = false;
    forEachArgument(Rule, [&](const RuleArgument &A) {
      if (!A.Leaf->Type->isPointerTy())
        return;
      for (const MemoryObject *O : Objects.of(Call.getArgOperand(A.Index))) {
        bool IsLocal = O->Kind == MemoryObject::Local;
        if (mayWrite(Rule, A))
          (IsLocal ? WritesLocal : WritesElsewhere) = true;
        // Where an object keeps its own gradients, its rules know what they read.
        if (!IsLocal && !(A.Parameter->HoldsGradient && !IsNeeded))
          checkReads(Call, Name, *O);
      }
    });
    if (IsNeeded && (WritesElsewhere || (Rule.WritesMemory && !WritesLocal)))
      Refused.error(Call, "the backward needs the result of " + Name +
                              ", which it cannot compute again, because that writes to memory");
  }

  void checkReads(const CallBase &Call, const std::string &Name, const MemoryObject &O) {
    for (auto &[Other, List] : Writers) {
      bool MayBeSame =
          Other == &O || O.Kind == MemoryObject::Unknown || (Other->Kind == MemoryObject::Unknown && mayBeUnknown(O));
      for (const Instruction *Writer : List)
        if (MayBeSame && isPotentiallyReachable(Writer, &Call, nullptr, &Dominators, &Loops))
          return Refused.error(Call, Name + " reads " + (O.Name.empty() ? std::string("memory") : "'" + O.Name + "'") +
                                         " after it may have been written, and the backward would not find that "
                                         "value; keep it in a local variable");
    }
  }

  /// True if Load reads the elements that Writer writes, perhaps in a loop of its own: those of this thread.
  bool isAtSamePlaces(const LoadInst &Load, const Instruction &Writer) {
    const Value *Written = accessOf(Writer).Pointer;
    if (!Written)
      return false;
    const SCEV *Read = Evolution.getSCEV(const_cast<Value *>(Load.getPointerOperand()));
    const SCEV *Write = Evolution.getSCEV(const_cast<Value *>(Written));
    const Loop *A = Loops.getLoopFor(Load.getParent()), *B = Loops.getLoopFor(Writer.getParent());
    while (A || B) {
      std::optional<Steps> OfRead = A ? stepsIn(Read, A, Evolution) : std::nullopt;
      std::optional<Steps> OfWrite = B ? stepsIn(Write, B, Evolution) : std::nullopt;
      if (OfRead && OfRead->Step->isZero()) {
        A = A->getParentLoop();
        continue;
      }
      if (OfWrite && OfWrite->Step->isZero()) {
        B = B->getParentLoop();
        continue;
      }
      if (!A && OfWrite && !B->getParentLoop())
        return isOneOf(Read, *OfWrite, B);
      if (!OfRead || !OfWrite || OfRead->Step != OfWrite->Step)
        return Read == Write;
      Read = OfRead->Start;
      Write = OfWrite->Start;
      A = A->getParentLoop();
      B = B->getParentLoop();
    }
    return constantDistance(Read, Write, Evolution) == 0;
  }

  /// True if Read is the address of one of the iterations of L.
  bool isOneOf(const SCEV *Read, const Steps &Write, const Loop *L) {
    std::optional<int64_t> Distance = constantDistance(Read, Write.Start, Evolution);
    if (!Distance || *Distance == 0)
      return Distance.has_value();
    const auto *Step = dyn_cast<SCEVConstant>(Write.Step);
    const auto *Most = dyn_cast<SCEVConstant>(Evolution.getBackedgeTakenCount(L));
    if (!Step || !Most || *Distance % Step->getAPInt().getSExtValue() != 0)
      return false;
    int64_t Iteration = *Distance / Step->getAPInt().getSExtValue();
    return Iteration > 0 && static_cast<uint64_t>(Iteration) <= Most->getAPInt().getLimitedValue();
  }

  /// True if no thread writes by Writer what any thread reads or writes by I: x[3 * i + 1] and x[3 * i + 2].
  bool isNeverMet(const Instruction &I, const Instruction &Writer) {
    MemoryAccess Access = accessOf(I), Written = accessOf(Writer);
    if (!Access.Pointer || !Written.Pointer)
      return false;
    LinearForm Read = linearForm(Evolution.getSCEV(const_cast<Value *>(Access.Pointer)), Evolution);
    LinearForm Write = linearForm(Evolution.getSCEV(const_cast<Value *>(Written.Pointer)), Evolution);
    // What both add is a multiple of this, whatever the thread and the iteration.
    uint64_t Common = 0;
    for (LinearForm *Form : {&Read, &Write})
      for (auto &[Term, Factor] : Form->Terms)
        if (const auto *Base = dyn_cast<SCEVUnknown>(Term); Base && isa<Argument>(Base->getValue())) {
          if (Factor != 1 || Read.Terms.lookup(Term) != Write.Terms.lookup(Term))
            return false;
        } else {
          Common = std::gcd(Common, static_cast<uint64_t>(std::abs(Factor)) * constantFactor(Term));
        }
    const DataLayout &DL = I.getDataLayout();
    return areApart(Read.Constant - Write.Constant, Common, DL.getTypeStoreSize(Access.Type),
                    DL.getTypeStoreSize(Written.Type));
  }

  /// True if no store of Writer comes before Load reads the same element, in this thread.
  bool readsBefore(const LoadInst &Load, const Instruction &Writer) {
    if (!isPotentiallyReachable(&Writer, &Load, nullptr, &Dominators, &Loops))
      return true;
    MemoryAccess Access = accessOf(Writer);
    const Value *Written = Access.Pointer;
    if (!Written)
      return false;
    const SCEV *Read = Evolution.getSCEV(const_cast<Value *>(Load.getPointerOperand()));
    const SCEV *Write = Evolution.getSCEV(const_cast<Value *>(Written));
    uint64_t Size = Load.getDataLayout().getTypeStoreSize(Load.getType());
    if (neverMeet(Read, Loops.getLoopFor(Load.getParent()), Size, Write, Loops.getLoopFor(Writer.getParent()),
                  Load.getDataLayout().getTypeStoreSize(Access.Type), Evolution))
      return true;
    if (!Dominators.dominates(&Load, &Writer))
      return false;
    // In loops, each iteration at an address of its own, read first: x[i] = f(x[i]).
    const Loop *L = Loops.getLoopFor(Load.getParent());
    if (Read != Write || !L || L != Loops.getLoopFor(Writer.getParent()))
      return false;
    std::optional<Steps> Moves = stepsIn(Read, L, Evolution);
    if (!L->getParentLoop() && Moves && isNonZeroStep(Moves->Step, Size))
      return true;
    // What that assumes is tested where the store is reversed.
    const auto *Store = dyn_cast<StoreInst>(&Writer);
    const MemoryObject *O = Store ? Objects.only(Store->getPointerOperand()) : nullptr;
    return O && O->isTensorLike() && Active.isActiveAccess(*Store) && Stores.movesInAllLoops(*Store, *O, Loops);
  }

  MemoryObjects &Objects;
  Activity &Active;
  const Need &Needed;
  SingleStores &Stores;
  OwnReads &Own;
  ViewStores Views;
  Refusals &Refused;
  DominatorTree &Dominators;
  LoopInfo &Loops;
  ScalarEvolution &Evolution;
  MapVector<const MemoryObject *, SmallVector<const Instruction *, 4>> Writers;
};

} // namespace

void kernix::refuseUnreproducible(const Prepared &P, MemoryObjects &Objects, Activity &Active, const Need &Needed,
                                  SingleStores &Stores, OwnReads &Own, FunctionAnalysisManager &FAM,
                                  Refusals &Refused) {
  Checker Check(P, Objects, Active, Needed, Stores, Own, FAM, Refused);
  for (const Instruction &I : instructions(*P.F))
    Check.check(I);
  Check.checkStores();
}
