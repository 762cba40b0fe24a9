//===- CpuRefused.cpp - CUDA C++ without a CPU target -----------------------------------------------------------===//

#include "Binding/CpuRefused.h"
#include "Diagnostics/Diagnostics.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Sema/Sema.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace clang;
using namespace kernix;

namespace {

class Finder : public DynamicRecursiveASTVisitor {
public:
  /// Something waits for Sema to find out whether its function is emitted.
  bool Deferred = false;

  explicit Finder(Sema &S) : S(S), IsDevice(S.getLangOpts().CUDAIsDevice) { ShouldVisitTemplateInstantiations = true; }

  bool TraverseDecl(Decl *D) override {
    // Namespaces of the standard library are reopened by users, so that each part of one is looked at.
    if (D && !isa<TranslationUnitDecl>(D) && S.getSourceManager().isInSystemHeader(D->getLocation()))
      return true;
    auto *F = dyn_cast_or_null<FunctionDecl>(D);
    llvm::SaveAndRestore Inside(Function, F ? F : Function);
    return DynamicRecursiveASTVisitor::TraverseDecl(D);
  }

  bool VisitFunctionDecl(FunctionDecl *F) override {
    if (!F->hasAttr<CUDAGlobalAttr>() || !F->isThisDeclarationADefinition() || F->isDependentContext())
      return true;
    for (const ParmVarDecl *P : F->parameters()) {
      QualType Type = P->getType();
      if (P->isInvalidDecl() || Type->isReferenceType() || Type->isIncompleteType() ||
          Type.isTriviallyCopyableType(S.Context))
        continue;
      Diagnostics(S).error(P->getLocation(),
                           "%0 of type %1 is not trivially copyable: the CPU target cannot pass it to a kernel")
          << P << Type;
    }
    return true;
  }

  bool VisitGCCAsmStmt(GCCAsmStmt *Asm) override {
    if (Function && !Function->isDependentContext() && !Asm->getAsmString().empty())
      defer(Asm->getAsmLoc(), "inline assembly of CUDA has no CPU target; guard it with #ifndef __KERNIX_CPU__");
    return true;
  }

  /// The passes that split them come after those that look into kernels.
  bool VisitCoroutineBodyStmt(CoroutineBodyStmt *Body) override {
    if (Function && !Function->isDependentContext())
      defer(Function->getLocation(), "a coroutine has no CPU target in device code; write it as a "
                                     "function or as a loop");
    return true;
  }

  bool VisitDeclRefExpr(DeclRefExpr *Reference) override {
    const auto *Variable = dyn_cast<VarDecl>(Reference->getDecl());
    if (!Function || Function->isDependentContext() || !Variable || !Variable->hasExternalStorage() ||
        Variable->hasAttr<CUDASharedAttr>() || !Variable->getType()->isIncompleteArrayType() ||
        !(Variable->hasAttr<CUDADeviceAttr>() || Variable->hasAttr<CUDAConstantAttr>()))
      return true;
    defer(Reference->getLocation(), "the size of this array is not known here, and without it the CPU target takes it "
                                    "for dynamic shared memory; declare the size");
    return true;
  }

private:
  Sema &S;
  const bool IsDevice;
  const FunctionDecl *Function = nullptr;

  /// Reported with the chain of callers if the function is emitted.
  void defer(SourceLocation Location, llvm::StringRef Message) {
    if (!IsDevice)
      return;
    unsigned Id = S.getDiagnostics().getDiagnosticIDs()->getCustomDiagID(DiagnosticIDs::Error, Message);
    S.DeviceDeferredDiags[Function->getCanonicalDecl()].push_back({Location, S.PDiag(Id)});
    Deferred = true;
  }
};

} // namespace

void kernix::refuseOnCpu(Sema &S) {
  if (!S.getLangOpts().CUDA || S.getDiagnostics().hasErrorOccurred())
    return;
  Finder Finder(S);
  Finder.TraverseDecl(S.Context.getTranslationUnitDecl());
  if (Finder.Deferred)
    S.emitDeferredDiags();
}
