//===- FixedOrder.h - what a deterministic build refuses --------------------------------------------------------===//
//
// Sums to which several threads add have no fixed order, and rounding makes their last bits differ from run to run. A
// deterministic build has none of them: a derivative that needs one is an error at the access that stands in the way.
// So is the call of a derivative that the source has written, if that adds atomically, and an atomic sum of the
// source's own that the derivative would make again. Those that only the function itself makes are not looked at.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_DERIVATIVE_ACCUMULATION_FIXEDORDER_H
#define KERNIX_DERIVATIVE_ACCUMULATION_FIXEDORDER_H

#include "Derivative/Accumulation/Accumulation.h"
#include "Derivative/Analysis/Need.h"
#include "Derivative/Refusal.h"

namespace kernix {

/// Of f_bwd. What device functions add to is known at run time only: there the additions themselves see to it.
void refuseSumsOverThreads(const DerivativeRequest &Request, const Prepared &P, MemoryObjects &Objects,
                           Activity &Active, const Need &Needed, const Accumulation &Accumulations, Refusals &Refused);

/// Fields of kernix_launch_facts, of f_bwd.
struct OrderOfSums {
  unsigned Fixed = 0;     ///< fixed_order
  unsigned Unordered = 0; ///< unordered_gradients: where a caller leaves these away, the others may still be in order
};

/// In a build that is not deterministic. What proofs assume is taken to hold in launches that are usual, as abi.h says
/// what that is.
OrderOfSums orderOfSums(const DerivativeRequest &Request, const Prepared &P, MemoryObjects &Objects, Activity &Active,
                        const Need &Needed, const Accumulation &Accumulations);
/// Of f_fwd: tangents that are added by atomic operations, as the source adds the values.
void refuseAtomicTangents(const Prepared &P, MemoryObjects &Objects, Activity &Active, Refusals &Refused);

} // namespace kernix

#endif // KERNIX_DERIVATIVE_ACCUMULATION_FIXEDORDER_H
