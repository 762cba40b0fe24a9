//===- Arguments.cpp - typed arguments of attributes --------------------------------------------------------------===//
//
// Where a byte of a string was written, and what an integer is worth in an instantiation.
//
//===--------------------------------------------------------------------------------------------------------------===//

#include "Attributes/Arguments.h"
#include "Diagnostics/Diagnostics.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Expr.h"
#include "clang/Sema/EnterExpressionEvaluationContext.h"
#include "clang/Sema/Sema.h"
#include "clang/Sema/Template.h"

using namespace clang;

namespace kernix {

SourceLocation StringArgument::locationOf(size_t Byte, const ASTContext &Context) const {
  if (Literal)
    return Literal->getLocationOfByte(std::min(Byte, Text.size()), Context.getSourceManager(), Context.getLangOpts(),
                                      Context.getTargetInfo());
  if (ByteOffsets.empty())
    return location();
  return location().getLocWithOffset(ByteOffsets[std::min(Byte, ByteOffsets.size() - 1)]);
}

std::optional<int64_t> evaluate(Sema &S, Expr *Constant, int64_t Least, llvm::StringRef AttributeName) {
  llvm::APSInt Value;
  if (S.VerifyIntegerConstantExpression(Constant, &Value, AllowFoldKind::Allow).isInvalid())
    return std::nullopt;
  Diagnostics Diag(S);
  if (!Value.isRepresentableByInt64()) {
    Diag.error(Constant->getExprLoc(), "'kernix::%0' needs a 64-bit integer")
        << AttributeName << Constant->getSourceRange();
    return std::nullopt;
  }
  if (Value.getExtValue() >= Least)
    return Value.getExtValue();
  Diag.error(Constant->getExprLoc(), "'kernix::%0' needs an integer of at least %1, not %2")
      << AttributeName << std::to_string(Least) << std::to_string(Value.getExtValue()) << Constant->getSourceRange();
  return std::nullopt;
}

std::optional<int64_t> IntegerArgument::valueIn(Sema &S, const FunctionDecl *Function) const {
  if (Value || !Written)
    return Value;
  auto *Instance = const_cast<FunctionDecl *>(Function);
  MultiLevelTemplateArgumentList Arguments = S.getTemplateInstantiationArgs(Instance);
  Sema::InstantiatingTemplate Context(S, location(), Instance);
  if (Context.isInvalid())
    return std::nullopt;
  EnterExpressionEvaluationContext Evaluation(S, Sema::ExpressionEvaluationContext::ConstantEvaluated);
  ExprResult Result = S.SubstExpr(Written, Arguments);
  if (Result.isInvalid() || Result.get()->isValueDependent())
    return std::nullopt;
  return evaluate(S, Result.get(), Least, AttributeName);
}

bool same(const StringArgument &A, const StringArgument &B, const ASTContext &) { return A.Text == B.Text; }

bool same(const IntegerArgument &A, const IntegerArgument &B, const ASTContext &Context) {
  if (A.Value || B.Value)
    return A.Value == B.Value;
  return same(A.Written, B.Written, Context);
}

bool same(const ExtentArgument &A, const ExtentArgument &B, const ASTContext &Context) {
  return same(A.Integer, B.Integer, Context) && same(A.Expression, B.Expression, Context);
}

bool same(const Expr *A, const Expr *B, const ASTContext &Context) {
  llvm::FoldingSetNodeID IdA, IdB;
  A->Profile(IdA, Context, /*Canonical=*/true);
  B->Profile(IdB, Context, /*Canonical=*/true);
  return IdA == IdB;
}

} // namespace kernix
