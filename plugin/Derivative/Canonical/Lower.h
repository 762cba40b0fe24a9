//===- Lower.h - canonical functions become the target's --------------------------------------------------------===//
//
// The way back from Raise.h, after all derivatives of a module have been filled in: libdevice functions, linked on
// demand, for NVPTX; LLVM intrinsics, the C library and the CPU target's functions otherwise.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_DERIVATIVE_CANONICAL_LOWER_H
#define KERNIX_DERIVATIVE_CANONICAL_LOWER_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace llvm {
class Function;
class Module;
} // namespace llvm

namespace kernix {

/// One per module, made before the first lowerFunction and finished after the last.
class LoweringContext {
public:
  /// Libdevice: the path of the bitcode file; may be empty where the target is no GPU.
  LoweringContext(llvm::Module &M, llvm::StringRef Libdevice) : M(M), Libdevice(Libdevice) {}

  llvm::Module &module() { return M; }
  /// NVPTX; a module without a triple counts as a CPU's.
  bool isGpu() const;

  /// Links what the lowered functions call and the module does not define. False, after a diagnostic, if that failed.
  bool finish();

private:
  llvm::Module &M;
  std::string Libdevice;
};

/// Turns every canonical function that F calls into the target's.
void lowerFunction(llvm::Function &F, LoweringContext &Context);

} // namespace kernix

#endif // KERNIX_DERIVATIVE_CANONICAL_LOWER_H
