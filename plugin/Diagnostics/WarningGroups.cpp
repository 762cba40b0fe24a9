//===- WarningGroups.cpp - -Wkernix-... ---------------------------------------------------------------------------===//
//
// Each group is one custom diagnostic that is never printed: clang's own engine keeps its severity, so that -Werror,
// -w, system headers and the push and pop of pragmas are clang's business. Only the names are resolved here.
//
//===--------------------------------------------------------------------------------------------------------------===//

#include "Diagnostics/WarningGroups.h"
#include "clang/Basic/DiagnosticLex.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Lex/Lexer.h"
#include "clang/Lex/PPCallbacks.h"
#include "clang/Lex/Preprocessor.h"

using namespace clang;
using llvm::StringRef;

namespace kernix {
namespace {

constexpr WarningGroup AllGroups[] = {WarningGroup::ConstTensor, WarningGroup::LostUpdate, WarningGroup::ArgSpec,
                                      WarningGroup::NoEffect, WarningGroup::LostGradient};

/// The diagnostic that stands for the group. Equal texts have one number.
unsigned anchor(DiagnosticsEngine &Engine, WarningGroup Group) {
  return Engine.getDiagnosticIDs()->getCustomDiagID(DiagnosticIDs::Warning, name(Group));
}

/// Sets every group that `Name` means ("kernix": all of them); false where it means none.
bool setSeverity(DiagnosticsEngine &Engine, StringRef Name, diag::Severity Severity, SourceLocation Location) {
  bool Found = false;
  for (WarningGroup Group : AllGroups)
    if (Name == "kernix" || Name == name(Group)) {
      Engine.setSeverity(anchor(Engine, Group), Severity, Location);
      Found = true;
    }
  return Found;
}

/// One option without its -W.
bool applyOption(DiagnosticsEngine &Engine, StringRef Option) {
  diag::Severity Severity = diag::Severity::Warning;
  if (Option.consume_front("no-"))
    Severity = diag::Severity::Ignored;
  else if (Option.consume_front("error="))
    Severity = diag::Severity::Error;
  return setSeverity(Engine, Option, Severity, SourceLocation());
}

/// `#pragma clang diagnostic ignored "-Wkernix-x"`. Clang tells its callbacks nothing about groups that it does not
/// know, so the line is read here when the pragma begins, and clang's own remark about it is held back.
class PragmaListener : public PPCallbacks {
public:
  explicit PragmaListener(Preprocessor &PP) : PP(PP), Engine(PP.getDiagnostics()) {}

  void PragmaDirective(SourceLocation Location, PragmaIntroducerKind Introducer) override {
    if (HeldBack) {
      Engine.setSeverity(UnknownGroup, *HeldBack, Location);
      HeldBack.reset();
    }
    if (Introducer != PIK_HashPragma || Location.isMacroID())
      return;
    StringRef Group;
    diag::Severity Severity;
    if (!read(Location, Group, Severity) || !setSeverity(Engine, Group, Severity, Location))
      return;
    switch (Engine.getDiagnosticLevel(UnknownGroup, Location)) {
    case DiagnosticsEngine::Warning:
      HeldBack = diag::Severity::Warning;
      break;
    case DiagnosticsEngine::Error:
      HeldBack = diag::Severity::Error;
      break;
    default:
      return;
    }
    Engine.setSeverity(UnknownGroup, diag::Severity::Ignored, Location);
  }

private:
  static constexpr unsigned UnknownGroup = diag::warn_pragma_diagnostic_unknown_warning;

  /// Reads the line at `Location`; false where it is no diagnostic pragma that sets a severity.
  bool read(SourceLocation Location, StringRef &Group, diag::Severity &Severity) {
    const SourceManager &SM = PP.getSourceManager();
    FileIDAndOffset Place = SM.getDecomposedLoc(Location);
    bool Invalid = false;
    StringRef Buffer = SM.getBufferData(Place.first, &Invalid);
    if (Invalid)
      return false;
    Lexer Raw(SM.getLocForStartOfFile(Place.first), PP.getLangOpts(), Buffer.begin(), Buffer.begin() + Place.second,
              Buffer.end());
    auto next = [&] {
      Token Tok;
      Raw.LexFromRawLexer(Tok);
      if (Tok.is(tok::raw_identifier))
        return Tok.getRawIdentifier();
      return Tok.is(tok::string_literal) ? StringRef(Tok.getLiteralData(), Tok.getLength()) : StringRef("#");
    };
    if (next() != "#" || next() != "pragma")
      return false;
    StringRef Vendor = next();
    if ((Vendor != "clang" && Vendor != "GCC") || next() != "diagnostic")
      return false;
    StringRef Verb = next();
    if (Verb == "ignored")
      Severity = diag::Severity::Ignored;
    else if (Verb == "warning")
      Severity = diag::Severity::Warning;
    else if (Verb == "error")
      Severity = diag::Severity::Error;
    else if (Verb == "fatal")
      Severity = diag::Severity::Fatal;
    else
      return false;
    Group = next();
    return Group.consume_front("\"-W") && Group.consume_back("\"");
  }

  Preprocessor &PP;
  DiagnosticsEngine &Engine;
  /// What clang's remark about unknown groups was before it was held back for one line.
  std::optional<diag::Severity> HeldBack;
};

} // namespace

StringRef name(WarningGroup Group) {
  switch (Group) {
  case WarningGroup::ConstTensor:
    return "kernix-const-tensor";
  case WarningGroup::LostUpdate:
    return "kernix-lost-update";
  case WarningGroup::ArgSpec:
    return "kernix-arg-spec";
  case WarningGroup::NoEffect:
    return "kernix-no-effect";
  case WarningGroup::LostGradient:
    return "kernix-lost-gradient";
  }
  llvm_unreachable("unknown warning group");
}

void beginWarningGroups(CompilerInstance &CI) {
  for (StringRef Option : CI.getDiagnosticOpts().Warnings)
    applyOption(CI.getDiagnostics(), Option);
  CI.getPreprocessor().addPPCallbacks(std::make_unique<PragmaListener>(CI.getPreprocessor()));
}

bool applyWarningArgument(DiagnosticsEngine &Engine, StringRef Argument) {
  return Argument.consume_front("W") && applyOption(Engine, Argument);
}

DiagnosticIDs::Level warningLevel(DiagnosticsEngine &Engine, WarningGroup Group, SourceLocation Location) {
  return static_cast<DiagnosticIDs::Level>(Engine.getDiagnosticLevel(anchor(Engine, Group), Location));
}

} // namespace kernix
