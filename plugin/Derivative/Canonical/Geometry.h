//===- Geometry.h - the canonical names of threadIdx, blockIdx, blockDim and gridDim ----------------------------===//

#ifndef KERNIX_DERIVATIVE_CANONICAL_GEOMETRY_H
#define KERNIX_DERIVATIVE_CANONICAL_GEOMETRY_H

#include "llvm/ADT/StringRef.h"
#include "llvm/IR/Intrinsics.h"

namespace llvm {
class Function;
class Module;
} // namespace llvm

namespace kernix {

struct Geometry {
  llvm::StringRef Name; ///< "thread_idx.x"
  llvm::StringRef Cpu;  ///< what the CPU target calls
  llvm::Intrinsic::ID Gpu;
  unsigned Least, Most; ///< the values it can have
};

const Geometry *findGeometry(llvm::StringRef Name);
const Geometry *findGeometryOfTarget(const llvm::Function &F);
llvm::Function *declareGeometry(llvm::Module &M, const Geometry &Item);

} // namespace kernix

#endif // KERNIX_DERIVATIVE_CANONICAL_GEOMETRY_H
