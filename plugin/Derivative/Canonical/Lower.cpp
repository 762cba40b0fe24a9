//===- Lower.cpp - canonical functions become the target's ------------------------------------------------------===//

#include "Derivative/Canonical/Lower.h"
#include "Derivative/Canonical/Collectives.h"
#include "Derivative/Canonical/Geometry.h"
#include "Derivative/Canonical/Libdevice.h"
#include "Derivative/Canonical/MathFunctions.h"
#include "Derivative/Canonical/SineAndCosine.h"
#include "Derivative/Library/Library.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/TargetParser/Triple.h"

using namespace llvm;
using namespace kernix;

namespace {

/// One canonical call on its way to the target.
class CallLowering {
public:
  CallLowering(CallInst &Call, LoweringContext &Context) : Call(Call), Context(Context), Builder(&Call) {
    if (isa<FPMathOperator>(Call))
      Builder.setFastMathFlags(Call.getFastMathFlags());
  }

  /// What stands for the call; nullptr: it stays.
  Value *run() {
    const Function &F = *Call.getCalledFunction();
    if (Value *Lowered = lowerCollective(Builder, Call, Context.isGpu()))
      return Lowered;
    if (const Geometry *Item = findGeometry(F.getName().substr(StringRef("kernix.").size())))
      return lowerGeometry(*Item);
    std::optional<CanonicalName> Name = parseCanonicalName(F);
    const MathFunction *Math = Name ? findMathFunction(Name->Name) : nullptr;
    if (!Math)
      return nullptr;
    if (Value *Simple = lowerToInstructions(*Math, *Name))
      return Simple;
    return Context.isGpu() ? lowerToLibdevice(*Math, *Name) : lowerToLibm(*Math, *Name);
  }

private:
  CallInst &Call;
  LoweringContext &Context;
  IRBuilder<> Builder;

  Value *lowerGeometry(const Geometry &Item) {
    if (Context.isGpu())
      return Builder.CreateIntrinsic(Item.Gpu, ArrayRef<Type *>(), {});
    FunctionCallee F = Context.module().getOrInsertFunction(Item.Cpu, Call.getFunctionType());
    CallInst *Read = Builder.CreateCall(F);
    Read->setDoesNotAccessMemory();
    Read->setDoesNotThrow();
    Read->addFnAttr(Attribute::WillReturn);
    return Read;
  }

  /// What no library is asked for.
  Value *lowerToInstructions(const MathFunction &Math, const CanonicalName &Name) {
    Value *X = Call.getArgOperand(0);
    if (Math.Name == "saturate" && !(Context.isGpu() && Name.Type->isFloatTy())) {
      // A NaN becomes 0, as in CUDA.
      Value *NotNegative = Builder.CreateBinaryIntrinsic(Intrinsic::maxnum, X, ConstantFP::get(Name.Type, 0.0));
      return Builder.CreateBinaryIntrinsic(Intrinsic::minnum, NotNegative, ConstantFP::get(Name.Type, 1.0));
    }
    if (Math.Name == "modf_fraction")
      return fraction(X);
    if (Math.Name == "frexp_mantissa" || Math.Name == "frexp_exponent") {
      Value *Both = Builder.CreateIntrinsic(Intrinsic::frexp, {X->getType(), Builder.getInt32Ty()}, {X});
      return Builder.CreateExtractValue(Both, Math.Name == "frexp_exponent" ? 1 : 0);
    }
    if (Math.Name == "remquo_quotient")
      return quotient(X->getType());
    if (Math.Name.starts_with("complex_") && Math.Name != "complex_abs")
      return complexPart(Name);
    if (Math.Name == "fdivide" && !(Context.isGpu() && Name.IsFast))
      return Builder.CreateFDiv(X, Call.getArgOperand(1));
    return nullptr;
  }

  /// One part of a function of complex numbers. Where both parts are asked for, one of the two calls is left.
  Value *complexPart(const CanonicalName &Name) {
    StringRef Function = Name.Name;
    Function.consume_front("complex_");
    const bool IsImaginary = Function.consume_back("_imaginary");
    if (!IsImaginary)
      Function.consume_back("_real");
    const SmallVector<Value *, 4> X(Call.args());
    if (!Context.isGpu() && Function != "pow_of_real")
      return callComplex(Function, X, IsImaginary);
    Value *Part = callLibrary(Name);
    if (!Context.isGpu() || !Function.starts_with("pow"))
      return Part;
    // To whatever power: std::complex has it so there.
    Value *Zero = ConstantFP::get(Name.Type, 0.0);
    Value *IsNull = Builder.CreateAnd(Builder.CreateFCmpOEQ(X[0], Zero), Builder.CreateFCmpOEQ(X[1], Zero));
    return Builder.CreateSelect(IsNull, Zero, Part);
  }

  /// The C library's function, or that of the compiler's runtime library.
  Value *callComplex(StringRef Function, ArrayRef<Value *> X, bool IsImaginary) {
    Type *T = X[0]->getType();
    const bool IsSingle = T->isFloatTy(), IsQuotient = Function == "div";
    // Two floats of a complex number are a vector.
    Type *Pair = IsSingle ? static_cast<Type *>(FixedVectorType::get(T, 2)) : StructType::get(T, T);
    SmallVector<Value *, 4> Arguments(X);
    if (IsSingle && !IsQuotient) {
      Arguments.clear();
      for (size_t I = 0; I < X.size(); I += 2) {
        Value *Half = Builder.CreateInsertElement(PoisonValue::get(Pair), X[I], uint64_t(0));
        Arguments.push_back(Builder.CreateInsertElement(Half, X[I + 1], uint64_t(1)));
      }
    }
    SmallVector<Type *, 4> Types;
    for (const Value *Argument : Arguments)
      Types.push_back(Argument->getType());
    const std::string Library =
        IsQuotient ? (IsSingle ? "__divsc3" : "__divdc3") : ("c" + Function + (IsSingle ? "f" : "")).str();
    FunctionCallee F = Context.module().getOrInsertFunction(Library, FunctionType::get(Pair, Types, false));
    CallInst *Both = Builder.CreateCall(F, Arguments);
    Both->setDoesNotAccessMemory();
    Both->setDoesNotThrow();
    Both->addFnAttr(Attribute::WillReturn);
    return IsSingle ? Builder.CreateExtractElement(Both, uint64_t(IsImaginary))
                    : Builder.CreateExtractValue(Both, IsImaginary);
  }

