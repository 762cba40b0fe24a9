//===- BoundVariable.h - [[kernix::bind]] constexpr auto v = &f ---------------------------------------------------===//
//
// Finds the function that a constexpr function pointer points to.
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_ATTRIBUTES_BOUNDVARIABLE_H
#define KERNIX_ATTRIBUTES_BOUNDVARIABLE_H

namespace clang {
class FunctionDecl;
class VarDecl;
} // namespace clang

namespace kernix {

/// Null where the variable's value is no function.
const clang::FunctionDecl *functionOf(const clang::VarDecl &Variable);

} // namespace kernix

#endif
