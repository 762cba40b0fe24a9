//===- Accumulation.h - how each gradient is added to -----------------------------------------------------------===//
//
// Unknown means atomic. A plain addition needs a proof that all threads read, and so add to, different addresses; what
// the proof assumes of the launch is checked where the kernel starts.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_DERIVATIVE_ACCUMULATION_H
#define KERNIX_DERIVATIVE_ACCUMULATION_H

#include "Derivative/Activity.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

namespace kernix {

class Accumulation {
public:
  Accumulation(const DerivativeRequest &Request, const Prepared &P, MemoryObjects &Objects, Activity &Active);

  /// Emits `*Place += Added` for the gradient of Object. Entry: where conditions on the launch may be evaluated once.
  void add(llvm::IRBuilder<> &B, llvm::IRBuilder<> &Entry, const MemoryObject &Object, llvm::Value *Place,
           llvm::Value *Added);

private:
  const DerivativeRequest &Request;
};

} // namespace kernix

#endif // KERNIX_DERIVATIVE_ACCUMULATION_H
