//===- FindLaunch.cpp - kernel launches in a function -----------------------------------------------------------===//

#include "Synthesis/FindLaunch.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace clang;
using namespace kernix;

namespace {

class LaunchFinder {
public:
  const Expr *find(const FunctionDecl *F) {
    const FunctionDecl *Definition = nullptr;
    if (!F->isDefined(Definition) || !Seen.insert(Definition).second || !Definition->getBody())
      return nullptr;
    return find(Definition->getBody());
  }

private:
  llvm::SmallPtrSet<const FunctionDecl *, 8> Seen;

  const Expr *find(const Stmt *S) {
    if (!S)
      return nullptr;
    if (const auto *Launch = dyn_cast<CUDAKernelCallExpr>(S))
      return Launch;
    if (const auto *Call = dyn_cast<CallExpr>(S))
      if (const FunctionDecl *Callee = Call->getDirectCallee())
        if (find(Callee))
          return Call;
    if (const auto *Lambda = dyn_cast<LambdaExpr>(S))
      if (const Expr *Launch = find(Lambda->getBody()))
        return Launch;
    for (const Stmt *Child : S->children())
      if (const Expr *Launch = find(Child))
        return Launch;
    return nullptr;
  }
};

} // namespace

const Expr *kernix::findLaunch(const FunctionDecl *F) { return LaunchFinder().find(F); }
