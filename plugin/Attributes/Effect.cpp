//===- Effect.cpp - checks that several attributes share ----------------------------------------------------------===//
//
// What finished declarations show.
//
//===--------------------------------------------------------------------------------------------------------------===//

#include "Attributes/Effect.h"
#include "clang/AST/Attr.h"
#include "clang/AST/Decl.h"

using namespace clang;

namespace kernix {

void warnNoEffect(Sema &S, const FinishedSubject &Subject, const AttributeBase &Own, llvm::StringRef Name,
                  llvm::StringRef Reason) {
  Diagnostics Diag(S);
  if (Subject.Function)
    Diag.warning(WarningGroup::NoEffect, Own.location(), "'kernix::%0' has no effect: %1 %2")
        << Name << Subject.Function << Reason << Own.Range;
  else
    Diag.warning(WarningGroup::NoEffect, Own.location(), "'kernix::%0' has no effect: %1 %2")
        << Name << cast<NamedDecl>(Subject.Written) << Reason << Own.Range;
}

void warnUnlessBound(Sema &S, const FinishedSubject &Subject, const AttributeBase &Own, llvm::StringRef Name) {
  if (!Subject.Bound)
    warnNoEffect(S, Subject, Own, Name, "is not bound");
}

bool checkKernel(Sema &S, const FinishedSubject &Subject, const AttributeBase &Own, llvm::StringRef Name) {
  // A variable that points to no function has its error from bind.
  if (!Subject.Function)
    return false;
  if (Subject.Function->hasAttr<CUDAGlobalAttr>())
    return true;
  Diagnostics Diag(S);
  Diag.error(Own.location(), "'kernix::%0' applies to kernels, and %1 is not declared __global__")
      << Name << Subject.Function << Own.Range;
  Diag.note(Subject.Function->getLocation(), "%0 is declared here") << Subject.Function;
  return false;
}

bool checkTensor(Sema &S, const FinishedSubject &Subject, const AttributeBase &Own, llvm::StringRef Name) {
  QualType Type = cast<ParmVarDecl>(Subject.Written)->getType();
  QualType Value = Type.getNonReferenceType();
  if (Type->isDependentType() || !(Value->isArithmeticType() || Value->isEnumeralType()))
    return true;
  Diagnostics(S).error(Own.location(), "'kernix::%0' applies to tensors, but the parameter has type %1")
      << Name << Type << Own.Range;
  return false;
}

void refuseBoth(Sema &S, const AttributeBase &Own, llvm::StringRef Name, const AttributeBase &Other,
                llvm::StringRef OtherName) {
  Diagnostics Diag(S);
  Diag.error(Own.location(), "'kernix::%0' contradicts 'kernix::%1'") << Name << OtherName << Own.Range;
  Diag.note(Other.location(), "'kernix::%0' is given here") << OtherName << Other.Range;
}

} // namespace kernix
