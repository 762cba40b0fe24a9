//===- DerivativeDeclaration.cpp - the declaration of f_fwd or f_bwd --------------------------------------------===//

#include "Synthesis/DerivativeDeclaration.h"
#include "Diagnostics/Diagnostics.h"
#include "clang/AST/DeclCXX.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"

using namespace clang;
using namespace kernix;

namespace {

class Declarer {
public:
  Declarer(Sema &S, const BoundFunction &F, kernix_derivative Mode)
      : S(S), Context(S.getASTContext()), F(F), Mode(Mode) {}

  FunctionDecl *declare(llvm::ArrayRef<DerivativeParameter> Parameters, FunctionDecl *Earlier) {
    SourceLocation Loc = F.Location;
    auto *Scope = const_cast<DeclContext *>(F.Decl->getDeclContext());
    llvm::SmallVector<QualType, 16> Types = declaredTypes(Parameters);
    QualType ResultType = derivativeResult(S, F, Mode);
    if (ResultType.isNull())
      return nullptr;
    QualType Type = Context.getFunctionType(ResultType, Types, FunctionProtoType::ExtProtoInfo());
    DeclarationName Name(&Context.Idents.get(declaredName()));
    if (Earlier && Context.hasSameType(Earlier->getType(), Type))
      return Earlier;
    if (Earlier && Earlier->isReferenced())
      return refuseOther(*Earlier, Type, Parameters);
    if (Earlier) // with its namespace, for code that did not come
      Scope->removeDecl(Earlier);
    if (!checkNameIsFree(Scope, Name, Type))
      return nullptr;
    FunctionDecl *Decl = create(Scope, {Name, Loc}, Type);
    Decl->setImplicit();
    // Several files may have the same instance of a template, as they may have the same inline function.
    if (F.Decl->isInlined() || F.Decl->isTemplateInstantiation())
      Decl->setImplicitlyInline();
    llvm::SmallVector<ParmVarDecl *, 16> Declared;
    for (const DerivativeParameter &P : Parameters) {
      if (P.IsCarried)
        continue;
      auto *Parameter = ParmVarDecl::Create(Context, Decl, Loc, Loc, &Context.Idents.get(P.Name), P.Type,
                                            Context.getTrivialTypeSourceInfo(P.Type, Loc), SC_None, nullptr);
      Parameter->setScopeInfo(0, static_cast<unsigned>(Declared.size()));
      Parameter->setIsUsed();
      Declared.push_back(Parameter);
    }
    Decl->setParams(Declared);
    copyAttributes(*Decl);
    Decl->setWillHaveBody();
    Scope->addDecl(Decl);
    return Decl;
  }

private:
  Sema &S;
  ASTContext &Context;
  const BoundFunction &F;
  kernix_derivative Mode;

  /// The derivative of a static member is one, too.
  FunctionDecl *create(DeclContext *Scope, DeclarationNameInfo Name, QualType Type) {
    TypeSourceInfo *Info = Context.getTrivialTypeSourceInfo(Type, Name.getLoc());
    auto *Class = dyn_cast<CXXRecordDecl>(Scope);
    if (!Class)
      return FunctionDecl::Create(Context, Scope, Name.getLoc(), Name.getLoc(), Name.getName(), Type, Info,
                                  F.Decl->getStorageClass());
    auto *Member =
        CXXMethodDecl::Create(Context, Class, Name.getLoc(), Name, Type, Info, SC_Static,
                              /*UsesFPIntrin=*/false, /*isInline=*/true, ConstexprSpecKind::Unspecified, Name.getLoc());
    Member->setAccess(F.Decl->getAccess());
    return Member;
  }

  /// The name of a derivative in C++. Instances of a template would differ in nothing but their parameters, and maybe
  /// not in those.
  std::string declaredName() const {
    std::string Name = F.Decl->getNameAsString() + suffix(Mode).str();
    if (F.Decl->getTemplateSpecializationArgs())
      Name += "_" + llvm::utohexstr(llvm::xxh3_64bits(F.MangledName), /*LowerCase=*/true);
    return Name;
  }

