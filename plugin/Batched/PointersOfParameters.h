//===- PointersOfParameters.h - the memory that a kernel is given
//---------------------------------------------------===//

#ifndef KERNIX_BATCHED_POINTERSOFPARAMETERS_H
#define KERNIX_BATCHED_POINTERSOFPARAMETERS_H

#include "llvm/ADT/SmallVector.h"
#include <optional>

namespace llvm {
class Argument;
class Function;
class Value;
} // namespace llvm

namespace kernix {

/// A pointer among the parameters of a kernel: one of them, or what an object passed by value begins with.
struct ParameterPointer {
  llvm::Argument *Parameter;
  /// Every place where the pointer is: the argument itself, or the loads of it from the object.
  llvm::SmallVector<llvm::Value *, 4> Values;
};

/// In the order of the parameters. None where an object has a pointer elsewhere, or is used as a whole.
std::optional<llvm::SmallVector<ParameterPointer>> pointersOfParameters(llvm::Function &Kernel);

} // namespace kernix

#endif // KERNIX_BATCHED_POINTERSOFPARAMETERS_H
