//===- DerivativeNames.h - names of derivatives in code ------------------------------------------------*- C++ -*-===//
//
// Records are made at the end of a file, but code may call f_bwd after f. When a name is not found, or a namespace
// ends, the derivatives of the functions that are complete by then are declared. What nobody names is declared at the
// end.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_SYNTHESIS_DERIVATIVENAMES_H
#define KERNIX_SYNTHESIS_DERIVATIVENAMES_H

#include "Binding/BoundFunction.h"
#include "clang/Sema/ExternalSemaSource.h"
#include "clang/Sema/Sema.h"
#include "llvm/ADT/DenseMap.h"
#include <memory>

namespace kernix {

class SkippedCode;

class DerivativeNames : public clang::ExternalSemaSource {
public:
  DerivativeNames(clang::Sema &S, std::shared_ptr<const SkippedCode> Skipped) : S(S), Skipped(std::move(Skipped)) {}

  /// Asked by Sema when it has not found a name.
  bool LookupUnqualified(clang::LookupResult &Result, clang::Scope *Scope) override;

  /// Declares the derivatives of all functions in namespaces that are complete: names behind `::` are not asked for.
  void declareAll();

  const SkippedCode &skippedCode() const { return *Skipped; }

  /// What was declared before the end of the file; null if nothing.
  clang::FunctionDecl *declared(const clang::FunctionDecl *F, kernix_derivative Mode) const;

private:
  clang::Sema &S;
  std::shared_ptr<const SkippedCode> Skipped;
  /// Null: not now, its function has an error.
  llvm::DenseMap<std::pair<const clang::FunctionDecl *, int>, clang::FunctionDecl *> Declared;
  bool IsBusy = false;

  clang::FunctionDecl *declare(const clang::FunctionDecl *F, kernix_derivative Mode);
};

} // namespace kernix

#endif // KERNIX_SYNTHESIS_DERIVATIVENAMES_H
