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
  struct Options {
    std::string Libdevice;        ///< path of the bitcode file that the compilation links; empty: none
    bool IsDeterministic = false; ///< see FixedOrder.h
    bool WritesVersions = false;  ///< see UsualLaunch.h
  };
  explicit DerivePass(Options Given, const Reporter &Says = {}) : Given(std::move(Given)), Says(Says) {}
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }

private:
  Options Given;
  Reporter Says;
};

/// Makes `kernix-derive`, `kernix-derive<deterministic>` and `kernix-derive<versions>` names that -passes= knows.
void registerDerivativePasses(llvm::PassBuilder &Builder);

} // namespace kernix

#endif // KERNIX_DERIVATIVE_DERIVE_H
