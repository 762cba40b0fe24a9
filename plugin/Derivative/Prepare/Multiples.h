//===- Multiples.h - addresses and lengths that are multiples of an element's size --------------------------------===//

#ifndef KERNIX_DERIVATIVE_PREPARE_MULTIPLES_H
#define KERNIX_DERIVATIVE_PREPARE_MULTIPLES_H

#include "llvm/ADT/DenseSet.h"
#include "llvm/IR/DataLayout.h"

namespace llvm {
class PHINode;
class Value;
} // namespace llvm

namespace kernix {

/// For one question.
class Multiples {
public:
  explicit Multiples(const llvm::DataLayout &DL) : DL(DL) {}

  /// Whether an integer is one. Lengths that wrap around would be larger than any object.
  bool isMultiple(const llvm::Value *V, uint64_t Size);
  /// Whether a pointer is, from where its object begins.
  bool isWhole(const llvm::Value *Pointer, uint64_t Size);

private:
  const llvm::DataLayout &DL;
  llvm::DenseSet<std::pair<const llvm::PHINode *, uint64_t>> Seen; ///< which are if what goes into them is
};

} // namespace kernix

#endif // KERNIX_DERIVATIVE_PREPARE_MULTIPLES_H
