//===- NarrowTypes.h - which of half, half2, bfloat16 and its pair a function or a type is about -----------------===//

#ifndef KERNIX_DERIVATIVE_CANONICAL_NARROWTYPES_H
#define KERNIX_DERIVATIVE_CANONICAL_NARROWTYPES_H

#include "Derivative/Canonical/MangledName.h"
#include <string>

namespace llvm {
class LLVMContext;
class Type;
} // namespace llvm

namespace kernix {

struct NarrowKind {
  llvm::Type *Scalar; ///< half or bfloat
  unsigned Count;     ///< 1, or 2 for a pair
};

/// By the first parameter of such a type.
std::optional<NarrowKind> narrowKind(llvm::LLVMContext &Context, const MangledName &Symbol);

/// Half or bfloat, where T is the struct that CUDA's headers declare for such a number: its member are the bits. Else
/// null.
llvm::Type *narrowNumber(const llvm::Type *T);

/// The name that the function has on one number: __hmul of __hmul2, hexp of h2exp, __hbgt of __hbgt2. Empty: a pair has
/// none of this name.
std::string nameForOne(llvm::StringRef Name, const NarrowKind &Kind);

} // namespace kernix

#endif // KERNIX_DERIVATIVE_CANONICAL_NARROWTYPES_H
