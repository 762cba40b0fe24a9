//===- TestPasses.cpp - passes that only tests use --------------------------------------------------------------===//

#include "Derivative/TestPasses.h"
#include "Derivative/Analysis/ControlDependence.h"
#include "Derivative/Canonical/Lower.h"
#include "Derivative/Canonical/MathFunctions.h"
#include "Derivative/Canonical/OwnFunctions.h"
#include "Derivative/Canonical/Raise.h"
#include "Derivative/Rules/Tables.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include <cmath>
#include <cstdlib>

using namespace llvm;
using namespace kernix;

namespace {

/// One round over the calls that there are; true if there may be more.
bool raiseAndInline(Function &F) {
  bool Changed = false;
  SmallVector<Instruction *> Instructions;
  for (Instruction &I : instructions(F))
    Instructions.push_back(&I);
  for (Instruction *I : Instructions) {
    if (raiseInstruction(*I))
      continue;
    auto *Call = dyn_cast<CallBase>(I);
    if (!Call || raiseCall(*Call))
      continue;
    const Function *Callee = Call->getCalledFunction();
    if (!Callee || Callee->isDeclaration() || Callee == &F)
      continue;
    InlineFunctionInfo Info;
    Changed |= InlineFunction(*Call, Info).isSuccess();
  }
  return Changed;
}

class RaisePass : public PassInfoMixin<RaisePass> {
public:
  PreservedAnalyses run(Module &M, ModuleAnalysisManager &) {
    readOwnFunctions(M);
    for (Function &F : make_early_inc_range(M)) {
      if (F.isDeclaration() || F.hasLocalLinkage() || F.hasLinkOnceLinkage())
        continue;
      F.removeFnAttr(Attribute::OptimizeNone);
      while (raiseAndInline(F)) {
      }
    }
    forgetOwnFunctions(M);
    return PreservedAnalyses::none();
  }
  static bool isRequired() { return true; }
};

class LowerPass : public PassInfoMixin<LowerPass> {
public:
  PreservedAnalyses run(Module &M, ModuleAnalysisManager &) {
    const char *Libdevice = std::getenv("KERNIX_TEST_LIBDEVICE");
    LoweringContext Context(M, Libdevice ? Libdevice : "");
    SmallVector<Function *> Functions;
    for (Function &F : M)
      if (!F.isDeclaration())
        Functions.push_back(&F);
    for (Function *F : Functions)
      lowerFunction(*F, Context);
    Context.finish();
    return PreservedAnalyses::none();
  }
  static bool isRequired() { return true; }
};

class RulesPass : public PassInfoMixin<RulesPass> {
public:
  explicit RulesPass(bool IsFast) : IsFast(IsFast) {}

  PreservedAnalyses run(Module &M, ModuleAnalysisManager &) {
    for (ArrayRef<Rule> Table : ruleTables())
      for (const Rule &R : Table)
        for (Type *Floating : {Type::getFloatTy(M.getContext()), Type::getDoubleTy(M.getContext())})
          if (Function *F = declare(M, R, Floating)) {
            emitPrimal(M, R, Floating, *F);
            emitDerivative(M, nameOf(R.Name, Floating), Floating, *F, {});
          }
    for (Type *Floating : {Type::getFloatTy(M.getContext()), Type::getDoubleTy(M.getContext())}) {
      Function *Pow = declareMath(M, *findMathFunction("pow"), Floating, false);
      Function *Powi = declareMath(M, *findMathFunction("powi"), Floating, false);
      for (auto [Name, Exponent] : ConstantExponents) {
        emitDerivative(M, nameOf(Name, Floating), Floating, *Pow, ConstantFP::get(Floating, Exponent));
        if (Exponent == std::trunc(Exponent))
          emitDerivative(M, nameOf(Name.str() + "i", Floating), Floating, *Powi,
                         ConstantInt::getSigned(Type::getInt32Ty(M.getContext()), static_cast<int>(Exponent)));
      }
    }
    return PreservedAnalyses::none();
  }
  static bool isRequired() { return true; }

private:
  bool IsFast;

  static Function *declare(Module &M, const Rule &R, Type *Floating) {
    if (!R.Scale)
      return nullptr;
    if (const MathFunction *Math = findMathFunction(R.Name)) {
      // CUDA's saturate, fdivide and so on are of single precision alone.
      bool IsSingleOnly =
          Math->Libdevice.empty() && (!Math->LibdeviceSingle.empty() || !fastLibdeviceName(R.Name).empty());
      return IsSingleOnly && Floating->isDoubleTy() ? nullptr : declareMath(M, *Math, Floating, false);
    }
    Intrinsic::ID ID = Intrinsic::lookupIntrinsicID(R.Name);
    return ID == Intrinsic::not_intrinsic ? nullptr : Intrinsic::getOrInsertDeclaration(&M, ID, {Floating});
  }

