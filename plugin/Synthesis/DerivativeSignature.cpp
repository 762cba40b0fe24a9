//===- DerivativeSignature.cpp - the parameters of f_fwd and f_bwd ----------------------------------------------===//

#include "Synthesis/DerivativeSignature.h"
#include "Binding/Types.h"
#include "Diagnostics/Diagnostics.h"
#include "Synthesis/AstBuilder.h"
#include "clang/AST/DeclTemplate.h"

using namespace clang;
using namespace kernix;

namespace {

class SignatureBuilder {
public:
  SignatureBuilder(Sema &S, const BoundFunction &F, kernix_derivative Mode)
      : S(S), Context(S.getASTContext()), F(F), IsForward(Mode == KERNIX_FORWARD_DERIVATIVE) {}

  std::optional<std::vector<DerivativeParameter>> build() {
    for (size_t I = 0; I < F.Parameters.size(); ++I) {
      const Parameter &P = F.Parameters[I];
      QualType Type = P.Decl->getType();
      Result.push_back({Type, uniqueName(P.Name, /*IsShadow=*/false), static_cast<int>(I)});
      if (!P.Differentiable && (F.Kind == KERNIX_KERNEL || !hasSlot(Type)))
        continue;
      if (P.IsDiffView) {
        QualType View = carriedView(Type.getNonReferenceType());
        Result.push_back({View, uniqueName(P.Name, /*IsShadow=*/true), static_cast<int>(I), true, true, true});
        continue;
      }
      QualType Shadow = F.Kind == KERNIX_KERNEL ? shadowOfKernel(P, Type) : shadowByType(Type);
      if (Shadow.isNull())
        return std::nullopt;
      Result.push_back(
          {Shadow, uniqueName(P.Name, /*IsShadow=*/true), static_cast<int>(I), true, false, P.Differentiable});
    }
    QualType ResultType = F.Decl->getReturnType().getUnqualifiedType();
    if (!IsForward && hasSlot(ResultType))
      Result.push_back({ResultType, uniqueName("result", true), -1, true, false, F.Result.Differentiable});
    return std::move(Result);
  }

private:
  Sema &S;
  ASTContext &Context;
  const BoundFunction &F;
  bool IsForward;
  std::vector<DerivativeParameter> Result;

  /// x, and x_grad or x_tangent, changed where f has such a parameter of its own.
  std::string uniqueName(const std::string &Name, bool IsShadow) const {
    std::string Unique = Name;
    if (!IsShadow)
      return Unique;
    Unique += IsForward ? "_tangent" : "_grad";
    auto IsTaken = [&](const std::string &Other) {
      return llvm::any_of(F.Parameters, [&](const Parameter &P) { return P.Name == Other; }) ||
             llvm::any_of(Result, [&](const DerivativeParameter &P) { return P.Name == Other; });
    };
    while (IsTaken(Unique))
      Unique += "_";
    return Unique;
  }

  /// Written through: the gradient of an input, the tangent of an output.
  bool isWritten(const Parameter &P) const {
    return P.Access == KERNIX_ACCESS_INOUT || (P.Access == KERNIX_ACCESS_OUT) == IsForward;
  }

  /// A derivative of a device or host function depends on f's type alone, as kernix/derivative.h says too.
  bool hasSlot(QualType Type) const {
    QualType Referent = Type.getNonReferenceType();
    if (Referent->isPointerType())
      Referent = Referent->getPointeeType();
    Referent = Context.getBaseElementType(Referent);
    if (!diffViewElement(Referent).isNull())
      return false; // it brings its own
    return Referent->isFloatingType() ||
           (Referent->isRecordType() && !isKernixStream(Referent) && !isStringView(Referent) && !isCudaStream(Type));
  }

  QualType shadowByType(QualType Type) {
    Qualifiers OfElements;
    QualType Value = Context.getUnqualifiedArrayType(Type.getNonReferenceType(), OfElements);
    if (isMutableReference(Type))
      return Context.getPointerType(Value);
    if (Value->isPointerType()) {
      QualType Element = Value->getPointeeType();
      return Context.getPointerType(IsForward ? Element : Element.getUnqualifiedType());
    }
    if (QualType Element = tensorViewElement(Value); !Element.isNull())
      return viewOf(IsForward ? Element : Element.getUnqualifiedType(), Value);
    if (isKernixTensor(Value))
      return Value;
    return IsForward ? Value : Context.getPointerType(Value);
  }

