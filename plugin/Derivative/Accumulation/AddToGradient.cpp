//===- AddToGradient.cpp - additions to gradients in memory -----------------------------------------------------===//
//
// The additions of one reversed block are written together, so that the loads of plain additions do not wait for each
// other. A gradient that is not wanted is null.
//
//===------------------------------------------------------------------------------------------------------------===//

#include "Derivative/Accumulation/BlockTotals.h"
#include "Derivative/Accumulation/CallerMemory.h"
#include "Derivative/Accumulation/Distances.h"
#include "Derivative/Accumulation/WarpSums.h"
#include "Derivative/Launch/LaunchTests.h"
#include "Derivative/Reverse/ReverseWriter.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace kernix;

void ReverseWriter::planAdditions() {
  RoomForSums = roomForShared(P, Objects, ShadowsInFloat);
  // An alignment that the source promises of a tensor says nothing about its gradient.
  PromisesAlignment = any_of(instructions(*P.F), [](const Instruction &I) {
    const auto *Assume = dyn_cast<AssumeInst>(&I);
    return Assume && Assume->getNumOperandBundles();
  });
  LaunchTests Tests(Accumulations.forms(), Arguments, Entry);
  Floats.forEach([&](const MemoryObject &O) { Arguments.markOfScratch(O); });
  planScratch();
  for (auto &[O, Choice] : Accumulations.choices()) {
    const bool MayMeetOthers = Accumulations.mayBeMarked(*O) && !Floats.contains(*O);
    if (Choice.Way != Accumulation::Choice::Plain && (Choice.Way != Accumulation::Choice::Once || !MayMeetOthers))
      continue;
    Value *IsPlain = Tests.hold(Choice.Proof.Assumed);
    // What is summed in float overlaps nothing.
    if (MayMeetOthers) {
      Value *Mark = Arguments.markOfOverlap(*O);
      IsPlain = Entry.CreateAnd(IsPlain, Entry.CreateICmpEQ(Mark, Entry.getInt64(0)));
    }
    Usual.assumeTrue(IsPlain);
    Usual.assumeWanted(Arguments.shadow(*O));
    PlainTests[O] = IsPlain;
  }
}

const MemoryObject &ReverseWriter::objectOf(const Addition &A) {
  return *Objects.of(accessOf(*A.Access).Pointer).front();
}

Type *ReverseWriter::storedType(const Addition &A) const { return accessOf(*A.Access).Type; }

Value *ReverseWriter::placeOf(const Addition &A) {
  auto *Pointer = const_cast<Value *>(accessOf(*A.Access).Pointer);
  Value *Place = Addresses.of(Pointer);
  const MemoryObject &O = objectOf(A);
  return Floats.contains(O) || CopyOfThread.contains(&O) ? placeInScratch(A, Place) : Place;
}

/// What [[kernix::diff(...)]] says of how to add; empty if it says nothing.
StringRef ReverseWriter::wordOf(const Addition &A) {
  const MemoryObject &O = objectOf(A);
  const Value *Pointer = accessOf(*A.Access).Pointer;
  const Leaf *L = O.TheLeaf;
  bool Exact = false;
  if (O.Kind == MemoryObject::Parameter)
    L = Objects.leafAt(Pointer, O, DL.getTypeStoreSize(storedType(A)), Exact);
  return L && L->Diff != "default" ? StringRef(L->Diff) : StringRef();
}

Value *ReverseWriter::isWanted(const Addition &A) {
  return B.CreateIsNotNull(Addresses.baseOf(const_cast<Value *>(accessOf(*A.Access).Pointer)));
}

/// Two blocks and where they meet: the first is written next.
static void branchAround(IRBuilder<> &B, Value *Condition, function_ref<BasicBlock *(const Twine &)> NewBlock,
                         function_ref<void()> Then, function_ref<void()> Else = nullptr) {
  BasicBlock *Yes = NewBlock("gradient"), *No = Else ? NewBlock("gradient") : nullptr, *Go = NewBlock("reverse");
  B.CreateCondBr(Condition, Yes, No ? No : Go);
  B.SetInsertPoint(Yes);
  Then();
  B.CreateBr(Go);
  if (No) {
    B.SetInsertPoint(No);
    Else();
    if (!B.GetInsertBlock()->getTerminator())
      B.CreateBr(Go);
  }
  B.SetInsertPoint(Go);
}

