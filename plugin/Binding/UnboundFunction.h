//===- UnboundFunction.h - records of functions that only derivatives need -----------------------------*- C++ -*-===//
//
// bwd_diff<f>, fwd_diff<f> and custom rules are about functions that need not be bound: their records know what a
// derivative needs, and nothing of callers.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_BINDING_UNBOUNDFUNCTION_H
#define KERNIX_BINDING_UNBOUNDFUNCTION_H

#include "Attributes/AttributeStore.h"
#include "Binding/BoundFunction.h"
#include "clang/Sema/Sema.h"

namespace kernix {

/// The record of `F` for its derivatives, with roles assigned. `Location`: where the derivative is asked for. Nothing
/// after an error.
std::optional<BoundFunction> unboundFunction(clang::Sema &S, AttributeStore &Store, const clang::FunctionDecl *F,
                                             clang::SourceLocation Location);

/// What the object of a member function is to its rule.
enum class ObjectOfRule {
  Member,   ///< the rule is a member too, and the object knows itself where its gradients are
  Parameter ///< the rule's first parameter, followed by its gradient
};
/// The same of a function with a rule. The object of a member function is its first parameter, `self`.
std::optional<BoundFunction> functionWithRule(clang::Sema &S, AttributeStore &Store, const clang::FunctionDecl *F,
                                              clang::SourceLocation Location, ObjectOfRule Object);
/// The class whose member F is called on; null if F needs no object.
const clang::CXXMethodDecl *memberWithObject(const clang::FunctionDecl *F);

} // namespace kernix

#endif // KERNIX_BINDING_UNBOUNDFUNCTION_H
