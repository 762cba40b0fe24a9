//===- NumbaCall.h - what a call of a device function from Numba passes and gives back ----------------*- C++ -*-===//
//
// Every value is passed as the scalars that it is made of: those of a struct, a vector or a complex number, in order.
// What is passed by address is a pointer. The record has it for Numba's side, which has no order of its own; shims
// (Synthesis/NumbaShim.h) are made from it.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_BINDING_NUMBACALL_H
#define KERNIX_BINDING_NUMBACALL_H

#include "Binding/BoundFunction.h"

namespace kernix {

/// A number at `Offset` bytes of a value; or a pointer to what the caller has.
struct NumbaScalar {
  kernix_dtype Dtype = {};
  int64_t Offset = 0;
  int64_t Size = 0;
  bool IsPointer = false;
};

struct NumbaValue {
  enum class Passing { Value, Address, Pointer, Array, Gradient };
  static constexpr int64_t OwnResult = -1;

  int64_t Parameter = OwnResult;
  Passing How = Passing::Value;
  llvm::SmallVector<NumbaScalar, 8> Scalars;
};

struct NumbaCall {
  llvm::SmallVector<NumbaValue, 8> Arguments; ///< in the order of the parameters
  llvm::SmallVector<NumbaValue, 4> Results;   ///< the function's own first, then outputs in the order of the parameters
};

/// Of a function that Numba can call.
NumbaCall numbaCall(const BoundFunction &F);

/// Why Numba's kernels cannot call a device function, as a sentence about it; empty if they can.
std::string whyNotInNumba(const BoundFunction &F);

} // namespace kernix

#endif // KERNIX_BINDING_NUMBACALL_H
