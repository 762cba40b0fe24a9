//===- Front.cpp - the frontend action of kernix-front.so -------------------------------------------------------===//
//
// Registration and order of work only: options, the hooks of the LLVM half, and at the end of a translation unit that
// uses kernix attributes the checks, the binding and the synthesis. A file without attributes is left alone.
//
//===------------------------------------------------------------------------------------------------------------===//

#include "Attributes/AttributeStore.h"
#include "Attributes/Attributes.h"
#include "Attributes/CodeMarks.h"
#include "Attributes/Dump.h"
#include "Attributes/StatementPlaces.h"
#include "Binding/BeComments.h"
#include "Binding/BindFunctions.h"
#include "Binding/CpuRefused.h"
#include "Binding/FunctionsArgument.h"
#include "Binding/NumbaCall.h"
#include "Binding/RecordJson.h"
#include "Binding/SkippedCode.h"
#include "Binding/YamlConfig.h"
#include "Diagnostics/BackendReports.h"
#include "Diagnostics/Diagnostics.h"
#include "HandOver.h"
#include "Numba/NvvmFile.h"
#include "Synthesis/DerivativeDecls.h"
#include "Synthesis/DerivativeInCode.h"
#include "Synthesis/DerivativeNames.h"
#include "Synthesis/LaunchThunk.h"
#include "Synthesis/NumbaShim.h"
#include "Synthesis/OwnFunctions.h"
#include "Synthesis/Synthesis.h"
#include "Synthesis/ViewHooks.h"
#include "clang/AST/DeclFriend.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/Basic/CodeGenOptions.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendPluginRegistry.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Sema/Scope.h"
#include "clang/Sema/SemaConsumer.h"
#include "llvm/Support/SaveAndRestore.h"
#include <utility>

using namespace clang;
using namespace kernix;

namespace {

struct Options {
  bool TargetsCpu = false;
  bool TargetsNumba = false;   ///< device functions for Numba's kernels: a device pass only
  bool NumbaShims = false;     ///< callers compiled by Numba; with the CPU target, for functions on the CPU
  bool TargetsBatched = false; ///< kernels with an axis for a batch: a device pass only
  bool DumpAttributes = false;
  bool DumpJson = false;
  bool Remarks = false; ///< -Rkernix
  bool Derives = true;  ///< off: bodies of derivatives stay placeholders, for opt -passes=kernix-derive
  bool IsDeterministic = false;
  std::string Unit;
  std::string Records;                  ///< a file for the records, as JSON
  std::string Nvvm;                     ///< a file for what libNVVM can read of shims, as JSON
  std::vector<std::string> Configs;     ///< a later one wins
  std::optional<std::string> Functions; ///< see FunctionsArgument.h
  bool FunctionsElsewhere = false;
  std::vector<std::string> Warnings; ///< as given, "Wno-kernix-x"
};

void reportUnknown(DiagnosticsEngine &Diags, llvm::StringRef Argument) {
  Diags.Report(Diags.getCustomDiagID(DiagnosticsEngine::Error, "unknown argument '-fplugin-arg-kernix-%0'"))
      << Argument;
}

/// The derivative of a function needs others of libdevice than the function itself, so clang's choice is not enough.
std::string libdevicePath(const CodeGenOptions &Options) {
  for (const CodeGenOptions::BitcodeFileToLink &File : Options.LinkBitcodeFiles)
    if (llvm::StringRef(File.Filename).contains("libdevice"))
      return File.Filename;
  return {};
}

/// D and all that is handed over with it.
void forEachDeclaration(Decl &D, llvm::function_ref<void(Decl &)> Visit) {
  Visit(D);
  // Templates and friends are no contexts of what they declare.
  if (const auto *Template = dyn_cast<TemplateDecl>(&D); Template && Template->getTemplatedDecl())
    forEachDeclaration(*Template->getTemplatedDecl(), Visit);
  if (const auto *Friend = dyn_cast<FriendDecl>(&D); Friend && Friend->getFriendDecl())
    forEachDeclaration(*Friend->getFriendDecl(), Visit);
  if (auto *Context = dyn_cast<DeclContext>(&D))
    for (Decl *Inner : Context->noload_decls())
      forEachDeclaration(*Inner, Visit);
}

class Consumer : public SemaConsumer {
public:
  Consumer(CompilerInstance &CI, const struct Options &Options, std::shared_ptr<const SkippedCode> Skipped,
           std::shared_ptr<const BeComments> Comments)
      : CI(CI), Options(Options), Skipped(std::move(Skipped)), Comments(std::move(Comments)), Own(CI) {}

