//===- Accumulation.cpp - how each gradient is added to ---------------------------------------------------------===//

#include "Derivative/Accumulation/Accumulation.h"
#include "Derivative/Accumulation/Distances.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;
using namespace kernix;

/// PlainGradients has a bit for each.
constexpr unsigned MostMarked = 32;

unsigned kernix::idsRead(const Function &F) {
  unsigned Ids = 0;
  for (const Instruction &I : instructions(F)) {
    const auto *Call = dyn_cast<CallBase>(&I);
    StringRef Name = Call && Call->getCalledFunction() ? Call->getCalledFunction()->getName() : "";
    unsigned Shift = Name.consume_front("kernix.thread_idx.") ? 0 : Name.consume_front("kernix.block_idx.") ? 3 : 8;
    if (Shift < 8 && Name.size() == 1)
      Ids |= 1U << (Shift + static_cast<unsigned>(Name[0] - 'x'));
  }
  return Ids;
}

Accumulation::Accumulation(const DerivativeRequest &Request, const Prepared &P, MemoryObjects &Objects,
                           Activity &Active, FunctionAnalysisManager &FAM, bool AllAtomic)
    : AllAtomic(AllAtomic), IsKernel(Request.Kind == DerivativeRequest::Kernel), Layout(P.F->getDataLayout()),
      Forms(P, Objects, FAM) {
  MapVector<const MemoryObject *, SmallVector<const Instruction *, 8>> Accesses;
  SmallPtrSet<const MemoryObject *, 4> Mixed, Added, Given;
  for (const Instruction &I : instructions(*P.F)) {
    // A derivative that the source has written adds in its own way.
    if (const auto *Call = dyn_cast<CallBase>(&I))
      for (const Use &Argument : Call->args())
        if (Argument->getType()->isPointerTy())
          Given.insert_range(Objects.of(Argument.get()));
    MemoryAccess Access = accessOf(I);
    if (!Access.Pointer || !Active.isActiveAccess(I))
      continue;
    auto All = Objects.of(Access.Pointer);
    for (const MemoryObject *O : All) {
      if (O->Kind != MemoryObject::Tensor)
        continue;
      // The cotangent of a pure output is only read.
      if (Access.Stored && O->TheLeaf->Access == Leaf::Out)
        continue;
      Accesses[O].push_back(&I);
      if (All.size() > 1)
        Mixed.insert(O);
      if (isa<AtomicRMWInst>(I))
        Added.insert(O);
    }
  }
  unsigned UsedIds = idsRead(*P.F);
  for (auto &[O, List] : Accesses) {
    Choice &C = Choices[O];
    C.Where = List.front();
    StringRef Asked = O->TheLeaf->Diff;
    if (Asked == "once") {
      C.Way = Choice::Once;
      C.IsMixed = Mixed.contains(O);
    } else if (Request.Kind == DerivativeRequest::Host && !AllAtomic)
      C.Way = Choice::Alone;
    else if (!AllAtomic && Asked == "unique" && !Mixed.contains(O))
      C.Way = Choice::Plain;
    else if (!AllAtomic && Asked == "warp")
      C.Way = Choice::Warp;
    else if (Asked == "atomic")
      C.Reason = "the source says so";
    else if (Asked == "replicated")
      C.Reason = "the source says so, to one of several copies";
    else if (Asked == "scatter")
      C.Reason = "the source says so, when the kernel is done";
    else if (Request.Kind == DerivativeRequest::Device)
      C.Reason = "a device function does not know its threads";
    else if (AllAtomic)
      C.Reason = "the derivative is differentiated itself";
    else if (Mixed.contains(O))
      C.Reason = "the pointer may lead to another tensor";
    else if (Given.contains(O))
      C.Reason = "its address is given to a function that has a derivative of its own";
    else if (Added.contains(O))
      C.Reason = "the kernel adds to it by atomic operations";
    else
      choose(*O, List, UsedIds);
  }
}

const Accumulation::Choice &Accumulation::of(const MemoryObject &O) const {
  static const Choice Unknown;
  auto Found = Choices.find(&O);
  return Found == Choices.end() ? Unknown : Found->second;
}

void Accumulation::choose(const MemoryObject &O, ArrayRef<const Instruction *> Accesses, unsigned UsedIds) {
  Choice &C = Choices[&O];
  SmallVector<AccessForm, 8> All;
  LaunchConditions Assumed;
  for (const Instruction *I : Accesses) {
    MemoryAccess Access = accessOf(*I);
    std::optional<Polynomial> Offset = Forms.offset(Access.Pointer, O.Base, Assumed);
    if (!Offset) {
      if (C.Reason.empty()) {
        C.Reason = isa_and_nonnull<LoadInst>(Forms.obstacle())
                       ? "the index is read from memory"
                       : "the index is no sum of products of thread and block ids, counters and parameters";
        C.Where = I;
      }
      continue;
    }
    All.push_back({*Offset, static_cast<int64_t>(I->getDataLayout().getTypeStoreSize(Access.Type)),
                   Forms.factsAt(I->getParent())});
  }
  if (!C.Reason.empty())
    return;
  DistinctProof Proof = distinguish(Forms, All);
  constexpr const char *Names[] = {"threadIdx.x", "threadIdx.y", "threadIdx.z",
                                   "blockIdx.x",  "blockIdx.y",  "blockIdx.z"};
  for (unsigned Id = 0; Id < FirstExtent; ++Id) {
    if (Proof.Ids & (1U << Id))
      continue;
    if (UsedIds & (1U << Id)) {
      C.Reason = std::string("threads of different ") + Names[Id] + " may add to one element";
      return;
    }
    // Nothing in the kernel depends on this id: it has one value, or all is done several times.
    Proof.Assumed.insert(Polynomial::constant(1) - Polynomial::atom(FirstExtent + Id));
  }
  Proof.Assumed.insert(Assumed.begin(), Assumed.end());
  if (O.ParameterIndex >= MostMarked) {
    C.Reason = "only the first 32 parameters can be added to without atomic operations";
    return;
  }
  C.Way = Choice::Plain;
  C.Proof = std::move(Proof);
  for (const auto &[I, Form] : zip_equal(Accesses, All))
    Offsets.insert({accessOf(*I).Pointer, Form.Offset});
}

bool Accumulation::mayBeMarked(const MemoryObject &O) const {
  const Choice::WayType Way = of(O).Way;
  return O.TheLeaf->Access == Leaf::In &&
         (Way == Choice::Plain || (Way == Choice::Once && IsKernel && !AllAtomic && O.ParameterIndex < MostMarked));
}

std::optional<int64_t> Accumulation::plainDistance(const Value *First, const Value *Second) const {
  if (std::optional<int64_t> Exact = exactDistance(First, Second, Layout))
    return Exact;
  auto A = Offsets.find(First), B = Offsets.find(Second);
  if (A == Offsets.end() || B == Offsets.end())
    return std::nullopt;
  Polynomial Distance = B->second - A->second;
  if (!Distance.isConstant() || Distance.isBroken())
    return std::nullopt;
  return Distance.constantTerm();
}
