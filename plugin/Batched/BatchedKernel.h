//===- BatchedKernel.h - a kernel with an axis for a batch in its grid
//----------------------------------------------===//

#ifndef KERNIX_BATCHED_BATCHEDKERNEL_H
#define KERNIX_BATCHED_BATCHEDKERNEL_H

namespace llvm {
class Function;
}

namespace kernix {

/// Adds `kernix_batched_<number of pointers>_<name>`, whose launch is that of the kernel for each element of a batch:
///
///   (parameters of the kernel..., uint32_t grid_z, uint32_t first, int64_t stride...)
///
/// Its grid is as large as the kernel's in x and y, and in z as many times the kernel's `grid_z` as it takes elements,
/// beginning with element `first`. There is a stride for each pointer among the parameters, in their order: bytes from
/// one element to the next. Nothing is added where the kernel does not allow it.
void addBatchedKernel(llvm::Function &Kernel);

} // namespace kernix

#endif // KERNIX_BATCHED_BATCHEDKERNEL_H
