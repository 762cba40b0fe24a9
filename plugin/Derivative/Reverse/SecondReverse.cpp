//===- SecondReverse.cpp - the backward derivative of a backward kernel -----------------------------------------===//

#include "Derivative/Reverse/SecondReverse.h"
#include "Derivative/Accumulation/FloatGradients.h"
#include "Derivative/Accumulation/WarpSums.h"
#include "Derivative/Addresses/SingleStores.h"
#include "Derivative/CustomRules/CustomRules.h"
#include "Derivative/Forward.h"
#include "Derivative/Launch/LaunchFacts.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;
using namespace kernix;

namespace {

/// The request for f_bwd, whose body the primal of Request calls by way of f_bwd itself.
const DerivativeRequest *requestOfBackward(const DerivativeRequest &Request, ArrayRef<DerivativeRequest> Requests) {
  auto Calls = [](const Function &From, const Function &To) {
    return any_of(instructions(From), [&](const Instruction &I) {
      const auto *Call = dyn_cast<CallBase>(&I);
      return Call && Call->getCalledFunction() == &To;
    });
  };
  for (const DerivativeRequest &Other : Requests) {
    if (Other.Mode != DerivativeRequest::Reverse || Other.Body == Request.Body)
      continue;
    for (const Instruction &I : instructions(*Request.Primal))
      if (const auto *Call = dyn_cast<CallBase>(&I))
        if (const Function *Backward = Call->getCalledFunction(); Backward && Calls(*Backward, *Other.Body))
          return &Other;
  }
  return nullptr;
}

/// Whether a derivative that a user wrote may take part: it need not be the derivative of anything.
bool callsRules(const Function &F, const CustomRules &Rules, SmallPtrSetImpl<const Function *> &Seen) {
  if (Rules.find(F, /*IsForward=*/true) || Rules.find(F, /*IsForward=*/false))
    return true;
  if (!Seen.insert(&F).second)
    return false;
  return any_of(instructions(F), [&](const Instruction &I) {
    const auto *Call = dyn_cast<CallBase>(&I);
    const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
    return Callee && callsRules(*Callee, Rules, Seen);
  });
}

/// Accesses of memory through a pointer that lies in a parameter, or through the parameter's own address.
SmallVector<Instruction *, 8> accessesThrough(Argument *Parameter) {
  SmallVector<Instruction *, 8> Result;
  SmallVector<std::pair<Value *, bool>, 16> Work = {{Parameter, true}};
  SmallPtrSet<Value *, 32> Seen = {Parameter};
  while (!Work.empty()) {
    auto [Pointer, IsParameter] = Work.pop_back_val();
    for (User *U : Pointer->users()) {
      auto *I = cast<Instruction>(U);
      bool Leads = isa<GetElementPtrInst, AddrSpaceCastInst, PHINode, SelectInst>(I);
      bool IsLoad = IsParameter && isa<LoadInst>(I);
      if (!IsParameter && isa<LoadInst, StoreInst, AtomicRMWInst>(I))
        Result.push_back(I);
      if ((Leads || (IsLoad && I->getType()->isPointerTy())) && Seen.insert(I).second)
        Work.push_back({I, IsParameter && Leads});
    }
  }
  return Result;
}

/// The additions of 16-bit numbers through a pointer to the first of them. False: it is used in another way too.
bool additionsThrough(LoadInst &First, SmallVectorImpl<AtomicRMWInst *> &Additions) {
  SmallSetVector<Value *, 16> Pointers;
  Pointers.insert(&First);
  for (size_t K = 0; K < Pointers.size(); ++K)
    for (User *U : Pointers[K]->users()) {
      auto *Addition = dyn_cast<AtomicRMWInst>(U);
      if (isa<GetElementPtrInst, AddrSpaceCastInst, PHINode, SelectInst>(U))
        Pointers.insert(U);
      else if (Addition && Addition->getOperation() == AtomicRMWInst::FAdd && isNarrow(Addition->getType()) &&
               Addition->use_empty())
        Additions.push_back(Addition);
      else if (!isa<ICmpInst>(U))
        return false;
    }
  // Pointers that may come from elsewhere.
  return all_of(Pointers, [&](const Value *Pointer) {
    return !isa<PHINode, SelectInst>(Pointer) || all_of(cast<User>(Pointer)->operands(), [&](const Use &Operand) {
      return !Operand->getType()->isPointerTy() || Pointers.contains(Operand);
    });
  });
}

/// Adds to floats in place of the numbers, if First is odd: see FloatGradients.h.
void addInFloat(IRBuilder<> &B, LoadInst &First, ArrayRef<AtomicRMWInst *> Additions) {
  B.SetInsertPoint(First.getNextNode());
  Value *Address = B.CreatePtrToInt(&First, B.getInt64Ty());
  Value *Mark = B.CreateAnd(Address, 1);
  Value *Begin = B.CreateSub(Address, Mark);
  Value *Even = B.CreateGEP(B.getInt8Ty(), &First, B.CreateNeg(Mark));
  First.replaceUsesWithIf(Even, [&](const Use &U) { return U.getUser() != Address && U.getUser() != Even; });
  for (AtomicRMWInst *Addition : Additions) {
    BasicBlock *Before = Addition->getParent(), *After = SplitBlock(Before, Addition->getIterator());
    Before->getTerminator()->eraseFromParent();
    B.SetInsertPoint(Before);
    B.SetCurrentDebugLocation(Addition->getDebugLoc());
    Value *Place = Addition->getPointerOperand(), *Added = Addition->getValOperand();
    // As many bytes farther as the element is away, and one that says that it is a float.
    Value *Way = B.CreateSub(B.CreatePtrToInt(Place, B.getInt64Ty()), Begin);
    Value *Farther = B.CreateMul(B.CreateAdd(Way, B.getInt64(1)), Mark);
    auto *Rounded = dyn_cast<FPTruncInst>(Added);
    Value *Float =
        Rounded && Rounded->getSrcTy()->isFloatTy() ? Rounded->getOperand(0) : B.CreateFPExt(Added, B.getFloatTy());
    addAtomically(B, B.CreateGEP(B.getInt8Ty(), Place, Farther), Float, {Addition->getType(), /*MayBeFloat=*/true});
    B.CreateBr(After);
    Addition->eraseFromParent();
  }
}

class SecondReverse {
public:
  SecondReverse(const DerivativeRequest &Request, const DerivativeRequest &Backward, FunctionAnalysisManager &FAM,
                Refusals &Refused)
      : Request(Request), Backward(Backward), FAM(FAM), Refused(Refused), Body(*Request.Body), B(Body.getContext()) {}