void ReverseWriter::writeAdditions(bool AllThreadsAreHere) {
  SmallVector<Addition, 8> All = std::move(Additions);
  Additions.clear();
  auto NewBlock = [this](const Twine &Name) { return newBlock(Name); };
  bool IsGpu = Body.getParent()->getTargetTriple().isNVPTX();
  SmallVector<UniformAddition, 4> Scalars;
  SmallVector<Addition, 8> Together;
  for (const Addition &A : All) {
    auto *Pointer = const_cast<Value *>(accessOf(*A.Access).Pointer);
    bool IsUniform = objectOf(A).Kind == MemoryObject::Parameter || OverBlock.contains(Pointer);
    if (IsUniform && AllThreadsAreHere && IsGpu && wordOf(A).empty() && Request.Kind == DerivativeRequest::Kernel &&
        !Accumulations.isAllAtomic() && (Scalars.size() + 1) * BytesOfBlockSum <= RoomForSums) {
      Scalars.push_back({placeOf(A), A.Added, {storedType(A), Floats.contains(objectOf(A))}});
      Value *Base = Addresses.baseOf(Pointer);
      Scalars.back().IsWanted = B.CreateIsNotNull(Base);
      Scalars.back().Place =
          B.CreateSelect(Scalars.back().IsWanted, Scalars.back().Place, Constant::getNullValue(Base->getType()));
    } else if (A.MayBeNothing) {
      // Where nothing has been added, the address may be none.
      Value *IsSomething =
          A.IsSomething ? A.IsSomething : B.CreateFCmpUNE(A.Added, Constant::getNullValue(A.Added->getType()));
      branchAround(B, IsSomething, NewBlock, [&] { writeTogether(A); });
    } else {
      Together.push_back(A);
    }
  }
  if (!Together.empty())
    writeTogether(Together);
  if (Scalars.empty())
    return;
  if (RepeatsBlocks)
    keepBlockSums(Scalars);
  else
    addOverBlock(B, Scalars);
}

void ReverseWriter::writeTogether(ArrayRef<Addition> All) {
  auto NewBlock = [this](const Twine &Name) { return newBlock(Name); };
  MapVector<const MemoryObject *, SmallVector<Addition, 8>> Proven, Others;
  for (const Addition &A : All) {
    const MemoryObject &O = objectOf(A);
    (PlainTests.contains(&O) ? Proven : Others)[&O].push_back(A);
  }
  auto EachAlone = [&] {
    for (auto &[O, List] : Proven) {
      Value *Wanted = isWanted(List.front());
      branchAround(B, Wanted, NewBlock, [&] {
        branchAround(B, PlainTests[O], NewBlock, [&] { addPlainly(List); }, [&] { addInAnyOrder(List); });
      });
    }
  };
  if (Proven.size() > 1) {
    SmallVector<Addition, 8> Plain;
    Value *ArePlain = B.getTrue();
    for (auto &[O, List] : Proven) {
      append_range(Plain, List);
      ArePlain = B.CreateAnd(ArePlain, B.CreateAnd(PlainTests[O], isWanted(List.front())));
    }
    branchAround(B, ArePlain, NewBlock, [&] { addPlainly(Plain); }, EachAlone);
  } else {
    EachAlone();
  }
  for (auto &[O, List] : Others) {
    // A pointer may lead to several objects, of which one may be wanted.
    if (any_of(List, [&](const Addition &A) { return Objects.of(accessOf(*A.Access).Pointer).size() > 1; })) {
      for (const Addition &A : List)
        branchAround(B, isWanted(A), NewBlock, [&] { addByAtomics(A); });
      continue;
    }
    branchAround(B, isWanted(List.front()), NewBlock, [&] {
      bool IsAlone = Request.Kind == DerivativeRequest::Host && !Accumulations.isAllAtomic();
      if (IsAlone || Accumulations.of(*O).Way == Accumulation::Choice::Once)
        addPlainly(List);
      else
        addByAtomics(List);
    });
  }
}

/// Where it is known only here that the proof does not hold.
void ReverseWriter::addInAnyOrder(ArrayRef<Addition> All) {
  if (!Request.IsDeterministic) {
    addByAtomics(All);
    return;
  }
  const Addition &A = All.front();
  fail(*A.Access, "this build is deterministic, and in this launch several threads may add to one element of the "
                  "gradient of '" +
                      objectOf(A).Name + "'");
}

