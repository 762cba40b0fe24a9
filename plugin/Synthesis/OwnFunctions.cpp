//===- OwnFunctions.cpp - tells the LLVM half which functions are the user's ------------------------------------===//

#include "Synthesis/OwnFunctions.h"
#include "HandOver.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "clang/Basic/FileManager.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Frontend/CompilerInstance.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Path.h"

using namespace clang;
using namespace kernix;
namespace path = llvm::sys::path;

static bool isAnnotated(const FunctionDecl &F) {
  return llvm::any_of(F.specific_attrs<AnnotateAttr>(),
                      [](const AnnotateAttr *A) { return A->getAnnotation() == OwnAnnotation; });
}

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

/// A system header is no answer: what is included by -isystem is one. Except where the source was preprocessed
/// elsewhere, and the folder is nowhere to be looked into.
bool OwnFunctions::isInCuda(const FunctionDecl &F) {
  const SourceManager &Sources = CI.getSourceManager();
  SourceLocation Location = Sources.getExpansionLoc(F.getLocation());
  PresumedLoc Place = Sources.getPresumedLoc(Location);
  if (Place.isInvalid())
    return true;
  StringRef Folder = path::parent_path(Place.getFilename());
  auto [It, IsNew] = Folders.try_emplace(Folder, Content::Other);
  if (IsNew)
    It->second = contentOf(Folder);
  return It->second == Content::Cuda || (It->second == Content::Missing && Sources.isInSystemHeader(Location));
}

/// CUDA's, the CPU target's and clang's own folder are told by a header that each cannot be without.
OwnFunctions::Content OwnFunctions::contentOf(StringRef Folder) const {
  FileManager &Files = CI.getFileManager();
  auto Holds = [&](StringRef Parent, StringRef Header) {
    llvm::SmallString<256> File(Parent);
    path::append(File, Header);
    return Files.getOptionalFileRef(File).has_value();
  };
  StringRef Name = path::filename(Folder);
  if (Holds(Folder, "cuda_fp16.h") || Holds(Folder, "__clang_cuda_runtime_wrapper.h") ||
      (Name == "crt" && Holds(Folder, "device_functions.h")) ||
      (Name == "cuda_wrappers" && Holds(path::parent_path(Folder), "__clang_cuda_runtime_wrapper.h")))
    return Content::Cuda;
  return Folder.empty() || Files.getOptionalDirectoryRef(Folder) ? Content::Other : Content::Missing;
}
