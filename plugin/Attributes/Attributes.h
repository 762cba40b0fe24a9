//===- Attributes.h - what the frontend action calls --------------------------------------------------------------===//
//
// The two moments of the attribute layer: before parsing and after it. Attributes themselves register on load.
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_ATTRIBUTES_ATTRIBUTES_H
#define KERNIX_ATTRIBUTES_ATTRIBUTES_H

namespace clang {
class CompilerInstance;
class Preprocessor;
class Sema;
} // namespace clang

namespace kernix {

class AttributeStore;

/// To be called when the AST consumer is made, before anything is parsed: lets the parser see the attributes.
void beginAttributes(clang::CompilerInstance &CI);

/// To be called when all AST consumers are there. A preprocessor has one watcher of tokens, and code generation for
/// coverage (-fcoverage-mapping) sets its own; it only does without the exact ends of code that is skipped.
void watchAttributes(clang::Preprocessor &PP);

/// To be called in HandleTranslationUnit, first: reports, in source order, what could not be known while parsing
/// (kinds of functions, contradictions among redeclarations, attributes without effect).
void checkAttributes(clang::Sema &S, AttributeStore &Store);

} // namespace kernix

#endif
