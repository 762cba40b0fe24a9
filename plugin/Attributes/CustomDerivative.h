//===- CustomDerivative.h - [[kernix::forward_derivative(f)]] and its three relatives -----------------------------===//
//
// The record; checks and diagnostics are in CustomDerivative.cpp.
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_ATTRIBUTES_CUSTOM_DERIVATIVE_H
#define KERNIX_ATTRIBUTES_CUSTOM_DERIVATIVE_H

#include "Attributes/Arguments.h"

namespace clang {
class NamedDecl;
}

namespace kernix {

/// forward_derivative(f), backward_derivative(f): the rule for the declaration it stands on is f.
/// forward_derivative_of(f), backward_derivative_of(f): the declaration it stands on is the rule for f.
struct CustomDerivativeAttribute : AttributeBase {
  /// Names one function, an overload set or a template (functionNameIn).
  clang::Expr *Function = nullptr;

  bool sameAs(const CustomDerivativeAttribute &Other, const clang::ASTContext &Context) const {
    return same(Function, Other.Function, Context);
  }
};

/// The DeclRefExpr, OverloadExpr or DependentScopeDeclRefExpr of such an argument, which may stand after &, in
/// parentheses and under a cast that chooses an overload.
const clang::Expr *functionNameIn(const clang::Expr *Argument);

/// The functions and function templates that the argument of such an attribute names.
llvm::SmallVector<clang::NamedDecl *, 4> functionsNamedBy(const clang::Expr *Argument);

} // namespace kernix

#endif
