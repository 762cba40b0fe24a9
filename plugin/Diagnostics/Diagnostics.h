//===- Diagnostics.h - kernix errors, notes and warnings ----------------------------------------------------------===//
//
// Thin front of clang's engine for diagnostics that clang has no number for. Formats are clang's: %0, %1, %q0,
// %select{a|b}0, %plural. The nearest-name search behind "did you mean" is in NearestName.h.
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_DIAGNOSTICS_DIAGNOSTICS_H
#define KERNIX_DIAGNOSTICS_DIAGNOSTICS_H

#include "Diagnostics/WarningGroups.h"
#include "clang/Basic/Diagnostic.h"

namespace clang {
class ASTContext;
class Sema;
} // namespace clang

namespace kernix {

class Diagnostics {
public:
  explicit Diagnostics(clang::DiagnosticsEngine &Engine) : Engine(Engine) {}
  explicit Diagnostics(const clang::ASTContext &Context);
  explicit Diagnostics(clang::Sema &S);

  clang::DiagnosticBuilder error(clang::SourceLocation Location, llvm::StringRef Format);
  /// Belongs to the error or warning before it, and is silent with it.
  clang::DiagnosticBuilder note(clang::SourceLocation Location, llvm::StringRef Format);
  /// Prints `[-Wkernix-...]` at its end; an error under -Werror, silent under -Wno-kernix-....
  clang::DiagnosticBuilder warning(WarningGroup Group, clang::SourceLocation Location, llvm::StringRef Format);

  /// Prints `[-Rkernix]` at its end.
  clang::DiagnosticBuilder remark(clang::SourceLocation Location, llvm::StringRef Format);

  clang::DiagnosticsEngine &engine() { return Engine; }

private:
  clang::DiagnosticsEngine &Engine;
};

} // namespace kernix

#endif
