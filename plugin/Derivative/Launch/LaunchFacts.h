//===- LaunchFacts.h - what a launch of a derivative has to fulfil ----------------------------------------------===//
//
// Fills kernix_launch_facts (abi.h), by which the host learns what only the device pass knows.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_DERIVATIVE_LAUNCH_LAUNCHFACTS_H
#define KERNIX_DERIVATIVE_LAUNCH_LAUNCHFACTS_H

#include "Derivative/Prepare/Prepare.h"

namespace kernix {

/// Fields of kernix_launch_facts, in order. The front half has written the record's hash.
enum LaunchFact : unsigned {
  RecordHash,
  StoreIds,
  ProofIds,
  DynamicSharedFactor,
  UnreadValues,
  PlainGradients,
  InFloat,
  FixedOrder,
  UnorderedGradients,
  InScratch,
  StoreBits
};

unsigned launchFact(const llvm::GlobalVariable &Facts, LaunchFact Fact);
void setLaunchFact(const DerivativeRequest &Request, LaunchFact Fact, unsigned Value);

/// What the stores of the prepared primal say. A store of every thread to one element is refused.
void writeLaunchFacts(const DerivativeRequest &Request, const Prepared &P, llvm::FunctionAnalysisManager &FAM,
                      Refusals &Refused);

} // namespace kernix

#endif // KERNIX_DERIVATIVE_LAUNCH_LAUNCHFACTS_H
