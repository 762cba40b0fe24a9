//===- Spellings.h - how clang finds the attributes ---------------------------------------------------------------===//
//
// Clang parses the arguments of a plugin's attribute only where the name without its scope is known too. Here that name
// is made known, only in files that mention `kernix`, and without any meaning of its own. Also watches what attributes
// the source contains, so that a misspelt or misplaced one is an error and not ignored.
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_ATTRIBUTES_SPELLINGS_H
#define KERNIX_ATTRIBUTES_SPELLINGS_H

#include "clang/Basic/SourceLocation.h"

namespace clang {
class CompilerInstance;
class Preprocessor;
class Sema;
} // namespace clang

namespace kernix {

void beginSpellings(clang::CompilerInstance &CI);
void watchSpellings(clang::Preprocessor &PP);

/// To be called when the attribute reached a declaration or statement. Returns where it was written: from its name on
/// where it shares its scope with others (`[[using kernix: a, b]]`).
clang::SourceRange handledRange(clang::SourceRange Attribute);

/// Reports the attributes that were written but reached nothing, at the end of the translation unit.
void checkAllHandled(clang::Sema &S);

} // namespace kernix

#endif
