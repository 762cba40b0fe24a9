//===- DiffViews.cpp - the roles of differentiable views --------------------------------------------------------===//

#include "Binding/DiffViews.h"
#include "Binding/TensorUses.h"
#include "Binding/Types.h"
#include "Diagnostics/Diagnostics.h"
#include "clang/Sema/Lookup.h"

using namespace clang;
using namespace kernix;

bool kernix::assignDiffViewRole(Sema &S, const FunctionDecl *F, const SkippedCode &Skipped, Parameter &P) {
  TensorUses Uses = tensorUses(F, P.Decl, Skipped);
  if (Uses.Unknown || !Uses.BodyVisible) {
    Diagnostics(S).error(P.Decl->getLocation(), "whether '%0' is read or written cannot be seen") << P.Name;
    Diagnostics(S).note(P.Decl->getLocation(), "declare it const if it is an input, else give it an intent: "
                                               "[[kernix::intent(out_ptr)]] or [[kernix::intent(inout_ptr)]]");
    return false;
  }
  if (!Uses.Write) {
    P.Role = KERNIX_ARG;
    P.Written = false;
  }
  return true;
}

static bool lookupMember(Sema &S, QualType View, llvm::StringRef Name, LookupResult &Result) {
  Result.suppressDiagnostics();
  Result.setLookupName(&S.getASTContext().Idents.get(Name));
  CXXRecordDecl *Class = View.getNonReferenceType()->getAsCXXRecordDecl();
  return Class && S.LookupQualifiedName(Result, Class);
}

bool kernix::hasMember(Sema &S, QualType View, llvm::StringRef Name) {
  LookupResult Result(S, DeclarationName(), SourceLocation(), Sema::LookupMemberName);
  return lookupMember(S, View, Name, Result);
}

/// void after(cudaStream_t) const, for the host.
static bool isAfter(const NamedDecl *Found) {
  const auto *Method = dyn_cast<CXXMethodDecl>(Found);
  if (!Method || Method->isStatic() || !Method->isConst() || Method->isVolatile() || Method->getAccess() != AS_public ||
      Method->getRefQualifier() == RQ_RValue || Method->getMinRequiredArguments() > 1 || Method->getNumParams() == 0)
    return false;
  if (Method->hasAttr<CUDADeviceAttr>() && !Method->hasAttr<CUDAHostAttr>())
    return false;
  QualType Stream = Method->getParamDecl(0)->getType().getNonReferenceType().getUnqualifiedType();
  return isCudaStream(Stream) || isKernixStream(Stream);
}

bool kernix::checkAfter(Sema &S, QualType View) {
  LookupResult Result(S, DeclarationName(), SourceLocation(), Sema::LookupMemberName);
  if (!lookupMember(S, View, "after", Result) || llvm::any_of(Result, isAfter))
    return true;
  Diagnostics(S).error((*Result.begin())->getLocation(),
                       "'after' of a differentiable view is called behind its backward kernel and has to be a public "
                       "'void after(cudaStream_t stream) const' for the host");
  return false;
}

bool kernix::checkDiffView(Sema &S, const BoundFunction &F, const Parameter &P) {
  if (F.Kind == KERNIX_DEVICE_FUNCTION && hasMember(S, P.Decl->getType(), "scratch_size")) {
    Diagnostics(S).error(
        P.Decl->getLocation(),
        "'%0' needs scratch memory for its gradient, which calls of kernels have; %1 is a device function")
        << P.Name << F.Decl;
    return false;
  }
  // Its reads would add to the cotangent of the output. A device function is given the view with its gradient.
  if (P.Role == KERNIX_RET && P.IsOnlyRead && F.Kind != KERNIX_DEVICE_FUNCTION) {
    Diagnostics(S).error(P.Decl->getLocation(), "'%0' is an output, but %1 only reads it") << P.Name << F.Decl;
    Diagnostics(S).note(P.Decl->getLocation(), "declare it const to make it an input");
    return false;
  }
  if (P.Access != KERNIX_ACCESS_INOUT && !P.IsReadBack)
    return true;
  Diagnostics(S).error(P.Decl->getLocation(), "'%0' is both read and written, and a differentiable view that is has no "
                                              "derivative yet")
      << P.Name;
  Diagnostics(S).note(P.Decl->getLocation(), "read from one view and write to another, or use kernix::TensorView<T>");
  return false;
}
