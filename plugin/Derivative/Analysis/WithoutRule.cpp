//===- WithoutRule.cpp - refusing what is active and has no rule ------------------------------------------------===//

#include "Derivative/Analysis/Activity.h"
#include "Derivative/Analysis/ReferenceLayout.h"
#include "Derivative/Canonical/Assembly.h"
#include "Derivative/Canonical/Collectives.h"
#include "Derivative/Prepare/Multiples.h"
#include "Derivative/Prepare/PointerChoices.h"
#include "Derivative/Rules/Rule.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace kernix;

namespace {

constexpr char BitsUsed[] = "the bits of a number that has a derivative are used as another type; use functions of "
                            "numbers (fabsf, copysignf, ldexpf, rsqrtf), or mark the result [[kernix::no_diff]] if it "
                            "counts as a constant";

constexpr char Choose[] = "; choose between the values, or use an index into one array";

constexpr char NoAssembly[] = " has no derivative: write it in C++, or give the function around it "
                              "[[kernix::backward_derivative(...)]] and [[kernix::forward_derivative(...)]]";

std::string quoted(const MemoryObject &O, StringRef Otherwise) {
  return O.Name.empty() ? Otherwise.str() : "'" + O.Name + "'";
}

class Checker {
public:
  Checker(const DerivativeRequest &Request, MemoryObjects &Objects, Activity &Active, Refusals &Refused)
      : Request(Request), Objects(Objects), Active(Active), Refused(Refused) {}

  void check(const Instruction &I) {
    if (const CustomRule *Rule = ruleOf(&I, Objects.rules()))
      return refuseRuleCall(cast<CallBase>(I), *Rule, Request, Objects, Active, Refused);
    if (ruleCallOf(&I, Objects.rules()))
      return;
    if (MemoryAccess Access = accessOf(I); Access.Pointer)
      return checkAccess(I, Access);
    if (const auto *Copy = dyn_cast<MemIntrinsic>(&I))
      return checkCopy(*Copy);
    if (const auto *Call = dyn_cast<CallBase>(&I))
      return checkCall(*Call);
    if (!Active.isActive(&I))
      return;
    if (!I.getType()->isFloatingPointTy())
      return refuse(I, BitsUsed);
    switch (I.getOpcode()) {
    case Instruction::FAdd:
    case Instruction::FSub:
    case Instruction::FMul:
    case Instruction::FDiv:
    case Instruction::FNeg:
    case Instruction::FPExt:
    case Instruction::FPTrunc:
    case Instruction::PHI:
    case Instruction::Select:
    case Instruction::Freeze:
      return;
    case Instruction::BitCast:
    case Instruction::SIToFP:
    case Instruction::UIToFP:
      return refuse(I, BitsUsed);
    default:
      return refuse(I, Twine("there is no rule for the operation '") + I.getOpcodeName() +
                           "'; write the derivative of the function around it by hand");
    }
  }

private:
  /// What follows from something that has been refused is no news.
  void refuse(const Instruction &I, const Twine &Message) {
    if (none_of(I.operands(), [&](const Use &Operand) { return Told.contains(Operand); }))
      Refused.error(I, Message);
    Told.insert(&I);
  }

  bool anyActive(const CallBase &Call) {
    for (const Use &Argument : Call.args()) {
      if (Active.isVaried(Argument))
        return true;
      if (Argument->getType()->isPointerTy() && !Call.doesNotAccessMemory())
        for (const MemoryObject *O : Objects.of(Argument))
          if (Active.isVaried(O) || (O->isTensorLike() && O->TheLeaf->Active))
            return true;
    }
    return false;
  }

  /// Of addresses that were made integers, as for __cvta_generic_to_shared, too.
  static void pointersIn(const Value *V, SmallPtrSetImpl<const Value *> &Seen, SmallVectorImpl<const Value *> &Found) {
    if (V->getType()->isPointerTy())
      return Found.push_back(V);
    const auto *Computed = dyn_cast<User>(V);
    if (!Computed || !Seen.insert(V).second || isa<LoadInst, CallBase>(V))
      return;
    for (const Use &Operand : Computed->operands())
      pointersIn(Operand, Seen, Found);
  }

