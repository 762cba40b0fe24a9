//===- CustomDerivative.cpp - forward_derivative, backward_derivative and their _of forms -------------------------===//
//
// Syntax, subject and diagnostics. Whether the rule has the right type is checked where derivatives are declared.
//
//===--------------------------------------------------------------------------------------------------------------===//

#include "Attributes/CustomDerivative.h"
#include "Attributes/Attribute.h"
#include "Attributes/BuiltinCalls.h"
#include "Attributes/Effect.h"
#include "clang/AST/Attr.h"
#include "clang/AST/ExprCXX.h"

using namespace clang;

namespace kernix {

static bool hasValueArguments(const Expr &Argument);
namespace {

class CustomDerivative : public Attribute {
public:
  using Slot = std::optional<CustomDerivativeAttribute> DeclAttributes::*;

  CustomDerivative(const char *Name, Slot Member) : Attribute(Name, OnFunction | OnVariable), Member(Member) {}

  const AttributeBase *find(const DeclAttributes &Attributes) const override {
    return Attributes.*Member ? &*(Attributes.*Member) : nullptr;
  }

  void check(Sema &S, const FinishedSubject &Subject) const override {
    if (Subject.All->NoDiff)
      refuseBoth(S, *find(*Subject.Own), name(), *Subject.All->NoDiff, "no_diff");
    else if (Subject.Function && Subject.Function->hasAttr<CUDAGlobalAttr>())
      warnUnlessBound(S, Subject, *find(*Subject.Own), name()); // no code that is differentiated calls a kernel
    checkCalls(S, Subject);
  }

protected:
  bool apply(WrittenArguments &Arguments, DeclAttributes &Record) const override {
    if (!Arguments.count(1, 1))
      return false;
    CustomDerivativeAttribute New;
    New.Function = Arguments.function(0);
    if (New.Function && hasValueArguments(*New.Function)) {
      Diagnostics(Arguments.sema())
              .error(Arguments.location(0),
                     "'kernix::%0' takes no template arguments that are values: the arguments of "
                     "a derivative are found by its type; name a function that passes them on")
          << name() << Arguments.range(0);
      return false;
    }
    return New.Function && setOnce(Arguments, Record.*Member, std::move(New));
  }

  const CustomDerivativeAttribute &own(const FinishedSubject &Subject) const { return *(Subject.Own->*Member); }

  Slot Member;

private:
  /// That calls of the function with the rule are calls.
  virtual void checkCalls(Sema &S, const FinishedSubject &Subject) const {
    if (!Subject.Function || !Subject.Function->getBuiltinID())
      return;
    Diagnostics(S).error(own(Subject).location(), "calls of %0 are instructions here: write [[kernix::%1_of(%2)]] on "
                                                  "the rule, above the calls")
        << Subject.Function << name() << Subject.Function->getName() << own(Subject).Range;
  }
};

class CustomDerivativeOf : public CustomDerivative {
protected:
  using CustomDerivative::CustomDerivative;

