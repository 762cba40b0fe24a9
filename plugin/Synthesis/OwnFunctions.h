//===- OwnFunctions.h - tells the LLVM half which functions are the user's ----------------------------*- C++ -*--===//
//
// The LLVM half knows CUDA's functions by their names, which a user may give to overloads of his own. All functions
// outside of namespaces and classes that CUDA's headers do not have are annotated (HandOver.h).
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_SYNTHESIS_OWNFUNCTIONS_H
#define KERNIX_SYNTHESIS_OWNFUNCTIONS_H

#include "Synthesis/CudaHeaders.h"

namespace clang {
class CompilerInstance;
class Decl;
class FunctionDecl;
} // namespace clang

namespace kernix {

class OwnFunctions {
public:
  explicit OwnFunctions(clang::CompilerInstance &CI);

  /// Annotates D and what it holds, before code is made of it.
  void annotate(clang::Decl &D);

private:
  clang::CompilerInstance &CI;
  CudaHeaders Headers;

  void annotateFunction(clang::FunctionDecl &F);
  bool isOwn(const clang::FunctionDecl &F);
  bool isInCuda(const clang::FunctionDecl &F);
};

} // namespace kernix

#endif // KERNIX_SYNTHESIS_OWNFUNCTIONS_H
