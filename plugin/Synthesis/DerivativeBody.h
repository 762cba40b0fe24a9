//===- DerivativeBody.h - the body of a derivative -----------------------------------------------------*- C++ -*-===//
//
// A derivative does nothing but call what the LLVM half fills in, with the addresses of its parameters.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_SYNTHESIS_DERIVATIVEBODY_H
#define KERNIX_SYNTHESIS_DERIVATIVEBODY_H

#include "Attributes/AttributeStore.h"
#include "Synthesis/AstBuilder.h"
#include "Synthesis/DerivativeSignature.h"

namespace kernix {

/// Whether this pass over the file makes code of F: the device pass of kernels and device functions, the host pass of
/// host functions, both of `__host__ __device__`.
bool hasBodyInThisPass(clang::Sema &S, const clang::FunctionDecl &F);

/// Gives `Decl`, declared with `Parameters` as the derivative of F, its body. `Facts`: of kernels. False after an
/// error.
bool defineDerivative(AstBuilder &B, AttributeStore &Store, const BoundFunction &F, kernix_derivative Mode,
                      clang::FunctionDecl *Decl, llvm::ArrayRef<DerivativeParameter> Parameters, clang::VarDecl *Facts);

/// The error where LLVM's pipeline will not run.
void refuseWithoutPasses(clang::Sema &S, clang::SourceLocation Loc);

} // namespace kernix

#endif // KERNIX_SYNTHESIS_DERIVATIVEBODY_H
