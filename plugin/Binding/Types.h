//===- Types.h - what a C++ type is to kernix ---------------------------------------------------------*- C++ -*-===//
//
// Classifies canonical types: scalars, CUDA vector types, structs, tensors, strings, streams. Nothing here knows about
// parameters or diagnostics; Roles.h decides what a parameter of such a type means.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_BINDING_TYPES_H
#define KERNIX_BINDING_TYPES_H

#include "Binding/BoundFunction.h"
#include "clang/AST/ASTContext.h"

namespace kernix {

/// bool, the integer types up to 64 bits, float, double, half, bfloat16, std::complex, enumerations (their underlying
/// type). nothing for long double, wchar_t, char8_t and everything else.
std::optional<kernix_dtype> scalarDtype(clang::ASTContext &Context, clang::QualType Type);

/// The type in which C++ has such numbers; null for complex ones.
clang::QualType scalarType(clang::ASTContext &Context, kernix_dtype Dtype);

/// The element that a pointer or view of `Type` addresses: a scalar, a CUDA vector type, or a trivially copyable struct
/// of one arithmetic type without padding. On failure `Why` says what is wrong, as the end of a sentence.
std::optional<ElementType> elementType(clang::ASTContext &Context, clang::QualType Type, std::string &Why);

/// The scalar leaves of a trivially copyable struct (nested structs flattened); nothing, with `Why`, if it has others.
std::optional<std::vector<Field>> structFields(clang::ASTContext &Context, clang::QualType Type, std::string &Why);

/// As structFields, for a struct that callers make from named fields: private ones are none of theirs.
std::optional<std::vector<Field>> passedFields(clang::ASTContext &Context, clang::QualType Type, std::string &Why);

/// float4 and relatives, dim3 excluded: {scalar type, width}.
std::optional<std::pair<clang::QualType, unsigned>> cudaVector(clang::QualType Type);

bool isKernixTensor(clang::QualType Type);
bool isKernixStream(clang::QualType Type);
bool isCudaStream(clang::QualType Type);
/// char, signed or, with -funsigned-char, unsigned.
bool isPlainChar(clang::QualType Type);
bool isStringView(clang::QualType Type);
/// T of kernix::TensorView<T>, qualifiers kept; null otherwise.
clang::QualType tensorViewElement(clang::QualType Type);
/// T of a class derived from kernix::DiffTensorView<T>, as DiffTensorViewAA and relatives are; null otherwise.
clang::QualType diffViewElement(clang::QualType Type);
/// The base kernix::DiffTensorView<T> of such a class; null otherwise.
clang::QualType diffViewBase(clang::QualType Type);
/// Whether a class derived from kernix::DiffTensorView<T> has nothing beside that; else `Why`, as the end of a
/// sentence.
bool isPlainDiffView(clang::ASTContext &Context, clang::QualType Type, std::string &Why);
/// T of kernix::TensorView<T> or of a differentiable view; null otherwise.
clang::QualType viewElement(clang::QualType Type);

/// The type as messages and reflection spell it: canonical, without "struct", with bool.
std::string typeName(clang::ASTContext &Context, clang::QualType Type);

} // namespace kernix

#endif // KERNIX_BINDING_TYPES_H
