//===- Derive.h - the pass kernix-derive ------------------------------------------------------------------------===//
//
// Fills in the derivatives that the front half asks for by annotation. LLVM only.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_DERIVATIVE_DERIVE_H
#define KERNIX_DERIVATIVE_DERIVE_H

#include "llvm/IR/PassManager.h"

namespace llvm {
class PassBuilder;
}

namespace kernix {

class DerivePass : public llvm::PassInfoMixin<DerivePass> {
public:
  /// Libdevice: path of the bitcode file that the compilation links; empty: none. IsDeterministic: see FixedOrder.h.
  explicit DerivePass(std::string Libdevice = {}, bool IsDeterministic = false)
      : Libdevice(std::move(Libdevice)), IsDeterministic(IsDeterministic) {}
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }

private:
  std::string Libdevice;
  bool IsDeterministic;
};

/// Makes `kernix-derive` and `kernix-derive<deterministic>` names that -passes= knows.
void registerDerivativePasses(llvm::PassBuilder &Builder);

} // namespace kernix

#endif // KERNIX_DERIVATIVE_DERIVE_H
