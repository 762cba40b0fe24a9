//===- UsesOnlyX.cpp - kernels that look at one axis only -------------------------------------------------------===//

#include "Binding/UsesOnlyX.h"
#include "Binding/SkippedCode.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/DenseSet.h"

using namespace clang;
using namespace kernix;

namespace {

bool isGeometryName(llvm::StringRef Name) {
  return Name == "threadIdx" || Name == "blockIdx" || Name == "blockDim" || Name == "gridDim";
}

/// Looks for y and z of the built-in variables, and for those variables used whole.
class GeometryFinder : public DynamicRecursiveASTVisitor {
public:
  bool OnlyX = true;

  explicit GeometryFinder(const SkippedCode &Skipped) : Skipped(Skipped) {
    ShouldVisitLambdaBody = true;
    ShouldVisitImplicitCode = true;
  }

  void visitFunction(const FunctionDecl *F) {
    const FunctionDecl *Definition = nullptr;
    if (!F->hasBody(Definition)) {
      visitUnseen(F);
      return;
    }
    if (!Visited.insert(Definition).second)
      return;
    if (Skipped.mentions(Definition, isGeometryName)) {
      OnlyX = false;
      return;
    }
    if (const auto *Constructor = dyn_cast<CXXConstructorDecl>(Definition))
      for (const CXXCtorInitializer *Initializer : Constructor->inits())
        TraverseStmt(Initializer->getInit());
    TraverseStmt(Definition->getBody());
  }

  bool VisitMemberExpr(MemberExpr *Member) override {
    visitMember(Member->getBase(), Member->getMemberNameInfo().getAsString());
    return OnlyX;
  }

  bool VisitMSPropertyRefExpr(MSPropertyRefExpr *Member) override {
    visitMember(Member->getBaseExpr(), Member->getPropertyDecl()->getNameAsString());
    return OnlyX;
  }

  bool VisitDeclRefExpr(DeclRefExpr *Reference) override {
    if (isGeometry(Reference) && !UnderMember.contains(Reference))
      OnlyX = false;
    return OnlyX;
  }

  bool VisitCallExpr(CallExpr *Call) override {
    const FunctionDecl *Callee = Call->getDirectCallee();
    if (!Callee)
      OnlyX = false; // whatever it calls
    else if (!isFetch(Callee))
      visitFunction(Callee);
    return OnlyX;
  }

  bool VisitCXXConstructExpr(CXXConstructExpr *Construct) override {
    if (Construct->getConstructor()->isUserProvided())
      visitFunction(Construct->getConstructor());
    return OnlyX;
  }

  bool VisitGCCAsmStmt(GCCAsmStmt *Asm) override {
    std::string Text = Asm->getAsmString();
    for (llvm::StringRef Special : {"tid.y", "tid.z", "ctaid.y", "ctaid.z"}) // ntid and nctaid end in these too
      if (llvm::StringRef(Text).contains(Special))
        OnlyX = false;
    return OnlyX;
  }

private:
  const SkippedCode &Skipped;
  llvm::DenseSet<const FunctionDecl *> Visited;
  llvm::DenseSet<const Expr *> UnderMember;

  /// A function without a body here. Those of the compiler and of system headers are mathematics, except for the
  /// registers themselves; one of the user's may look at anything.
  void visitUnseen(const FunctionDecl *F) {
    if (F->getBuiltinID()) {
      llvm::StringRef Name = F->getIdentifier() ? F->getName() : "";
      if (Name.contains("ptx_sreg") && (Name.ends_with("_y") || Name.ends_with("_z")))
        OnlyX = false;
      return;
    }
    if (!F->isImplicit() && !F->isDefaulted() &&
        !F->getASTContext().getSourceManager().isInSystemHeader(F->getLocation()))
      OnlyX = false;
  }

  /// Looks through what a property access puts around its object.
  static const Expr *written(const Expr *E) {
    E = E->IgnoreParenImpCasts();
    while (const auto *Opaque = dyn_cast<OpaqueValueExpr>(E))
      E = Opaque->getSourceExpr()->IgnoreParenImpCasts();
    return E;
  }

  static bool isGeometry(const Expr *E) {
    const auto *Reference = dyn_cast<DeclRefExpr>(E);
    if (!Reference || !Reference->getDecl()->getIdentifier())
      return false;
    return isGeometryName(Reference->getDecl()->getName()) &&
           Reference->getDecl()->getDeclContext()->getRedeclContext()->isTranslationUnit();
  }

  /// The getters behind threadIdx.x: the member that names them is looked at instead.
  static bool isFetch(const FunctionDecl *F) {
    return F->getIdentifier() &&
           (F->getName().starts_with("__fetch_builtin_") || F->getName().starts_with("kernix_cpu_"));
  }

  void visitMember(const Expr *Base, StringRef Name) {
    const Expr *Variable = written(Base);
    if (!isGeometry(Variable))
      return;
    UnderMember.insert(Variable);
    if (Name != "x" && !Name.ends_with("_x")) // the member or its getter
      OnlyX = false;                          // y, z, or the conversion to dim3
  }
};

} // namespace

bool kernix::usesOnlyX(const FunctionDecl *Kernel, const SkippedCode &Skipped) {
  GeometryFinder Finder(Skipped);
  Finder.visitFunction(Kernel);
  return Finder.OnlyX;
}
