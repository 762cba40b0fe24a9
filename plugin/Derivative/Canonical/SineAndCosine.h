//===- SineAndCosine.h - the sine and the cosine of one number together -------------------------------------------===//
//
// The derivative of each is the other, and most of the work for both, bringing the number into one period, is the same:
// libdevice has functions that yield both.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_DERIVATIVE_CANONICAL_SINEANDCOSINE_H
#define KERNIX_DERIVATIVE_CANONICAL_SINEANDCOSINE_H

namespace llvm {
class Function;
}

namespace kernix {

/// Calls libdevice's sincos in place of canonical functions in F where a sine and a cosine of one value are computed
/// and one of them comes first on every path to the other. For NVPTX.
void joinSinesAndCosines(llvm::Function &F);

} // namespace kernix

#endif // KERNIX_DERIVATIVE_CANONICAL_SINEANDCOSINE_H
