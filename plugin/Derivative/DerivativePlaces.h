//===- DerivativePlaces.h - which line of the source an instruction of a derivative is of -----------------------===//
//
// A derivative has no lines of its own: what computes a value again, its tangent or its adjoint is of the line that
// computes the value, as if that had been inlined. Variables are not described.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_DERIVATIVE_DERIVATIVEPLACES_H
#define KERNIX_DERIVATIVE_DERIVATIVEPLACES_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Function.h"

namespace kernix {

class DerivativePlaces {
public:
  /// Before the body is deleted, and what describes it with it.
  explicit DerivativePlaces(llvm::Function &Body) : Body(Body), Described(Body.getSubprogram()) {}

  /// After that.
  void describe();
  /// Of what is written for an instruction of the prepared primal; null without debug information.
  llvm::DebugLoc of(const llvm::Instruction &I) { return here(I.getDebugLoc()); }
  /// Of a copy that has the place of the primal's instruction, and its loop's.
  void move(llvm::Instruction &Copy);
  /// Of everything else: the declaration.
  llvm::DebugLoc ofRest() const { return Rest; }
  /// When all is written: calls have to have a place.
  void finish();

private:
  llvm::Function &Body;
  llvm::DISubprogram *Described;
  llvm::DILocation *InlinedAt = nullptr;
  llvm::DebugLoc Rest;
  llvm::DenseMap<const llvm::MDNode *, llvm::MDNode *> Cache;

  llvm::DebugLoc here(const llvm::DebugLoc &Place);
};

} // namespace kernix

#endif // KERNIX_DERIVATIVE_DERIVATIVEPLACES_H
