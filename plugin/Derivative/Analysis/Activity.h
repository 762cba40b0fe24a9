//===- Activity.h - what depends on the inputs and matters to the outputs ---------------------------------------===//
//
// A value is active if it depends on an active input (varied) and an active output depends on it (useful). Integers
// that carry the bits of active numbers are tracked too, so that they can be refused.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_DERIVATIVE_ANALYSIS_ACTIVITY_H
#define KERNIX_DERIVATIVE_ANALYSIS_ACTIVITY_H

#include "Derivative/Analysis/Memory.h"
#include "Derivative/CustomRules/RuleCalls.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/IR/DataLayout.h"

namespace kernix {

class Activity {
public:
  Activity(const Prepared &P, const DerivativeRequest &Request, MemoryObjects &Objects);

  /// A value with an adjoint and a tangent.
  bool isActive(const llvm::Value *V) const { return Varied.contains(V) && Useful.contains(V); }
  bool isVaried(const llvm::Value *V) const { return Varied.contains(V); }
  bool isUseful(const llvm::Value *V) const { return Useful.contains(V); }
  /// Whether numbers with a derivative come to a function with a derivative of its own. An object that holds its
  /// gradients makes a call varied without them.
  bool isVariedRule(const llvm::CallBase &Call) const { return VariedRules.contains(&Call); }
  /// Memory with a shadow that matters.
  bool isActive(const MemoryObject *O) const { return VariedObjects.contains(O) && UsefulObjects.contains(O); }
  bool isVaried(const MemoryObject *O) const { return VariedObjects.contains(O); }
  bool isUseful(const MemoryObject *O) const { return UsefulObjects.contains(O); }
  /// A store, an atomic addition or a load whose adjoint has to be written down.
  bool isActiveAccess(const llvm::Instruction &I);

private:
  void findSeparate(const Prepared &P);
  bool vary(const llvm::Instruction &I);
  bool use(const llvm::Instruction &I);
  bool varyRule(const llvm::CallBase &Call, const CustomRule &Rule);
  bool useRule(const llvm::CallBase &Call, const CustomRule &Rule);

  const DerivativeRequest &Request;
  MemoryObjects &Objects;
  llvm::DenseSet<const llvm::Value *> Varied, Useful;
  llvm::DenseSet<const MemoryObject *> VariedObjects, UsefulObjects;
  llvm::DenseSet<const llvm::CallBase *> VariedRules;
  /// Loads and stores of integers and pointers that lie beside the numbers of a local struct, never on them.
  llvm::DenseSet<const llvm::Instruction *> Separate;
};

/// Whether a derivative passes from the operands of I to its result, or their bits do.
bool propagates(const llvm::Instruction &I);

/// Whether there may be numbers with derivatives in O, by its type.
bool mayHoldNumbers(const MemoryObject &O);

/// The pointer, the number and its type of a load, store or atomicrmw; Pointer is null for anything else.
struct MemoryAccess {
  const llvm::Value *Pointer = nullptr;
  const llvm::Value *Stored = nullptr; ///< null for a load
  llvm::Type *Type = nullptr;
};
MemoryAccess accessOf(const llvm::Instruction &I);

/// All pointers through which I reads, and those through which it writes: of loads, stores and atomic operations, of
/// copies, and of calls of functions with a derivative of their own.
llvm::SmallVector<const llvm::Value *, 2> pointersRead(const llvm::Instruction &I, const CustomRules *Rules);
llvm::SmallVector<const llvm::Value *, 2> pointersWritten(const llvm::Instruction &I, const CustomRules *Rules);

/// The same of one call of a function with a derivative of its own.
void refuseRuleCall(const llvm::CallBase &Call, const CustomRule &Rule, const DerivativeRequest &Request,
                    MemoryObjects &Objects, Activity &Active, Refusals &Refused);

/// Reports everything active that has no rule: instructions, calls, accesses whose bytes are read as another type.
void refuseWithoutRule(const Prepared &P, const DerivativeRequest &Request, MemoryObjects &Objects, Activity &Active,
                       Refusals &Refused);

} // namespace kernix

#endif // KERNIX_DERIVATIVE_ANALYSIS_ACTIVITY_H
