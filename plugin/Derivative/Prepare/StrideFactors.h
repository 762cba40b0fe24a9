//===- StrideFactors.h - products by strides of views are computed where ways meet -------------------------------===//
//
// `view(i > 0 ? i - 1 : 0)` multiplies by a stride behind the choice, and simplifying moves the product before it,
// since one side of it is zero. The gradient's view has strides of its own: its address is found again from a choice of
// indices, not of products.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_DERIVATIVE_PREPARE_STRIDEFACTORS_H
#define KERNIX_DERIVATIVE_PREPARE_STRIDEFACTORS_H

#include "Derivative/Analysis/Memory.h"

namespace kernix {

/// Makes phis of products by one stride, and of zeros, products of a phi.
void factorStrides(llvm::Function &F, MemoryObjects &Objects);

} // namespace kernix

#endif // KERNIX_DERIVATIVE_PREPARE_STRIDEFACTORS_H
