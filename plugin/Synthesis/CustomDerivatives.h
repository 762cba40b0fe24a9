//===- CustomDerivatives.h - derivatives that users write ----------------------------------------------*- C++ -*-===//
//
// Finds the function that an attribute names as the derivative of another, checks its type against what the derivative
// would have, and tells the LLVM half to call it. Which functions need a derivative is no business of this file.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_SYNTHESIS_CUSTOMDERIVATIVES_H
#define KERNIX_SYNTHESIS_CUSTOMDERIVATIVES_H

#include "Attributes/AttributeStore.h"
#include "Binding/UnboundFunction.h"
#include "Synthesis/DerivativeSignature.h"

namespace kernix {

class CustomDerivatives {
public:
  CustomDerivatives(clang::Sema &S, AttributeStore &Store) : S(S), Store(Store) {}

  /// Collects and checks those of device and host functions. False after an error.
  bool collect();

  /// Hands those that have a body in this pass to the LLVM half, which only a file with automatic derivatives needs.
  /// False after an error.
  bool handOver();

  /// The rule for a device or host function; null if it has none.
  clang::FunctionDecl *ruleFor(const clang::FunctionDecl *F, kernix_derivative Mode) const;

  /// Whether there are others than kernix's own. What they give need not be linear, nor one the transpose of the other.
  bool hasUsers() const;

  /// What the attributes of a bound function name as its derivative; null where they name none. `Failed` after an
  /// error.
  clang::FunctionDecl *namedFor(const BoundFunction &F, kernix_derivative Mode,
                                llvm::ArrayRef<DerivativeParameter> Parameters, bool &Failed);

private:
  clang::Sema &S;
  AttributeStore &Store;
  llvm::DenseMap<std::pair<const clang::FunctionDecl *, int>, clang::FunctionDecl *> Rules;
  /// What is handed over, in the order of the source.
  struct Found {
    BoundFunction F;
    clang::FunctionDecl *Rule;
    clang::SourceLocation Loc;
    kernix_derivative Mode;
    std::vector<DerivativeParameter> Parameters;
  };
  std::vector<Found> All;

  /// What a rule for F has to look like. The object of a member function is among the parameters.
  struct Signature {
    BoundFunction F;
    std::vector<DerivativeParameter> Parameters;
    clang::QualType Result;
  };

  bool collectFor(const clang::FunctionDecl *F, const clang::Expr *Rule, clang::SourceLocation Loc,
                  kernix_derivative Mode);
  bool collectOf(const clang::FunctionDecl *Rule, const clang::Expr *F, clang::SourceLocation Loc,
                 kernix_derivative Mode);
  bool add(const clang::FunctionDecl *F, llvm::ArrayRef<clang::NamedDecl *> Candidates, clang::SourceLocation Loc,
           kernix_derivative Mode, bool MayFail);
  /// Nothing for a function without a derivative, which is an error unless it is passed over silently.
  std::optional<Signature> signatureOfRule(const clang::FunctionDecl *F, clang::SourceLocation Loc,
                                           kernix_derivative Mode, ObjectOfRule Object, bool Silently);
  bool addMatch(BoundFunction Record, clang::FunctionDecl *Rule, clang::SourceLocation Loc, kernix_derivative Mode,
                std::vector<DerivativeParameter> Parameters);
  clang::FunctionDecl *match(llvm::ArrayRef<clang::NamedDecl *> Candidates, clang::QualType Type,
                             clang::SourceLocation Loc, const clang::CXXMethodDecl *Member = nullptr);
  void reportMismatch(const clang::FunctionDecl *F, llvm::ArrayRef<clang::NamedDecl *> Candidates,
                      clang::SourceLocation Loc, kernix_derivative Mode, clang::QualType Result,
                      llvm::ArrayRef<DerivativeParameter> Parameters);
};

} // namespace kernix

#endif // KERNIX_SYNTHESIS_CUSTOMDERIVATIVES_H
