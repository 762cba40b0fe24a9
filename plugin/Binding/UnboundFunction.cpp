//===- UnboundFunction.cpp - records of functions that only derivatives need ------------------------------------===//

#include "Binding/UnboundFunction.h"
#include "Binding/BindFunctions.h"
#include "Binding/DerivativeRoles.h"
#include "Binding/Types.h"

using namespace clang;
using namespace kernix;

namespace {

/// Results of integers and pointers are no business of a derivative: they are passed as they are.
kernix_passing passingOf(ASTContext &Context, QualType Type) {
  QualType Value = Type.getNonReferenceType();
  bool IsMutable = Type->isReferenceType() && !Value.isConstQualified();
  if (Value->isPointerType())
    return isCudaStream(Value) ? KERNIX_PASS_STREAM : KERNIX_PASS_POINTER;
  if (!tensorViewElement(Value).isNull() && !IsMutable)
    return KERNIX_PASS_TENSOR_VIEW;
  if (isKernixTensor(Value))
    return KERNIX_PASS_TENSOR;
  if (isKernixStream(Value))
    return KERNIX_PASS_STREAM;
  if (isStringView(Value))
    return KERNIX_PASS_STRING_VIEW;
  if (IsMutable || Value->isArrayType())
    return KERNIX_PASS_REFERENCE;
  return Value->isRecordType() && !scalarDtype(Context, Value) ? KERNIX_PASS_STRUCT : KERNIX_PASS_SCALAR;
}

bool mayBeWritten(QualType Type, kernix_passing Passing) {
  switch (Passing) {
  case KERNIX_PASS_POINTER:
    return !Type.getNonReferenceType()->getPointeeType().isConstQualified();
  case KERNIX_PASS_TENSOR_VIEW:
    return !tensorViewElement(Type.getNonReferenceType()).isConstQualified();
  case KERNIX_PASS_TENSOR:
    return !Type.isConstQualified();
  case KERNIX_PASS_REFERENCE:
    return !Type.getNonReferenceType().isConstQualified();
  default:
    return false;
  }
}

} // namespace

std::optional<BoundFunction> kernix::unboundFunction(Sema &S, AttributeStore &Store, const FunctionDecl *F,
                                                     SourceLocation Location) {
  ASTContext &Context = S.getASTContext();
  BoundFunction Record;
  const FunctionDecl *Definition = nullptr;
  Record.Decl = F->isDefined(Definition) ? Definition : F;
  Record.Location = Location;
  Record.Kind = functionKind(F);
  Record.Name = F->getNameAsString();
  for (const ParmVarDecl *D : Record.Decl->parameters()) {
    Parameter P;
    P.Decl = D;
    P.Name = D->getName().empty() ? "arg" + std::to_string(D->getFunctionScopeIndex()) : D->getNameAsString();
    P.Type = typeName(Context, D->getType());
    P.Passing = passingOf(Context, D->getType());
    // What is in memory may be read before it is written.
    P.Role = mayBeWritten(D->getType(), P.Passing) ? KERNIX_RET : KERNIX_ARG;
    P.Written = P.ZeroInit = P.Role == KERNIX_RET;
    Record.Parameters.push_back(std::move(P));
  }
  QualType Result = Record.Decl->getReturnType();
  if (!Result->isVoidType())
    Record.Result.Passing = Result->isRecordType() ? KERNIX_PASS_STRUCT : KERNIX_PASS_SCALAR;
  nameFunction(Record);
  if (!assignDerivativeRoles(S, Store, Record))
    return std::nullopt;
  return Record;
}
