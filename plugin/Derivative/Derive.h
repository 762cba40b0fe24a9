//===- Derive.h - the pass kernix-derive ------------------------------------------------------------------------===//
//
// Fills in the derivatives that the front half asks for by annotation. LLVM only.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_DERIVATIVE_DERIVE_H
#define KERNIX_DERIVATIVE_DERIVE_H

#include "HandOver.h"
#include "llvm/IR/PassManager.h"

namespace llvm {
class PassBuilder;
}

namespace kernix {

class DerivePass : public llvm::PassInfoMixin<DerivePass> {
public:
  /// Libdevice: path of the bitcode file that the compilation links; empty: none.
  explicit DerivePass(std::string Libdevice = {}, const Reporter &Says = {})
      : Libdevice(std::move(Libdevice)), Says(Says) {}
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }

private:
  std::string Libdevice;
  Reporter Says;
};

/// Makes `kernix-derive` a name that -passes= knows.
void registerDerivativePasses(llvm::PassBuilder &Builder);

} // namespace kernix

#endif // KERNIX_DERIVATIVE_DERIVE_H
