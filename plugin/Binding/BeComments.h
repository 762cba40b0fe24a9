//===- BeComments.h - brainevent's comments `// @BE name tokens...` -----------------------------------*- C++ -*-===//
//
// Each line comment that begins with @BE binds the function that it names, wherever the function is declared, also by a
// macro. Block comments, strings and code that is not compiled do not count. Tokens after the name are an arg_spec.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_BINDING_BECOMMENTS_H
#define KERNIX_BINDING_BECOMMENTS_H

#include "Binding/BindByName.h"
#include <memory>

namespace clang {
class Preprocessor;
class Sema;
} // namespace clang

namespace kernix {

class BeComments {
public:
  /// Collects the comments of `PP` from now on; those of system headers aside.
  static std::shared_ptr<BeComments> listenTo(clang::Preprocessor &PP);

  /// Binds what they name, at the end of the file. False after an error.
  bool apply(clang::Sema &S, AttributeStore &Store) const;

private:
  class Listener;
  bool checkNames(clang::Sema &S) const;
  std::vector<NamedBinding> Comments;
};

} // namespace kernix

#endif // KERNIX_BINDING_BECOMMENTS_H