  QualType shadowOfKernel(const Parameter &P, QualType Type) {
    QualType Value = Type.getNonReferenceType().getUnqualifiedType();
    if (P.Passing == KERNIX_PASS_POINTER) {
      QualType Element = Value->getPointeeType();
      if (Element.isVolatileQualified()) {
        Diagnostics(S).error(P.Decl->getLocation(), "'%0' is volatile and cannot have a gradient") << P.Name;
        return {};
      }
      return Context.getPointerType(written(Element.getUnqualifiedType(), isWritten(P)));
    }
    if (P.Passing == KERNIX_PASS_TENSOR_VIEW)
      return viewOf(written(tensorViewElement(Value).getUnqualifiedType(), isWritten(P)), Value).withConst();
    return IsForward ? Value : Context.getPointerType(Value);
  }

  /// The type of `differential` in a class derived from kernix::DiffTensorView.
  QualType carriedView(QualType Type) const {
    const CXXRecordDecl *Class = Type->getAsCXXRecordDecl();
    for (const FieldDecl *Field : Class->fields())
      if (Field->getName() == "differential")
        return Field->getType().getCanonicalType();
    for (const CXXBaseSpecifier &Base : Class->bases())
      if (!diffViewElement(Base.getType()).isNull())
        return carriedView(Base.getType());
    return {};
  }

  bool isMutableReference(QualType Type) const {
    return Type->isReferenceType() && !Context.getBaseElementType(Type->getPointeeType()).isConstQualified();
  }

  static QualType written(QualType Element, bool IsWritten) { return IsWritten ? Element : Element.withConst(); }

  /// TensorView<Element>, of the template that `View` was made from.
  QualType viewOf(QualType Element, QualType View) {
    auto *Specialization = cast<ClassTemplateSpecializationDecl>(View.getCanonicalType()->getAsRecordDecl());
    SourceLocation Loc = F.Location;
    TemplateArgumentListInfo Arguments(Loc, Loc);
    Arguments.addArgument(
        TemplateArgumentLoc(TemplateArgument(Element), Context.getTrivialTypeSourceInfo(Element, Loc)));
    QualType Result =
        S.CheckTemplateIdType(ElaboratedTypeKeyword::None, TemplateName(Specialization->getSpecializedTemplate()), Loc,
                              Arguments, /*Scope=*/nullptr, /*ForNestedNameSpecifier=*/false);
    if (Result.isNull() || S.RequireCompleteType(Loc, Result, 0))
      return {};
    return Result.getCanonicalType();
  }
};

} // namespace

std::optional<std::vector<DerivativeParameter>> kernix::derivativeParameters(Sema &S, const BoundFunction &F,
                                                                             kernix_derivative Mode) {
  return SignatureBuilder(S, F, Mode).build();
}

llvm::SmallVector<QualType, 16> kernix::declaredTypes(llvm::ArrayRef<DerivativeParameter> Parameters) {
  llvm::SmallVector<QualType, 16> Types;
  for (const DerivativeParameter &P : Parameters)
    if (!P.IsCarried)
      Types.push_back(P.Type);
  return Types;
}

QualType kernix::derivativeResult(Sema &S, const BoundFunction &F, kernix_derivative Mode) {
  ASTContext &Context = S.getASTContext();
  QualType Result = F.Decl->getReturnType().getUnqualifiedType();
  if (Mode == KERNIX_BACKWARD_DERIVATIVE)
    return Context.VoidTy;
  bool HasTangent = Result->isFloatingType() || Result->isRecordType();
  return HasTangent ? AstBuilder(S, F.Location).kernixTemplate("Dual", Result) : Result;
}

llvm::StringRef kernix::modeName(kernix_derivative Mode) {
  return Mode == KERNIX_FORWARD_DERIVATIVE ? "forward" : "backward";
}

llvm::StringRef kernix::suffix(kernix_derivative Mode) { return Mode == KERNIX_FORWARD_DERIVATIVE ? "_fwd" : "_bwd"; }
