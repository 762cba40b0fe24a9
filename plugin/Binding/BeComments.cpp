//===- BeComments.cpp - brainevent's comments `// @BE name tokens...`
//-----------------------------------------------===//

#include "Binding/BeComments.h"
#include "Diagnostics/Diagnostics.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Preprocessor.h"

using namespace clang;
using namespace kernix;

namespace {

/// Sees every comment of every header, and therefore looks at the first letters only.
class Listener : public CommentHandler {
public:
  bool HandleComment(Preprocessor &PP, SourceRange Comment) override {
    const SourceManager &SM = PP.getSourceManager();
    auto [File, Begin] = SM.getDecomposedLoc(Comment.getBegin());
    bool Invalid = false;
    llvm::StringRef Text = SM.getBufferData(File, &Invalid).substr(Begin);
    if (Invalid || !Text.consume_front("//") || !Text.ltrim(" \t").starts_with("@BE ") ||
        SM.isInSystemHeader(Comment.getBegin()))
      return false;
    Diagnostics(PP.getDiagnostics())
            .error(Comment.getBegin(), "a binding by '@BE' is not available yet; write %0 before the function")
        << "[[kernix::bind]]" << CharSourceRange::getCharRange(Comment);
    return false;
  }
};

} // namespace

void kernix::listenToBeComments(Preprocessor &PP) {
  PP.addCommentHandler(new (PP.getPreprocessorAllocator()) Listener);
}
