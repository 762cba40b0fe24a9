//===- TensorUses.h - what a body does with a tensor parameter ---------------------------------------------*- C++ -*-===//
//
// Follows a pointer, view or tensor parameter through a function body and the visible functions it is passed to, without
// regard to control flow. It decides whether an output must be zeroed (the body reads it), and finds writes through
// tensors that are declared read-only. What it cannot follow counts as an unknown use.
//
//===----------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_BINDING_TENSORUSES_H
#define KERNIX_BINDING_TENSORUSES_H

#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"

namespace kernix {

struct TensorUses {
  bool BodyVisible = false;
  const clang::Expr *Read = nullptr;    ///< a load of an element, or a read-modify-write
  const clang::Expr *Write = nullptr;   ///< a store to an element, or a read-modify-write
  const clang::Expr *Unknown = nullptr; ///< the pointer goes where it cannot be followed, and may be read or written
};

TensorUses tensorUses(const clang::FunctionDecl *F, const clang::ParmVarDecl *Tensor);

/// True if a kernel and the functions it calls look at nothing but the x of threadIdx, blockIdx, blockDim and gridDim.
bool usesOnlyX(const clang::FunctionDecl *Kernel);

} // namespace kernix

#endif // KERNIX_BINDING_TENSORUSES_H
