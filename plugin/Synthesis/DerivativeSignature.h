//===- DerivativeSignature.h - the parameters of f_fwd and f_bwd ---------------------------------------*- C++ -*-===//
//
// From the record of f to the C++ signature of its derivatives: each differentiable parameter followed by its shadow.
// Declares nothing; DerivativeDecls.h does.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_SYNTHESIS_DERIVATIVESIGNATURE_H
#define KERNIX_SYNTHESIS_DERIVATIVESIGNATURE_H

#include "Binding/BoundFunction.h"
#include "clang/Sema/Sema.h"

namespace kernix {

/// One parameter of a derivative.
struct DerivativeParameter {
  clang::QualType Type;
  std::string Name;
  int Primal = -1; ///< parameter of f; -1: f's result
  bool IsShadow = false;
  bool IsCarried = false; ///< a shadow that the value brings along: no parameter in C++
  bool IsActive = false;  ///< a shadow that is used: a device or host function has one for every type that could be
};

/// Nothing after an error.
std::optional<std::vector<DerivativeParameter>> derivativeParameters(clang::Sema &S, const BoundFunction &F,
                                                                     kernix_derivative Mode);

/// The types of the parameters that there are in C++.
llvm::SmallVector<clang::QualType, 16> declaredTypes(llvm::ArrayRef<DerivativeParameter> Parameters);

/// What f_fwd returns: Dual<R>, or R where it has no derivative. f_bwd returns void. Null after an error.
clang::QualType derivativeResult(clang::Sema &S, const BoundFunction &F, kernix_derivative Mode);

/// "forward", "backward"
llvm::StringRef modeName(kernix_derivative Mode);
/// "_fwd", "_bwd"
llvm::StringRef suffix(kernix_derivative Mode);

} // namespace kernix

#endif // KERNIX_SYNTHESIS_DERIVATIVESIGNATURE_H