  void InitializeSema(Sema &S) override {
    watchAttributes(CI.getPreprocessor());
    Names = llvm::makeIntrusiveRefCnt<DerivativeNames>(S, Skipped);
    S.addExternalSource(Names);
  }

  bool HandleTopLevelDecl(DeclGroupRef Group) override {
    for (Decl *D : Group) {
      Own.annotate(*D);
      if (isa<NamespaceDecl>(D))
        Names->declareAll();
    }
    tellCode(Group);
    return true;
  }

  /// What is defined in its class: an instance that the rest of the class needs has it compiled before the class is
  /// handed over. Friends are handed over here only.
  void HandleInlineFunctionDefinition(FunctionDecl *F) override {
    Own.annotate(*F);
    tellCode(DeclGroupRef(F));
  }

  /// Of templates of variables, too.
  void HandleCXXStaticMemberVarInstantiation(VarDecl *Variable) override { tellCode(DeclGroupRef(Variable)); }

  void HandleTranslationUnit(ASTContext &Context) override {
    if (!CI.hasSema())
      return;
    Sema &S = CI.getSema();
    AttributeStore &Store = AttributeStore::get(Context);
    Store.DebugPrefixMap = CI.getCodeGenOpts().DebugPrefixMap;
    Store.BindsForDevice = Options.NumbaShims;
    for (const std::string &Config : Options.Configs)
      if (!readYamlConfig(S, Store, Config))
        return;
    // What has an error of its own would look as if it were not declared.
    if (!Context.getDiagnostics().hasErrorOccurred() && !bindByNames(S, Store))
      return;
    checkAttributes(S, Store);
    if (!Store.empty())
      addLateMarks(S, Store, CI.getASTConsumer());
    if (Options.TargetsCpu)
      refuseOnCpu(S);
    if (Store.empty() && !usesDerivativesInCode(S))
      return;
    // The parser has left the file's scope, into which Sema puts builtins that implicit members turn out to need.
    Scope File(nullptr, Scope::DeclScope, S.getDiagnostics());
    File.setEntity(Context.getTranslationUnitDecl());
    llvm::SaveAndRestore KeepScope(S.TUScope, &File);
    if (Options.DumpAttributes) {
      dumpAttributes(llvm::outs(), S, Store);
      return; // what the functions are is another dump's business
    }
    if (Context.getDiagnostics().hasErrorOccurred())
      return;
    Bindings Bindings;
    bindFunctions(S, Store, *Skipped, Bindings);
    if (Context.getDiagnostics().hasErrorOccurred())
      return;
    CustomDerivatives Custom(S, Store);
    if (!Custom.collect())
      return;
    bool PassesAreMissing = Options.Derives && CI.getCodeGenOpts().DisableLLVMPasses;
    if (Bindings.Functions.empty()) {
      if (Options.DumpJson)
        dump(Bindings, Context);
      if (!Options.Records.empty())
        writeRecords(S, Bindings);
      if (usesDerivativesInCode(S) && defineDerivativesInCode(S, Store, Custom, PassesAreMissing))
        Custom.handOver();
      return;
    }
    if (Options.TargetsCpu && CI.getCodeGenOpts().DisableLLVMPasses) {
      Diagnostics(S).error(
          Bindings.Functions.front().Location,
          "kernix's CPU target works inside LLVM's pass pipeline: it cannot be combined with -save-temps "
          "or -disable-llvm-passes; to see what is compiled, use -E, -S or -S -emit-llvm");
      return;
    }
    synthesizeDerivatives(S, Store, Custom, *Names, Bindings, PassesAreMissing);
    if (Options.NumbaShims)
      nameNumbaShims(Bindings);
    if (Options.DumpJson)
      dump(Bindings, Context);
    if (!Options.Records.empty())
      writeRecords(S, Bindings);
    if (Context.getDiagnostics().hasErrorOccurred() || !defineDerivativesInCode(S, Store, Custom, PassesAreMissing))
      return;
    bool Derives = usesDerivativesInCode(S) ||
                   llvm::any_of(Bindings.Functions, [](const BoundFunction &F) { return F.isDifferentiable(); });
    if (Derives && !Custom.handOver())
      return;
    for (BoundFunction &F : Bindings.Functions) {
      F.ForCuda = CI.getLangOpts().CUDA && !Options.TargetsCpu;
      if (Options.TargetsCpu && F.Kind == KERNIX_DEVICE_FUNCTION)
        F.DeviceThunk = deviceThunkSymbol(F, Options.Unit);
    }
    if (Options.TargetsNumba)
      synthesizeForNumba(S, Bindings);
    else if (!CI.getLangOpts().CUDAIsDevice)
      synthesizeHost(S, Bindings);
    else if (instantiateViewHooks(S, Bindings) && Options.TargetsCpu)
      synthesizeCpuDevice(S, Bindings);
  }

private:
  CompilerInstance &CI;
  const Options Options; ///< a copy: the action is gone when the file has been parsed
  std::shared_ptr<const SkippedCode> Skipped;
  std::shared_ptr<const BeComments> Comments; ///< null where they are not read
  llvm::IntrusiveRefCntPtr<DerivativeNames> Names;
  OwnFunctions Own;

