//===- BoundVariable.cpp - [[kernix::bind]] constexpr auto v = &f -------------------------------------------------===//
//
// Finds the function that a constexpr function pointer points to.
//
//===--------------------------------------------------------------------------------------------------------------===//

#include "Attributes/BoundVariable.h"
#include "clang/AST/APValue.h"
#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"

using namespace clang;

namespace kernix {

const FunctionDecl *functionOf(const VarDecl &Variable) {
  const VarDecl *Definition = nullptr;
  const Expr *Initializer = Variable.getAnyInitializer(Definition);
  if (!Initializer || Definition->isInvalidDecl() || Initializer->isValueDependent() ||
      !Definition->getType()->isFunctionPointerType())
    return nullptr;
  const APValue *Value = Definition->evaluateValue();
  if (!Value || !Value->isLValue() || Value->isNullPointer())
    return nullptr;
  const auto *Target = Value->getLValueBase().dyn_cast<const ValueDecl *>();
  return dyn_cast_or_null<FunctionDecl>(Target);
}

} // namespace kernix