  /// The part behind the point, with the sign of the whole; 0 of an infinity.
  Value *fraction(Value *X) {
    Value *Rest = Builder.CreateFSub(X, Builder.CreateUnaryIntrinsic(Intrinsic::trunc, X));
    Value *IsInfinite =
        Builder.CreateFCmpOEQ(Builder.CreateUnaryIntrinsic(Intrinsic::fabs, X), ConstantFP::getInfinity(X->getType()));
    Rest = Builder.CreateSelect(IsInfinite, ConstantFP::get(X->getType(), 0.0), Rest);
    return Builder.CreateBinaryIntrinsic(Intrinsic::copysign, Rest, X);
  }

  /// The low bits of the quotient, which remquo stores.
  Value *quotient(Type *T) {
    Function *F = Call.getFunction();
    IRBuilder<> Entry(&F->getEntryBlock(), F->getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
    Value *Slot = Entry.CreateAlloca(Entry.getInt32Ty());
    if (Slot->getType() != Builder.getPtrTy())
      Slot = Builder.CreateAddrSpaceCast(Slot, Builder.getPtrTy());
    std::string Name = Context.isGpu() ? "__nv_remquo" : "remquo";
    FunctionCallee Remquo =
        Context.module().getOrInsertFunction(T->isFloatTy() ? Name + "f" : Name, T, T, T, Builder.getPtrTy());
    Builder.CreateCall(Remquo, {Call.getArgOperand(0), Call.getArgOperand(1), Slot});
    return Builder.CreateLoad(Builder.getInt32Ty(), Slot);
  }

  Value *callExternal(const Twine &Name) {
    SmallString<32> Storage;
    FunctionCallee F = Context.module().getOrInsertFunction(Name.toStringRef(Storage), Call.getFunctionType());
    CallInst *New = Builder.CreateCall(F, SmallVector<Value *>(Call.args()));
    // Nobody asks for errno here, and its absence is what lets the loops of derivatives be vectorised.
    New->setDoesNotAccessMemory();
    New->setDoesNotThrow();
    return New;
  }

  Value *callLibrary(const CanonicalName &Name) {
    return callExternal("kernix_library_" + Name.Name + "_" + typeSuffix(Name.Type));
  }

  Value *lowerToLibdevice(const MathFunction &Math, const CanonicalName &Name) {
    StringRef Fast = Name.IsFast ? fastLibdeviceName(Name.Name) : StringRef();
    if (!Fast.empty())
      return callExternal("__nv_" + Fast);
    if (Name.Type->isFloatTy() && !Math.LibdeviceSingle.empty())
      return callExternal("__nv_" + Math.LibdeviceSingle);
    if (Math.Libdevice.empty())
      return callLibrary(Name);
    if (Name.Type->isDoubleTy())
      return callExternal("__nv_" + Math.Libdevice);
    return callExternal("__nv_" + Math.Libdevice + "f");
  }

  Value *lowerToLibm(const MathFunction &Math, const CanonicalName &Name) {
    SmallVector<Value *> Arguments(Call.args());
    if (Math.Intrinsic != Intrinsic::not_intrinsic)
      return Builder.CreateIntrinsic(Math.Intrinsic, {Name.Type}, Arguments);
    if (Math.Name == "rsqrt")
      return Builder.CreateFDiv(ConstantFP::get(Name.Type, 1.0),
                                Builder.CreateUnaryIntrinsic(Intrinsic::sqrt, Arguments[0]));
    if (Math.Name == "powi")
      return Builder.CreateIntrinsic(Intrinsic::powi, {Name.Type, Builder.getInt32Ty()}, Arguments);
    if (Math.Libm.empty())
      return callLibrary(Name);
    return callExternal(Math.Libm + (Name.Type->isFloatTy() ? "f" : ""));
  }
};

} // namespace

bool LoweringContext::isGpu() const { return M.getTargetTriple().isNVPTX(); }

bool LoweringContext::finish() {
  // The library calls canonical functions, but none of its own.
  SmallVector<Function *> New;
  if (!linkLibrary(M, New))
    return false;
  for (Function *F : New)
    lowerFunction(*F, *this);
  if (isGpu() && !linkLibdevice(M, Libdevice))
    return false;
  if (!linkBfloat16(M))
    return false;
  for (Function &F : make_early_inc_range(M))
    if (F.isDeclaration() && F.use_empty() && F.getName().starts_with("kernix."))
      F.eraseFromParent();
  return true;
}

void kernix::lowerFunction(Function &F, LoweringContext &Context) {
  if (Context.isGpu())
    joinSinesAndCosines(F);
  for (Instruction &I : make_early_inc_range(instructions(F))) {
    auto *Call = dyn_cast<CallInst>(&I);
    const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
    if (!Callee || !Callee->getName().starts_with("kernix."))
      continue;
    Value *Lowered = CallLowering(*Call, Context).run();
    if (!Lowered)
      continue;
    Call->replaceAllUsesWith(Lowered);
    Call->eraseFromParent();
  }
}
