//===- SkippedCode.h - code that this pass does not see -----------------------------------------------*- C++ -*-===//
//
// `#if __CUDA_ARCH__` inside a kernel, or what it calls, hides code from the host pass, which writes the descriptors.
// What a body does is therefore only known where no skipped text mentions the thing in question. Skipped text is
// searched for words, never parsed.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_BINDING_SKIPPEDCODE_H
#define KERNIX_BINDING_SKIPPEDCODE_H

#include "clang/Basic/SourceLocation.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include <memory>
#include <vector>

namespace clang {
class ASTContext;
class CXXRecordDecl;
class FunctionDecl;
class Lexer;
class Preprocessor;
} // namespace clang

namespace kernix {

class SkippedCode {
public:
  /// Listens to `PP` from now on.
  static std::shared_ptr<SkippedCode> listenTo(clang::Preprocessor &PP);

  using Matcher = llvm::function_ref<bool(llvm::StringRef)>;

  /// Whether `Matches` holds for an identifier in text that was skipped inside the body of `Definition`, or where a
  /// constructor initializes members.
  bool mentions(const clang::FunctionDecl *Definition, Matcher Matches) const;
  /// Whether such text may change what it is given or what others see: it assigns, or calls what is not known to do
  /// neither.
  bool mayChange(const clang::FunctionDecl *Definition) const;
  /// What mentions() answers where default arguments are written.
  bool mentionsInParameters(const clang::FunctionDecl *Function, Matcher Matches) const;
  /// The same in a class, for default member initializers; not in the bodies of its member functions.
  bool mentionsInMembers(const clang::CXXRecordDecl *Class, Matcher Matches) const;

private:
  class Listener;
  struct Range {
    unsigned Begin, End; ///< offsets into the file
  };
  llvm::DenseMap<clang::FileID, std::vector<Range>> Ranges; ///< each in source order

  using Reader = llvm::function_ref<bool(clang::Lexer &, unsigned End)>;

  /// Whether `Finds` does so in some of the text.
  bool findsIn(clang::SourceRange Where, const clang::ASTContext &Context, Reader Finds,
               llvm::ArrayRef<clang::SourceRange> Except = {}) const;
  bool mentionsIn(clang::SourceRange Where, const clang::ASTContext &Context, Matcher Matches,
                  llvm::ArrayRef<clang::SourceRange> Except = {}) const;
};

} // namespace kernix

#endif // KERNIX_BINDING_SKIPPEDCODE_H
