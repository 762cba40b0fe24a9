//===- WarpSums.h - sums over a warp before memory is touched ---------------------------------------------------===//
//
// Only for NVIDIA's GPUs. On the CPU target a loop over the threads of a block adds up what they give to one address.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_DERIVATIVE_ACCUMULATION_WARPSUMS_H
#define KERNIX_DERIVATIVE_ACCUMULATION_WARPSUMS_H

#include "llvm/IR/IRBuilder.h"

namespace kernix {

/// What is added to a number in memory, and how that lies there.
struct NumberInMemory {
  llvm::Type *Type = nullptr; ///< that of what is added is typeOfSum() of it
  bool MayBeFloat = false;    ///< where the place is odd there is a float at the address before: FloatGradients.h
};

struct UniformAddition {
  llvm::Value *Place = nullptr; ///< the same for all threads of the block; may be null
  llvm::Value *Added = nullptr;
  NumberInMemory Number;
  llvm::Value *IsWanted = nullptr; ///< whether Place is not null, if that is known of all that lies in one object
};

/// One atomic addition for each address that threads of a warp have which come here together. Worth it where these are
/// few. Key: lanes with one key, an integer or an address, have one Place; null: all threads of the block have one,
/// always.
void addOverWarp(llvm::IRBuilder<> &B, llvm::Value *Place, llvm::Value *Added, NumberInMemory Number, llvm::Value *Key);

/// The intrinsics of one shuffle.
struct ShuffleOf {
  llvm::Intrinsic::ID Float, Integer;
};
/// V, a float, a double or an integer of 32 bits, of the lane that By says.
llvm::Value *shuffled(llvm::IRBuilder<> &B, ShuffleOf Kind, llvm::Value *Mask, llvm::Value *V, llvm::Value *By);

/// Place leads to numbers of the type of Added.
void addAtomically(llvm::IRBuilder<> &B, llvm::Value *Place, llvm::Value *Added);
/// May end the block.
void addAtomically(llvm::IRBuilder<> &B, llvm::Value *Place, llvm::Value *Added, NumberInMemory Number);
/// Then and Else are written to blocks of their own, after which the builder stands.
void branchOnFloat(llvm::IRBuilder<> &B, llvm::Value *Place, llvm::function_ref<void(llvm::Value *Float)> Then,
                   llvm::function_ref<void()> Else);

} // namespace kernix

#endif // KERNIX_DERIVATIVE_ACCUMULATION_WARPSUMS_H