  /// Which of f_bwd's parameters are f's; false if a parameter has a role that is not known here.
  bool matchParameters() {
    SmallPtrSet<const RequestParameter *, 8> Shadows;
    for (const RequestParameter &P : Request.Parameters)
      if (P.Shadow >= 0)
        Shadows.insert(&Request.Parameters[static_cast<size_t>(P.Shadow)]);
    for (unsigned I = 0; I < Request.Parameters.size(); ++I)
      if (!Shadows.contains(&Request.Parameters[I]))
        OfPrimal.push_back(I);
    if (OfPrimal.size() != Backward.Parameters.size())
      return false;
    for (unsigned J = 0; J < OfPrimal.size(); ++J)
      for (const Leaf &L : Backward.Parameters[J].Leaves)
        if (L.Active && (L.Access == Leaf::InOut || L.Kind == Leaf::Memory))
          return false;
    return true;
  }

  /// Whether f only writes its outputs, each element once.
  bool isPlain() {
    DerivativeRequest Copy = Backward;
    Copy.Mode = DerivativeRequest::Forward;
    Refusals Quiet(Copy, /*Quiet=*/true);
    Prepared P = prepare(Copy, FAM, Quiet);
    if (!P.valid())
      return false;
    bool Result = false;
    {
      MemoryObjects Objects(P, Copy);
      Activity Active(P, Copy, Objects);
      SingleStores Stores(P, Objects, Active, FAM, Quiet);
      Result = !Quiet.any() && none_of(Stores.groups(), [&](const StoreGroup &G) { return isWrittenTwice(G, *P.F); });
      for (const Instruction &I : instructions(*P.F)) {
        // Barriers, and memory that threads share.
        if (const auto *Call = dyn_cast<CallBase>(&I); Call && Call->isConvergent())
          Result = false;
        MemoryAccess Access = accessOf(I);
        if (Access.Pointer)
          for (const MemoryObject *O : Objects.of(Access.Pointer))
            Result &= O->isTensorLike() || O->Kind == MemoryObject::Parameter || O->Kind == MemoryObject::Local ||
                      O->Kind == MemoryObject::Constant || O->Kind == MemoryObject::Opaque;
        bool ReadsBack = Access.Pointer && (!Access.Stored || (isa<AtomicRMWInst>(I) && !I.use_empty()));
        if (!ReadsBack)
          continue;
        for (const MemoryObject *O : Objects.of(Access.Pointer))
          Result &= !(O->isTensorLike() && O->TheLeaf->Access != Leaf::In);
      }
    }
    FAM.clear(*P.F, P.F->getName());
    P.F->eraseFromParent();
    return Result;
  }

