//===- ArgSpec.h - the tokens of a record -------------------------------------------------------------*- C++ -*-===//
//
// Prints a BoundFunction as arg_spec tokens ("arg", "ret", "attr.a:float32", "stream"), in the order of its parameters.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_BINDING_ARGSPEC_H
#define KERNIX_BINDING_ARGSPEC_H

#include "Binding/BoundFunction.h"

namespace kernix {

std::string argSpecToken(const Parameter &P);
std::vector<std::string> argSpec(const BoundFunction &F);

} // namespace kernix

#endif // KERNIX_BINDING_ARGSPEC_H
