//===- Diagnostics.cpp - kernix errors, notes and warnings --------------------------------------------------------===//
//
// Thin front of clang's engine for diagnostics that clang has no number for.
//
//===--------------------------------------------------------------------------------------------------------------===//

#include "Diagnostics/Diagnostics.h"
#include "clang/AST/ASTContext.h"
#include "clang/Sema/Sema.h"

using namespace clang;

namespace kernix {

static DiagnosticBuilder report(DiagnosticsEngine &Engine, SourceLocation Location, DiagnosticIDs::Level Level,
                                llvm::StringRef Format) {
  return Engine.Report(Location, Engine.getDiagnosticIDs()->getCustomDiagID(Level, Format));
}

Diagnostics::Diagnostics(const ASTContext &Context) : Engine(Context.getDiagnostics()) {}

Diagnostics::Diagnostics(Sema &S) : Engine(S.getDiagnostics()) {}

DiagnosticBuilder Diagnostics::error(SourceLocation Location, llvm::StringRef Format) {
  return report(Engine, Location, DiagnosticIDs::Error, Format);
}

DiagnosticBuilder Diagnostics::note(SourceLocation Location, llvm::StringRef Format) {
  return report(Engine, Location, DiagnosticIDs::Note, Format);
}

DiagnosticBuilder Diagnostics::warning(WarningGroup Group, SourceLocation Location, llvm::StringRef Format) {
  DiagnosticIDs::Level Level = warningLevel(Engine, Group, Location);
  std::string Text(Format);
  Text += Level == DiagnosticIDs::Error ? " [-Werror,-W" : " [-W";
  Text += name(Group);
  Text += "]";
  return report(Engine, Location, Level, Text);
}

DiagnosticBuilder Diagnostics::remark(SourceLocation Location, llvm::StringRef Format) {
  return report(Engine, Location, DiagnosticIDs::Remark, (Format + " [-Rkernix]").str());
}

} // namespace kernix