  void write() {
    Function *OfGradients = writeForwardOfBackward(), *OfOutputs = Refused.any() ? nullptr : writeForwardOfPrimal();
    if (OfOutputs)
      writeBody(*OfGradients, *OfOutputs);
    for (Function *F : {OfGradients, OfOutputs})
      if (F) {
        FAM.clear(*F, F->getName());
        F->eraseFromParent();
      }
  }

  /// Bit k: the gradient of f_bwd's parameter k may be of floats.
  unsigned inFloat() const { return InFloat; }

private:
  const DerivativeRequest &Request, &Backward;
  FunctionAnalysisManager &FAM;
  Refusals &Refused;
  Function &Body;
  IRBuilder<> B;
  SmallVector<unsigned, 8> OfPrimal; ///< position in f_bwd of each of f's parameters
  unsigned InFloat = 0;

  /// Two stores of which each thread runs one are no second store.
  bool isWrittenTwice(const StoreGroup &Group, Function &F) {
    if (!Group.Overwrites)
      return false;
    const auto &Loops = FAM.getResult<LoopAnalysis>(F);
    for (const StoreInst *Store : Group.Stores)
      for (const StoreInst *Other : Group.Stores)
        if (Loops.getLoopFor(Store->getParent()) || (Store != Other && isPotentiallyReachable(Store, Other)))
          return true;
    return false;
  }

  bool isGradient(unsigned J) const {
    return any_of(Backward.Parameters[J].Leaves, [](const Leaf &L) { return L.Active && L.Access == Leaf::In; });
  }

  Function *writeForward(DerivativeRequest Asked) {
    Asked.Mode = DerivativeRequest::Forward;
    Asked.Facts = nullptr;
    Asked.Body = Function::Create(Asked.Body->getFunctionType(), GlobalValue::InternalLinkage, "kernix.second",
                                  Body.getParent());
    Asked.Body->setAttributes(Body.getAttributes());
    for (Attribute::AttrKind Kind : {Attribute::OptimizeNone, Attribute::NoInline})
      Asked.Body->removeFnAttr(Kind);
    BasicBlock::Create(Body.getContext(), "", Asked.Body);
    Prepared P = prepare(Asked, FAM, Refused);
    if (P.valid()) {
      kernix::writeForward(Asked, P, Refused);
      FAM.clear(*P.F, P.F->getName());
      P.F->eraseFromParent();
    }
    return Asked.Body;
  }

  /// f_bwd's gradients along the cotangents of its own gradients. They themselves are not wanted.
  Function *writeForwardOfBackward() {
    DerivativeRequest Asked = Request;
    SmallVector<unsigned, 8> Gradients;
    for (unsigned J = 0; J < OfPrimal.size(); ++J) {
      int Shadow = Request.Parameters[OfPrimal[J]].Shadow;
      if (Shadow >= 0 && isGradient(J))
        Gradients.push_back(static_cast<unsigned>(Shadow));
      else if (Shadow >= 0)
        for (Leaf &L : Asked.Parameters[static_cast<size_t>(Shadow)].Leaves)
          L.Active = false; // the cotangents stay as they are
    }
    Function *F = writeForward(std::move(Asked));
    for (unsigned Gradient : Gradients)
      removeStores(*F, 2 * Gradient);
    return F;
  }

