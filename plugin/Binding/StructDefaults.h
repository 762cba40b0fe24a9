//===- StructDefaults.h - constants as default arguments: numbers and structs of them --------------------*- C++
//-*-===//

#ifndef KERNIX_BINDING_STRUCTDEFAULTS_H
#define KERNIX_BINDING_STRUCTDEFAULTS_H

#include "Binding/BoundFunction.h"

namespace clang {
class APValue;
class ASTContext;
class Expr;
} // namespace clang

namespace kernix {

/// False for what is no number of this dtype.
bool readConstant(const clang::APValue &Value, kernix_dtype Dtype, ConstantScalar &Scalar);

/// The scalars of a constant struct; false if it is none.
bool readStructDefault(clang::ASTContext &Context, const clang::Expr *E, const Parameter &P, DefaultValue &Default);

/// The default argument as it lies in memory; padding is zero.
std::string structDefaultBytes(const Parameter &P);

} // namespace kernix

#endif // KERNIX_BINDING_STRUCTDEFAULTS_H
