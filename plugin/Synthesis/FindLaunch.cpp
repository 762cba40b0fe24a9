//===- FindLaunch.cpp - kernel launches in a function -----------------------------------------------------------===//

#include "Synthesis/FindLaunch.h"
#include "Binding/RunCode.h"
#include "clang/AST/ExprCXX.h"

using namespace clang;
using namespace kernix;

namespace {

class LaunchFinder final : public RunCode {
public:
  bool Found = false;

private:
  bool visit(const Stmt *S) override {
    if (isa<CUDAKernelCallExpr>(S))
      Found = IsDone = true;
    return true;
  }
  void visitUnseen(const FunctionDecl *) override {}
  void visitUnknownCall() override {}
};

bool launches(const Stmt *S) {
  LaunchFinder Finder;
  Finder.walk(S);
  return Finder.Found;
}

} // namespace

SourceLocation kernix::findLaunch(const FunctionDecl *F) {
  LaunchFinder Finder;
  Finder.visitFunction(F);
  const Stmt *Innermost = Finder.Found ? F->getBody() : nullptr;
  if (!Innermost || !launches(Innermost)) // a parameter may launch one at the end
    return Finder.Found ? F->getLocation() : SourceLocation();
  while (!isa<CUDAKernelCallExpr>(Innermost)) {
    auto Inner = llvm::find_if(Innermost->children(), launches);
    if (Inner == Innermost->child_end())
      break;
    Innermost = *Inner;
  }
  const auto *E = dyn_cast<Expr>(Innermost);
  return E ? E->getExprLoc() : Innermost->getBeginLoc();
}
