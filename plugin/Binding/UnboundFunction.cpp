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

bool hasPointer(ASTContext &Context, QualType Type) {
  Type = Context.getBaseElementType(Type.getNonReferenceType());
  if (Type->isPointerType())
    return true;
  const auto *Class = Type->getAsCXXRecordDecl();
  if (!Class || !Class->hasDefinition())
    return false;
  return llvm::any_of(Class->fields(), [&](const FieldDecl *Field) { return hasPointer(Context, Field->getType()); }) ||
         llvm::any_of(Class->bases(),
                      [&](const CXXBaseSpecifier &Base) { return hasPointer(Context, Base.getType()); });
}

/// `const C &self`
ParmVarDecl *objectOf(ASTContext &Context, const CXXMethodDecl *Method) {
  QualType Type = Context.getLValueReferenceType(Method->getFunctionObjectParameterType());
  ParmVarDecl *Self =
      ParmVarDecl::Create(Context, const_cast<CXXMethodDecl *>(Method), Method->getLocation(), Method->getLocation(),
                          &Context.Idents.get("self"), Type,
                          Context.getTrivialTypeSourceInfo(Type, Method->getLocation()), SC_None, nullptr);
  // Not one of those that attributes may stand on.
  Self->setScopeInfo(0, Method->getNumParams());
  return Self;
}

std::optional<BoundFunction> makeRecord(Sema &S, AttributeStore &Store, const FunctionDecl *F, SourceLocation Location,
                                        std::optional<ObjectOfRule> Object) {
  ASTContext &Context = S.getASTContext();
  BoundFunction Record;
  const FunctionDecl *Definition = nullptr;
  Record.Decl = F->isDefined(Definition) ? Definition : F;
  Record.Location = Location;
  Record.Kind = functionKind(F);
  Record.Name = F->getNameAsString();
  llvm::SmallVector<const ParmVarDecl *, 8> Declared;
  if (const CXXMethodDecl *Method = Object ? memberWithObject(Record.Decl) : nullptr)
    Declared.push_back(objectOf(Context, Method));
  bool HasSelf = !Declared.empty();
  Declared.append(Record.Decl->param_begin(), Record.Decl->param_end());
  for (const ParmVarDecl *D : Declared) {
    Parameter P;
    P.Decl = D;
    P.Name = D->getName().empty() ? "arg" + std::to_string(D->getFunctionScopeIndex()) : D->getNameAsString();
    P.Type = typeName(Context, D->getType());
    P.Passing = passingOf(Context, D->getType());
    // What is in memory may be read before it is written.
    P.Role = mayBeWritten(D->getType(), P.Passing) ? KERNIX_RET : KERNIX_ARG;
    P.Written = P.ZeroInit = P.Role == KERNIX_RET;
    const DeclAttributes *A = Store.lookup(D);
    P.NoDiff = A && A->NoDiff;
    bool IsDiffView = !diffViewElement(D->getType()).isNull();
    if (IsDiffView)
      P.NoDiff = P.HoldsGradient = true;
    else if (HasSelf && D == Declared.front())
      P.NoDiff = P.HoldsGradient = Object == ObjectOfRule::Member;
    else if (Object && P.NoDiff && tensorViewElement(D->getType().getNonReferenceType()).isNull())
      P.HoldsGradient = D->getType().getNonReferenceType()->isRecordType() && hasPointer(Context, D->getType());
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

} // namespace

std::optional<BoundFunction> kernix::unboundFunction(Sema &S, AttributeStore &Store, const FunctionDecl *F,
                                                     SourceLocation Location) {
  return makeRecord(S, Store, F, Location, std::nullopt);
}

std::optional<BoundFunction> kernix::functionWithRule(Sema &S, AttributeStore &Store, const FunctionDecl *F,
                                                      SourceLocation Location, ObjectOfRule Object) {
  return makeRecord(S, Store, F, Location, Object);
}

const CXXMethodDecl *kernix::memberWithObject(const FunctionDecl *F) {
  const auto *Method = dyn_cast<CXXMethodDecl>(F);
  return Method && Method->isInstance() && !isa<CXXConstructorDecl, CXXDestructorDecl>(Method) ? Method : nullptr;
}
