//===- DistinctStores.h - proofs that stores of one thread go to different elements -----------------------------===//
//
// What DistinctAddresses.h does for threads, for the iterations of loops and for several stores: the ids are the same
// for both sides, the counters of loops are not.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_DERIVATIVE_ADDRESSES_DISTINCTSTORES_H
#define KERNIX_DERIVATIVE_ADDRESSES_DISTINCTSTORES_H

#include "Derivative/Addresses/AddressDigits.h"

namespace kernix {

/// Whether two executions of an access that differ in the iteration of one of these loops (the innermost first, each
/// inside the next) never touch the same bytes. Adds what that assumes of the launch to Assumed.
bool differInIterations(IndexForms &Forms, const AccessForm &A, llvm::ArrayRef<const llvm::Loop *> Loops,
                        LaunchConditions &Assumed);

/// The same of an element of a view: where one of its indices differs, so does the element.
bool differInIterations(IndexForms &Forms, llvm::ArrayRef<AccessForm> Indices, llvm::ArrayRef<const llvm::Loop *> Loops,
                        LaunchConditions &Assumed);

/// Whether A and B, of the same size, never touch the same bytes, in whichever iterations they are.
bool neverMeet(IndexForms &Forms, const AccessForm &A, const AccessForm &B, LaunchConditions &Assumed);
/// The same of two elements by their indices, of which each has an axis of its own.
bool neverMeet(IndexForms &Forms, llvm::ArrayRef<AccessForm> A, llvm::ArrayRef<AccessForm> B,
               LaunchConditions &Assumed);

} // namespace kernix

#endif // KERNIX_DERIVATIVE_ADDRESSES_DISTINCTSTORES_H