  /// Whether it may touch memory that a derivative has to do with, or whose contents a backward function needs.
  bool touchesNumbers(const CallBase &Assembly, AssemblyEffect Effect) {
    bool OnlyReads = Effect == AssemblyEffect::Reads;
    if (OnlyReads && !Active.isUseful(&Assembly))
      return false;
    SmallPtrSet<const Value *, 8> Seen;
    SmallVector<const Value *, 4> Pointers;
    for (const Use &Argument : Assembly.args())
      pointersIn(Argument, Seen, Pointers);
    if (Pointers.empty())
      return OnlyReads;
    for (const Value *Pointer : Pointers)
      for (const MemoryObject *O : Objects.of(Pointer)) {
        bool IsOwn = O->Kind == MemoryObject::Shared || O->Kind == MemoryObject::Local;
        if (Active.isVaried(O) || Active.isUseful(O) || O->Kind == MemoryObject::Unknown ||
            (O->isTensorLike() && O->TheLeaf->Active) ||
            (IsOwn && !OnlyReads && Request.Mode == DerivativeRequest::Reverse))
          return true;
      }
    return false;
  }

  /// Between whose accesses a backward kernel has to wait where the kernel waits.
  bool hasActiveShared(const Function &F) {
    return Request.Mode == DerivativeRequest::Reverse && any_of(instructions(F), [&](const Instruction &I) {
             MemoryAccess Access = accessOf(I);
             return Access.Pointer && Active.isActiveAccess(I) &&
                    any_of(Objects.of(Access.Pointer),
                           [](const MemoryObject *O) { return O->Kind == MemoryObject::Shared; });
           });
  }

  /// In grid_group::sync of cooperative groups.
  static bool waitsForGrid(const CallBase &Assembly) {
    for (const DILocation *L = Assembly.getDebugLoc().get(); L; L = L->getInlinedAt())
      if (const DISubprogram *Function = L->getScope()->getSubprogram();
          Function && Function->getName().starts_with("sync_grids") && L->getFilename().contains("cooperative_groups"))
        return true;
    return false;
  }

  void checkAssembly(const CallBase &Call) {
    if (waitsForGrid(Call)) {
      if (Told.insert(Call.getFunction()).second)
        refuse(Call,
               "a kernel that waits for its whole grid has no derivative: end it here, and let a second kernel do "
               "what follows");
      return;
    }
    AssemblyEffect Effect = effectOf(Call);
    bool MayWrite = Effect == AssemblyEffect::Anything;
    if ((Active.isActive(&Call) || Active.isUseful(&Call) || anyActive(Call)) && isOfTexture(Call))
      return refuse(Call, "textures and surfaces have no derivative; use a tensor");
    if (Active.isActive(&Call) || (!Call.onlyReadsMemory() && MayWrite && anyActive(Call)))
      return refuse(Call, nameOfAssembly(Call) + NoAssembly);
    if (Effect < AssemblyEffect::Reads)
      return;
    if (touchesNumbers(Call, Effect))
      return refuse(Call, nameOfAssembly(Call) + " accesses memory that a derivative needs to follow; write "
                                                 "this access in C++");
    if (MayWrite && hasActiveShared(*Call.getFunction()))
      refuse(Call, "threads may wait for each other in " + nameOfAssembly(Call) +
                       ", and shared memory holds numbers that have a derivative; use __syncthreads(), "
                       "__syncwarp() or cooperative groups");
  }

  static bool isOfTexture(const CallBase &Assembly) {
    std::string Name = nameOfAssembly(Assembly);
    return any_of(ArrayRef<StringRef>{"'tex.", "'tld4.", "'suld.", "'sust."},
                  [&](StringRef Start) { return StringRef(Name).contains(Start); });
  }

