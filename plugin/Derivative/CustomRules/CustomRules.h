//===- CustomRules.h - derivatives that users write ---------------------------------------------------------------===//
//
// Functions whose derivative in one mode is a function of the source (HandOver.h, kernix.rule). How structs and classes
// are passed differs with place and target, so the front half makes four helpers for each, in which every parameter is
// an address: the LLVM half never has to know a calling convention.
//
//   stub(T1, ..., Tn) -> R       f's own signature; calls the marker with the addresses of its parameters
//   marker(T1 *, ..., Tn *)      only declared; returns the address of the result
//   primal(T1 *, ..., R *)       calls f
//   thunk(T1 *, S1 *, ..., R *)  calls the rule; the last one is the cotangent, or kernix::Dual of the result
//
// A call of f becomes a call of stub, which is inlined, and the marker's call becomes one call on numbers and pointers
// alone (RuleCalls.h), which differentiation sees.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_DERIVATIVE_CUSTOMRULES_CUSTOMRULES_H
#define KERNIX_DERIVATIVE_CUSTOMRULES_CUSTOMRULES_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/DebugLoc.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/PassManager.h"
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kernix {

/// A number or pointer in a parameter of f, or in its result.
struct RuleLeaf {
  int64_t Offset = 0;
  llvm::Type *Type = nullptr;
  bool ToConst = false;  ///< a pointer to what is only read
  bool IsStride = false; ///< an integer of a view that its shadow has of its own
  bool MayChange = true; ///< of a parameter by reference: f may write to it
};

struct RuleParameter {
  enum SlotKind {
    None,    ///< the rule has no gradient for it
    Value,   ///< tangent by value, gradient through a pointer
    Memory,  ///< T&: tangent and gradient are changed in place
    Pointer, ///< followed by a pointer to the shadow
    View     ///< followed by a view of the shadow
  };
  std::string Name;
  SlotKind Slot = None;
  bool IsActive = false;      ///< its slot is not that of a constant
  bool IsNoDiff = false;      ///< the source says that it is a constant
  bool HoldsGradient = false; ///< an object that knows itself where its gradients are
  uint64_t Size = 0;
  llvm::Align Alignment;
  std::vector<RuleLeaf> Leaves;
};

struct CustomRule {
  bool IsForward = false;
  std::string Name; ///< of f, for messages
  llvm::Function *F = nullptr, *Stub = nullptr, *Marker = nullptr, *Primal = nullptr, *Thunk = nullptr;
  llvm::Function *Holder = nullptr; ///< carries the annotation and nothing else
  std::vector<RuleParameter> Parameters;
  std::optional<RuleParameter> Result;
  bool HasDual = false; ///< the forward rule returns value and tangent
  bool Assigns = false; ///< the derivative assigns a gradient, and has to be called also where that is zero
  std::string Refused;  ///< why f cannot be called in differentiated code; empty: it can

  /// What f does with memory other than its own and what it returns.
  bool ReadsMemory = true, WritesMemory = true;
  bool StoresMemory = true; ///< writes otherwise than by atomic operations
  /// A global or shared variable to whose numbers f writes by its name; null: none that is seen.
  const llvm::GlobalVariable *WrittenVariable = nullptr;
  /// The function on numbers and pointers; made on first use.
  llvm::Function *Canonical = nullptr;

  bool holdsGradient() const;
};

class CustomRules {
public:
  /// Reads the annotations of a module.
  explicit CustomRules(llvm::Module &M);
  ~CustomRules();

  const CustomRule *find(const llvm::Function &F, bool IsForward) const;
  const CustomRule *ofMarker(const llvm::Function &Marker, bool IsForward) const;
  const CustomRule *ofCanonical(const llvm::Function *Canonical) const;
  /// The canonical function of a rule; looks into f's body for what it does with memory.
  llvm::Function &canonical(const CustomRule &Rule, llvm::FunctionAnalysisManager &FAM) const;
  bool empty() const { return Rules.empty(); }
  /// A function that is marked [[kernix::no_diff]].
  bool isConstant(const llvm::Function &F) const { return Constants.contains(&F); }
  /// A thunk or primal: nothing but one call.
  bool isHelper(const llvm::Function &F) const { return Helpers.contains(&F); }
  /// To be called when the derivatives are written. True after errors: rules that call themselves without end.
  bool refuseEndless() const;
  /// Takes everything out of the module that only the rules were for.
  void remove(llvm::Module &M, llvm::FunctionAnalysisManager &FAM);

private:
  llvm::SmallPtrSet<const llvm::Function *, 4> Constants;
  std::vector<std::unique_ptr<CustomRule>> Rules;
  llvm::DenseMap<std::pair<const llvm::Function *, int>, CustomRule *> ByFunction, ByMarker;
  mutable llvm::DenseMap<const llvm::Function *, const CustomRule *> ByCanonical;
  llvm::SmallPtrSet<const llvm::Function *, 8> Helpers;
};

/// Whether F, or a function that it calls, leaves in memory by atomic operations what depends on the order of threads,
/// as sums of floating-point numbers do, as far as bodies are visible.
bool addsAtomically(const llvm::Function &F);

/// Finds out what f does with memory other than its parameters and its result.
void findMemoryEffects(CustomRule &Rule, llvm::FunctionAnalysisManager &FAM);

} // namespace kernix

#endif // KERNIX_DERIVATIVE_CUSTOMRULES_CUSTOMRULES_H
