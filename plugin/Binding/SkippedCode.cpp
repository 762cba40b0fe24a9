//===- SkippedCode.cpp - code that this pass does not see -------------------------------------------------------===//

#include "Binding/SkippedCode.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
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

bool SkippedCode::mentions(const FunctionDecl *Definition, llvm::function_ref<bool(llvm::StringRef)> Matches) const {
  const ASTContext &Context = Definition->getASTContext();
  const SourceManager &SM = Context.getSourceManager();
  if (const FunctionDecl *Pattern = Definition->getTemplateInstantiationPattern())
    Definition = Pattern;
  const Stmt *Body = Definition->getBody();
  if (!Body)
    return false;
  auto [File, Begin] = SM.getDecomposedExpansionLoc(Body->getBeginLoc());
  auto [EndFile, End] = SM.getDecomposedExpansionLoc(Body->getEndLoc());
  auto Found = Ranges.find(File);
  if (Found == Ranges.end() || File != EndFile)
    return false;
  bool Invalid = false;
  llvm::StringRef Buffer = SM.getBufferData(File, &Invalid);
  if (Invalid)
    return true;
  for (const Range &R : Found->second) {
    if (R.Begin < Begin || R.End > End)
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
