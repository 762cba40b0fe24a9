//===- StructDefaults.h - constants as defaults: numbers and structs of them --------------------------*- C++ -*-===//

#ifndef KERNIX_BINDING_STRUCTDEFAULTS_H
#define KERNIX_BINDING_STRUCTDEFAULTS_H

#include "Binding/BoundFunction.h"

namespace clang {
class APValue;
class ASTContext;
class Expr;
class QualType;
} // namespace clang

namespace kernix {

/// False for what is no number of this dtype.
bool readConstant(const clang::APValue &Value, kernix_dtype Dtype, ConstantScalar &Scalar);

/// CUDA's half types have no constexpr constructors: `__float2half(1.5f)` and `__half(1.5f)` are looked through.
bool readHalf(clang::ASTContext &Context, const clang::Expr *E, ConstantScalar &Scalar);

/// Appends the scalars of a constant of `Type`, in the order of a struct's leaves; false if it is none.
bool readConstants(clang::ASTContext &Context, const clang::Expr *E, clang::QualType Type,
                   std::vector<ConstantScalar> &Scalars);

/// The scalars of a constant struct as the default of a parameter; false if it is none.
bool readStructDefault(clang::ASTContext &Context, const clang::Expr *E, const Parameter &P, DefaultValue &Default);

/// The default argument as it lies in memory; padding is zero.
std::string structDefaultBytes(const Parameter &P);

} // namespace kernix

#endif // KERNIX_BINDING_STRUCTDEFAULTS_H
