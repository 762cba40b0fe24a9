//===- ClosedSwitches.h - switches whose default nothing comes to -----------------------------------------------===//
//
// `continue` out of a scope with variables leaves a switch whose default nothing comes to. The last case takes its
// place: else not all threads that come to the switch would come to what is behind it.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_DERIVATIVE_PREPARE_CLOSEDSWITCHES_H
#define KERNIX_DERIVATIVE_PREPARE_CLOSEDSWITCHES_H

namespace llvm {
class Function;
}

namespace kernix {

void closeSwitches(llvm::Function &F);

} // namespace kernix

#endif // KERNIX_DERIVATIVE_PREPARE_CLOSEDSWITCHES_H