/// Whether all threads of a warp that come to this access together touch one address, or few.
bool ReverseWriter::isSameForWarp(const Instruction &Access) const {
  return Uniform.of(accessOf(Access).Pointer) != UniformValues::Thread;
}

/// Adds what the lanes give to one address together.
void ReverseWriter::addOverWarp(const Instruction &Access, Value *Place, Value *Added, bool MayBeFloat) {
  // What the address varies with. Lanes that are here at the same time may be in different iterations of a loop.
  SmallPtrSet<const Value *, 8> Seen;
  SmallVector<const Value *, 8> Work = {accessOf(Access).Pointer};
  SmallVector<const Instruction *, 2> Varying;
  while (!Work.empty()) {
    const Value *V = Work.pop_back_val();
    const auto *I = dyn_cast<Instruction>(V);
    if (!I || !Seen.insert(I).second || (Uniform.of(I) == UniformValues::Block && !Loops.getLoopFor(I->getParent())))
      continue;
    if (isa<GetElementPtrInst, CastInst, BinaryOperator>(I))
      append_range(Work, I->operands());
    else
      Varying.push_back(I);
  }
  Value *Key = nullptr;
  if (Varying.size() == 1 && Varying[0]->getType()->isIntegerTy() && Varying[0]->getType()->getIntegerBitWidth() <= 64)
    Key = valueOf(const_cast<Instruction *>(Varying[0]));
  else if (!Varying.empty())
    Key = Place;
  kernix::addOverWarp(B, Place, Added, {typeInShadow(Access), MayBeFloat}, Key);
}

Align ReverseWriter::alignmentOf(const Addition &A) const {
  Align Natural = DL.getABITypeAlign(storedType(A));
  const auto *Load = dyn_cast<LoadInst>(A.Access);
  return Load && !PromisesAlignment ? std::max(Natural, Load->getAlign()) : Natural;
}

/// A call of a function of kernix/view_check.h, which builds have that check which threads share an element.
void ReverseWriter::emitCheck(StringRef Name, const MemoryObject &O, const Value *Pointer, ArrayRef<Value *> Words) {
  Function *Check = Body.getParent()->getFunction(Name);
  // What is only differentiated is never run.
  if (!Check || Request.Kind != DerivativeRequest::Kernel || Request.isWrittenAgain())
    return;
  auto *Accessed = const_cast<Value *>(Pointer);
  bool IsView =
      any_of(Request.Parameters[O.ParameterIndex].Leaves, [](const Leaf &L) { return L.Kind == Leaf::Stride; });
  auto *None = ConstantPointerNull::get(PointerType::getUnqual(Context));
  SmallVector<Value *, 6> Arguments = {Addresses.of(Accessed), Addresses.baseOf(Accessed),
                                       IsView ? static_cast<Value *>(Body.getArg(2 * O.ParameterIndex + 1)) : None,
                                       B.getInt64(static_cast<uint64_t>(O.TheLeaf->Count))};
  append_range(Arguments, Words);
  Arguments.push_back(B.CreateGlobalString(O.Name));
  B.CreateCall(Check, Arguments);
}

void ReverseWriter::addPlainly(ArrayRef<Addition> Given) {
  // Whether the source says the truth about who adds to this element.
  for (const Addition &A : Given)
    if (StringRef Word = wordOf(A); Word == "unique" || Word == "once")
      emitCheck("kernix_check_addition", objectOf(A), accessOf(*A.Access).Pointer, {B.CreateGlobalString(Word)});
  SmallVector<Addition, 8> InPlace;
  for (const Addition &A : Given)
    if (Floats.contains(objectOf(A)))
      addPlainlyInFloat(A);
    else
      InPlace.push_back(A);
  addRounds(InPlace);
}

/// What may be a float.
void ReverseWriter::addPlainlyInFloat(const Addition &A) {
  Value *Place = placeOf(A);
  auto Add = [&](Value *At, Type *T, Align Alignment) {
    Value *Old = B.CreateAlignedLoad(T, At, Alignment);
    Value *Sum = B.CreateFAdd(T == A.Added->getType() ? Old : B.CreateFPExt(Old, A.Added->getType()), A.Added);
    B.CreateAlignedStore(T == A.Added->getType() ? Sum : B.CreateFPTrunc(Sum, T), At, Alignment);
  };
  branchOnFloat(
      B, Place, [&](Value *Float) { Add(Float, A.Added->getType(), Align(4)); },
      [&] { Add(Place, storedType(A), alignmentOf(A)); });
}

