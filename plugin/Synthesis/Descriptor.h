//===- Descriptor.h - a record as a kernix_function constant -----------------------------------------*- C++ -*--===//
//
// Prints a BoundFunction as the constant of kernix/abi.h that every door reads, and enters it into the section
// kernix_functions. Host pass only.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_SYNTHESIS_DESCRIPTOR_H
#define KERNIX_SYNTHESIS_DESCRIPTOR_H

#include "Binding/BoundFunction.h"
#include "Synthesis/AstBuilder.h"

namespace kernix {

/// Whether several objects may define `F`, and so its descriptor and entry points.
Sharing sharingOf(const BoundFunction &F);

/// False after an error.
bool synthesizeDescriptor(AstBuilder &Builder, const BoundFunction &F);

} // namespace kernix

#endif // KERNIX_SYNTHESIS_DESCRIPTOR_H
