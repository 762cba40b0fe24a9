//===- BeComments.h - brainevent's comments `// @BE name tokens...` -----------------------------------*- C++ -*-===//

#ifndef KERNIX_BINDING_BECOMMENTS_H
#define KERNIX_BINDING_BECOMMENTS_H

namespace clang {
class Preprocessor;
} // namespace clang

namespace kernix {

/// Listens to the comments of `PP` from now on. They bind nothing yet, and say so where they stand.
void listenToBeComments(clang::Preprocessor &PP);

} // namespace kernix

#endif // KERNIX_BINDING_BECOMMENTS_H
