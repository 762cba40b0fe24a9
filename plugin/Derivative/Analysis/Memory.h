//===- Memory.h - the memory objects of a prepared function -----------------------------------------------------===//
//
// Which object a pointer points into: a parameter's own storage, a tensor, a reference, a local array, a constant or
// something unknown. Distinct objects do not overlap; that is checked before a derivative is launched.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_DERIVATIVE_ANALYSIS_MEMORY_H
#define KERNIX_DERIVATIVE_ANALYSIS_MEMORY_H

#include "Derivative/Prepare/Prepare.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/IR/Instructions.h"
#include <memory>
#include <optional>

namespace kernix {

struct MemoryObject {
  enum KindType {
    Parameter, ///< the storage of a parameter passed by value
    Tensor,    ///< what an active pointer of a parameter points to
    Reference, ///< a reference parameter's referent, or the result
    Local,     ///< an alloca
    Shared,    ///< a __shared__ variable
    Constant,  ///< a constant global
    Global,    ///< any other global
    Opaque,    ///< what an inactive pointer of a parameter points to
    Unknown    ///< what any other pointer points to
  };
  KindType Kind = Opaque;
  const llvm::Value *Base = nullptr;
  unsigned ParameterIndex = 0;   ///< of Parameter, Tensor and Reference
  const Leaf *TheLeaf = nullptr; ///< of Tensor and Reference
  llvm::Type *Scalar = nullptr;  ///< floating-point type of all its bytes but padding, if there is one
  /// Shared memory in which each type has places of its own. Scalar is null.
  bool IsPool = false;
  std::string Name; ///< as the user calls it, or empty

  bool isTensorLike() const { return Kind == Tensor || Kind == Reference; }
  /// Whether a store takes away an adjoint that other threads of the block may add to on the other side of a barrier.
  bool isExchanged() const { return Kind == Shared || (isTensorLike() && TheLeaf->Access == Leaf::InOut); }
};

class MemoryObjects {
public:
  /// Unless AsPrepared, integers still move numbers: a shared variable of floats is no pool.
  MemoryObjects(const Prepared &P, const DerivativeRequest &Request, bool AsPrepared = false);
  ~MemoryObjects();

  /// All objects that Pointer may point into; never empty. Where one of them is unknown, these are also the objects
  /// whose addresses are kept somewhere.
  llvm::SmallVector<const MemoryObject *, 2> of(const llvm::Value *Pointer);
  /// Without these: only objects that Pointer is seen to come from.
  llvm::SmallVector<const MemoryObject *, 2> seen(const llvm::Value *Pointer);
  /// The only one of them, or null.
  const MemoryObject *only(const llvm::Value *Pointer);
  /// Whether an unknown object is behind a pointer that the caller has kept in memory.
  bool isOfCaller(const MemoryObject &Unknown);
  /// The leaf of a parameter's storage that an access of this size touches; null: none. Exact is false where the offset
  /// is not constant and the leaf only one of several.
  const Leaf *leafAt(const llvm::Value *Pointer, const MemoryObject &Object, uint64_t Size, bool &Exact);
  /// Whether Load reads a stride of a view, which the shadow may have of its own.
  bool isStride(const llvm::LoadInst &Load);
  /// Whether it is one of the view whose elements O is.
  bool isStrideOf(const llvm::LoadInst &Load, const MemoryObject &O);
  /// Whether O is the elements of a view, whose shadow has strides of its own.
  bool isOfView(const MemoryObject &O) const;
  /// The view that carries its gradient, as kernix::DiffTensorView, whose elements or theirs O is; null: it is not.
  const RequestParameter *viewOf(const MemoryObject &O);
  /// Whether O is the storage of such a view.
  bool holdsView(const MemoryObject &O) const {
    return O.Kind == MemoryObject::Parameter && Request.Parameters[O.ParameterIndex].CarriesGradient;
  }
  /// Derivatives that the source has written.
  const CustomRules *rules() const { return Request.Rules; }

private:
  const MemoryObject *object(const llvm::Value *Base);
  bool isOfCaller(const llvm::Value *Base, llvm::SmallPtrSetImpl<const llvm::Value *> &Asked);
  void findKept();
  bool isInactivePointer(const llvm::Value *Base);
  llvm::Type *scalarOfVariable(const llvm::Value &Variable, llvm::Type *Declared);
  llvm::Type *scalarOfShared(const llvm::GlobalVariable &Global);

  const Prepared &P;
  const DerivativeRequest &Request;
  bool AsPrepared;
  llvm::DenseMap<const llvm::Value *, std::unique_ptr<MemoryObject>> Objects;
  /// Whose addresses are stored, made integers or given to calls; not found before they are asked for.
  std::optional<llvm::SmallVector<const MemoryObject *, 4>> Kept;
  bool CallerHasKept = false; ///< where the caller keeps pointers there may be some of these addresses
};

} // namespace kernix

#endif // KERNIX_DERIVATIVE_ANALYSIS_MEMORY_H
