//===- DevicePass.cpp - kernix-cpu-device ------------------------------------------------------------------------===//
//
// The device pass's module becomes an object of its own: nothing of it is visible to the linker but one descriptor per
// kernel and per variable. Otherwise inline `__host__ __device__` functions, which may differ between the two passes,
// would be merged with those of the host object.
//
//===----------------------------------------------------------------------------------------------------------------===//

#include "CompileUnits.h"
#include "CpuTarget/AloneVersion.h"
#include "CpuTarget/CallGraph.h"
#include "CpuTarget/Geometry.h"
#include "CpuTarget/KernelBodies.h"
#include "CpuTarget/ObjectLayout.h"
#include "CpuTarget/Passes.h"
#include "CpuTarget/Phases.h"
#include "CpuTarget/SharedMemory.h"
#include "Derivative/Library/Library.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;

namespace kernix {

namespace {

/// Device functions with this prefix may be called from the host object.
constexpr StringLiteral ExportPrefix = "kernix_export_";

bool isOwnDefinition(const GlobalValue &Value) {
  return !Value.isDeclaration() && !Value.hasAvailableExternallyLinkage() && !Value.getName().starts_with("llvm.");
}

void makeInternal(Module &M) {
  for (GlobalValue &Value : M.global_values()) {
    if (!isOwnDefinition(Value))
      continue;
    if (auto *Object = dyn_cast<GlobalObject>(&Value))
      Object->setComdat(nullptr);
    if (Value.getName().starts_with(ExportPrefix)) {
      Value.setLinkage(GlobalValue::ExternalLinkage);
      Value.setVisibility(GlobalValue::HiddenVisibility);
    } else if (!Value.hasLocalLinkage()) {
      Value.setLinkage(GlobalValue::InternalLinkage);
      Value.setVisibility(GlobalValue::DefaultVisibility);
      Value.setDLLStorageClass(GlobalValue::DefaultStorageClass);
    }
  }
}

/// What would throw or end the process ends the launch: no kernel can be unwound.
void replaceEndings(Module &M) {
  for (Function &F : M) {
    std::string Name = demangle(F.getName());
    if (!F.isDeclaration() ||
        !(StringRef(Name).starts_with("std::__throw_") ||
          is_contained({"abort", "exit", "_exit", "quick_exit", "std::terminate()"}, StringRef(Name))))
      continue;
    IRBuilder<> Builder(BasicBlock::Create(M.getContext(), "entry", &F));
    FunctionCallee End =
        M.getOrInsertFunction("kernix_cpu_end", FunctionType::get(Builder.getVoidTy(), {Builder.getPtrTy()}, false));
    Builder.CreateCall(End, {stringConstant(M, StringRef(Name).split('(').first)});
    Builder.CreateUnreachable();
    F.setLinkage(GlobalValue::InternalLinkage);
    F.setName("kernix.ends." + F.getName());
    F.addFnAttr(Attribute::Cold);
  }
}

class DeviceModule {
public:
  DeviceModule(Module &M, StringRef Unit, FunctionAnalysisManager &FAM)
      : M(M), Unit(Unit), FAM(FAM), Layout(M), Graph(M) {}
  void run();

private:
  SmallVector<Function *> kernels();
  void describe(Function &Kernel, const SharedMemory &Shared);
  void describeVariables();
  void exportDescriptor(StructType *Type, const std::string &Name, ArrayRef<Constant *> Fields);
  void stripConvergent();
  void dropRestrict();
  void dropMemoryClaims();
  void dropGeometryDeclarations();
  void runExportsAlone(const SharedMemory &Shared);

