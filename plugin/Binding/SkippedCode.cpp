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

bool SkippedCode::mentionsIn(SourceRange Where, const ASTContext &Context, Matcher Matches,
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
    Token Tok;
    while (!Raw.LexFromRawLexer(Tok) && SM.getFileOffset(Tok.getLocation()) < R.End)
      if (Tok.is(tok::raw_identifier) && Matches(Tok.getRawIdentifier()))
        return true;
  }
  return false;
}

bool SkippedCode::mentions(const FunctionDecl *Definition, Matcher Matches) const {
  if (const FunctionDecl *Pattern = Definition->getTemplateInstantiationPattern())
    Definition = Pattern;
  const Stmt *Body = Definition->getBody();
  if (!Body)
    return false;
  SourceLocation Begin = Body->getBeginLoc();
  if (const FunctionTypeLoc Type = Definition->getFunctionTypeLoc(); Type && isa<CXXConstructorDecl>(Definition))
    Begin = Type.getRParenLoc();
  return mentionsIn({Begin, Body->getEndLoc()}, Definition->getASTContext(), Matches);
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
