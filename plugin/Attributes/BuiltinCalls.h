//===- BuiltinCalls.h - calls of library functions that clang knows -----------------------------------------------===//
//
// Clang makes an instruction of a call of sqrtf or floor, in which nobody would find the function that has a rule. Here
// such calls are made calls again. Which functions have rules is no business of this file.
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_ATTRIBUTES_BUILTINCALLS_H
#define KERNIX_ATTRIBUTES_BUILTINCALLS_H

namespace clang {
class CallExpr;
class FunctionDecl;
class SourceLocation;
} // namespace clang

namespace kernix {

/// Makes calls of F what they are for any other function, in all that clang has not compiled yet. False where F is no
/// function of a library that could be called: `__builtin_floorf`.
bool keepCalls(clang::FunctionDecl &F);

/// A call of F, of which clang knew what it is, that was compiled before `Place` was read; null where there is none.
const clang::CallExpr *callCompiledBefore(const clang::FunctionDecl &F, clang::SourceLocation Place);

} // namespace kernix

#endif // KERNIX_ATTRIBUTES_BUILTINCALLS_H
