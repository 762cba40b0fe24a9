//===- RetypeLocals.h - local variables that are declared as other numbers than they hold -----------------------===//
//
//   float4 eight = reinterpret_cast<const float4 *>(x)[i];
//   __half2 *pairs = reinterpret_cast<__half2 *>(&eight);
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_DERIVATIVE_PREPARE_RETYPELOCALS_H
#define KERNIX_DERIVATIVE_PREPARE_RETYPELOCALS_H

namespace llvm {
class Function;
}

namespace kernix {

/// Makes a local variable of floating-point numbers, which are read and written as those of one other type and only
/// copied otherwise, an array of that type.
void retypeLocals(llvm::Function &F);

} // namespace kernix

#endif // KERNIX_DERIVATIVE_PREPARE_RETYPELOCALS_H
