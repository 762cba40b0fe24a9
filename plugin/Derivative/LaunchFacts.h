//===- LaunchFacts.h - what a launch of a derivative has to fulfil ----------------------------------------------===//
//
// Fills kernix_launch_facts (abi.h), by which the host learns what only the device pass knows.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_DERIVATIVE_LAUNCHFACTS_H
#define KERNIX_DERIVATIVE_LAUNCHFACTS_H

#include "Derivative/Prepare.h"

namespace kernix {

/// Fills all but the record's hash, which the front half has written. A store of every thread to one element is
/// refused.
void writeLaunchFacts(const DerivativeRequest &Request, const Prepared &P, llvm::FunctionAnalysisManager &FAM,
                      Refusals &Refused);

} // namespace kernix

#endif // KERNIX_DERIVATIVE_LAUNCHFACTS_H
