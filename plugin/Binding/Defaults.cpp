//===- Defaults.cpp - constant default arguments ----------------------------------------------------------------===//

#include "Binding/Defaults.h"
#include "Binding/StructDefaults.h"
#include "Diagnostics/Diagnostics.h"
#include "clang/AST/ExprCXX.h"

using namespace clang;
using namespace kernix;

namespace {

/// The expression of the default argument, template arguments put in; null if there is none.
Expr *defaultArgument(Sema &S, const FunctionDecl *F, const ParmVarDecl *Written) {
  // Later declarations inherit defaults of earlier ones, never the other way round.
  const FunctionDecl *Latest = F->getMostRecentDecl();
  auto *P = const_cast<ParmVarDecl *>(Latest->getParamDecl(Written->getFunctionScopeIndex()));
  if (P->hasUninstantiatedDefaultArg() &&
      S.InstantiateDefaultArgument(P->getLocation(), const_cast<FunctionDecl *>(Latest), P))
    return nullptr;
  if (!P->hasDefaultArg() || P->hasUnparsedDefaultArg() || P->hasUninstantiatedDefaultArg())
    return nullptr;
  return P->getDefaultArg();
}

bool readString(ASTContext &Context, const Expr *E, DefaultValue &Default) {
  E = E->IgnoreImplicit()->IgnoreParenCasts();
  if (const auto *Construct = dyn_cast<CXXConstructExpr>(E)) {
    if (Construct->getNumArgs() == 0) {
      Default.Text = "";
      return true;
    }
    return readString(Context, Construct->getArg(0), Default);
  }
  Expr::EvalResult Result;
  if (const auto *Literal = dyn_cast<StringLiteral>(E); Literal && Literal->isOrdinary()) {
    Default.Text = Literal->getString().str();
    return true;
  }
  return false;
}

bool isNull(ASTContext &Context, Expr *E) {
  return E->isNullPointerConstant(Context, Expr::NPC_ValueDependentIsNotNull) != Expr::NPCK_NotNull;
}

bool readValue(ASTContext &Context, Expr *E, Parameter &P, DefaultValue &Default) {
  Expr::EvalResult Result;
  switch (P.Passing) {
  case KERNIX_PASS_C_STRING:
    P.Optional = isNull(Context, E);
    return P.Optional || readString(Context, E, Default);
  case KERNIX_PASS_STRING_VIEW:
    return readString(Context, E, Default);
  case KERNIX_PASS_STRUCT:
    return readStructDefault(Context, E, P, Default);
  case KERNIX_PASS_SCALAR:
    return (E->EvaluateAsRValue(Result, Context) && readConstant(Result.Val, P.Element.Dtype, Default)) ||
           (P.Element.Dtype.bits == 16 && readHalf(Context, E, Default));
  default:
    return false;
  }
}

} // namespace

void kernix::readDefault(Sema &S, const FunctionDecl *F, Parameter &P) {
  ASTContext &Context = S.getASTContext();
  Expr *Argument = defaultArgument(S, F, P.Decl);
  if (!Argument || P.Passing == KERNIX_PASS_STREAM || Argument->isValueDependent())
    return;
  if (P.isTensor()) {
    const auto *Construct = dyn_cast<CXXConstructExpr>(Argument->IgnoreImplicit());
    if (isNull(Context, Argument) || (Construct && Construct->getNumArgs() == 0) ||
        isa<InitListExpr>(Argument->IgnoreImplicit())) {
      P.Optional = true;
      return;
    }
  }
  DefaultValue Default;
  if (readValue(Context, Argument, P, Default)) {
    P.Default = std::move(Default);
    return;
  }
  P.HasUnknownDefault = true;
  Diagnostics(S).warning(WarningGroup::NoEffect, Argument->getExprLoc(),
                         "the default argument of %0 is not a constant that kernix can record; callers of the bound "
                         "function have to give a value")
      << P.Decl << Argument->getSourceRange();
}
