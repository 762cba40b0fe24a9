//===- Leaves.h - the differentiable scalars in a value ------------------------------------------------*- C++ -*-===//
//
// The floating-point scalars of a value, with their places in bytes: what a derivative can be taken of. Knows nothing
// of parameters; DerivativeRoles.h decides which of them have a gradient.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_BINDING_LEAVES_H
#define KERNIX_BINDING_LEAVES_H

#include "clang/AST/ASTContext.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kernix {

/// One floating-point scalar at `Offset` bytes of a value.
struct ScalarLeaf {
  int64_t Offset = 0;
  std::string Type; ///< "f16", "bf16", "f32", "f64"
  std::string Name; ///< "position.x"; empty for the value itself
};

/// The floating-point scalars of a scalar, complex number, CUDA vector or trivially copyable struct, in the order of
/// memory; none for integers. Nothing, with `Why`, for a type that has others.
std::optional<std::vector<ScalarLeaf>> scalarLeaves(clang::ASTContext &Context, clang::QualType Type, std::string &Why);

/// "f32" for elements of one floating-point type (structs, vectors and complex numbers of it included), else empty.
std::string elementLeafType(clang::ASTContext &Context, clang::QualType Element);

/// Of elements that are nothing but numbers of that type, beside each other: how many, a complex one being two; else 0.
int64_t elementLeafCount(clang::ASTContext &Context, clang::QualType Element);

} // namespace kernix

#endif // KERNIX_BINDING_LEAVES_H
