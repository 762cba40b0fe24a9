//===- TestProofs.cpp - a pass that prints what is proven of addresses ------------------------------------------===//
//
// Takes functions that are already in the prepared form: an argument `x...` is a tensor, each other one the address of
// a parameter. Prints by which ids the loads of each tensor are told apart, and what has to be tested at the launch.
//
//===------------------------------------------------------------------------------------------------------------===//

#include "Derivative/Addresses/DistinctAddresses.h"
#include "Derivative/TestPasses.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace kernix;

namespace {

constexpr const char *IdNames[] = {"threadIdx.x", "threadIdx.y", "threadIdx.z",
                                   "blockIdx.x",  "blockIdx.y",  "blockIdx.z"};

void proveFor(Function &F, FunctionAnalysisManager &FAM) {
  DerivativeRequest Request;
  Prepared P;
  P.F = &F;
  for (unsigned K = 0; K < F.arg_size(); ++K) {
    bool IsTensor = F.getArg(K)->getName().starts_with("x");
    RequestParameter &Parameter = Request.Parameters.emplace_back();
    Parameter.Name = F.getArg(K)->getName().str();
    if (IsTensor) {
      Leaf &L = Parameter.Leaves.emplace_back();
      L.Kind = Leaf::Pointer;
      L.Active = true;
      L.Scalar = Type::getFloatTy(F.getContext());
    } else if (F.getArg(K)->getName().starts_with("view")) {
      Leaf &L = Parameter.Leaves.emplace_back();
      L.Kind = Leaf::Stride;
      L.Offset = 72;
      L.Count = 8;
    }
    P.Arguments.push_back({K, IsTensor ? 0 : -1});
  }
  // With a view, the first argument is its elements.
  for (unsigned K = 1; K < F.arg_size(); ++K)
    if (F.getArg(K)->getName().starts_with("view")) {
      Request.Parameters[K].Name = Request.Parameters[0].Name;
      Request.Parameters[K].Leaves.push_back(Request.Parameters[0].Leaves[0]);
      P.Arguments[0] = {K, 1};
    }
  MemoryObjects Objects(P, Request);
  IndexForms Forms(P, Objects, FAM);
  MapVector<const MemoryObject *, SmallVector<AccessForm, 4>> Accesses;
  SmallPtrSet<const MemoryObject *, 2> Unknown;
  LaunchConditions Assumed;
  for (const Instruction &I : instructions(F)) {
    const auto *Load = dyn_cast<LoadInst>(&I);
    const MemoryObject *O = Load ? Objects.only(Load->getPointerOperand()) : nullptr;
    if (!O || O->Kind != MemoryObject::Tensor)
      continue;
    auto &List = Accesses[O];
    if (std::optional<Polynomial> Offset = Forms.offset(Load->getPointerOperand(), O->Base, Assumed))
      List.push_back({*Offset, static_cast<int64_t>(F.getDataLayout().getTypeStoreSize(Load->getType())),
                      Forms.factsAt(Load->getParent())});
    else
      Unknown.insert(O);
  }
  for (auto &[O, List] : Accesses) {
    outs() << F.getName() << ' ' << O->Name << ':';
    if (Unknown.contains(O)) {
      outs() << " unknown\n";
      continue;
    }
    DistinctProof Proof = distinguish(Forms, List);
    for (unsigned Id = 0; Id < FirstExtent; ++Id)
      if (Proof.Ids & (1U << Id))
        outs() << ' ' << IdNames[Id];
    Assumed.insert(Proof.Assumed.begin(), Proof.Assumed.end());
    for (const Polynomial &A : Assumed)
      outs() << "\n  if 0 <= " << Forms.text(A);
    outs() << '\n';
  }
}

class ProofsPass : public PassInfoMixin<ProofsPass> {
public:
  PreservedAnalyses run(Function &F, FunctionAnalysisManager &FAM) {
    proveFor(F, FAM);
    return PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }
};

} // namespace

void kernix::addProofsPass(FunctionPassManager &FPM) { FPM.addPass(ProofsPass()); }
