//===- TensorUses.h - what a body does with a parameter -----------------------------------------------*- C++ -*-===//
//
// Follows a pointer, view, tensor or scalar reference through a function body and the visible functions it is passed
// to, without regard to control flow. It decides whether an output must be zeroed (the body reads it), and finds writes
// through parameters that are inputs. What it cannot follow counts as an unknown use.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_BINDING_TENSORUSES_H
#define KERNIX_BINDING_TENSORUSES_H

#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"
#include <optional>

namespace kernix {

class SkippedCode;

struct TensorUses {
  bool BodyVisible = false;
  const clang::Expr *Read = nullptr;  ///< a load of an element, or a read-modify-write
  const clang::Expr *Write = nullptr; ///< a store to an element, or a read-modify-write
  /// An argument for a pointer to non-const, of a function whose body is not visible.
  const clang::Expr *Escape = nullptr;
  /// Put into an object as something that can be written through; what becomes of it there is not followed.
  const clang::Expr *Stored = nullptr;
  /// An element view[i] that becomes an integer because the other side of ?: is one.
  const clang::Expr *CutOff = nullptr;
  /// An element is updated by one of CUDA's atomic functions.
  bool Atomic = false;
  /// Some index is not the same for all threads of a block, as far as can be seen.
  bool Spread = false;
  /// How many indices every access of a view gives; nothing where they differ, or the body asks for the rank.
  std::optional<unsigned> Indices;
  /// Some use that cannot be followed may read or write.
  bool Unknown = false;
};

/// The uses of the elements behind a pointer, view or tensor parameter.
TensorUses tensorUses(const clang::FunctionDecl *F, const clang::ParmVarDecl *Tensor, const SkippedCode &Skipped);

/// The same, where the objects that a handle is put into are looked through. One of two tensors in objects of one class
/// is taken for the other, so that this tells what may happen, not what does.
TensorUses usesThroughObjects(const clang::FunctionDecl *F, const clang::ParmVarDecl *Tensor,
                              const SkippedCode &Skipped);

/// The uses of the object that a parameter of reference type refers to.
TensorUses referenceUses(const clang::FunctionDecl *F, const clang::ParmVarDecl *Reference, const SkippedCode &Skipped);

} // namespace kernix

#endif // KERNIX_BINDING_TENSORUSES_H