  /// Barriers by number and their like: what a backward kernel would not run again.
  bool waitsUnknown(const CallBase &Call) {
    const Function *Callee = Call.getCalledFunction();
    return Callee && Callee->getName().starts_with("llvm.nvvm.bar") && hasActiveShared(*Call.getFunction());
  }

  void checkCall(const CallBase &Call) {
    if (Call.isInlineAsm())
      return checkAssembly(Call);
    if (waitsUnknown(Call))
      return refuse(Call, "a barrier that is not for the whole block or warp, and shared memory holds numbers "
                          "that have a derivative; use __syncthreads(), __syncwarp() or cooperative groups");
    const Function *Callee = Call.getCalledFunction();
    if (Callee && findRule(*Callee)) {
      if (Active.isActive(&Call) && !Call.getType()->isFloatingPointTy())
        refuse(Call, "there is no rule for a function that returns several numbers");
      return;
    }
    bool Returns = Active.isActive(&Call);
    if (Callee && isShuffle(*Callee) && (!Returns || Call.getType()->isFloatingPointTy()))
      return;
    if (Callee && isCollective(*Callee) && !Returns)
      return;
    bool Writes = !Call.onlyReadsMemory() && anyActive(Call);
    if (!Returns && !Writes)
      return;
    if (!Callee)
      return refuse(
          Call,
          "it calls through a pointer that is not known at compile time" +
              tooManyPlaces(*Call.getCalledOperand(), Call) +
              "; choose between direct calls by a condition, or by the place in a table of functions that is const");
    // What shifts and masks were simplified to.
    if (Callee->isIntrinsic() && !Writes && Call.getType()->isIntegerTy())
      return refuse(Call, BitsUsed);
    if (isShuffle(*Callee))
      return refuse(Call,
                    "this shuffles integers that hold bits of a number that has a derivative; shuffle the number");
    StringRef Name = Callee->getName();
    if (Name.starts_with("llvm.nvvm.wmma.") || Name.starts_with("llvm.nvvm.mma."))
      return refuse(Call, "products of matrix fragments have no derivative; give the function around them "
                          "[[kernix::backward_derivative(...)]] and [[kernix::forward_derivative(...)]]");
    if (is_contained(ArrayRef<StringRef>{"malloc", "free", "_Znwm", "_Znam", "_ZdlPv", "_ZdaPv", "_ZdlPvm", "_ZdaPvm"},
                     Name))
      return refuse(Call, "memory that a thread allocates has no derivative; use a local array of a constant size");
    if (Name.starts_with("llvm.coro."))
      return refuse(Call, "a coroutine has no derivative; write it as a function or as a loop");
    if (Name.starts_with("kernix.reduce_"))
      return refuse(Call,
                    "this compares or adds integers that hold bits of a number that has a derivative; exchange the "
                    "numbers with __shfl_xor_sync()");
    if (Name.consume_front("kernix."))
      return refuse(Call, "there is no rule for '" + Name + "' yet");
    refuse(Call, "'" + demangle(Callee->getName()) +
                     "' has no body here and no rule: make its definition visible, give it "
                     "[[kernix::backward_derivative(...)]], or mark the call [[kernix::no_diff]]");
  }

  void checkCopy(const MemIntrinsic &Copy) {
    const auto To = Objects.of(Copy.getRawDest());
    const bool IsActive = any_of(To, [&](const MemoryObject *O) { return Active.isActive(O); });
    if (IsActive && refuseUnknown(Copy, Copy.getRawDest()))
      return;
    // As a load is: numbers behind a pointer of which nothing is known may have derivatives.
    const auto *Transfer = dyn_cast<MemTransferInst>(&Copy);
    const bool MayBe =
        IsActive || any_of(To, [&](const MemoryObject *O) { return Active.isUseful(O) && mayHoldNumbers(*O); });
    if ((Transfer && MayBe && refuseUnknown(Copy, Transfer->getRawSource())) || !IsActive)
      return;
    const auto *Byte = Transfer ? nullptr : dyn_cast<ConstantInt>(cast<MemSetInst>(Copy).getValue());
    if (!Transfer && !(Byte && Byte->isZero()))
      return refuse(Copy, "memset to another value than zero of numbers that have a derivative; assign the value");
    if (Request.FactsOfPrimal && isa<AllocaInst>(getUnderlyingObject(Copy.getRawDest(), 0)))
      return refuse(Copy, "the first derivative keeps a copy of a local array for iterations of a loop, which has no "
                          "second derivative; unroll the loop ('#pragma unroll' and a constant number of iterations), "
                          "or keep the numbers in variables of their own");
    refuse(Copy, isa<ConstantInt>(Copy.getLength())
                     ? "a copy of memory whose layout is not known; copy member by member"
                     : "it is not known that this copies or clears whole numbers; let the length be a number of "
                       "elements times their size, or copy them one by one");
  }

