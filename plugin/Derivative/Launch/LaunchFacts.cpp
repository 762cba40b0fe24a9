//===- LaunchFacts.cpp - what a launch of a derivative has to fulfil --------------------------------------------===//

#include "Derivative/Launch/LaunchFacts.h"
#include "Derivative/Analysis/Activity.h"
#include "Derivative/CustomRules/RepeatedStores.h"
#include "Derivative/Launch/IdBits.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;
using namespace kernix;

namespace {

/// What all stores depend on, and how large blocks and grids may be, lest several threads make one store.
class StoringThreads {
public:
  StoringThreads(Function &F, bool IsReverse, Refusals &Refused)
      : Refused(Refused), IsReverse(IsReverse), UsesIds(any_of(instructions(F), [](const Instruction &I) {
          std::optional<unsigned> Atom = geometryAtom(&I);
          return Atom && *Atom < NumIds;
        })) {}

  void add(const Instruction &I, const AccessIds &Own, const Twine &ToWhat, StringRef Guard) {
    if (!Own.ids() && UsesIds)
      Refused.error(I, "all threads store to one element " + ToWhat + "; guard the " + Guard);
    Ids &= Own.ids();
    for (unsigned Id = 0; Id < NumIds && IsReverse; ++Id)
      if (std::optional<unsigned> Bit = Own.missing(Id)) {
        if (*Bit == 0)
          return Refused.error(I, Twine(Id < 3 ? "threads" : "blocks") + " next to each other along " +
                                      (Id < 3 ? "threadIdx." : "blockIdx.") + Twine("xyz"[Id % 3]) +
                                      " store to one element " + ToWhat +
                                      ", and each would take its whole gradient; guard the " + Guard);
        unsigned &Least = LeastMissing[Id];
        Least = Least ? std::min(Least, *Bit) : *Bit;
      }
  }

  void write(const DerivativeRequest &Request) const {
    setLaunchFact(Request, StoreIds, Ids);
    unsigned Bits = 0;
    for (auto [Id, Least] : enumerate(LeastMissing))
      Bits |= Least << 5 * Id;
    setLaunchFact(Request, StoreBits, Bits);
  }

  bool usesIds() const { return UsesIds; }

private:
  Refusals &Refused;
  bool IsReverse, UsesIds;
  unsigned Ids = (1U << NumIds) - 1;
  std::array<unsigned, NumIds> LeastMissing = {}; ///< 0: none
};

} // namespace

void kernix::writeLaunchFacts(const DerivativeRequest &Request, const Prepared &P, FunctionAnalysisManager &FAM,
                              Refusals &Refused) {
  MemoryObjects Objects(P, Request);
  IdDependence Depends(*P.F, Objects, FAM);
  ViewStores OfViews(Objects, *P.F, FAM);
  const bool IsReverse = Request.Mode == DerivativeRequest::Reverse;
  if (!IsReverse) // a backward has asked for it before it was written
    RepeatedStores(P, Objects, FAM).refuse(Refused);
  StoringThreads Threads(*P.F, IsReverse, Refused);
  for (const Instruction &I : instructions(*P.F)) {
    if (const auto *Load = dyn_cast<LoadInst>(&I); Load && Threads.usesIds() && IsReverse)
      for (const MemoryObject *O : Objects.of(Load->getPointerOperand()))
        if (O->isTensorLike() && O->TheLeaf->Active && is_contained({"unique", "once"}, O->TheLeaf->Diff) &&
            !Depends.of(I).ids())
          Refused.error(I, "all threads read one element of '" + O->Name + "' here, which [[kernix::diff(" +
                               O->TheLeaf->Diff + ")]] says no two do; write [[kernix::diff]]");
    if (const auto *Store = dyn_cast<StoreInst>(&I))
      for (const MemoryObject *O : Objects.of(Store->getPointerOperand()))
        if (O->isTensorLike() && O->TheLeaf->Active)
          Threads.add(*Store, Depends.of(*Store), "of '" + O->Name + "'",
                      "store so that one thread does it, or use atomicAdd");
  }
  for (const ViewStore &Store : OfViews.all()) {
    const RequestParameter *View = OfViews.viewOf(Store);
    Threads.add(*Store.Call, Depends.of(*Store.Call, *Store.Rule),
                View ? "of '" + View->Name + "'" : "by '" + Store.Rule->Name + "'",
                "call so that one thread does it, or atomicAdd to a kernix::TensorView");
  }
  Threads.write(Request);
}

unsigned kernix::launchFact(const GlobalVariable &Facts, LaunchFact Fact) {
  const auto *Fields = dyn_cast<ConstantStruct>(Facts.getInitializer());
  const auto *Value =
      Fields && Fields->getNumOperands() > Fact ? dyn_cast<ConstantInt>(Fields->getOperand(Fact)) : nullptr;
  return Value ? static_cast<unsigned>(Value->getZExtValue()) : 0;
}

void kernix::setLaunchFact(const DerivativeRequest &Request, LaunchFact Fact, unsigned Value) {
  auto *Old = dyn_cast<ConstantStruct>(Request.Facts->getInitializer());
  if (!Old || Old->getNumOperands() <= Fact)
    return;
  SmallVector<Constant *, 5> Fields;
  for (const Use &Field : Old->operands())
    Fields.push_back(cast<Constant>(Field));
  Fields[Fact] = ConstantInt::get(Fields[Fact]->getType(), Value);
  Request.Facts->setInitializer(ConstantStruct::get(Old->getType(), Fields));
}
