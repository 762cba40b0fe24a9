//===- SkippedCode.cpp - code that this pass does not see -------------------------------------------------------===//

#include "Binding/SkippedCode.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/TypeLoc.h"
#include "clang/Lex/Lexer.h"
#include "clang/Lex/PPCallbacks.h"
#include "clang/Lex/Preprocessor.h"

using namespace clang;
using namespace kernix;

class SkippedCode::Listener : public PPCallbacks {
public:
  Listener(std::shared_ptr<SkippedCode> Code, const SourceManager &SM) : Code(std::move(Code)), SM(SM) {}

  void SourceRangeSkipped(SourceRange Range, SourceLocation) override {
    auto [File, Begin] = SM.getDecomposedLoc(Range.getBegin());
    auto [EndFile, End] = SM.getDecomposedLoc(Range.getEnd());
    // A file may be included several times: each inclusion has its own FileID.
    if (File == EndFile)
      Code->Ranges[File].push_back({Begin, End});
  }

private:
  std::shared_ptr<SkippedCode> Code;
  const SourceManager &SM;
};

std::shared_ptr<SkippedCode> SkippedCode::listenTo(Preprocessor &PP) {
  auto Code = std::make_shared<SkippedCode>();
  PP.addPPCallbacks(std::make_unique<Listener>(Code, PP.getSourceManager()));
  return Code;
}

bool SkippedCode::findsIn(SourceRange Where, const ASTContext &Context, Reader Finds,
                          llvm::ArrayRef<SourceRange> Except) const {
  const SourceManager &SM = Context.getSourceManager();
  if (Where.isInvalid())
    return false;
  auto [File, Begin] = SM.getDecomposedExpansionLoc(Where.getBegin());
  auto [EndFile, End] = SM.getDecomposedExpansionLoc(Where.getEnd());
  auto Found = Ranges.find(File);
  if (Found == Ranges.end() || File != EndFile)
    return false;
  bool Invalid = false;
  llvm::StringRef Buffer = SM.getBufferData(File, &Invalid);
  if (Invalid)
    return true;
  auto isIn = [&](const Range &R, SourceRange Outer) {
    auto [OuterFile, OuterBegin] = SM.getDecomposedExpansionLoc(Outer.getBegin());
    return OuterFile == File && R.Begin >= OuterBegin && R.End <= SM.getDecomposedExpansionLoc(Outer.getEnd()).second;
  };
  for (const Range &R : Found->second) {
    if (R.Begin < Begin || R.End > End || llvm::any_of(Except, [&](SourceRange Outer) { return isIn(R, Outer); }))
      continue;
    Lexer Raw(SM.getLocForStartOfFile(File), Context.getLangOpts(), Buffer.begin(), Buffer.begin() + R.Begin,
              Buffer.end());
    if (Finds(Raw, R.End))
      return true;
  }
  return false;
}

bool SkippedCode::mentionsIn(SourceRange Where, const ASTContext &Context, Matcher Matches,
                             llvm::ArrayRef<SourceRange> Except) const {
  return findsIn(
      Where, Context,
      [&](Lexer &Raw, unsigned End) {
        Token Tok;
        while (!Raw.LexFromRawLexer(Tok) && Context.getSourceManager().getFileOffset(Tok.getLocation()) < End)
          if (Tok.is(tok::raw_identifier) && Matches(Tok.getRawIdentifier()))
            return true;
        return false;
      },
      Except);
}

namespace {

/// The body, and where a constructor initializes members.
SourceRange codeOf(const FunctionDecl *Definition) {
  if (const FunctionDecl *Pattern = Definition->getTemplateInstantiationPattern())
    Definition = Pattern;
  const Stmt *Body = Definition->getBody();
  if (!Body)
    return {};
  SourceLocation Begin = Body->getBeginLoc();
  if (const FunctionTypeLoc Type = Definition->getFunctionTypeLoc(); Type && isa<CXXConstructorDecl>(Definition))
    Begin = Type.getRParenLoc();
  return {Begin, Body->getEndLoc()};
}

bool isOneOf(llvm::StringRef Name, std::initializer_list<llvm::StringRef> Names) {
  return llvm::is_contained(Names, Name);
}

/// A function of no header of the user's that gets numbers and no pointers, as those of mathematics.
bool isOfNumbers(const NamedDecl *D) {
  const auto *Function = dyn_cast<FunctionDecl>(D->getUnderlyingDecl());
  if (!Function || Function->isVariadic() || Function->getReturnType()->isVoidType() || Function->param_empty())
    return false;
  const SourceManager &SM = Function->getASTContext().getSourceManager();
  return (SM.isInSystemHeader(Function->getLocation()) ||
          SM.getFilename(SM.getSpellingLoc(Function->getLocation())).contains("/kernix/cpu/")) &&
         llvm::all_of(Function->parameters(),
                      [](const ParmVarDecl *Parameter) { return Parameter->getType()->isArithmeticType(); });
}

bool isCalledQuietly(llvm::StringRef Name, ASTContext &Context) {
  if (isOneOf(Name, {"if", "while", "for", "switch", "return", "sizeof", "alignof", "decltype", "float", "double",
                     "int", "unsigned", "long", "short", "char", "bool"}))
    return true;
  const IdentifierInfo &Identifier = Context.Idents.get(Name);
  if (Identifier.hadMacroDefinition())
    return false;
  auto Found = Context.getTranslationUnitDecl()->lookup(&Identifier);
  return !Found.empty() && llvm::all_of(Found, isOfNumbers);
}

/// Follows text that was not parsed, token by token.
class ChangeFinder {
public:
  explicit ChangeFinder(ASTContext &Context) : Context(Context) {}