  Module &M;
  StringRef Unit;
  FunctionAnalysisManager &FAM;
  ObjectLayout Layout;
  DeviceCallGraph Graph;
  FunctionSet Waiting, PlaceReaders, WithAtomics;
};

SmallVector<Function *> DeviceModule::kernels() {
  SmallVector<Function *> Result;
  for (Function &F : M)
    if (isOwnDefinition(F) && isKernel(F))
      Result.push_back(&F);
  return Result;
}

void DeviceModule::exportDescriptor(StructType *Type, const std::string &Name, ArrayRef<Constant *> Fields) {
  auto *Global =
      new GlobalVariable(M, Type, true, GlobalValue::ExternalLinkage, ConstantStruct::get(Type, Fields), Name);
  Global->setVisibility(GlobalValue::HiddenVisibility);
}

void DeviceModule::describe(Function &Kernel, const SharedMemory &Shared) {
  FunctionSet Reachable = Graph.reachableFrom(Kernel);
  uint64_t SharedBytes = Shared.bytesUsedIn(Reachable);
  auto *Null = ConstantPointerNull::get(PointerType::getUnqual(M.getContext()));
  Constant *RunBlocks = Null, *RunAlone = Null, *RunThread = Null;
  Function *Blocks = nullptr;
  uint64_t FrameBytes = 0;
  PhasedKernel Phased = {nullptr};
  // ThreadSanitizer is to see the threads one by one, which loops over them would hide.
  bool IsChecked = Kernel.hasFnAttribute(Attribute::SanitizeThread);
  if (!Kernel.hasFnAttribute(Attribute::OptimizeNone) && !IsChecked)
    Phased = buildPhases(Kernel, Layout, Graph, PlaceReaders, Waiting, Shared.usedIn(Reachable), FAM);
  if (Phased.Blocks) {
    Blocks = Phased.Blocks;
    FrameBytes = Phased.FrameBytes;
  } else if (Waiting.contains(&Kernel) || IsChecked)
    RunThread = buildRunThread(Kernel, Layout);
  else
    Blocks = buildBlocks(Kernel, Layout, Graph, PlaceReaders, Shared.usedIn(Reachable));
  if (Blocks) {
    RunBlocks = buildRunBlocks(Kernel, *Blocks, ".run_blocks");
    if (Function *Alone = makeAloneVersion(*Blocks, Layout, Graph, WithAtomics))
      RunAlone = buildRunBlocks(Kernel, *Alone, ".run_alone");
  }
  Type *Int32 = Type::getInt32Ty(M.getContext());
  exportDescriptor(Layout.Kernel, kernelSymbol(Unit, Kernel.getName()),
                   {ConstantInt::get(Int32, ObjectLayout::Version), ConstantInt::get(Int32, Kernel.arg_size()),
                    stringConstant(M, Kernel.getName()), ConstantInt::get(Int32, SharedBytes),
                    ConstantInt::get(Int32, Shared.unitBytes()), ConstantInt::get(Int32, FrameBytes),
                    ConstantInt::get(Int32, Phased.SideBySide), ConstantInt::get(Int32, WithAtomics.contains(&Kernel)),
                    ConstantInt::get(Int32, 0), RunBlocks, RunAlone, RunThread});
}

/// Every variable that the host pass may have a shadow of. It asks for them by name, so others cost nothing but space.
void DeviceModule::describeVariables() {
  Type *Int64 = Type::getInt64Ty(M.getContext());
  // Of the compiler. What it makes for profiles (__prof, __llvm) it also removes later.
  constexpr StringLiteral Others[] = {"_ZT", "_ZZ", "_ZGV", ".", "__prof", "__llvm", "__cov"};
  SmallVector<GlobalVariable *> Variables;
  for (GlobalVariable &Variable : M.globals())
    if (isOwnDefinition(Variable) && !Variable.hasPrivateLinkage() && Variable.hasName() &&
        none_of(Others, [&](StringRef Start) { return Variable.getName().starts_with(Start); }))
      Variables.push_back(&Variable);
  for (GlobalVariable *Variable : Variables) {
    // __constant__ is constant for kernels only: cudaMemcpyToSymbol writes it.
    if (Variable->isExternallyInitialized())
      Variable->setConstant(false);
    uint64_t Size = M.getDataLayout().getTypeAllocSize(Variable->getValueType());
    exportDescriptor(Layout.Variable, variableSymbol(Unit, Variable->getName()),
                     {Variable, ConstantInt::get(Int64, Size), ConstantInt::get(Int64, !Variable->isConstant())});
  }
}

/// Clang makes every device function and call convergent, which keeps loops from being vectorised or unswitched. Only
/// what can wait for other threads is.
void DeviceModule::stripConvergent() {
  for (Function &F : M) {
    if (!Waiting.contains(&F))
      F.setNotConvergent();
    for (Instruction &I : instructions(F)) {
      auto *Call = dyn_cast<CallBase>(&I);
      if (Call && !Graph.mayReach(*Call, Waiting))
        Call->setNotConvergent();
    }
  }
}

/// `__restrict__` speaks of one thread. Where a function waits, other threads use the same memory by pointers of the
/// same name, which LLVM takes to be impossible: it would carry loads over the barrier.
void DeviceModule::dropRestrict() {
  for (Function &F : M) {
    if (Waiting.contains(&F))
      for (Argument &Parameter : F.args())
        if (Parameter.hasNoAliasAttr() && !Parameter.hasByValAttr() && !Parameter.hasStructRetAttr())
          Parameter.removeAttr(Attribute::NoAlias);
    for (Instruction &I : instructions(F)) {
      if (Waiting.contains(&F)) { // the same, of what another pass has inlined
        I.setMetadata(LLVMContext::MD_alias_scope, nullptr);
        I.setMetadata(LLVMContext::MD_noalias, nullptr);
      }
      if (auto *Call = dyn_cast<CallBase>(&I); Call && Graph.mayReach(*Call, Waiting))
        for (unsigned Number = 0; Number != Call->arg_size(); ++Number)
          if (!Call->isByValArgument(Number) && !Call->paramHasAttr(Number, Attribute::StructRet))
            Call->removeParamAttr(Number, Attribute::NoAlias);
    }
  }
}

/// Geometry is constant for one thread only, and becomes loads. A function that asks for it must not be taken to read
/// nothing, whoever has said so: its calls would be moved out of the loops over the threads.
void DeviceModule::dropMemoryClaims() {
  FunctionSet Asking = Graph.reaching([](const Function &F) { return endsLaunch(F) || geometryItem(F); });
  for (Function &F : M) {
    if (Asking.contains(&F) && !F.isDeclaration())
      F.removeFnAttr(Attribute::Memory);
    for (Instruction &I : instructions(F))
      if (auto *Call = dyn_cast<CallBase>(&I); Call && Graph.mayReach(*Call, Asking))
        if (Function *Callee = calledFunction(*Call); !Callee || !geometryItem(*Callee))
          Call->removeFnAttr(Attribute::Memory);
  }
}

void DeviceModule::dropGeometryDeclarations() {
  for (Function &F : make_early_inc_range(M))
    if (F.isDeclaration() && F.use_empty() && geometryItem(F))
      F.eraseFromParent();
}

/// Where the host calls a function that asks for its place in a launch, for shared memory or for other threads, it is
/// the only thread of one: what is said before the body, which may take the state to be constant.
void DeviceModule::runExportsAlone(const SharedMemory &Shared) {
  FunctionSet Asking =
      Graph.reaching([&](const Function &F) { return geometryItem(F) || isWaitingFunction(F) || Shared.isUsedBy(F); });
  SmallVector<Function *> Exports;
  for (Function &F : M)
    if (isOwnDefinition(F) && F.getName().starts_with(ExportPrefix) && Asking.contains(&F))
      Exports.push_back(&F);
  Type *Int32 = Type::getInt32Ty(M.getContext());
  for (Function *F : Exports) {
    auto *Body = Function::Create(F->getFunctionType(), GlobalValue::InternalLinkage, F->getName() + ".alone", M);
    Body->copyAttributesFrom(F);
    Body->setVisibility(GlobalValue::DefaultVisibility);
    Body->removeFnAttr(Attribute::AlwaysInline);
    Body->addFnAttr(Attribute::NoInline);
    Body->setSubprogram(F->getSubprogram());
    F->setSubprogram(nullptr);
    Body->splice(Body->begin(), F);
    IRBuilder<> Builder(BasicBlock::Create(M.getContext(), "entry", F));
    FunctionCallee Begin =
        M.getOrInsertFunction("kernix_cpu_run_alone", FunctionType::get(Builder.getVoidTy(), {Int32}, false));
    Builder.CreateCall(Begin, {ConstantInt::get(Int32, Shared.unitBytes())});
    SmallVector<Value *> Arguments;
    for (auto [Outer, Inner] : zip_equal(F->args(), Body->args())) {
      Outer.replaceAllUsesWith(&Inner);
      Inner.setName(Outer.getName());
      Arguments.push_back(&Outer);
    }
    CallInst *Call = Builder.CreateCall(Body, Arguments);
    if (F->getReturnType()->isVoidTy())
      Builder.CreateRetVoid();
    else
      Builder.CreateRet(Call);
  }
}

void DeviceModule::run() {
  Waiting = Graph.reaching(isWaitingFunction);
  dropRestrict();
  dropMemoryClaims();
  PlaceReaders = Graph.reaching([](const Function &F) { return endsLaunch(F) || readsPlace(F); });
  WithAtomics = Graph.reaching(hasAtomics);
  SharedMemory Shared(M, Layout);
  describeVariables();
  for (Function *Kernel : kernels())
    describe(*Kernel, Shared);
  runExportsAlone(Shared);
  for (Function &F : M)
    if (!F.isDeclaration())
      loadGeometry(F, Layout);
  stripConvergent();
  dropGeometryDeclarations();
}

} // namespace

PreservedAnalyses CpuDevicePass::run(Module &M, ModuleAnalysisManager &MAM) {
  nameCompileUnits(M);
  makeInternal(M);
  replaceEndings(M);
  auto &FAM = MAM.getResult<FunctionAnalysisManagerModuleProxy>(M).getManager();
  DeviceModule(M, unitName(M, Unit), FAM).run();
  linkBfloat16(M);
  return PreservedAnalyses::none();
}

} // namespace kernix