  /// The tangents of f's outputs, added to where they belong.
  Function *writeForwardOfPrimal() {
    Function *F = writeForward(Backward);
    if (Refused.any())
      return F;
    for (unsigned J = 0; J < OfPrimal.size(); ++J) {
      if (isGradient(J))
        continue;
      removeStores(*F, 2 * J);
      for (Instruction *I : accessesThrough(F->getArg(2 * J + 1)))
        if (auto *Store = dyn_cast<StoreInst>(I)) {
          B.SetInsertPoint(Store);
          Value *Old =
              B.CreateAlignedLoad(Store->getValueOperand()->getType(), Store->getPointerOperand(), Store->getAlign());
          Store->setOperand(0, B.CreateFAdd(Old, Store->getValueOperand()));
        }
    }
    return F;
  }

  void removeStores(Function &F, unsigned Index) {
    if (Refused.any())
      return;
    for (Instruction *I : accessesThrough(F.getArg(Index))) {
      if (isa<LoadInst>(I))
        continue;
      if (!I->use_empty())
        I->replaceAllUsesWith(Constant::getNullValue(I->getType()));
      I->eraseFromParent();
    }
  }

  bool isTensor(unsigned I) const {
    return any_of(Request.Parameters[I].Leaves, [](const Leaf &L) { return L.Kind == Leaf::Pointer; });
  }

  Value *argument(unsigned I) { return Body.getArg(I); }

  /// The tangent of f's parameter J, for a body that takes its address: what the caller gives as the cotangent of its
  /// gradient, or zeros.
  Value *direction(unsigned I) {
    unsigned Shadow = static_cast<unsigned>(Request.Parameters[I].Shadow);
    Value *Given = argument(2 * Shadow + 1);
    if (isTensor(I))
      return Given; // the address of a pointer or view
    int64_t Size = 0;
    const DataLayout &DL = Body.getDataLayout();
    for (const Leaf &L : Request.Parameters[I].Leaves)
      if (L.Scalar)
        Size = std::max(Size, L.Offset + static_cast<int64_t>(DL.getTypeStoreSize(L.Scalar)));
    auto *Zeros = B.CreateAlloca(ArrayType::get(B.getInt8Ty(), static_cast<uint64_t>(Size)));
    Zeros->setAlignment(Align(16));
    B.CreateMemSet(Zeros, B.getInt8(0), static_cast<uint64_t>(Size), Zeros->getAlign());
    Value *Pointer = B.CreateLoad(B.getPtrTy(), Given);
    return B.CreateSelect(B.CreateIsNull(Pointer), Zeros, Pointer);
  }

  /// The address of a pointer to, or view of, the second gradient of f's parameter.
  Value *second(unsigned I) {
    Value *Given = argument(2 * I + 1);
    if (isTensor(I))
      return Given;
    Value *Place = B.CreateAlloca(B.getPtrTy());
    B.CreateStore(Given, Place);
    return Place;
  }

  /// Holder: where the address of the gradient of f_bwd's parameter I lies.
  void sumInFloat(unsigned I, Value &Holder) {
    const auto &Leaves = Request.Parameters[I].Leaves;
    auto IsNumber = [](const Leaf &L) { return L.Kind != Leaf::Stride; };
    auto Found = find_if(Leaves, IsNumber);
    bool IsNarrow =
        Found != Leaves.end() && count_if(Leaves, IsNumber) == 1 && Found->Scalar && isNarrow(Found->Scalar);
    if (!IsNarrow || I >= 32) // see kernix_launch_facts
      return;
    SmallSetVector<Value *, 8> Places;
    MapVector<LoadInst *, SmallVector<AtomicRMWInst *, 4>> All;
    Places.insert(&Holder);
    for (size_t K = 0; K < Places.size(); ++K)
      for (User *U : Places[K]->users())
        if (isa<GetElementPtrInst, AddrSpaceCastInst>(U))
          Places.insert(U);
        else if (auto *Load = dyn_cast<LoadInst>(U); Load && Load->getType()->isPointerTy())
          All[Load] = {};
    for (auto &[First, Additions] : All)
      if (!additionsThrough(*First, Additions))
        return;
    for (auto &[First, Additions] : All)
      addInFloat(B, *First, Additions);
    InFloat |= 1U << I;
  }