  /// Before code is made: the LLVM half finds what is annotated by marks, and statements by their places. Other sources
  /// have the debug information that they ask for.
  void tellCode(DeclGroupRef Group) {
    AttributeStore &Store = AttributeStore::get(CI.getASTContext());
    if (Store.empty())
      return;
    CI.getCodeGenOpts().DebugColumnInfo = true;
    auto Tell = [&](Decl &D) {
      correctMarks(D, Store);
      keepStatementPlaces(D, Store);
    };
    for (Decl *D : Group)
      forEachDeclaration(*D, Tell);
    for (Decl *D : std::exchange(Store.Lambdas, {}))
      forEachDeclaration(*D, Tell);
  }

  bool bindByNames(Sema &S, AttributeStore &Store) const {
    if (Options.Functions)
      return bindFunctionsArgument(S, Store, *Options.Functions, Options.FunctionsElsewhere);
    return !Comments || Comments->apply(S, Store);
  }

  void nameNumbaShims(Bindings &Bindings) const {
    for (BoundFunction &F : Bindings.Functions) {
      if (F.Kind != KERNIX_DEVICE_FUNCTION)
        continue;
      F.NotInNumba = whyNotInNumba(F);
      if (F.NotInNumba.empty())
        F.NumbaShim = numbaShimSymbol(F, Options.Unit);
    }
  }

  void writeRecords(Sema &S, const Bindings &Bindings) const {
    llvm::json::Array Records;
    for (const BoundFunction &F : Bindings.Functions)
      Records.push_back(recordToJson(F));
    std::error_code Failed;
    llvm::raw_fd_ostream File(Options.Records, Failed);
    if (Failed)
      Diagnostics(S).error(SourceLocation(), "'%0' cannot be written: %1") << Options.Records << Failed.message();
    else
      File << llvm::json::Value(std::move(Records)) << "\n";
  }

  static void dump(const Bindings &Bindings, ASTContext &Context) {
    llvm::json::Array Records;
    for (const BoundFunction &F : Bindings.Functions)
      Records.push_back(recordToJson(F, Context.getSourceManager()));
    llvm::outs() << llvm::formatv("{0:2}", llvm::json::Value(std::move(Records))) << "\n";
  }
};

class KernixAction : public PluginASTAction {
  Options Options;

  ActionType getActionType() override { return AddBeforeMainAction; }

