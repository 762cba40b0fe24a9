//===- Lower.cpp - canonical functions become the target's ------------------------------------------------------===//

#include "Derivative/Lower.h"
#include "Derivative/Geometry.h"
#include "Derivative/Libdevice.h"
#include "Derivative/Library/Library.h"
#include "Derivative/MathFunctions.h"
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
    if (const Geometry *Item = findGeometry(F.getName().substr(StringRef("kernix.").size())))
      return lowerGeometry(*Item);
    std::optional<CanonicalName> Name = parseCanonicalName(F);
    if (Name && Name->Name == "saturate")
      return clamp(Name->Type);
    const MathFunction *Math = Name ? findMathFunction(Name->Name) : nullptr;
    if (!Math)
      return nullptr;
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
    return Read;
  }

  /// To [0, 1]; both targets make a 0 of a NaN.
  Value *clamp(Type *Type) {
    if (Context.isGpu() && Type->isFloatTy())
      return callExternal("__nv_saturatef");
    Value *Least = Builder.CreateBinaryIntrinsic(Intrinsic::maxnum, Call.getArgOperand(0), ConstantFP::get(Type, 0.0));
    return Builder.CreateBinaryIntrinsic(Intrinsic::minnum, Least, ConstantFP::get(Type, 1.0));
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
  return !isGpu() || linkLibdevice(M, Libdevice);
}

void kernix::lowerFunction(Function &F, LoweringContext &Context) {
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