  bool refuseUnknown(const Instruction &I, const Value *Pointer) {
    for (const MemoryObject *O : Objects.of(Pointer))
      if (O->Kind == MemoryObject::Unknown) {
        const std::string Many = tooManyPlaces(*Pointer, I);
        refuse(I, Many.empty() ? whereUnknown(*O) : "it cannot be followed where this pointer leads" + Many + Choose);
        return true;
      }
    return false;
  }

  std::string whereUnknown(const MemoryObject &O) {
    return "it is not known where this pointer leads: a number with a derivative is only followed through parameters, "
           "tensors and local variables; " +
           std::string(Objects.isOfCaller(O) ? "give what is kept behind it to the function as a parameter of its own"
                                             : "use an index instead of a pointer");
  }

  /// By the address of an element: the tangent there stays what it was, and so does the gradient of what is
  /// overwritten.
  bool refuseStore(const Instruction &I, const MemoryAccess &Access, const RequestParameter &View) {
    std::string Start = "an element of the view '" + View.Name + "' is stored by its address, ";
    if (Active.isActive(Access.Stored)) {
      refuse(I, Start + "and nothing gives the number a derivative; use store");
      return true;
    }
    if (Request.Mode == DerivativeRequest::Forward) {
      refuse(I, Start + "and its tangent stays what it was; use store");
      return true;
    }
    for (const Instruction &Other : instructions(*I.getFunction())) {
      const CustomRule *Rule = ruleOf(&Other, Objects.rules());
      if (!Rule || !Rule->holdsGradient() || !Rule->StoresMemory || !storesTo(cast<CallBase>(Other), *Rule, View) ||
          !isPotentiallyReachable(&Other, &I))
        continue;
      refuse(I, Start + "after '" + Rule->Name +
                    "' may have stored to it: a value that is overwritten would have a gradient too; keep it in a "
                    "local variable, and store that once");
      return true;
    }
    return false;
  }

  bool storesTo(const CallBase &Call, const CustomRule &Rule, const RequestParameter &View) {
    bool Found = false;
    forEachArgument(Rule, [&](const RuleArgument &A) {
      if (A.Parameter->HoldsGradient && A.Leaf->Type->isPointerTy())
        for (const MemoryObject *O : Objects.of(Call.getArgOperand(A.Index)))
          Found |= Objects.viewOf(*O) == &View;
    });
    return Found;
  }

