//===- RaiseParts.h - what the files of raising share -----------------------------------------------------------===//

#ifndef KERNIX_DERIVATIVE_CANONICAL_RAISEPARTS_H
#define KERNIX_DERIVATIVE_CANONICAL_RAISEPARTS_H

#include "Derivative/Canonical/MangledName.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstrTypes.h"

namespace kernix {

/// A builder in front of a call, with its location and fast-math flags.
class RaiseBuilder : public llvm::IRBuilder<> {
public:
  explicit RaiseBuilder(llvm::CallBase &Call);
  llvm::Module &module() { return *GetInsertBlock()->getModule(); }
};

/// Puts Value, if there is one, in the call's place, and removes the call; an invoke leaves a branch.
void replaceCall(llvm::CallBase &Call, llvm::Value *Value);

// One file each. Name is what the function's own file knows it by: libdevice's without `__nv_`. True if the call is
// gone.
bool raiseLibdevice(llvm::CallBase &Call, llvm::StringRef Name);         ///< RaiseMath.cpp
bool raiseLibm(llvm::CallBase &Call, llvm::StringRef Name);              ///< RaiseMath.cpp
bool raiseMathIntrinsic(llvm::CallBase &Call);                           ///< RaiseMath.cpp
bool raiseNative(llvm::CallBase &Call, llvm::StringRef Name);            ///< RaiseNative.cpp; of both libraries
bool raiseLibdeviceNative(llvm::CallBase &Call, llvm::StringRef Name);   ///< RaiseNative.cpp
bool raiseNativeIntrinsic(llvm::CallBase &Call);                         ///< RaiseNative.cpp
bool raisePair(llvm::CallBase &Call, llvm::StringRef Name, bool IsFast); ///< RaisePointers.cpp
bool raisePairIntrinsic(llvm::CallBase &Call);                           ///< RaisePointers.cpp
bool raiseComplex(llvm::CallBase &Call, llvm::StringRef Name);           ///< RaiseComplex.cpp; of C's libraries
bool raiseGeometry(llvm::CallBase &Call);                                ///< RaiseGeometry.cpp
bool raiseAssembly(llvm::CallBase &Call);                                ///< RaiseAssembly.cpp
bool raiseCollective(llvm::CallBase &Call);                              ///< RaiseCollectives.cpp
bool dropOutput(llvm::CallBase &Call);                                   ///< RaiseOutput.cpp

// Functions of CUDA's C++ headers, by their mangled names.
bool raiseHalf(llvm::CallBase &Call, const MangledName &Symbol);
bool raiseMemory(llvm::CallBase &Call, const MangledName &Symbol);
bool raiseOwnAddition(llvm::CallBase &Call);                               ///< RaiseMemory.cpp
bool raiseHeaderMath(llvm::CallBase &Call, const MangledName &Symbol);     ///< RaiseMath.cpp
bool raiseHalfConversion(llvm::CallBase &Call, const MangledName &Symbol); ///< RaiseHalfConversions.cpp

// Functions of the C++ standard library whose bodies say something else than the function, before they are inlined.
bool raiseStandardComplex(llvm::CallBase &Call); ///< RaiseComplex.cpp
bool raiseStandardLerp(llvm::CallBase &Call);    ///< RaiseMath.cpp; of libcu++ too

} // namespace kernix

#endif // KERNIX_DERIVATIVE_CANONICAL_RAISEPARTS_H
