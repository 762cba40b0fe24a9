//===- DerivativeJson.h - what the LLVM half has to know of a derivative -------------------------------*- C++ -*-===//
//
// The text of the annotation (HandOver.h): names, and for each parameter what in it is differentiable and how it is
// used.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_SYNTHESIS_DERIVATIVEJSON_H
#define KERNIX_SYNTHESIS_DERIVATIVEJSON_H

#include "Attributes/AttributeStore.h"
#include "Binding/BoundFunction.h"
#include "clang/Sema/Sema.h"

namespace kernix {

std::string derivativeJson(clang::Sema &S, AttributeStore &Store, const BoundFunction &F, kernix_derivative Mode);

} // namespace kernix

#endif // KERNIX_SYNTHESIS_DERIVATIVEJSON_H