  void checkAccess(const Instruction &I, const MemoryAccess &Access) {
    // Integers too, which may be their bits.
    if (!Access.Stored && Active.isUseful(&I))
      for (const MemoryObject *O : Objects.of(Access.Pointer))
        if (const RequestParameter *View = Objects.viewOf(*O))
          return refuse(I,
                        "a number of the view '" + View->Name +
                            "' is read, and nothing gives it a derivative; read it with load, give the member around "
                            "it [[kernix::backward_derivative(...)]] and [[kernix::forward_derivative(...)]], or let "
                            "a variable marked [[kernix::no_diff]] hold it");
    if (Access.Stored)
      for (const MemoryObject *O : Objects.of(Access.Pointer))
        if (const RequestParameter *View = Objects.viewOf(*O); View && refuseStore(I, Access, *View))
          return;
    // Numbers behind a pointer of which nothing is known may have derivatives.
    const bool IsActive = Active.isActiveAccess(I);
    const bool MayBe = IsActive || (!Access.Stored && Active.isUseful(&I) &&
                                    (Access.Type->isFloatingPointTy() || Active.isActive(&I)));
    if ((MayBe && refuseUnknown(I, Access.Pointer)) || !IsActive)
      return;
    if (Access.Type->isPointerTy())
      return refuse(I, "a pointer is kept in memory that also holds numbers with derivatives; keep pointers in "
                       "variables or arrays of their own, or use indices");
    bool IsAdd = isa<AtomicRMWInst>(I) && cast<AtomicRMWInst>(I).getOperation() == AtomicRMWInst::FAdd;
    // An exchange whose result nobody uses has become a store.
    bool IsPlain = isa<LoadInst, StoreInst>(I) && !(I.isAtomic() && Access.Type->isIntegerTy());
    if (!IsPlain && !IsAdd)
      return refuse(I, "an atomic operation other than addition on numbers that have a derivative; add with "
                       "atomicAdd, find maxima with shuffles or a loop over shared memory, or write this derivative by "
                       "hand");
    if (IsAdd && Active.isActive(&I))
      return refuse(I, "the value that an atomic addition returns depends on the order of the threads");
    auto All = Objects.of(Access.Pointer);
    if (I.isVolatile()) {
      if (Told.insert(All[0]->Base).second)
        refuse(I, "a volatile access to numbers that have a derivative; remove volatile" +
                      Twine(All[0]->Kind == MemoryObject::Shared ? ", and let lanes wait for each other with "
                                                                   "__syncwarp()"
                                                                 : ""));
      return;
    }
    for (const MemoryObject *O : All) {
      if (O->Kind == MemoryObject::Shared && Request.Kind != DerivativeRequest::Kernel)
        return refuse(I, "shared memory holds numbers that have a derivative, which is supported in kernels "
                         "only: differentiate the kernel that calls this function");
      if (O->Kind == MemoryObject::Global)
        return refuse(I, "a number with a derivative is stored in the global variable " + quoted(*O, "here") +
                             ": a backward kernel cannot reach it; pass a tensor");
      if (O->Kind == MemoryObject::Opaque || O->Kind == MemoryObject::Constant)
        return refuse(I, whereUnknown(*O));
      if (O->Kind == MemoryObject::Parameter && Access.Stored)
        return refuse(I, "it writes to its parameter " + quoted(*O, ""));
      if (O != All[0])
        return refuse(I, "this pointer leads to " + describe(*All[0]) + " or to " + describe(*O) +
                             ", and it cannot be followed which of them is meant" + tooManyPlaces(*Access.Pointer, I) +
                             Choose);
      if (O->isTensorLike() && !O->TheLeaf->Active && !(Access.Stored && !Active.isActive(Access.Stored)))
        return refuse(I, quoted(*O, "a parameter") + " has no derivative but numbers that have one are stored there");
      if (O->isTensorLike() && Access.Stored && O->TheLeaf->Access == Leaf::In)
        return refuse(I, "it writes to " + quoted(*O, "a parameter") + ", which is declared as an input");
      checkType(I, Access, *O);
    }
  }

  /// Why a choice that is written as one of few would be is not followed.
  static std::string tooManyPlaces(const Value &Pointer, const Instruction &At) {
    const unsigned Places = countPlaces(Pointer, At.getDataLayout());
    if (Places <= MostPlaces)
      return "";
    return ": it leads to " + std::to_string(Places) + " places, and at most " + std::to_string(MostPlaces) +
           " are told apart";
  }

  static std::string describe(const MemoryObject &O) {
    switch (O.Kind) {
    case MemoryObject::Local:
      return "a local variable";
    case MemoryObject::Parameter:
      return "the parameter " + quoted(O, "");
    default:
      return O.Name.empty() ? "memory of the caller" : "'" + O.Name + "'";
    }
  }

