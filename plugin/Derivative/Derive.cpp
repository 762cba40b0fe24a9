//===- Derive.cpp - the pass kernix-derive ----------------------------------------------------------------------===//

#include "Derivative/Derive.h"
#include "CompileUnits.h"
#include "Derivative/Accumulation/CallerMemory.h"
#include "Derivative/Analysis/Constants.h"
#include "Derivative/Analysis/LostGradients.h"
#include "Derivative/Analysis/UnreadValues.h"
#include "Derivative/Annotations.h"
#include "Derivative/Canonical/Collectives.h"
#include "Derivative/Canonical/Lower.h"
#include "Derivative/Canonical/OwnFunctions.h"
#include "Derivative/CustomRules/RuleCalls.h"
#include "Derivative/Forward.h"
#include "Derivative/Launch/FailedLaunch.h"
#include "Derivative/Launch/LaunchFacts.h"
#include "Derivative/Launch/Prefetch.h"
#include "Derivative/Launch/RegisterLimit.h"
#include "Derivative/Prepare/PointerChoices.h"
#include "Derivative/Prepare/Prepare.h"
#include "Derivative/Prepare/StorageMarks.h"
#include "Derivative/Requests.h"
#include "Derivative/Reverse/JoinSweeps.h"
#include "Derivative/Reverse/Reverse.h"
#include "Derivative/Reverse/SecondReverse.h"
#include "Derivative/Reverse/UnaskedNumbers.h"
#include "Derivative/Shared/SharedVariables.h"
#include "Derivative/TestPasses.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Scalar/ADCE.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"

using namespace llvm;
using namespace kernix;

