//===- LaunchTests.h - tests, at a kernel's start, of what proofs assume ----------------------------------------===//

#ifndef KERNIX_DERIVATIVE_LAUNCH_LAUNCHTESTS_H
#define KERNIX_DERIVATIVE_LAUNCH_LAUNCHTESTS_H

#include "Derivative/Addresses/IndexForms.h"
#include "Derivative/ShadowArguments.h"

namespace kernix {

class LaunchTests {
public:
  LaunchTests(const IndexForms &Forms, ShadowArguments &Arguments, llvm::IRBuilder<> &Entry)
      : Forms(Forms), Arguments(Arguments), Entry(Entry) {}

  /// Whether none of them is negative: the same for all threads, and evaluated once.
  llvm::Value *hold(const LaunchConditions &Assumed);
  /// Those that can be said in terms of the source, for people: "1 <= n, 2 * r <= width".
  std::string text(const LaunchConditions &Assumed) const;

private:
  struct Number {
    llvm::Value *V;
    llvm::Value *Fits; ///< whether nothing has overflowed so far; null: nothing can
  };

  llvm::Value *isNotNegative(const Polynomial &P);
  /// What a value of the kernel is, and whether it can be: a guard may keep a thread from reading behind a parameter.
  struct Copy {
    llvm::Value *V;
    llvm::Value *IsThere; ///< null: it always is
  };

  double mostOf(const Polynomial &P) const;
  std::string nameOf(unsigned Atom) const;
  Number combine(llvm::Instruction::BinaryOps Operation, const Number &A, const Number &B);
  llvm::Value *both(llvm::Value *A, llvm::Value *B);
  Copy atom(unsigned Atom);
  Copy copy(const llvm::Value *V);
  Copy copyLoad(const llvm::LoadInst &Load);

  const IndexForms &Forms;
  ShadowArguments &Arguments;
  llvm::IRBuilder<> &Entry;
  std::map<Polynomial, llvm::Value *> Tests;
  std::map<LaunchConditions, llvm::Value *> Known;
  llvm::DenseMap<unsigned, Copy> Atoms;
  llvm::DenseMap<const llvm::Value *, Copy> Copies;
};

} // namespace kernix

#endif // KERNIX_DERIVATIVE_LAUNCH_LAUNCHTESTS_H
