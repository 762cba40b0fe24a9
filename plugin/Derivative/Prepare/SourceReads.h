//===- SourceReads.h - reads of the source whose gradient is assigned ---------------------------------------------===//
//
// [[kernix::diff(once)]] assigns the gradient of each element that the source reads, also where nothing comes of the
// number. LLVM moves a load into the branch that holds its uses and deletes one that has none. So while a function is
// prepared that has such a parameter, each read is used by an opaque call where it stands, `kernix.read(number)`; it
// stays there until the derivative is written, where its number counts as one that an output depends on. The same is
// done for functions with derivatives of their own that assign, as loadUniformOnce of kernix::DiffTensorViewAA.
//
// Of a copy the call has the place and the size instead, `kernix.read(source, size)`, and becomes one for each number
// when it is known which tensor lies there. A copy that is long, or whose length is computed, stays a copy until then:
// `kernix.read(destination, source)`.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_DERIVATIVE_PREPARE_SOURCEREADS_H
#define KERNIX_DERIVATIVE_PREPARE_SOURCEREADS_H

#include "Derivative/Prepare/Prepare.h"

namespace llvm {
class Instruction;
}

namespace kernix {

class MemoryObjects;

/// Marks what may be such a read, before any pass moves, merges or deletes it: loads and copies that are not of local
/// variables. Where no gradient is assigned, this and the others do nothing.
void markReads(llvm::Function &F, const DerivativeRequest &Request);
/// Takes the marks away from what is seen by now to be no such read; true if one of them kept a variable in memory.
bool forgetOtherReads(llvm::Function &F, const DerivativeRequest &Request);
/// Now that pointers of tensors are arguments: marks are on numbers of tensors whose gradient is assigned.
void settleReads(llvm::Function &F, MemoryObjects &Objects);
/// The same for copies, which have become loads.
void markCopiedReads(llvm::Function &F, MemoryObjects &Objects, const DerivativeRequest &Request);
/// For the analyses that follow a mark touches no memory. It stays.
void keepReads(llvm::Function &F);

/// Whether I is such a mark.
bool isReadMark(const llvm::Instruction &I);

} // namespace kernix

#endif // KERNIX_DERIVATIVE_PREPARE_SOURCEREADS_H
