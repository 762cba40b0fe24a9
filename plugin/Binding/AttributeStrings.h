//===- AttributeStrings.h - shape, value, grid, block, shared_bytes of a record -----------------------*- C++ -*-===//
//
// Puts the strings of a function's attributes into its record, once all parameters have their roles: parses them,
// checks what they may stand on, and refuses cycles among computed values and shapes.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_BINDING_ATTRIBUTESTRINGS_H
#define KERNIX_BINDING_ATTRIBUTESTRINGS_H

#include "Attributes/AttributeStore.h"
#include "Binding/BoundFunction.h"
#include "clang/Sema/Sema.h"

namespace kernix {

/// `Function` holds the launch attributes, `Parameters[i]` those of parameter i; null where there are none. False after
/// an error.
bool readAttributeStrings(clang::Sema &S, const DeclAttributes *Function,
                          llvm::ArrayRef<const DeclAttributes *> Parameters, BoundFunction &F);

/// The launch of a kernel whose other attributes are not read, those of a derivative that is written by hand. False
/// after an error.
bool readLaunchAttributes(clang::Sema &S, const DeclAttributes &Kernel, BoundFunction &F);

} // namespace kernix

#endif // KERNIX_BINDING_ATTRIBUTESTRINGS_H