namespace {

bool hasConvergentCalls(const Function &Body) {
  return any_of(instructions(Body), [](const Instruction &I) {
    const auto *Call = dyn_cast<CallBase>(&I);
    return Call && Call->isConvergent();
  });
}

/// The variables of the writer become registers, also where no optimisation follows. What is differentiated again runs
/// no operation that it would not run: the adjoint of one that is not asked for is 0, and 0 times what it reads NaN.
void cleanUp(Function &Body, FunctionAnalysisManager &FAM, bool IsDifferentiated) {
  SimplifyCFGOptions Branches;
  Branches.speculateBlocks(!IsDifferentiated).speculateUnpredictables(!IsDifferentiated);
  auto Run = [&](FunctionPassManager Passes) {
    FAM.invalidate(Body, PreservedAnalyses::none());
    FAM.invalidate(Body, Passes.run(Body, FAM));
  };
  FunctionPassManager Simplify, Finish;
  Simplify.addPass(SROAPass(SROAOptions::ModifyCFG));
  Simplify.addPass(EarlyCSEPass());
  Simplify.addPass(SimplifyCFGPass(Branches));
  Run(std::move(Simplify));
  forgetUnaskedNumbers(Body);
  // Where threads wait for each other, the CPU target keeps what each has in memory from wait to wait, and more of it
  // if the way back takes it from the way there.
  if ((Body.getParent()->getTargetTriple().isNVPTX() || !hasConvergentCalls(Body)) &&
      joinSweeps(Body, !IsDifferentiated)) {
    Finish.addPass(EarlyCSEPass());
    Finish.addPass(SimplifyCFGPass(Branches));
  }
  Finish.addPass(ADCEPass());
  Run(std::move(Finish));
  mergeBarriers(Body);
  mergeExchanges(Body);
}

void prepareAttributes(Function &Body, bool MayThrow) {
  for (Attribute::AttrKind Kind : {Attribute::OptimizeNone, Attribute::NoInline, Attribute::NoReturn})
    Body.removeFnAttr(Kind);
  Body.addFnAttr(Attribute::AlwaysInline);
  if (!MayThrow)
    Body.addFnAttr(Attribute::NoUnwind);
  Body.addFnAttr(Attribute::MustProgress);
}

/// Ways of adding to a gradient that the source asks for and that cannot be followed.
void refuseWays(const DerivativeRequest &Request, Refusals &Refused) {
  for (const RequestParameter &Parameter : Request.Parameters)
    for (const Leaf &L : Parameter.Leaves) {
      std::string Asked = "[[kernix::diff(" + L.Diff + ")]] of '" + Parameter.Name + "' ";
      if (L.Diff != "unique" && L.Diff != "once")
        continue;
      if (L.Kind != Leaf::Pointer)
        Refused.error(Asked + "cannot be: all threads read one value; write [[kernix::diff]]");
      else if (L.Diff == "once" && L.Access == Leaf::InOut)
        Refused.error(Asked + "cannot be: it is written too, and its gradient comes in with a value; write "
                              "[[kernix::diff(unique)]]");
    }
}

/// What is not valid must not reach the code generator.
void dropBody(Function &F) {
  const GlobalValue::LinkageTypes Linkage = F.getLinkage();
  Comdat *Group = F.getComdat();
  F.deleteBody();
  F.setLinkage(Linkage);
  F.setComdat(Group);
  new UnreachableInst(F.getContext(), BasicBlock::Create(F.getContext(), "", &F));
}

/// False: what is prepared could not be, and the errors are reported.
bool writeDerivative(const DerivativeRequest &Request, FunctionAnalysisManager &FAM, Refusals &Refused,
                     UsualLaunch &Usual) {
  Prepared P = prepare(Request, FAM, Refused);
  if (!P.valid())
    return false;
  FAM.clear(*Request.Body, Request.Body->getName());
  warnOfLostGradients(Request, P, Refused);
  ReverseFacts Facts;
  if (Request.Mode == DerivativeRequest::Forward)
    writeForward(Request, P, Refused);
  else
    Facts = writeReverse(Request, P, FAM, Refused, Usual);
  if (!Refused.any() && Request.Facts) {
    writeLaunchFacts(Request, P, FAM, Refused);
    setLaunchFact(Request, ProofIds, Facts.ProofIds);
    setLaunchFact(Request, PlainGradients, Facts.PlainGradients);
    setLaunchFact(Request, InFloat, Facts.InFloat);
    setLaunchFact(Request, FixedOrder, Facts.Order.Fixed);
    setLaunchFact(Request, UnorderedGradients, Facts.Order.Unordered);
    setLaunchFact(Request, InScratch, Facts.InScratch);
  }
  FAM.clear(*P.F, P.F->getName());
  P.F->eraseFromParent();
  return true;
}

/// On the CPU target the second version becomes a loop of its own over the threads, which can be vectorised unless the
/// threads loop themselves or wait for each other. Then it would only double the code.
bool isWorthVersions(const Function &Body) {
  if (Body.getParent()->getTargetTriple().isNVPTX())
    return true;
  SmallVector<std::pair<const BasicBlock *, const BasicBlock *>, 1> BackEdges;
  FindFunctionBackedges(Body, BackEdges);
  return BackEdges.empty() && !hasConvergentCalls(Body);
}

bool derive(const DerivativeRequest &Request, ArrayRef<DerivativeRequest> Requests, FunctionAnalysisManager &FAM,
            bool WritesVersions) {
  Refusals Refused(Request);
  refuseWays(Request, Refused);
  if (Refused.any())
    return false;
  UsualLaunch Usual;
  if (!writeSecondReverse(Request, Requests, FAM, Refused) && !writeDerivative(Request, FAM, Refused, Usual))
    return false;
  if (Refused.any())
    return false;
  lowerRuleCalls(*Request.Body, *Request.Rules);
  failWhereThePrimalDoes(Request);
  limitRegisters(Request);
  if (Request.Mode == DerivativeRequest::Reverse)
    askForPrefetches(*Request.Body);
  std::string Broken;
  raw_string_ostream Stream(Broken);
  if (verifyFunction(*Request.Body, &Stream)) {
    Refused.error("internal error: the derivative is not valid: " + Broken);
    FAM.clear(*Request.Body, Request.Body->getName());
    dropBody(*Request.Body);
    return false;
  }
  // A bound that does not hold is an exception on the host.
  prepareAttributes(*Request.Body, Request.Kind == DerivativeRequest::Host);
  cleanUp(*Request.Body, FAM, Request.IsDifferentiated);
  if (Request.Facts && Request.Mode == DerivativeRequest::Reverse)
    writeUnreadValues(Request);
  if (WritesVersions && Request.Kind == DerivativeRequest::Kernel && isWorthVersions(*Request.Body) &&
      Usual.write(*Request.Body, FAM))
    cleanUp(*Request.Body, FAM, Request.IsDifferentiated);
  return true;
}

/// What was made for a body that has been written again.
void forgetShadows(Module &M) {
  for (GlobalVariable &Global : make_early_inc_range(M.globals())) {
    if (!Global.getName().starts_with(ShadowName))
      continue;
    Global.removeDeadConstantUsers();
    if (Global.use_empty())
      Global.eraseFromParent();
  }
}

/// The wrappers of the primals call kernels like functions: they must not reach the code generator.
void forgetRequests(Module &M, const std::vector<DerivativeRequest> &Requests, FunctionAnalysisManager &FAM) {
  SmallPtrSet<Constant *, 8> Primals, Bodies;
  for (const DerivativeRequest &Request : Requests) {
    Primals.insert(Request.Primal);
    Bodies.insert(Request.Body);
  }
  removeAnnotations(M, [&](Constant *C) { return Primals.contains(C) || Bodies.contains(C); });
  for (const DerivativeRequest &Request : Requests) {
    if (!Primals.erase(Request.Primal))
      continue; // forward and reverse may share it
    removeArgumentsOfAnnotations(*Request.Primal);
    if (Request.Primal->use_empty()) {
      FAM.clear(*Request.Primal, Request.Primal->getName());
      Request.Primal->eraseFromParent();
    }
  }
  // What the bodies called before they were written (Synthesis/DerivativeRequest.cpp). Without optimisation the
  // declaration would stay, and the linker look for it.
  if (Function *Missing = M.getFunction("kernix_derivative_was_not_made"); Missing && Missing->use_empty())
    Missing->eraseFromParent();
}

} // namespace