/// Rounds of additions to places that are known to differ: all loads, then all stores.
void ReverseWriter::addRounds(ArrayRef<Addition> All) {
  for (size_t Done = 0; Done < All.size();) {
    size_t End = Done;
    auto IsApart = [&](const Addition &A) {
      const MemoryObject &O = objectOf(A);
      for (size_t K = Done; K < End; ++K) {
        if (&objectOf(All[K]) != &O)
          continue;
        std::optional<int64_t> Distance =
            Accumulations.plainDistance(accessOf(*All[K].Access).Pointer, accessOf(*A.Access).Pointer);
        if (!Distance || std::abs(*Distance) < static_cast<int64_t>(DL.getTypeStoreSize(storedType(A))))
          return false;
      }
      return true;
    };
    SmallVector<Value *, 8> Places, Sums;
    while (End < All.size() && (End == Done || IsApart(All[End]))) {
      const Addition &A = All[End++];
      Places.push_back(Addresses.of(const_cast<Value *>(accessOf(*A.Access).Pointer)));
      bool Assigns = Accumulations.of(objectOf(A)).Way == Accumulation::Choice::Once;
      Sums.push_back(Assigns ? nullptr : B.CreateAlignedLoad(storedType(A), Places.back(), alignmentOf(A)));
    }
    for (size_t K = Done; K < End; ++K) {
      Value *Old = Sums[K - Done], *Sum = All[K].Added;
      Type *T = storedType(All[K]);
      // Where the element had a gradient of nothing, -0.0 stands for that.
      if (!Old)
        Sum = B.CreateFAdd(Sum, ConstantFP::getZero(Sum->getType()));
      else
        Sum = B.CreateFAdd(T == Sum->getType() ? Old : B.CreateFPExt(Old, Sum->getType()), Sum);
      B.CreateAlignedStore(T == Sum->getType() ? Sum : B.CreateFPTrunc(Sum, T), Places[K - Done], alignmentOf(All[K]));
    }
    Done = End;
  }
}

/// How many floats Later is behind A in the same memory; -1 if that is not known.
int64_t ReverseWriter::wordsBetween(const Addition &A, const Addition &Later) {
  if (!storedType(Later)->isFloatTy() || &objectOf(Later) != &objectOf(A))
    return -1;
  std::optional<int64_t> Bytes = exactDistance(accessOf(*A.Access).Pointer, accessOf(*Later.Access).Pointer, DL);
  return Bytes && *Bytes >= 0 && *Bytes % 4 == 0 ? *Bytes / 4 : -1;
}

/// Four or two floats beside each other, whose alignment allows one operation: its width, and how many additions it
/// makes. Of an element of four, one that nothing is added to may be among them.
std::pair<unsigned, unsigned> ReverseWriter::vectorAt(ArrayRef<Addition> All) {
  const Addition &First = All.front();
  const MemoryObject &O = objectOf(First);
  if (!HasVectorAtomics || !storedType(First)->isFloatTy())
    return {1, 1};
  for (unsigned Width : {4U, 2U}) {
    if (alignmentOf(First) < Align(4 * Width))
      continue;
    unsigned Count = 1;
    for (int64_t Last = 0; Count < std::min<size_t>(Width, All.size()); ++Count) {
      int64_t Next = wordsBetween(First, All[Count]);
      if (Next <= Last || Next >= Width)
        break;
      Last = Next;
    }
    bool IsOneElement = O.TheLeaf && O.TheLeaf->Kind == Leaf::Pointer && O.TheLeaf->Numbers % Width == 0;
    // Copies are only as aligned as an element is.
    if (Scratch.of(O) && !IsOneElement)
      continue;
    if (Count == Width || (Count == 3 && IsOneElement))
      return {Width, Count};
  }
  return {1, 1};
}

