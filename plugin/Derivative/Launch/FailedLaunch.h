//===- FailedLaunch.h - launches that a derivative ends with a message ------------------------------------------===//

#ifndef KERNIX_DERIVATIVE_LAUNCH_FAILEDLAUNCH_H
#define KERNIX_DERIVATIVE_LAUNCH_FAILEDLAUNCH_H

#include "Derivative/Requests.h"
#include "llvm/IR/IRBuilder.h"

namespace kernix {

/// Metadata of a trap: message, file and line, for derivatives of what ends there.
constexpr char WhyOfTrap[] = "kernix.why";

/// Ends the launch, or the call of a host function, with a message; the block is finished.
void failLaunch(llvm::IRBuilder<> &B, const DerivativeRequest &Request, const llvm::DILocation *Place,
                llvm::StringRef Message);

/// Where the primal ends the launch, as derivatives do that do not hold for it, its derivative says so and ends it too.
void failWhereThePrimalDoes(const DerivativeRequest &Request);

} // namespace kernix

#endif // KERNIX_DERIVATIVE_LAUNCH_FAILEDLAUNCH_H
