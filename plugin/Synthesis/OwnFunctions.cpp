//===- OwnFunctions.cpp - tells the LLVM half which functions are the user's ------------------------------------===//

#include "Synthesis/OwnFunctions.h"
#include "HandOver.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Frontend/CompilerInstance.h"

using namespace clang;
using namespace kernix;

static bool isAnnotated(const FunctionDecl &F) {
  return llvm::any_of(F.specific_attrs<AnnotateAttr>(),
                      [](const AnnotateAttr *A) { return A->getAnnotation() == OwnAnnotation; });
}

OwnFunctions::OwnFunctions(CompilerInstance &CI) : CI(CI), Headers(CI.getFileManager()) {}

void OwnFunctions::annotate(Decl &D) {
  if (auto *F = dyn_cast<FunctionDecl>(&D))
    return annotateFunction(*F);
  // extern "C" { }
  if (auto *Linkage = dyn_cast<LinkageSpecDecl>(&D))
    for (Decl *Inner : Linkage->decls())
      annotate(*Inner);
}

void OwnFunctions::annotateFunction(FunctionDecl &F) {
  if (!isAnnotated(F) && isOwn(F))
    F.addAttr(AnnotateAttr::CreateImplicit(CI.getASTContext(), OwnAnnotation, nullptr, 0));
}

bool OwnFunctions::isOwn(const FunctionDecl &F) {
  // An instance of a template has no name that CUDA's functions have, and nothing calls a kernel.
  if (!F.getIdentifier() || F.getPrimaryTemplate() || F.isMain() || F.hasAttr<CUDAGlobalAttr>() ||
      F.isDependentContext() || !F.getDeclContext()->getRedeclContext()->isTranslationUnit() ||
      F.getLocation().isInvalid())
    return false;
  // A function of C is found by its name alone: without a body it is the library's, whoever declares it.
  if (F.isExternC() && (!F.hasBody() || CI.getSourceManager().isInSystemHeader(F.getLocation())))
    return false;
  return llvm::none_of(F.redecls(), [&](const FunctionDecl *D) { return D->getLocation().isValid() && isInCuda(*D); });
}

/// A system header is no answer: what is included by -isystem is one.
bool OwnFunctions::isInCuda(const FunctionDecl &F) {
  const SourceManager &Sources = CI.getSourceManager();
  SourceLocation Location = Sources.getExpansionLoc(F.getLocation());
  PresumedLoc Place = Sources.getPresumedLoc(Location);
  return Place.isInvalid() || Headers.contain(Place.getFilename(), Sources.isInSystemHeader(Location));
}
