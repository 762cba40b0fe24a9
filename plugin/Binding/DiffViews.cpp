//===- DiffViews.cpp - the roles of differentiable views --------------------------------------------------------===//

#include "Binding/DiffViews.h"
#include "Binding/TensorUses.h"
#include "Diagnostics/Diagnostics.h"

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

bool kernix::checkDiffView(Sema &S, const Parameter &P) {
  if (P.Access != KERNIX_ACCESS_INOUT && !P.IsReadBack)
    return true;
  Diagnostics(S).error(P.Decl->getLocation(), "'%0' is both read and written, and a differentiable view that is has no "
                                              "derivative yet")
      << P.Name;
  Diagnostics(S).note(P.Decl->getLocation(), "read from one view and write to another, or use kernix::TensorView<T>");
  return false;
}
