//===- HostPass.cpp - kernix-cpu-host ----------------------------------------------------------------------------===//
//
// Makes the table that ties the handles of a host object (kernel stubs, shadows of device variables) to what the device
// object of the same unit holds, and a constructor that gives it to the runtime. The launch functions that clang calls
// by name are renamed: the process may have loaded the real libcudart.
//
//===----------------------------------------------------------------------------------------------------------------===//

#include "CpuTarget/ObjectLayout.h"
#include "CpuTarget/Passes.h"
#include "Derivative/Library/Library.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

namespace kernix {

namespace {

constexpr StringLiteral StubPrefix = "__device_stub__";

/// Removes the prefix from the identifiers of Mangled, and from their lengths. A length may follow a name that ends in
/// a digit (`_GLOBAL__N_1` `19__device_stub__f`), so Accept has to choose among the possible readings.
std::optional<std::string> removeStubPrefix(StringRef Done, StringRef Mangled, function_ref<bool(StringRef)> Accept) {
  size_t At = Mangled.find(StubPrefix);
  if (At == StringRef::npos) {
    std::string Result = (Done + Mangled).str();
    return Accept(Result) ? std::optional(Result) : std::nullopt;
  }
  StringRef Rest = Mangled.drop_front(At + StubPrefix.size());
  for (size_t Start = At; Start != 0 && isDigit(Mangled[Start - 1]);) {
    --Start;
    unsigned Length = 0;
    if (Mangled.slice(Start, At).getAsInteger(10, Length) || Length <= StubPrefix.size())
      continue;
    std::string Shorter = (Done + Mangled.take_front(Start) + Twine(Length - StubPrefix.size())).str();
    if (std::optional<std::string> Result = removeStubPrefix(Shorter, Rest, Accept))
      return Result;
  }
  return std::nullopt;
}

/// The kernel's name in the device pass: `_Z19__device_stub__kernPf` -> `_Z4kernPf`. Only an identifier changes, not
/// its place, so substitutions stay right.
std::string withoutStubPrefix(StringRef Mangled) {
  if (Mangled.starts_with(StubPrefix)) // extern "C"
    return Mangled.drop_front(StubPrefix.size()).str();
  std::string Wanted;
  for (StringRef Text = Wanted = demangle(Mangled); Text.contains(StubPrefix); Text = Wanted)
    Wanted.erase(Text.find(StubPrefix), StubPrefix.size());
  return removeStubPrefix("", Mangled, [&](StringRef Candidate) { return demangle(Candidate) == Wanted; })
      .value_or(Mangled.str());
}

class HostModule {
public:
  HostModule(Module &M, StringRef Unit)
      : M(M), Unit(Unit), Layout(M), Int32(Type::getInt32Ty(M.getContext())), Int64(Type::getInt64Ty(M.getContext())) {}
  void run();

private:
  CallInst *launchIn(Function &F);
  void addKernel(Function &Stub, CallInst &Launch);
  bool findParam(const Function &Stub, const Argument &Parameter, const DenseMap<const Value *, uint64_t> &ArgOf,
                 Constant *&Param);
  void addVariables();
  void renameRuntimeFunctions();
  void registerTables();
  Constant *deviceSymbol(StructType *Type, const std::string &Name);
  Constant *table(StructType *Type, ArrayRef<Constant *> Entries, StringRef Name);

