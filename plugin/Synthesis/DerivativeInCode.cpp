//===- DerivativeInCode.cpp - what bwd_diff and fwd_diff call ---------------------------------------------------===//

#include "Synthesis/DerivativeInCode.h"
#include "Binding/UnboundFunction.h"
#include "Diagnostics/Diagnostics.h"
#include "Synthesis/DerivativeBody.h"
#include "clang/AST/DeclTemplate.h"

using namespace clang;
using namespace kernix;

namespace {

class CodeDerivatives {
public:
  CodeDerivatives(Sema &S, AttributeStore &Store, const CustomDerivatives &Custom, bool PassesDisabled)
      : S(S), Store(Store), Custom(Custom), PassesDisabled(PassesDisabled) {}

  bool define(ClassTemplateSpecializationDecl *Instance, kernix_derivative Mode) {
    FunctionDecl *Call = memberCall(Instance);
    if (!Call || !Call->isUsed(false))
      return true;
    const FunctionDecl *F = functionOf(Instance);
    if (!F || !hasBodyInThisPass(S, *F))
      return true;
    SourceLocation Loc = placeOfUse(Instance, F, Mode);
    AstBuilder B(S, Loc);
    Call->setImplicitlyInline();
    if (FunctionDecl *Rule = Custom.ruleFor(F, Mode))
      return B.define(Call, [&](llvm::ArrayRef<ParmVarDecl *> P) {
        llvm::SmallVector<Expr *, 16> Arguments;
        for (ParmVarDecl *Parameter : P)
          Arguments.push_back(B.forward(Parameter));
        return B.call(Rule, Arguments);
      });
    if (PassesDisabled) {
      refuseWithoutPasses(S, Loc);
      return false;
    }
    if (!F->isDefined()) {
      Diagnostics(S).error(Loc, "the derivative of %0 is asked for, but its body is not visible") << F;
      Diagnostics(S).note(F->getLocation(), "define it in this file, or give it a [[kernix::%0_derivative(...)]]")
          << modeName(Mode);
      return false;
    }
    std::optional<BoundFunction> Record = unboundFunction(S, Store, F, Loc);
    std::optional<std::vector<DerivativeParameter>> Parameters =
        Record ? derivativeParameters(S, *Record, Mode) : std::nullopt;
    if (!Parameters || !checkSignature(*Call, *Parameters, Loc))
      return false;
    return defineDerivative(B, Store, *Record, Mode, Call, *Parameters, /*Facts=*/nullptr);
  }

private:
  Sema &S;
  AttributeStore &Store;
  const CustomDerivatives &Custom;
  bool PassesDisabled;

  static FunctionDecl *memberCall(ClassTemplateSpecializationDecl *Instance) {
    for (Decl *Member : Instance->decls())
      if (auto *Method = dyn_cast<CXXMethodDecl>(Member);
          Method && Method->getDeclName().isIdentifier() && Method->getName() == "call")
        return Method;
    return nullptr;
  }

  static const FunctionDecl *functionOf(const ClassTemplateSpecializationDecl *Instance) {
    const TemplateArgument &Argument = Instance->getTemplateArgs()[0];
    if (Argument.getKind() != TemplateArgument::Declaration)
      return nullptr;
    return dyn_cast<FunctionDecl>(Argument.getAsDecl());
  }

  /// Where a user wrote bwd_diff<F>: our own header asks for the instance.
  SourceLocation placeOfUse(const ClassTemplateSpecializationDecl *Instance, const FunctionDecl *F,
                            kernix_derivative Mode) {
    AstBuilder B(S, Instance->getPointOfInstantiation());
    if (FunctionTemplateDecl *Template =
            B.kernixFunctionTemplate(Mode == KERNIX_FORWARD_DERIVATIVE ? "fwd_diff" : "bwd_diff"))
      for (const FunctionDecl *Use : Template->specializations()) {
        const TemplateArgument &Argument = Use->getTemplateSpecializationArgs()->get(0);
        if (Argument.getKind() == TemplateArgument::Declaration && declaresSameEntity(Argument.getAsDecl(), F))
          return Use->getPointOfInstantiation();
      }
    return Instance->getPointOfInstantiation();
  }

  /// Header and plugin have the same rule of what a signature is; a header of another version has another.
  bool checkSignature(const FunctionDecl &Call, llvm::ArrayRef<DerivativeParameter> Parameters, SourceLocation Loc) {
    bool Same = Call.getNumParams() == Parameters.size();
    for (unsigned I = 0; Same && I < Call.getNumParams(); ++I)
      Same = S.getASTContext().hasSameUnqualifiedType(Call.getParamDecl(I)->getType(), Parameters[I].Type);
    if (!Same)
      Diagnostics(S).error(Loc, "<kernix/derivative.h> does not belong to this plugin");
    return Same;
  }
};

} // namespace

bool kernix::usesDerivativesInCode(Sema &S) {
  AstBuilder B(S, SourceLocation());
  return !B.detailInstances("ForwardCall").empty() || !B.detailInstances("ReverseCall").empty();
}

bool kernix::defineDerivativesInCode(Sema &S, AttributeStore &Store, const CustomDerivatives &Custom,
                                     bool PassesDisabled) {
  AstBuilder B(S, SourceLocation());
  CodeDerivatives Definer(S, Store, Custom, PassesDisabled);
  bool Ok = true;
  for (ClassTemplateSpecializationDecl *Instance : B.detailInstances("ForwardCall"))
    Ok &= Definer.define(Instance, KERNIX_FORWARD_DERIVATIVE);
  for (ClassTemplateSpecializationDecl *Instance : B.detailInstances("ReverseCall"))
    Ok &= Definer.define(Instance, KERNIX_BACKWARD_DERIVATIVE);
  return Ok;
}