  bool ParseArgs(const CompilerInstance &CI, const std::vector<std::string> &Arguments) override {
    DiagnosticsEngine &Diags = CI.getDiagnostics();
    for (const std::string &Argument : Arguments) {
      llvm::StringRef Value = Argument;
      if (Value.consume_front("unit="))
        Options.Unit = Value.str();
      else if (Value.consume_front("records="))
        Options.Records = Value.str();
      else if (Value.consume_front("nvvm="))
        Options.Nvvm = Value.str();
      else if (Value.consume_front("config="))
        Options.Configs.push_back(Value.str());
      else if (Value.consume_front("functions="))
        Options.Functions = Value.str();
      else if (Value == "functions-elsewhere")
        Options.FunctionsElsewhere = true;
      else if (Value == "target=cpu")
        Options.TargetsCpu = true;
      else if (Value == "target=numba")
        Options.TargetsNumba = Options.NumbaShims = true;
      else if (Value == "numba-shims")
        Options.NumbaShims = true;
      else if (Value == "target=batched")
        Options.TargetsBatched = true;
      else if (Value == "dump=attributes")
        Options.DumpAttributes = true;
      else if (Value == "dump=json")
        Options.DumpJson = true;
      else if (Value == "Rkernix")
        Options.Remarks = true;
      else if (Value == "derive=off")
        Options.Derives = false;
      else if (Value == "deterministic")
        Options.IsDeterministic = true;
      else if (Value.starts_with("W"))
        Options.Warnings.push_back(Argument);
      else {
        reportUnknown(Diags, Argument);
        return false;
      }
    }
    return true;
  }

  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &CI, llvm::StringRef) override {
    beginWarningGroups(CI);
    for (const std::string &Warning : Options.Warnings)
      applyWarningArgument(CI.getDiagnostics(), Warning);
    for (const std::string &Remark : CI.getDiagnosticOpts().Remarks)
      Options.Remarks |= Remark == "kernix";
    beginAttributes(CI);
    // A source that is bound from outside does not include the header that synthesized code needs.
    if (!Options.Configs.empty() || Options.Functions)
      CI.getPreprocessor().setPredefines(CI.getPreprocessor().getPredefines() + "#include <kernix/kernix.h>\n");
    // The LLVM half finds statements and says where its errors are by their locations. This kind changes no object
    // file.
    if (CI.getCodeGenOpts().getDebugInfo() == llvm::codegenoptions::NoDebugInfo)
      CI.getCodeGenOpts().setDebugInfo(llvm::codegenoptions::LocTrackingOnly);
    bool IsDevice = CI.getLangOpts().CUDAIsDevice;
    CI.getCodeGenOpts().PassBuilderCallbacks.push_back(
        [IsDevice, Derives = Options.Derives, Cpu = Options.TargetsCpu, Numba = Options.TargetsNumba,
         Batched = Options.TargetsBatched, Nvvm = Options.Nvvm, Unit = Options.Unit,
         Deterministic = Options.IsDeterministic, Libdevice = libdevicePath(CI.getCodeGenOpts()),
         Reports = std::make_shared<BackendReports>(CI, Options.Remarks)](llvm::PassBuilder &Builder) {
          if (Derives)
            kernixAddDerivativePasses(Builder, Libdevice.c_str(), Deterministic, Reports->reporter());
          if (Cpu)
            kernixAddCpuPasses(Builder, IsDevice, Unit.c_str());
          if (Numba)
            kernixAddNumbaPasses(Builder);
          if (!Nvvm.empty())
            kernixAddNvvmFilePasses(Builder, Nvvm.c_str());
          if (Batched)
            kernixAddBatchedPasses(Builder);
        });
    return std::make_unique<Consumer>(CI, Options, SkippedCode::listenTo(CI.getPreprocessor()),
                                      Options.Functions ? nullptr : BeComments::listenTo(CI.getPreprocessor()));
  }
};

const FrontendPluginRegistry::Add<KernixAction> Registration("kernix", "binds annotated CUDA C++ functions");

} // namespace
