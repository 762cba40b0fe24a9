//===- MacroStatements.h - attributes of statements that a macro makes ----------------------------------*- C++ -*-===//
//
// The IR half finds loops and calls by their line and column, and all that a macro makes are where the macro is used.
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_ATTRIBUTES_MACROSTATEMENTS_H
#define KERNIX_ATTRIBUTES_MACROSTATEMENTS_H

namespace clang {
class Sema;
}

namespace kernix {

class AttributeStore;

/// Reports annotated statements that cannot be told from others of the same macro.
void checkMacroStatements(clang::Sema &S, AttributeStore &Store);

} // namespace kernix

#endif