  void writeBody(Function &OfGradients, Function &OfOutputs) {
    GlobalValue::LinkageTypes Linkage = Body.getLinkage();
    Body.deleteBody();
    Body.setLinkage(Linkage);
    BasicBlock *Entry = BasicBlock::Create(Body.getContext(), "entry", &Body);
    B.SetInsertPoint(Entry);
    Value *Null = ConstantPointerNull::get(B.getPtrTy());
    SmallVector<Value *, 16> First(Body.arg_size(), Null), Second(OfOutputs.arg_size(), Null);
    for (unsigned I = 0; I < Request.Parameters.size(); ++I)
      First[2 * I] = argument(2 * I);
    Value *Wanted = B.getFalse();
    SmallVector<std::pair<unsigned, Value *>, 8> Holders;
    for (unsigned J = 0; J < OfPrimal.size(); ++J) {
      unsigned I = OfPrimal[J];
      Second[2 * J] = argument(2 * I);
      int Shadow = Request.Parameters[I].Shadow;
      if (Shadow < 0)
        continue;
      unsigned S = static_cast<unsigned>(Shadow);
      if (isGradient(J)) {
        Value *Direction = direction(I), *Result = second(I);
        // f_bwd looks whether a gradient is wanted: here, whether the second one is.
        First[2 * I + 1] = Second[2 * J + 1] = Direction;
        First[2 * S] = First[2 * S + 1] = Result;
        Holders.push_back({I, Result});
      } else {
        Second[2 * J + 1] = argument(2 * S + 1);
        Holders.push_back({S, argument(2 * S + 1)});
        Wanted = B.CreateOr(Wanted, B.CreateIsNotNull(B.CreateLoad(B.getPtrTy(), argument(2 * S + 1))));
      }
    }
    CallInst *One = B.CreateCall(&OfGradients, First);
    BasicBlock *Then = BasicBlock::Create(Body.getContext(), "outputs", &Body),
               *End = BasicBlock::Create(Body.getContext(), "end", &Body);
    B.CreateCondBr(Wanted, Then, End);
    B.SetInsertPoint(Then);
    CallInst *Two = B.CreateCall(&OfOutputs, Second);
    B.CreateBr(End);
    B.SetInsertPoint(End);
    B.CreateRetVoid();
    for (CallInst *Call : {One, Two}) {
      InlineFunctionInfo Info;
      InlineFunction(*Call, Info);
    }
    for (auto [I, Holder] : Holders)
      sumInFloat(I, *Holder);
  }
};

} // namespace

bool kernix::writeSecondReverse(const DerivativeRequest &Request, ArrayRef<DerivativeRequest> Requests,
                                FunctionAnalysisManager &FAM, Refusals &Refused) {
  if (Request.Mode != DerivativeRequest::Reverse || Request.Kind != DerivativeRequest::Kernel || !Request.Facts ||
      none_of(Request.Parameters, [](const RequestParameter &P) { return P.Shadow >= 0; }))
    return false;
  const DerivativeRequest *Backward = requestOfBackward(Request, Requests);
  SmallPtrSet<const Function *, 16> Seen;
  if (!Backward || !Backward->Facts || callsRules(*Backward->Primal, *Request.Rules, Seen))
    return false;
  SecondReverse Writer(Request, *Backward, FAM, Refused);
  if (!Writer.matchParameters() || !Writer.isPlain())
    return false;
  Writer.write();
  setLaunchFact(Request, InFloat, Writer.inFloat());
  for (LaunchFact OfStores : {StoreIds, StoreBits})
    setLaunchFact(Request, OfStores, launchFact(*Backward->Facts, OfStores));
  return true;
}
