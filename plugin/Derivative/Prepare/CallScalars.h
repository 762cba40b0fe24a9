//===- CallScalars.h - small structs of floats in the arguments and results of calls ----------------------------===//
//
// A __half is a pointer to a copy on NVPTX and a `half` on x86, a __nv_bfloat162 is a pointer or an i32, a float4 a
// struct or two vectors. Here they are all a list of floating-point numbers.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_DERIVATIVE_PREPARE_CALLSCALARS_H
#define KERNIX_DERIVATIVE_PREPARE_CALLSCALARS_H

#include "Derivative/Canonical/RaiseParts.h"
#include "llvm/ADT/SmallVector.h"

namespace kernix {

using Scalars = llvm::SmallVector<llvm::Value *, 4>;

/// The arguments that the source has: without the address of the result.
unsigned sourceArguments(const llvm::CallBase &Call);
llvm::Value *sourceArgument(const llvm::CallBase &Call, unsigned Argument);

/// Argument as Count numbers of type Scalar; empty: it is something else.
Scalars readArgument(RaiseBuilder &Builder, llvm::CallBase &Call, unsigned Argument, llvm::Type *Scalar,
                     unsigned Count);

/// Whether the result of the call has room for Count numbers of type Scalar and nothing else.
bool returnsScalars(const llvm::CallBase &Call, llvm::Type *Scalar, unsigned Count);

/// Replaces the call by one that returned these numbers; returnsScalars must hold.
void replaceByScalars(RaiseBuilder &Builder, llvm::CallBase &Call, llvm::ArrayRef<llvm::Value *> Numbers);

/// Loads and stores of Count numbers one after the other.
Scalars loadScalars(RaiseBuilder &Builder, llvm::Value *Address, llvm::Type *Scalar, unsigned Count,
                    llvm::MaybeAlign Align);
void storeScalars(RaiseBuilder &Builder, llvm::ArrayRef<llvm::Value *> Numbers, llvm::Value *Address,
                  llvm::MaybeAlign Align);

} // namespace kernix

#endif // KERNIX_DERIVATIVE_PREPARE_CALLSCALARS_H
