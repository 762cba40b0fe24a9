//===- Derive.h - the pass kernix-derive ------------------------------------------------------------------------===//
//
// Fills in the derivatives that the front half asks for by annotation. LLVM only.
//
// What stands here reads the requests and writes the two functions: Forward.h, and Reverse/. The other folders, in the
// order in which a function meets them:
//
//   Canonical/     one name for what CUDA, the C library and LLVM call differently, and the way back to the target's
//   Prepare/       the form of a function that is differentiated: everything inlined, memory in registers
//   CustomRules/   functions whose derivative the user has written
//   Analysis/      what depends on what: activity, memory, what is the same for all threads, what has no derivative
//   Loops/         how each loop is reversed, and what is kept for that
//   Shared/        __shared__ memory: its adjoints, what it holds while iterations are computed again, turns
//   Addresses/     indices as polynomials of thread and block ids, and proofs about them
//   Accumulation/  how each gradient is added to: plainly, by sums over lanes or blocks, or by atomic operations
//   Launch/        what proofs assume of a launch: facts for the runtime, tests at a kernel's start
//   Rules/         formulas of the derivatives of single functions
//   Library/       what targets lack, compiled into the plugin as bitcode
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