PreservedAnalyses DerivePass::run(Module &M, ModuleAnalysisManager &MAM) {
  // Also where nothing is derived: ptxas takes no addresses of __shared__ variables for constants.
  bool WritesTables = false;
  for (Function &F : M)
    WritesTables |= writeTables(F);
  nameCompileUnits(M);
  readStorageMarks(M);
  readOwnFunctions(M);
  CustomRules Rules(M);
  std::vector<DerivativeRequest> Requests = readRequests(M, Rules);
  StringSet<> Errors;
  for (DerivativeRequest &Request : Requests) {
    Request.Says = &Says;
    Request.Errors = &Errors;
  }
  if (Requests.empty() && Rules.empty()) {
    forgetOwnFunctions(M);
    return WritesTables ? PreservedAnalyses::none() : PreservedAnalyses::all();
  }
  auto &FAM = MAM.getResult<FunctionAnalysisManagerModuleProxy>(M).getManager();
  for (DerivativeRequest &Request : Requests)
    Request.IsDeterministic = Given.IsDeterministic;
  markConstantCalls(M, Requests);
  bool Complete = true;
  SmallPtrSet<const Function *, 8> Missing;
  for (const DerivativeRequest &Request : Requests) {
    // What follows from a derivative that is not there is no news.
    bool HasAll = none_of(Request.Needs, [&](const Function *Body) { return Missing.contains(Body); });
    if (HasAll && derive(Request, Requests, FAM, Given.WritesVersions))
      continue;
    Missing.insert(Request.Body);
    Complete = false;
  }
  // The derivatives of derivatives are there: the last first, since it is written from the ones before.
  for (const DerivativeRequest &Request : reverse(Requests)) {
    if (!Complete || !Request.isWrittenAgain())
      continue;
    DerivativeRequest Again = Request;
    Again.IsDifferentiated = false;
    Complete &= derive(Again, Requests, FAM, Given.WritesVersions);
  }
  Complete &= !Rules.refuseEndless();
  forgetShadows(M);
  Rules.remove(M, FAM);
  forgetRequests(M, Requests, FAM);
  forgetOwnFunctions(M);
  lowerConstants(M);
  if (Complete) {
    LoweringContext Context(M, Given.Libdevice);
    for (const DerivativeRequest &Request : Requests) {
      FAM.clear(*Request.Body, Request.Body->getName());
      lowerFunction(*Request.Body, Context);
    }
    Context.finish();
  }
  return PreservedAnalyses::none();
}

void kernix::registerDerivativePasses(PassBuilder &Builder) {
  Builder.registerPipelineParsingCallback(
      [](StringRef Name, ModulePassManager &MPM, ArrayRef<PassBuilder::PipelineElement>) {
        DerivePass::Options Given;
        if (Name == "kernix-derive<deterministic>")
          Given.IsDeterministic = true;
        else if (Name == "kernix-derive<versions>")
          Given.WritesVersions = true;
        else if (Name != "kernix-derive")
          return false;
        MPM.addPass(DerivePass(Given));
        return true;
      });
  registerTestPasses(Builder);
}

void kernixAddDerivativePasses(PassBuilder &Builder, const char *Libdevice, bool IsDeterministic,
                               const Reporter &Says) {
  Builder.registerPipelineStartEPCallback(
      [Libdevice = std::string(Libdevice), IsDeterministic, Says](ModulePassManager &MPM, OptimizationLevel Level) {
        MPM.addPass(DerivePass({Libdevice, IsDeterministic, Level != OptimizationLevel::O0}, Says));
      });
  addCallerMemoryPasses(Builder);
  addPrefetchPass(Builder);
}
