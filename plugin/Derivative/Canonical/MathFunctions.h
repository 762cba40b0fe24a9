//===- MathFunctions.h - the canonical functions and their names on each target ---------------------------------===//
//
// One table: what `kernix.sin.f32` is called by libdevice, by the C library and by LLVM. Raising reads it from right to
// left, lowering from left to right. Derivatives are elsewhere (Rules/).
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_DERIVATIVE_CANONICAL_MATHFUNCTIONS_H
#define KERNIX_DERIVATIVE_CANONICAL_MATHFUNCTIONS_H

#include "llvm/ADT/StringRef.h"
#include "llvm/IR/Intrinsics.h"
#include <optional>

namespace llvm {
class Function;
class FunctionType;
class Module;
class Type;
} // namespace llvm

namespace kernix {

struct MathFunction {
  llvm::StringRef Name;
  /// One letter for the result and one for each operand: t the floating-point type of the function, i an i32,
  /// l an i64, d a double.
  llvm::StringRef Signature;
  llvm::StringRef Libdevice;            ///< double precision, without `__nv_`; single precision appends an f
  llvm::StringRef Libm;                 ///< double precision; single precision appends an f. Empty: not in libm
  llvm::Intrinsic::ID Intrinsic = 0;    ///< same meaning on the CPU; 0: none
  llvm::StringRef LibdeviceSingle = {}; ///< where the single precision name is not the other one with an f
};

/// What a canonical function is: `kernix.fast.sin.f32` has Name "sin", IsFast, float.
struct CanonicalName {
  llvm::StringRef Name;
  llvm::Type *Type; ///< the floating-point type it works in
  bool IsFast;
};

const MathFunction *findMathFunction(llvm::StringRef Name);
/// One part of a complex number: `kernix.complex_exp_real.f64` for "exp". Its arguments are the parts of complex
/// numbers.
const MathFunction *findComplexPart(llvm::StringRef Name, bool IsImaginary);
/// By the name that libdevice has for it, without `__nv_`.
const MathFunction *findByLibdeviceName(llvm::StringRef Name, bool &IsSingle, bool &IsFast);
const MathFunction *findByLibmName(llvm::StringRef Name, bool &IsSingle);
const MathFunction *findByIntrinsic(llvm::Intrinsic::ID);

/// The libdevice name, without `__nv_`, of the fast version; empty: it has none.
llvm::StringRef fastLibdeviceName(llvm::StringRef Name);

/// "f32" and so on; empty for a type that canonical functions do not work in.
llvm::StringRef typeSuffix(const llvm::Type *Type);
std::optional<CanonicalName> parseCanonicalName(const llvm::Function &F);
llvm::FunctionType *signatureOf(const MathFunction &Math, llvm::Type *Type);

/// Declares `kernix.<Name>`: no memory, no unwinding, always returns. Not speculatable: hoisting a guarded log out of
/// its guard would be no error, but its derivative there would.
llvm::Function *declareCanonical(llvm::Module &M, const llvm::Twine &Name, llvm::FunctionType *Type);
llvm::Function *declareMath(llvm::Module &M, const MathFunction &Math, llvm::Type *Type, bool IsFast);

} // namespace kernix

#endif // KERNIX_DERIVATIVE_CANONICAL_MATHFUNCTIONS_H
