//===- BeComments.cpp - brainevent's comments `// @BE name tokens...` -------------------------------------------===//

#include "Binding/BeComments.h"
#include "Attributes/Bind.h"
#include "Binding/FunctionNames.h"
#include "Diagnostics/Diagnostics.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Sema/Sema.h"
#include "llvm/ADT/StringMap.h"

using namespace clang;
using namespace kernix;

/// Sees every comment of every header, and therefore looks at the first letters only.
class BeComments::Listener : public CommentHandler {
public:
  explicit Listener(std::shared_ptr<BeComments> Result) : Result(std::move(Result)) {}

  bool HandleComment(Preprocessor &PP, SourceRange Comment) override {
    const SourceManager &SM = PP.getSourceManager();
    auto [File, Begin] = SM.getDecomposedLoc(Comment.getBegin());
    bool Invalid = false;
    llvm::StringRef Text = SM.getBufferData(File, &Invalid).substr(Begin);
    if (Invalid || !Text.starts_with("//"))
      return false;
    const char *const Start = Text.data();
    Text = Text.ltrim('/').ltrim(" \t");
    if (!Text.consume_front("@BE") || Text.empty() || !llvm::isSpace(Text.front()) ||
        SM.isInSystemHeader(Comment.getBegin()))
      return false;
    Text =
        Text.take_front(SM.getFileOffset(Comment.getEnd()) - Begin - static_cast<size_t>(Text.data() - Start)).trim();
    size_t End = std::min(Text.find_first_of(" \t"), Text.size());
    auto LocationOf = [&](llvm::StringRef Part) {
      return Comment.getBegin().getLocWithOffset(static_cast<int>(Part.data() - Start));
    };
    NamedBinding New;
    New.Name = textAt(LocationOf(Text), Text.take_front(End));
    if (llvm::StringRef Spec = Text.drop_front(End).ltrim(); !Spec.empty())
      New.ArgSpec = textAt(LocationOf(Spec), Spec);
    Result->Comments.push_back(std::move(New));
    return false;
  }

private:
  std::shared_ptr<BeComments> Result;
};

std::shared_ptr<BeComments> BeComments::listenTo(Preprocessor &PP) {
  auto Result = std::make_shared<BeComments>();
  PP.addCommentHandler(new (PP.getPreprocessorAllocator()) Listener(Result));
  return Result;
}

/// Before any is looked for: what is no name, and what stands there twice.
bool BeComments::checkNames(Sema &S) const {
  Diagnostics Diag(S);
  llvm::StringMap<const NamedBinding *> Seen;
  bool Ok = true;
  for (const NamedBinding &Each : Comments) {
    llvm::StringRef Name = Each.Name.Text;
    if (Name.empty()) {
      Diag.error(Each.Name.location(), "'@BE' needs the name of a function");
      Ok = false;
      continue;
    }
    if (size_t Bad = Name.find_first_of(",;()"); Bad != llvm::StringRef::npos) {
      Diag.error(Each.Name.locationOf(Bad, S.getASTContext()),
                 "'%0' is not a name: '@BE' takes the name of a function, and tokens after blanks")
          << Name << Each.Name.Range;
      Ok = false;
      continue;
    }
    auto [Known, IsNew] = Seen.try_emplace(Name, &Each);
    if (IsNew)
      continue;
    Diag.error(Each.Name.location(), "Duplicate @BE annotation for '%0'") << Name << Each.Name.Range;
    Diag.note(Known->second->Name.location(), "the first is here") << Known->second->Name.Range;
    Ok = false;
  }
  return Ok;
}

bool BeComments::apply(Sema &S, AttributeStore &Store) const {
  if (Comments.empty())
    return true;
  if (!checkNames(S))
    return false;
  const FunctionNames Names(S.getASTContext());
  bool Ok = true;
  for (const NamedBinding &Each : Comments)
    Ok &= bindByName(S, Store, Names, Each);
  return Ok;
}