/// Those that follow each other at known distances, in the order of their addresses.
void ReverseWriter::sortByAddress(MutableArrayRef<Addition> All) {
  SmallVector<std::pair<int64_t, size_t>, 8> Run;
  const SmallVector<Addition, 8> Given(All);
  for (size_t Begin = 0; Begin < All.size(); Begin += Run.size()) {
    const MemoryObject &O = objectOf(All[Begin]);
    const Value *First = accessOf(*All[Begin].Access).Pointer;
    Run.assign(1, {0, Begin});
    for (size_t K = Begin + 1; K < All.size() && &objectOf(All[K]) == &O; ++K) {
      std::optional<int64_t> Distance = exactDistance(First, accessOf(*All[K].Access).Pointer, DL);
      if (!Distance)
        break;
      Run.push_back({*Distance, K});
    }
    sort(Run);
    for (size_t K = 0; K < Run.size(); ++K)
      All[Begin + K] = Given[Run[K].second];
  }
}

void ReverseWriter::addByAtomics(ArrayRef<Addition> Given) {
  if (NotesOn.contains(&objectOf(Given.front()))) {
    for (const Addition &A : Given)
      note(A);
    return;
  }
  bool IsGpu = Body.getParent()->getTargetTriple().isNVPTX();
  SmallVector<Addition, 8> All(Given);
  if (HasVectorAtomics)
    sortByAddress(All);
  for (size_t K = 0; K < All.size();) {
    Value *Place = placeOf(All[K]);
    NumberInMemory Number = {storedType(All[K]), Floats.contains(objectOf(All[K]))};
    StringRef Word = wordOf(All[K]);
    bool IsForWarps = Word.empty() || Word == "replicated" ? isSameForWarp(*All[K].Access) : Word == "warp";
    if (IsGpu && !Accumulations.isAllAtomic() && IsForWarps && Request.Kind == DerivativeRequest::Kernel) {
      addOverWarp(*All[K].Access, Place, All[K].Added, Number.MayBeFloat);
      ++K;
      continue;
    }
    if (Request.Kind == DerivativeRequest::Device && !Accumulations.isAllAtomic()) {
      const Addition &A = All[K++];
      branchAround(
          B, isCallersVariable(B, Place), [this](const Twine &Name) { return newBlock(Name); }, [&] { addRounds(A); },
          [&] {
            if (Request.IsDeterministic)
              fail(*A.Access, "this build is deterministic, and several threads may add to this gradient of '" +
                                  objectOf(A).Name + "'; give a variable of the thread's own");
            else
              addAtomically(B, Place, A.Added, Number);
          });
      continue;
    }
    auto [Width, Count] = vectorAt(ArrayRef(All).drop_front(K));
    auto Together = ArrayRef(All).slice(K, Count);
    K += Count;
    auto Add = [&, Width = Width] {
      if (Width == 1)
        addAtomically(B, Place, Together.front().Added, Number);
      else
        addVector(Place, Width, Together);
    };
    // An addition of nothing costs as much as any other.
    if (IsGpu && all_of(Together, [&](const Addition &A) { return GivesSeldom.contains(A.Access); })) {
      Value *IsSomething = B.getFalse();
      for (const Addition &A : Together)
        IsSomething = B.CreateOr(IsSomething, B.CreateFCmpUNE(A.Added, Constant::getNullValue(A.Added->getType())));
      branchAround(B, IsSomething, [this](const Twine &Name) { return newBlock(Name); }, Add);
    } else {
      Add();
    }
  }
}

/// Two or four floats beside each other, by one operation.
void ReverseWriter::addVector(Value *Place, unsigned Width, ArrayRef<Addition> All) {
  SmallVector<Type *, 5> Types(Width + 1, B.getFloatTy());
  Types[0] = B.getInt64Ty();
  SmallVector<Value *, 5> Operands(Width + 1, ConstantFP::getNegativeZero(B.getFloatTy()));
  Operands[0] = B.CreatePtrToInt(B.CreateAddrSpaceCast(Place, PointerType::get(Context, 1)), B.getInt64Ty());
  for (const Addition &A : All)
    Operands[1 + wordsBetween(All.front(), A)] = A.Added;
  bool AreFour = Width == 4;
  auto *Asm = InlineAsm::get(FunctionType::get(B.getVoidTy(), Types, false),
                             AreFour ? "red.global.add.v4.f32 [$0], {$1, $2, $3, $4};"
                                     : "red.global.add.v2.f32 [$0], {$1, $2};",
                             AreFour ? "l,f,f,f,f,~{memory}" : "l,f,f,~{memory}", /*hasSideEffects=*/true);
  B.CreateCall(Asm, Operands);
}