  void copyAttributes(FunctionDecl &Decl) {
    if (F.Decl->hasAttr<CUDAGlobalAttr>())
      Decl.addAttr(CUDAGlobalAttr::CreateImplicit(Context));
    if (F.Decl->hasAttr<CUDADeviceAttr>())
      Decl.addAttr(CUDADeviceAttr::CreateImplicit(Context));
    if (F.Decl->hasAttr<CUDAHostAttr>())
      Decl.addAttr(CUDAHostAttr::CreateImplicit(Context));
    // How many blocks fit on a multiprocessor says nothing about a derivative, how many threads there are at most does.
    if (const auto *Bounds = F.Decl->getAttr<CUDALaunchBoundsAttr>())
      Decl.addAttr(CUDALaunchBoundsAttr::CreateImplicit(Context, Bounds->getMaxThreads(), nullptr, nullptr));
    Decl.addAttr(UsedAttr::CreateImplicit(Context));
    Decl.setIsUsed();
  }

  bool checkNameIsFree(DeclContext *Scope, DeclarationName Name, QualType Type) {
    for (const NamedDecl *Other : Scope->getRedeclContext()->lookup(Name)) {
      const auto *Function = dyn_cast<FunctionDecl>(Other);
      if (Function && !Context.hasSameType(Function->getType(), Type))
        continue; // an overload
      if (Function && Function->isImplicit()) {
        Diagnostics(S).error(F.Location, "%0 is bound under two names, and differentiable under both; let one of them "
                                         "be")
            << F.Decl;
        Diagnostics(S).note(Function->getLocation(), "its %0 derivative is declared here") << modeName(Mode);
        return false;
      }
      Diagnostics(S).error(F.Location, "%0 is declared for the %1 derivative of %2, but there is such a declaration")
          << Name << modeName(Mode) << F.Decl;
      Diagnostics(S).note(Other->getLocation(), "declared here; give it another name, or name it as the derivative "
                                                "with [[kernix::%0_derivative(%1)]]")
          << modeName(Mode) << Name.getAsString();
      return false;
    }
    return true;
  }

  /// Code has named the derivative, and then the function was declared again with other attributes, or a template was
  /// instantiated that it calls.
  FunctionDecl *refuseOther(const FunctionDecl &Earlier, QualType Type,
                            llvm::ArrayRef<DerivativeParameter> Parameters) {
    Diagnostics Diag(S);
    Diag.error(F.Location, "%0 was used as %1 before attributes of %2, or templates that it calls, made it %3")
        << &Earlier << Earlier.getType() << F.Decl << Type;
    const auto *Declared = Earlier.parameters().begin();
    for (const DerivativeParameter &P : Parameters) {
      if (P.IsCarried)
        continue;
      if (Declared == Earlier.parameters().end())
        break;
      bool Differs = !Context.hasSameType((*Declared++)->getType(), P.Type);
      if (!Differs || !P.IsShadow || P.Primal < 0)
        continue;
      const Parameter &Primal = F.Parameters[P.Primal];
      if (Primal.Access == KERNIX_ACCESS_OUT || Primal.Access == KERNIX_ACCESS_INOUT)
        Diag.note(Primal.Decl->getLocation(), "[[kernix::intent(%0)]] on '%1' says it in time")
            << (Primal.Access == KERNIX_ACCESS_OUT ? "out_ptr" : "inout_ptr") << Primal.Name;
      break;
    }
    return nullptr;
  }
};

} // namespace

FunctionDecl *kernix::declareDerivative(Sema &S, const BoundFunction &F, kernix_derivative Mode,
                                        llvm::ArrayRef<DerivativeParameter> Parameters, FunctionDecl *Earlier) {
  return Declarer(S, F, Mode).declare(Parameters, Earlier);
}
