//===- SeparateBlocks.h - kernels whose blocks know nothing of a batch
//----------------------------------------------===//

#ifndef KERNIX_BATCHED_SEPARATEBLOCKS_H
#define KERNIX_BATCHED_SEPARATEBLOCKS_H

namespace llvm {
class Function;
}

namespace kernix {

/// Whether blocks of several launches of the kernel can run as blocks of one: its launches share no memory but what its
/// parameters point to, and only the kernel itself, not a function that it calls, asks for the block's z.
bool hasSeparateBlocks(const llvm::Function &Kernel);

} // namespace kernix

#endif // KERNIX_BATCHED_SEPARATEBLOCKS_H