  Module &M;
  StringRef Unit;
  ObjectLayout Layout;
  Type *Int32, *Int64;
  SmallVector<Constant *> Kernels, Variables;
};

/// The launch of F itself, if F is a stub.
CallInst *HostModule::launchIn(Function &F) {
  for (Instruction &I : instructions(F)) {
    auto *Call = dyn_cast<CallInst>(&I);
    Function *Callee = Call ? Call->getCalledFunction() : nullptr;
    if (Callee && Callee->getName().starts_with("cudaLaunchKernel") && Call->arg_size() == 8 &&
        Call->getArgOperand(0)->stripPointerCasts() == &F)
      return Call;
  }
  return nullptr;
}

/// A symbol of the device object; null at run time if the device pass has not made it.
Constant *HostModule::deviceSymbol(StructType *Type, const std::string &Name) {
  auto *Symbol = new GlobalVariable(M, Type, true, GlobalValue::ExternalWeakLinkage, nullptr, Name);
  Symbol->setVisibility(GlobalValue::HiddenVisibility);
  return Symbol;
}

Constant *HostModule::table(StructType *Type, ArrayRef<Constant *> Entries, StringRef Name) {
  if (Entries.empty())
    return ConstantPointerNull::get(PointerType::getUnqual(M.getContext()));
  auto *ArrayTy = ArrayType::get(Type, Entries.size());
  return new GlobalVariable(M, ArrayTy, true, GlobalValue::InternalLinkage, ConstantArray::get(ArrayTy, Entries), Name);
}

/// Where clang stored Parameter before the launch. A struct may have come in several registers, and one without fields
/// in none, so the compiled function's parameters are not the list's entries.
bool HostModule::findParam(const Function &Stub, const Argument &Parameter,
                           const DenseMap<const Value *, uint64_t> &ArgOf, Constant *&Param) {
  const DataLayout &DL = M.getDataLayout();
  auto Make = [&](uint64_t Arg, uint64_t Offset) {
    Param = ConstantStruct::get(Layout.Param, {ConstantInt::get(Int32, Arg), ConstantInt::get(Int32, Offset)});
    return true;
  };
  if (auto It = ArgOf.find(&Parameter); It != ArgOf.end()) {
    if (!Parameter.hasByValAttr())
      return false;
    return Make(It->second, ObjectLayout::ParamIsAddress);
  }
  SmallVector<const Value *> Work = {&Parameter};
  while (!Work.empty()) {
    const Value *V = Work.pop_back_val();
    for (const User *U : V->users()) {
      if (isa<ZExtInst>(U)) { // bool
        Work.push_back(U);
        continue;
      }
      const auto *Store = dyn_cast<StoreInst>(U);
      if (!Store || Store->getValueOperand() != V)
        continue;
      APInt Offset(64, 0);
      const Value *Base = Store->getPointerOperand()->stripAndAccumulateConstantOffsets(DL, Offset, true);
      auto It = ArgOf.find(Base);
      // A struct shorter than its registers goes through a temporary.
      for (const User *BaseUser : Base->users())
        if (const auto *Copy = dyn_cast<MemCpyInst>(BaseUser);
            It == ArgOf.end() && Copy && Copy->getRawSource() == Base)
          It = ArgOf.find(Copy->getRawDest());
      if (It != ArgOf.end())
        return Make(It->second, Offset.getZExtValue());
    }
  }
  return false;
}

void HostModule::addKernel(Function &Stub, CallInst &Launch) {
  const DataLayout &DL = M.getDataLayout();
  const Value *List = Launch.getArgOperand(5)->stripPointerCasts();
  DenseMap<const Value *, uint64_t> ArgOf;
  for (const Instruction &I : instructions(Stub)) {
    const auto *Store = dyn_cast<StoreInst>(&I);
    if (!Store)
      continue;
    APInt Offset(64, 0);
    if (Store->getPointerOperand()->stripAndAccumulateConstantOffsets(DL, Offset, true) == List)
      ArgOf[Store->getValueOperand()->stripPointerCasts()] = Offset.getZExtValue() / DL.getPointerSize();
  }
  std::string Name = withoutStubPrefix(Stub.getName());
  SmallVector<Constant *> Params;
  for (const Argument &Parameter : Stub.args()) {
    Constant *Param = nullptr;
    if (!findParam(Stub, Parameter, ArgOf, Param)) {
      M.getContext().emitError("kernix: kernel '" + Name +
                               "' has a parameter that is not trivially copyable, which "
                               "has no CPU target");
      return;
    }
    Params.push_back(Param);
  }
  Kernels.push_back(ConstantStruct::get(
      Layout.KernelEntry, {&Stub, deviceSymbol(Layout.Kernel, kernelSymbol(Unit, Name)), stringConstant(M, Name),
                           ConstantInt::get(Int64, Params.size()), table(Layout.Param, Params, ".kernix.params")}));
}

/// Clang gives the shadow of a device variable no initialiser; C++ has no other such variable.
void HostModule::addVariables() {
  SmallVector<GlobalVariable *> Shadows;
  for (GlobalVariable &Variable : M.globals())
    if (Variable.hasInternalLinkage() && Variable.hasInitializer() && isa<UndefValue>(Variable.getInitializer()))
      Shadows.push_back(&Variable);
  for (GlobalVariable *Shadow : Shadows) {
    // An internal symbol in a comdat may be dropped together with it, the table's reference would not.
    Shadow->setComdat(nullptr);
    Variables.push_back(ConstantStruct::get(
        Layout.VariableEntry, {Shadow, deviceSymbol(Layout.Variable, variableSymbol(Unit, Shadow->getName())),
                               stringConstant(M, Shadow->getName())}));
  }
}

void HostModule::renameRuntimeFunctions() {
  constexpr std::pair<StringLiteral, StringLiteral> Names[] = {
      {"cudaLaunchKernel", "kernix_cpu_launch_kernel"},
      {"cudaLaunchKernel_ptsz", "kernix_cpu_launch_kernel"},
      {"__cudaPushCallConfiguration", "kernix_cpu_push_call_configuration"},
      {"__cudaPopCallConfiguration", "kernix_cpu_pop_call_configuration"}};
  for (auto [Theirs, Ours] : Names) {
    Function *F = M.getFunction(Theirs);
    if (!F || !F->isDeclaration())
      continue;
    if (Function *Known = M.getFunction(Ours)) {
      F->replaceAllUsesWith(Known);
      F->eraseFromParent();
    } else {
      F->setName(Ours);
    }
  }
}

void HostModule::registerTables() {
  LLVMContext &Context = M.getContext();
  Constant *Tables = ConstantStruct::get(
      Layout.Unit, {ConstantInt::get(Int64, ObjectLayout::Version), ConstantInt::get(Int64, Kernels.size()),
                    table(Layout.KernelEntry, Kernels, ".kernix.kernels"), ConstantInt::get(Int64, Variables.size()),
                    table(Layout.VariableEntry, Variables, ".kernix.variables")});
  auto *Global = new GlobalVariable(M, Layout.Unit, true, GlobalValue::InternalLinkage, Tables, ".kernix.unit");
  auto Make = [&](StringRef Name, StringRef Callee) {
    FunctionType *Type = FunctionType::get(Type::getVoidTy(Context), false);
    Function *F = Function::Create(Type, GlobalValue::InternalLinkage, Name, M);
    IRBuilder<> Builder(BasicBlock::Create(Context, "entry", F));
    Builder.CreateCall(M.getOrInsertFunction(Callee, Builder.getVoidTy(), Builder.getPtrTy()), {Global});
    Builder.CreateRetVoid();
    return F;
  };
  // Before constructors without a priority, which may launch kernels; destructors run in the opposite order.
  constexpr int Priority = 101;
  appendToGlobalCtors(M, Make(".kernix.register", "kernix_cpu_register_unit"), Priority);
  appendToGlobalDtors(M, Make(".kernix.unregister", "kernix_cpu_unregister_unit"), Priority);
}

void HostModule::run() {
  SmallVector<std::pair<Function *, CallInst *>> Stubs;
  for (Function &F : M)
    if (!F.isDeclaration() && !F.hasAvailableExternallyLinkage())
      if (CallInst *Launch = launchIn(F))
        Stubs.push_back({&F, Launch});
  for (auto [Stub, Launch] : Stubs)
    addKernel(*Stub, *Launch);
  addVariables();
  renameRuntimeFunctions();
  if (!Kernels.empty() || !Variables.empty())
    registerTables();
}

} // namespace

PreservedAnalyses CpuHostPass::run(Module &M, ModuleAnalysisManager &) {
  HostModule(M, unitName(M, Unit)).run();
  linkBfloat16(M);
  return PreservedAnalyses::none();
}

} // namespace kernix
