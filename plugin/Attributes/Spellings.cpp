//===- Spellings.cpp - how clang finds the attributes -------------------------------------------------------------===//
//
// The names without scope, the watch over what the source contains, and the attribute that stands for all misspelt
// ones.
//
//===--------------------------------------------------------------------------------------------------------------===//

#include "Attributes/Spellings.h"
#include "Attributes/Attribute.h"
#include "Diagnostics/NearestName.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Lex/HeaderSearchOptions.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Lex/PreprocessorOptions.h"
#include "clang/Sema/ParsedAttr.h"
#include "clang/Sema/Sema.h"
#include <deque>

using namespace clang;

namespace kernix {
namespace {

/// The names without their scope. For clang it is the unknown attribute, so that `[[store]]` and `[[other::store]]` get
/// clang's usual treatment; only `hasAttribute`, which sees no scope, finds it.
class BareNames : public ParsedAttrInfo {
public:
  BareNames() : ParsedAttrInfo(AttributeCommonInfo::UnknownAttribute) { Instance = this; }

  static void activate(bool Active) {
    if (!Instance || (Active && !Instance->Spellings.empty()))
      return;
    Instance->Names.clear();
    if (Active)
      for (const Attribute *A : Attribute::all())
        Instance->Names.push_back({AttributeCommonInfo::AS_CXX11, A->name().data()});
    Instance->Spellings = Instance->Names;
  }

private:
  static BareNames *Instance;
  SmallVector<Spelling, 32> Names;
};
BareNames *BareNames::Instance = nullptr;

/// Stands for every `kernix::name` that does not exist. The watch adds the names as it meets them, before the parser
/// does.
class MisspeltNames : public ParsedAttrInfo {
public:
  MisspeltNames() {
    OptArgs = 15;
    Instance = this;
  }

  static void add(StringRef Name) {
    std::string Full = ("kernix::" + Name).str();
    if (!Instance || llvm::is_contained(Instance->Texts, Full))
      return;
    Instance->Texts.push_back(std::move(Full));
    Instance->Names.push_back({AttributeCommonInfo::AS_CXX11, Instance->Texts.back().c_str()});
    Instance->Spellings = Instance->Names;
  }

  AttrHandling handleDeclAttribute(Sema &S, Decl *, const ParsedAttr &Written) const override {
    return report(S, Written);
  }
  AttrHandling handleStmtAttribute(Sema &S, Stmt *, const ParsedAttr &Written, Attr *&) const override {
    return report(S, Written);
  }

private:
  static AttrHandling report(Sema &S, const ParsedAttr &Written) {
    SourceRange Range = handledRange(Written.getRange());
    SmallVector<StringRef, 32> Known;
    for (const Attribute *A : Attribute::all())
      Known.push_back(A->name());
    StringRef Name = Written.getAttrName()->getName();
    StringRef Nearest = nearestName(Name, Known);
    Diagnostics Diag(S);
    if (Nearest.empty()) {
      Diag.error(Range.getBegin(), "unknown attribute 'kernix::%0'") << Name << Range;
      return AttributeNotApplied;
    }
    // Clang skipped the arguments, so that the range ends with the name.
    Diag.error(Range.getBegin(), "unknown attribute 'kernix::%0'; did you mean 'kernix::%1'?")
        << Name << Nearest << FixItHint::CreateReplacement(Range.getEnd(), Nearest);
    return AttributeNotApplied;
  }

  static MisspeltNames *Instance;
  std::deque<std::string> Texts;
  SmallVector<Spelling, 4> Names;
};
MisspeltNames *MisspeltNames::Instance = nullptr;

/// Follows the tokens and finds every `kernix::name` in an attribute list.
class Watch {
public:
  void see(const Token &Tok) {
    if (!InList) {
      InList = LastWasSquare && Tok.is(tok::l_square);
      LastWasSquare = Tok.is(tok::l_square);
      Nesting = 0;
      ScopeOfAll = Using = false;
      Before = Last = nullptr;
      return;
    }
    LastWasSquare = false;
    if (Tok.isOneOf(tok::l_paren, tok::l_square, tok::l_brace)) {
      ++Nesting;
      return;
    }
    if (Tok.isOneOf(tok::r_paren, tok::r_square, tok::r_brace, tok::eof)) {
      if (Nesting-- == 0 || Tok.is(tok::eof))
        InList = false;
      else if (Nesting == 0 && AwaitsEnd)
        endsAt(Tok.getLocation());
      if (Nesting == 0)
        AwaitsEnd = false;
      return;
    }
    if (Nesting == 0)
      seeInList(Tok);
    else if (Nesting == 1 && AwaitsEnd)
      seeArgument(Tok);
  }

  SourceRange handled(SourceRange Attribute) {
    auto Found = SeenAt.find(Attribute.getEnd());
    if (Found == SeenAt.end())
      return Attribute;
    SeenAttribute &A = Seen[Found->second];
    A.Handled = true;
    return A.SharesScope ? SourceRange(A.Name, A.End) : Attribute;
  }

