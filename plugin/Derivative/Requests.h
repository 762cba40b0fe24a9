//===- Requests.h - reading what the front half asks for --------------------------------------------------------===//

#ifndef KERNIX_DERIVATIVE_REQUESTS_H
#define KERNIX_DERIVATIVE_REQUESTS_H

#include "llvm/IR/DebugLoc.h"
#include "llvm/IR/Function.h"
#include <vector>

namespace kernix {

/// One differentiable function.
struct DerivativeRequest {
  llvm::Function *Placeholder; ///< carries the annotation
  llvm::Function *Primal;
  llvm::DebugLoc Location; ///< of the attribute in the source, known without -g
};

/// The requests of a module, in the order of its annotations.
std::vector<DerivativeRequest> readRequests(llvm::Module &M);

} // namespace kernix

#endif // KERNIX_DERIVATIVE_REQUESTS_H
