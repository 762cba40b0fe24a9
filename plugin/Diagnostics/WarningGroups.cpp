//===- WarningGroups.cpp - -Wkernix-... ---------------------------------------------------------------------------===//
//
// Each group is one custom diagnostic that is never printed: clang's own engine keeps its severity, so that the push
// and pop of pragmas are clang's business. It does not apply -w and -Werror to custom diagnostics; that is done here.
//
//===--------------------------------------------------------------------------------------------------------------===//

#include "Diagnostics/WarningGroups.h"
#include "Diagnostics/Diagnostics.h"
#include "Diagnostics/NearestName.h"
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

/// Where it is an error, -Werror leaves the group alone.
unsigned exemption(DiagnosticsEngine &Engine, WarningGroup Group) {
  return Engine.getDiagnosticIDs()->getCustomDiagID(DiagnosticIDs::Warning, (name(Group) + ":no-error").str());
}

/// Calls `Visit` for every group that `Name` means ("kernix": all of them); false where it means none.
bool forEachGroup(StringRef Name, llvm::function_ref<void(WarningGroup)> Visit) {
  bool Found = false;
  for (WarningGroup Group : AllGroups)
    if (Name == "kernix" || Name == name(Group)) {
      Visit(Group);
      Found = true;
    }
  return Found;
}

bool setSeverity(DiagnosticsEngine &Engine, StringRef Name, diag::Severity Severity, SourceLocation Location) {
  return forEachGroup(Name, [&](WarningGroup Group) { Engine.setSeverity(anchor(Engine, Group), Severity, Location); });
}

/// One option without its -W.
bool applyOption(DiagnosticsEngine &Engine, StringRef Option) {
  SourceLocation Everywhere;
  if (Option.consume_front("no-error="))
    return forEachGroup(Option, [&](WarningGroup Group) {
      // The engine refuses to turn an error into a warning in one step.
      if (Engine.getDiagnosticLevel(anchor(Engine, Group), Everywhere) == DiagnosticsEngine::Error) {
        Engine.setSeverity(anchor(Engine, Group), diag::Severity::Ignored, Everywhere);
        Engine.setSeverity(anchor(Engine, Group), diag::Severity::Warning, Everywhere);
      }
      Engine.setSeverity(exemption(Engine, Group), diag::Severity::Error, Everywhere);
    });
  if (Option.consume_front("error="))
    return forEachGroup(Option, [&](WarningGroup Group) {
      Engine.setSeverity(anchor(Engine, Group), diag::Severity::Error, Everywhere);
      Engine.setSeverity(exemption(Engine, Group), diag::Severity::Ignored, Everywhere);
    });
  bool Off = Option.consume_front("no-");
  return setSeverity(Engine, Option, Off ? diag::Severity::Ignored : diag::Severity::Warning, Everywhere);
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
    auto nextWord = [&] {
      Token Tok;
      Raw.LexFromRawLexer(Tok);
      if (Tok.is(tok::raw_identifier))
        return Tok.getRawIdentifier();
      return Tok.is(tok::string_literal) ? StringRef(Tok.getLiteralData(), Tok.getLength()) : StringRef("#");
    };
    if (nextWord() != "#" || nextWord() != "pragma")
      return false;
    StringRef Vendor = nextWord();
    if ((Vendor != "clang" && Vendor != "GCC") || nextWord() != "diagnostic")
      return false;
    StringRef Verb = nextWord();
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
    Group = nextWord();
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

void applyWarningArgument(DiagnosticsEngine &Engine, StringRef Argument) {
  if (applyOption(Engine, Argument.substr(1)))
    return;
  StringRef Known[std::size(AllGroups) + 1] = {"kernix"};
  llvm::transform(AllGroups, Known + 1, name);
  StringRef Name = Argument.substr(1);
  Name.consume_front("no-");
  Name.consume_front("error=");
  StringRef Nearest = nearestName(Name, Known);
  Diagnostics(Engine).error(SourceLocation(),
                            "unknown warning option '%0' of the plugin%select{; did you mean '%2'?|}1")
      << Argument << Nearest.empty() << Nearest;
}

DiagnosticIDs::Level warningLevel(DiagnosticsEngine &Engine, WarningGroup Group, SourceLocation Location) {
  if (Engine.getIgnoreAllWarnings())
    return DiagnosticIDs::Ignored;
  DiagnosticsEngine::Level Level = Engine.getDiagnosticLevel(anchor(Engine, Group), Location);
  bool Exempt = Engine.getDiagnosticLevel(exemption(Engine, Group), Location) == DiagnosticsEngine::Error;
  if (Level == DiagnosticsEngine::Warning && Engine.getWarningsAsErrors() && !Exempt)
    return DiagnosticIDs::Error;
  return static_cast<DiagnosticIDs::Level>(Level);
}

} // namespace kernix