  bool changes(const Token &Tok) {
    if (Tok.is(tok::hash) && Tok.isAtStartOfLine()) {
      IsDirective = true;
      IsNamed = false;
    } else if (Tok.isAtStartOfLine()) {
      IsDirective = false;
    } else if (IsDirective && !IsNamed) { // what is defined or included may be anything
      IsNamed = true;
      return Tok.is(tok::raw_identifier) && isOneOf(Tok.getRawIdentifier(), {"define", "include"});
    }
    return !IsDirective && changesHere(Tok);
  }

private:
  ASTContext &Context;
  bool IsDirective = false, IsNamed = false;
  bool IsCast = false;
  tok::TokenKind Last = tok::semi, Before = tok::semi;
  llvm::StringRef LastName, NameBefore;

  bool changesHere(const Token &Tok) {
    bool Changes = is(Tok);
    NameBefore = LastName;
    LastName = Tok.is(tok::raw_identifier) ? Tok.getRawIdentifier() : "";
    IsCast = Tok.is(tok::raw_identifier) ? LastName.ends_with("_cast") || IsCast : IsCast && Tok.isNot(tok::l_paren);
    Before = Last;
    Last = Tok.getKind();
    return Changes;
  }

  bool is(const Token &Tok) const {
    switch (Tok.getKind()) {
    case tok::equal: // but of a variable that is declared here
      return Last != tok::raw_identifier || Before != tok::raw_identifier ||
             isOneOf(NameBefore, {"return", "else", "do"});
    case tok::l_paren:
      if (Last == tok::raw_identifier)
        return !isCalledQuietly(LastName, Context);
      return Last == tok::r_paren || Last == tok::r_square || Last == tok::r_brace || (Last == tok::greater && !IsCast);
    case tok::l_brace:
      return (Last == tok::raw_identifier && !isOneOf(LastName, {"else", "do"})) || Last == tok::greater;
    case tok::raw_identifier:
      return isOneOf(Tok.getRawIdentifier(), {"asm", "__asm", "__asm__", "new", "delete", "throw", "operator"}) ||
             Context.Idents.get(Tok.getRawIdentifier()).hadMacroDefinition();
    case tok::plusplus:
    case tok::minusminus:
    case tok::plusequal:
    case tok::minusequal:
    case tok::starequal:
    case tok::slashequal:
    case tok::percentequal:
    case tok::ampequal:
    case tok::pipeequal:
    case tok::caretequal:
    case tok::lesslessequal:
    case tok::greatergreaterequal:
      return true;
    default:
      return false;
    }
  }
};

} // namespace

bool SkippedCode::mentions(const FunctionDecl *Definition, Matcher Matches) const {
  return mentionsIn(codeOf(Definition), Definition->getASTContext(), Matches);
}

bool SkippedCode::mayChange(const FunctionDecl *Definition) const {
  ASTContext &Context = Definition->getASTContext();
  return findsIn(codeOf(Definition), Context, [&](Lexer &Raw, unsigned End) {
    ChangeFinder Finder(Context);
    Token Tok;
    while (!Raw.LexFromRawLexer(Tok) && Context.getSourceManager().getFileOffset(Tok.getLocation()) < End)
      if (Finder.changes(Tok))
        return true;
    return false;
  });
}

bool SkippedCode::mentionsInParameters(const FunctionDecl *Function, Matcher Matches) const {
  if (const FunctionDecl *Pattern = Function->getTemplateInstantiationPattern())
    Function = Pattern;
  return llvm::any_of(Function->redecls(), [&](const FunctionDecl *Each) {
    const FunctionTypeLoc Type = Each->getFunctionTypeLoc();
    return Type && mentionsIn(Type.getParensRange(), Each->getASTContext(), Matches);
  });
}

bool SkippedCode::mentionsInMembers(const CXXRecordDecl *Class, Matcher Matches) const {
  if (const CXXRecordDecl *Pattern = Class->getTemplateInstantiationPattern())
    Class = Pattern;
  if (const CXXRecordDecl *Definition = Class->getDefinition())
    Class = Definition;
  llvm::SmallVector<SourceRange, 8> Functions;
  for (const Decl *Member : Class->decls())
    if (const FunctionDecl *Function = Member->getAsFunction(); Function && !Function->isImplicit())
      Functions.push_back(Function->getSourceRange());
  return mentionsIn(Class->getBraceRange(), Class->getASTContext(), Matches, Functions);
}