  /// The rule for pow looks at an exponent that is a constant.
  static constexpr std::pair<StringRef, double> ConstantExponents[] = {
      {"pow_minus_two", -2.0}, {"pow_minus_one", -1.0}, {"pow_minus_half", -0.5}, {"pow_zero", 0.0},
      {"pow_half", 0.5},       {"pow_one", 1.0},        {"pow_one_half", 1.5},    {"pow_two", 2.0},
      {"pow_three", 3.0},      {"pow_four", 4.0},       {"pow_five", 5.0},        {"pow_2_3", 2.3},
  };

  static std::string nameOf(StringRef Name, Type *Floating) {
    Name.consume_front("llvm.");
    std::string Result = (Name + "_" + typeSuffix(Floating)).str();
    std::replace(Result.begin(), Result.end(), '.', '_'); // llvm.arithmetic.fence
    return Result;
  }

  static void emitPrimal(Module &M, const Rule &R, Type *Floating, Function &Callee) {
    Function *F = Function::Create(Callee.getFunctionType(), GlobalValue::ExternalLinkage, nameOf(R.Name, Floating), M);
    IRBuilder<> Builder(BasicBlock::Create(M.getContext(), "", F));
    SmallVector<Value *> Arguments;
    for (Argument &A : F->args())
      Arguments.push_back(&A);
    Builder.CreateRet(Builder.CreateCall(&Callee, Arguments));
  }

  /// `d_NAME(operand, by, x, ...)`; Last: a constant as the last operand, or nullptr.
  void emitDerivative(Module &M, const std::string &Name, Type *Floating, Function &Callee, Constant *Last) {
    SmallVector<Type *> Types = {Type::getInt32Ty(M.getContext()), Floating};
    append_range(Types, Callee.getFunctionType()->params().drop_back(Last ? 1 : 0));
    Function *F =
        Function::Create(FunctionType::get(Floating, Types, false), GlobalValue::ExternalLinkage, "d_" + Name, M);
    BasicBlock *Entry = BasicBlock::Create(M.getContext(), "", F);
    BasicBlock *Default = BasicBlock::Create(M.getContext(), "", F);
    IRBuilder<> Builder(Default);
    Builder.CreateRet(ConstantFP::get(Floating, 0.0));
    Builder.SetInsertPoint(Entry);
    SmallVector<Value *> Arguments;
    for (Argument &A : drop_begin(F->args(), 2))
      Arguments.push_back(&A);
    if (Last)
      Arguments.push_back(Last);
    CallInst *Call = Builder.CreateCall(&Callee, Arguments);
    if (IsFast && isa<FPMathOperator>(Call))
      Call->setFast(true);
    SwitchInst *Switch = Builder.CreateSwitch(F->getArg(0), Default);
    for (unsigned Operand = 0; Operand < Arguments.size() - (Last ? 1 : 0); ++Operand) {
      BasicBlock *Block = BasicBlock::Create(M.getContext(), "", F);
      Switch->addCase(Builder.getInt32(Operand), Block);
      Builder.SetInsertPoint(Block);
      // As the caller of a rule does: only what the rule says it needs.
      RuleNeeds Needs = needsOf(*Call, Operand);
      SmallVector<Value *> Needed;
      for (auto [I, Argument] : enumerate(Arguments))
        Needed.push_back(Needs.Operands.test(I) ? Argument : nullptr);
      Value *Scaled = scaleBy(Builder, *Call, Needed, Needs.Result ? Call : nullptr, Operand, F->getArg(1));
      // double2float gives a double for a float.
      Builder.CreateRet(Scaled ? Builder.CreateFPCast(Scaled, Floating) : ConstantFP::get(Floating, 0.0));
    }
  }
};

/// Prints the blocks whose branches decide whether a block runs.
class ControlDependencePass : public PassInfoMixin<ControlDependencePass> {
public:
  PreservedAnalyses run(Function &F, FunctionAnalysisManager &FAM) {
    ControlDependence Controls(F, FAM.getResult<PostDominatorTreeAnalysis>(F));
    outs() << F.getName() << ":\n";
    for (const BasicBlock &Block : F) {
      outs() << "  " << Block.getName() << ":";
      for (const BasicBlock *Control : Controls.of(&Block))
        outs() << " " << Control->getName();
      outs() << "\n";
    }
    return PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }
};

} // namespace

void kernix::registerTestPasses(PassBuilder &Builder) {
  Builder.registerPipelineParsingCallback(
      [](StringRef Name, FunctionPassManager &FPM, ArrayRef<PassBuilder::PipelineElement>) {
        if (Name != "kernix-proofs")
          return false;
        addProofsPass(FPM);
        return true;
      });
  Builder.registerPipelineParsingCallback(
      [](StringRef Name, ModulePassManager &MPM, ArrayRef<PassBuilder::PipelineElement>) {
        if (Name == "kernix-raise")
          MPM.addPass(RaisePass());
        else if (Name == "kernix-lower")
          MPM.addPass(LowerPass());
        else if (Name == "kernix-rules")
          MPM.addPass(RulesPass(false));
        else if (Name == "kernix-rules-fast")
          MPM.addPass(RulesPass(true));
        else if (Name == "kernix-print-control-dependence")
          MPM.addPass(createModuleToFunctionPassAdaptor(ControlDependencePass()));
        else
          return false;
        return true;
      });
}