  bool apply(WrittenArguments &Arguments, DeclAttributes &Record) const final {
    if (!CustomDerivative::apply(Arguments, Record))
      return false;
    for (NamedDecl *D : functionsNamedBy((Record.*Member)->Function)) {
      auto *F = dyn_cast<FunctionDecl>(D);
      if (!F || keepCalls(*F))
        continue;
      Diagnostics(Arguments.sema())
              .error(Arguments.location(0), "calls of %0 are instructions, which have no "
                                            "derivative of their own: write it for a function that calls %0")
          << F << Arguments.range(0);
      return false;
    }
    return true;
  }

private:
  void checkCalls(Sema &S, const FinishedSubject &Subject) const final {
    const CustomDerivativeAttribute &Own = own(Subject);
    for (const NamedDecl *D : functionsNamedBy(Own.Function)) {
      const auto *F = dyn_cast<FunctionDecl>(D);
      const CallExpr *Call = F ? callCompiledBefore(*F, Own.location()) : nullptr;
      if (!Call)
        continue;
      Diagnostics(S).error(Own.location(), "%0 has been called without its derivative: declare it above the calls")
          << F << Own.Range;
      Diagnostics(S).note(Call->getBeginLoc(), "this call is an instruction already") << Call->getSourceRange();
    }
  }
};

struct ForwardDerivative : CustomDerivative {
  ForwardDerivative() : CustomDerivative("forward_derivative", &DeclAttributes::ForwardDerivative) {}
};
struct BackwardDerivative : CustomDerivative {
  BackwardDerivative() : CustomDerivative("backward_derivative", &DeclAttributes::BackwardDerivative) {}
};
struct ForwardDerivativeOf : CustomDerivativeOf {
  ForwardDerivativeOf() : CustomDerivativeOf("forward_derivative_of", &DeclAttributes::ForwardDerivativeOf) {}
};
struct BackwardDerivativeOf : CustomDerivativeOf {
  BackwardDerivativeOf() : CustomDerivativeOf("backward_derivative_of", &DeclAttributes::BackwardDerivativeOf) {}
};

ParsedAttrInfoRegistry::Add<ForwardDerivative> RegisterForward("kernix-forward_derivative", "");
ParsedAttrInfoRegistry::Add<BackwardDerivative> RegisterBackward("kernix-backward_derivative", "");
ParsedAttrInfoRegistry::Add<ForwardDerivativeOf> RegisterForwardOf("kernix-forward_derivative_of", "");
ParsedAttrInfoRegistry::Add<BackwardDerivativeOf> RegisterBackwardOf("kernix-backward_derivative_of", "");

} // namespace

/// `rule<3>`, `&rule<T, true>`.
static bool hasValueArguments(const Expr &Argument) {
  const Expr *Named = functionNameIn(&Argument);
  auto HasValue = [](llvm::ArrayRef<TemplateArgumentLoc> Written) {
    return llvm::any_of(
        Written, [](const TemplateArgumentLoc &A) { return A.getArgument().getKind() != TemplateArgument::Type; });
  };
  if (const auto *Reference = dyn_cast<DeclRefExpr>(Named))
    return HasValue(Reference->template_arguments());
  const auto *Overloads = dyn_cast<OverloadExpr>(Named);
  return Overloads && HasValue(Overloads->template_arguments());
}

const Expr *functionNameIn(const Expr *Argument) {
  Argument = Argument->IgnoreParenCasts();
  if (const auto *Address = dyn_cast<UnaryOperator>(Argument); Address && Address->getOpcode() == UO_AddrOf)
    Argument = Address->getSubExpr()->IgnoreParens();
  return Argument;
}

/// The members that `C<T>::name` has where nothing is known of T, which is everywhere but inside of C.
static DeclContext::lookup_result membersNamedBy(const DependentScopeDeclRefExpr &Named) {
  NestedNameSpecifier Scope = Named.getQualifier();
  if (Scope.getKind() != NestedNameSpecifier::Kind::Type)
    return {};
  const CXXRecordDecl *Class = Scope.getAsRecordDecl();
  if (const auto *Written = Scope.getAsType()->getAs<TemplateSpecializationType>(); Written && !Class)
    if (const auto *Template = dyn_cast_or_null<ClassTemplateDecl>(Written->getTemplateName().getAsTemplateDecl()))
      Class = Template->getTemplatedDecl();
  return Class ? Class->lookup(Named.getDeclName()) : DeclContext::lookup_result();
}

llvm::SmallVector<NamedDecl *, 4> functionsNamedBy(const Expr *Argument) {
  Argument = functionNameIn(Argument);
  llvm::SmallVector<NamedDecl *, 4> Result;
  if (const auto *Reference = dyn_cast<DeclRefExpr>(Argument))
    Result.push_back(const_cast<ValueDecl *>(Reference->getDecl()));
  else if (const auto *Overloads = dyn_cast<OverloadExpr>(Argument))
    for (NamedDecl *D : Overloads->decls())
      Result.push_back(D->getUnderlyingDecl());
  else if (const auto *Dependent = dyn_cast<DependentScopeDeclRefExpr>(Argument))
    for (NamedDecl *D : membersNamedBy(*Dependent))
      Result.push_back(D->getUnderlyingDecl());
  return Result;
}

} // namespace kernix