  void report(Sema &S) {
    for (const SeenAttribute &A : Seen)
      if (A.SecondDirection.isValid())
        Diagnostics(S).error(A.SecondDirection,
                             "'kernix::%0' takes at most 1 argument; without one it is for both directions")
            << A.Text;
    if (S.getDiagnostics().hasErrorOccurred())
      return;
    for (const SeenAttribute &A : Seen)
      if (!A.Handled)
        Diagnostics(S).error(A.Name, "'kernix::%0' cannot stand here: it belongs to no declaration and no statement")
            << A.Text;
  }

private:
  struct SeenAttribute {
    StringRef Text;
    SourceLocation Name, End;
    /// Written in `[[using kernix: ...]]`.
    bool SharesScope = false;
    bool Handled = false;
    /// Of `differentiable(forward, backward)`: clang asks what is called `backward`, and never comes to the attribute.
    SourceLocation SecondDirection = {};
  };

  void seeInList(const Token &Tok) {
    const IdentifierInfo *Word = Tok.getIdentifierInfo();
    if (Tok.is(tok::kw_using)) {
      Using = true;
    } else if (Tok.is(tok::colon)) {
      ScopeOfAll = Using && Last && Last->isStr("kernix");
      Last = nullptr;
    } else if (Tok.is(tok::comma)) {
      Last = nullptr;
      AwaitsEnd = false;
    } else if (Tok.is(tok::coloncolon)) {
      Before = Last;
    } else if (Word) {
      if ((Before && Before->isStr("kernix")) || (ScopeOfAll && !Last))
        add(Word, Tok.getLocation());
      Before = nullptr;
      Last = Word;
    }
  }

  void seeArgument(const Token &Tok) {
    const IdentifierInfo *Word = Tok.getIdentifierInfo();
    SeenAttribute &A = Seen.back();
    if (AfterComma && Word && (Word->isStr("forward") || Word->isStr("backward")) && A.Text == "differentiable")
      A.SecondDirection = Tok.getLocation();
    AfterComma = Tok.is(tok::comma);
  }

  void add(const IdentifierInfo *Name, SourceLocation Location) {
    // Usually active since the first mention of `kernix`; not where that was in a module.
    BareNames::activate(true);
    Seen.push_back({Name->getName(), Location, Location, ScopeOfAll});
    SeenAt[Location] = Seen.size() - 1;
    AwaitsEnd = true;
    AfterComma = false;
    for (const Attribute *A : Attribute::all())
      if (A->name() == Name->getName())
        return;
    MisspeltNames::add(Name->getName());
  }

  void endsAt(SourceLocation End) {
    Seen.back().End = End;
    SeenAt[End] = Seen.size() - 1;
  }

  bool InList = false, LastWasSquare = false, Using = false, ScopeOfAll = false;
  /// The last one seen may still get arguments.
  bool AwaitsEnd = false;
  /// In the arguments of an attribute.
  bool AfterComma = false;
  unsigned Nesting = 0;
  const IdentifierInfo *Last = nullptr, *Before = nullptr;
  SmallVector<SeenAttribute, 16> Seen;
  /// By End.
  llvm::DenseMap<SourceLocation, size_t> SeenAt;
};

/// One translation unit at a time is compiled in a process; its watch.
std::unique_ptr<Watch> CurrentWatch;

/// Hears of each identifier the first time it occurs.
class FirstMention : public IdentifierInfoLookup {
public:
  IdentifierInfo *get(StringRef Name) override {
    if (Name == "kernix")
      BareNames::activate(true);
    return nullptr;
  }
};
FirstMention TheFirstMention;

ParsedAttrInfoRegistry::Add<BareNames> RegisterBare("kernix-bare-names", "");
ParsedAttrInfoRegistry::Add<MisspeltNames> RegisterMisspelt("kernix-misspelt-names", "");

} // namespace

void beginSpellings(CompilerInstance &CI) {
  if (!CI.getLangOpts().CPlusPlus)
    return;
  Preprocessor &PP = CI.getPreprocessor();
  IdentifierTable &Identifiers = PP.getIdentifierTable();
  // The instances exist from the first question on.
  getAttributePluginInstances();
  // Headers that were compiled before bring their own lookup, and their identifiers unseen.
  bool BuiltBefore =
      Identifiers.getExternalIdentifierLookup() || !CI.getPreprocessorOpts().ImplicitPCHInclude.empty() ||
      CI.getHeaderSearchOpts().ImplicitModuleMaps || !CI.getFrontendOpts().ModuleFiles.empty() ||
      !CI.getHeaderSearchOpts().PrebuiltModuleFiles.empty() || !CI.getHeaderSearchOpts().PrebuiltModulePaths.empty();
  BareNames::activate(BuiltBefore || Identifiers.find("kernix") != Identifiers.end());
  if (!BuiltBefore)
    Identifiers.setExternalIdentifierLookup(&TheFirstMention);
  CurrentWatch = std::make_unique<Watch>();
}

void watchSpellings(Preprocessor &PP) {
  if (!CurrentWatch)
    return;
  PP.setPreprocessToken(false); // or tokens of macros' arguments come twice
  PP.setTokenWatcher([W = CurrentWatch.get()](const Token &Tok) { W->see(Tok); });
}

SourceRange handledRange(SourceRange Attribute) { return CurrentWatch ? CurrentWatch->handled(Attribute) : Attribute; }

void checkAllHandled(Sema &S) {
  if (CurrentWatch)
    CurrentWatch->report(S);
}

} // namespace kernix