  void checkType(const Instruction &I, const MemoryAccess &Access, const MemoryObject &O) {
    if (const auto *Variable = dyn_cast<AllocaInst>(O.Base); Variable && Variable->isArrayAllocation())
      return refuse(I,
                    "a local array whose size is only known when it runs has no derivative; give it a constant size");
    static constexpr char Reinterpreted[] = "the same bytes are used as numbers of another type: a union or a pointer "
                                            "cast has no derivative; let each place hold numbers of one type";
    if (O.Kind == MemoryObject::Parameter) {
      bool Exact = false;
      const Leaf *L = Objects.leafAt(Access.Pointer, O, I.getDataLayout().getTypeStoreSize(Access.Type), Exact);
      const auto &Leaves = Request.Parameters[O.ParameterIndex].Leaves;
      if (!L || L->Kind != Leaf::Value || L->Scalar != Access.Type)
        return refuse(I, Reinterpreted);
      if (!Exact && any_of(Leaves, [&](const Leaf &Other) {
            return Other.Kind != Leaf::Value || !Other.Active || Other.Scalar != Access.Type;
          }))
        return refuse(I, "a computed index into the parameter " + quoted(O, "") +
                             ", which does not only consist of numbers of one type");
      return;
    }
    Type *Expected = O.IsPool && Access.Type->isFloatingPointTy() ? Access.Type : O.Scalar;
    const uint64_t Size = I.getDataLayout().getTypeStoreSize(Access.Type);
    if (const auto *Alloca = dyn_cast<AllocaInst>(O.Base); Alloca && !Expected)
      Expected = cellInLocal(Access.Pointer, *Alloca, Size).Scalar;
    else if (O.Kind == MemoryObject::Reference && !Expected)
      Expected = cellInReference(Access.Pointer, O, Size, Objects, I.getDataLayout()).Scalar;
    // Two loads of bits may have become one: what is done to them stands where it was written.
    if (isa<LoadInst>(I) && Access.Type->isIntegerTy() &&
        any_of(I.users(), [&](const User *U) { return Active.isActive(U) && U->getType()->isIntegerTy(); }))
      return;
    // memcpy may take a number from between two.
    bool IsAligned =
        !isa<LoadInst, StoreInst>(I) || getLoadStoreAlignment(&I) >= I.getDataLayout().getABITypeAlign(Access.Type);
    if (Expected == Access.Type &&
        (IsAligned ||
         Multiples(I.getDataLayout()).isWhole(Access.Pointer, I.getDataLayout().getTypeAllocSize(Expected))))
      return;
    if (O.Kind != MemoryObject::Shared)
      return refuse(I, Reinterpreted);
    if (!Told.insert(O.Base).second)
      return;
    if (Request.FactsOfPrimal)
      refuse(I,
             "it is not known of which type the numbers in shared memory are that the first derivative has here; let "
             "each shared array hold numbers of one type");
    else
      refuse(I, "the same bytes of " + quoted(O, "shared memory") +
                    " may be used as numbers of several types; cut it "
                    "into arrays by pointers, and let all threads store what is read as another type than before");
  }

  const DerivativeRequest &Request;
  MemoryObjects &Objects;
  Activity &Active;
  Refusals &Refused;
  DenseSet<const Value *> Told;
};

} // namespace

void kernix::refuseWithoutRule(const Prepared &P, const DerivativeRequest &Request, MemoryObjects &Objects,
                               Activity &Active, Refusals &Refused) {
  Checker Check(Request, Objects, Active, Refused);
  // What an unknown callee may do to memory would be reported at every access, and what an atomic operation does to a
  // number wherever its bits are used.
  auto Kind = [](const Instruction &I) { return isa<CallBase>(I) ? 0 : I.isAtomic() ? 1 : 2; };
  for (int Wanted : {0, 1, 2}) {
    for (const Instruction &I : instructions(*P.F))
      if (Kind(I) == Wanted)
        Check.check(I);
    if (Refused.any())
      return;
  }
}
