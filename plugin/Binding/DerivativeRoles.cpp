//===- DerivativeRoles.cpp - which parameters have a gradient ---------------------------------------------------===//

#include "Binding/DerivativeRoles.h"
#include "Binding/DiffViews.h"
#include "Binding/Leaves.h"
#include "Binding/Types.h"
#include "Diagnostics/Diagnostics.h"

using namespace clang;
using namespace kernix;

/// The largest N of diff(replicated, N) and diff(scatter, N): kernels address the memory of all in 64 bits, and nobody
/// has memory for more.
static constexpr int64_t MostInScratch = 1 << 16;

namespace {

class DerivativeRoles {
public:
  DerivativeRoles(Sema &S, AttributeStore &Store, BoundFunction &F)
      : S(S), Context(S.getASTContext()), Store(Store), F(F) {}

  bool assign() {
    bool Ok = true;
    for (Parameter &P : F.Parameters)
      Ok &= assign(P);
    if (!Ok)
      return false;
    assignResult();
    return checkHasInput() && checkHasOutput();
  }

private:
  Sema &S;
  ASTContext &Context;
  AttributeStore &Store;
  BoundFunction &F;

  bool assign(Parameter &P) {
    const DeclAttributes *A = Store.lookup(P.Decl);
    P.NoDiff |= A && A->NoDiff;
    const DiffAttribute *Diff = A && A->Diff ? &*A->Diff : nullptr;
    if (P.NoDiff || !isPassedData(P))
      return true;
    if (P.Passing == KERNIX_PASS_TENSOR) {
      // Only a derivative that the user writes knows what is in it.
      P.Access = accessOf(P);
      P.Differentiable = true;
      return true;
    }
    if (P.Passing == KERNIX_PASS_ARRAY || (P.Passing == KERNIX_PASS_REFERENCE && P.ArrayLength))
      return refuseArray(P);
    bool IsTensor = P.isTensor();
    std::string Why;
    std::optional<bool> HasFloats = IsTensor ? elementHasFloats(P, Why) : hasFloats(P, Why);
    if (!HasFloats)
      return refuseType(P, Why);
    if (!*HasFloats) {
      if (!Diff)
        return true;
      Diagnostics(S).error(Diff->location(), "'%0' has no floating-point value and no gradient") << P.Name;
      return false;
    }
    P.Access = accessOf(P);
    // A kernel's scalars are mostly settings; device and host functions are called with values that were computed.
    P.Differentiable = IsTensor || Diff || F.Kind != KERNIX_KERNEL;
    if (P.IsDiffView && !checkDiffView(S, F, P))
      return false;
    return !Diff || readAccumulation(P, *Diff);
  }

  static bool isPassedData(const Parameter &P) {
    return P.Passing != KERNIX_PASS_C_STRING && P.Passing != KERNIX_PASS_STRING_VIEW && P.Passing != KERNIX_PASS_STREAM;
  }

  QualType elementOf(const Parameter &P) const {
    QualType Type = P.Decl->getType().getNonReferenceType();
    return P.Passing == KERNIX_PASS_TENSOR_VIEW ? viewElement(Type) : Type->getPointeeType();
  }

  /// Nothing, with `Why`, for a type that a derivative cannot look into.
  std::optional<bool> hasFloats(const Parameter &P, std::string &Why) {
    std::optional<std::vector<ScalarLeaf>> Leaves = scalarLeaves(Context, P.Decl->getType().getNonReferenceType(), Why);
    return Leaves ? std::optional(!Leaves->empty()) : std::nullopt;
  }

  std::optional<bool> elementHasFloats(const Parameter &P, std::string &Why) {
    QualType Element = Context.getBaseElementType(elementOf(P)).getUnqualifiedType();
    if (Element->isPointerType()) {
      Why = "it points to pointers";
      return std::nullopt;
    }
    if (Element->isRecordType() && !Element->isIncompleteType() && !elementType(Context, Element, Why))
      return std::nullopt;
    return !elementLeafType(Context, Element).empty();
  }

  bool refuseType(const Parameter &P, const std::string &Why) {
    Diagnostics(S).error(P.Decl->getLocation(), "'%0' of type '%1' cannot be differentiated: %2")
        << P.Name << P.Type << Why;
    Diagnostics(S).note(P.Decl->getLocation(), "mark it [[kernix::no_diff]] if it is a constant of the derivative");
    return false;
  }

  static kernix_access accessOf(const Parameter &P) {
    if (P.Role != KERNIX_RET)
      return KERNIX_ACCESS_IN;
    switch (P.Intent) {
    case KERNIX_INTENT_INOUT_PTR:
      return KERNIX_ACCESS_INOUT;
    case KERNIX_INTENT_OUT_PTR:
    case KERNIX_INTENT_OUT_RETURN:
    case KERNIX_INTENT_OUT_ARRAY_RETURN:
      return KERNIX_ACCESS_OUT;
    default:
      // Zeroed where the body reads it: the value from before the call may matter.
      return P.ZeroInit ? KERNIX_ACCESS_INOUT : KERNIX_ACCESS_OUT;
    }
  }

  bool readAccumulation(Parameter &P, const DiffAttribute &Diff) {
    P.Accumulation = spelling(Diff.Kind).str();
    if (P.IsDiffView && Diff.Kind != Accumulation::Automatic) {
      Diagnostics(S).error(Diff.location(),
                           "'diff(%0)' has no meaning for '%1': how the gradient of a view accumulates "
                           "is said by the member that loads")
          << P.Accumulation << P.Name;
      return false;
    }
    if (Diff.Kind != Accumulation::Replicated && Diff.Kind != Accumulation::Scatter) {
      if (Diff.Kind != Accumulation::Automatic && P.Access == KERNIX_ACCESS_OUT)
        Diagnostics(S).warning(
            WarningGroup::NoEffect, Diff.location(),
            "'kernix::diff(%0)' has no effect: '%1' is only written, so that nothing is added to its "
            "gradient")
            << P.Accumulation << P.Name;
      return true;
    }
    std::optional<int64_t> Count = Diff.Count->valueIn(S, F.Decl);
    if (!Count)
      return false;
    if (std::string Obstacle = obstacleToScratch(P, Diff, *Count); !Obstacle.empty()) {
      Diagnostics(S).error(Diff.location(), "'diff(%0)' of '%1' is not possible: %2")
          << P.Accumulation << P.Name << Obstacle;
      Diagnostics(S).note(Diff.location(), "without the word the compiler chooses how reads of '%0' accumulate")
          << P.Name;
      return false;
    }
    P.AccumulationCount = static_cast<int32_t>(*Count);
    return true;
  }

  /// Why what reads give cannot be kept in scratch memory until the kernel is done; empty if it can.
  std::string obstacleToScratch(const Parameter &P, const DiffAttribute &Diff, int64_t Count) {
    if (F.Kind != KERNIX_KERNEL)
      return "only the launch of a kernel has memory for it";
    if (P.Access != KERNIX_ACCESS_IN)
      return "it is written too, and its gradient comes in with a value";
    if (!P.isTensor() && P.Passing != KERNIX_PASS_SCALAR)
      return "it is a struct; give its members as parameters";
    const kernix_dtype &Dtype = P.Element.Dtype;
    if (Dtype.code != KERNIX_FLOAT && Dtype.code != KERNIX_BFLOAT)
      return "its elements are not of one floating-point type";
    if (Diff.Kind == Accumulation::Scatter && Dtype.bits < 32)
      return "numbers of 16 bits would be rounded at each addition; write diff(replicated, N)";
    if (Count > MostInScratch)
      return "more than " + std::to_string(MostInScratch) + " are not meant";
    return "";
  }

  bool refuseArray(const Parameter &P) {
    Diagnostics(S).error(P.Decl->getLocation(),
                         "the derivative of a result by 'out_array_return' is not available yet");
    Diagnostics(S).note(P.Decl->getLocation(), "return a struct, or mark '%0' [[kernix::no_diff]]") << P.Name;
    return false;
  }

  void assignResult() {
    if (F.Result.Passing == KERNIX_PASS_VOID)
      return;
    std::string Why;
    std::optional<std::vector<ScalarLeaf>> Leaves = scalarLeaves(Context, F.Decl->getReturnType(), Why);
    F.Result.Differentiable = Leaves && !Leaves->empty();
    F.Result.Access = F.Result.Differentiable ? KERNIX_ACCESS_OUT : KERNIX_ACCESS_NONE;
  }

  bool checkHasInput() {
    if (holdsGradient())
      return true;
    if (llvm::any_of(F.Parameters,
                     [](const Parameter &P) { return P.Differentiable && P.Access != KERNIX_ACCESS_OUT; }))
      return true;
    Diagnostics(S).error(F.Location, "%0 is differentiable but has no floating-point input to differentiate by")
        << F.Decl;
    for (const Parameter &P : F.Parameters)
      if (P.Access == KERNIX_ACCESS_IN && !P.Differentiable)
        Diagnostics(S).note(P.Decl->getLocation(), "a scalar of a kernel has a gradient if it is marked "
                                                   "[[kernix::diff]]");
    return false;
  }

  /// What comes in and goes out is then known to the object's own rules.
  bool holdsGradient() const {
    return llvm::any_of(F.Parameters, [](const Parameter &P) { return P.HoldsGradient; });
  }

  bool checkHasOutput() {
    if (holdsGradient() || F.Result.Differentiable || llvm::any_of(F.Parameters, [](const Parameter &P) {
          return P.Differentiable && (P.Access == KERNIX_ACCESS_OUT || P.Access == KERNIX_ACCESS_INOUT);
        }))
      return true;
    Diagnostics(S).error(F.Location, "%0 is differentiable but has no floating-point output") << F.Decl;
    return false;
  }
};

} // namespace

bool kernix::assignDerivativeRoles(Sema &S, AttributeStore &Store, BoundFunction &F) {
  return DerivativeRoles(S, Store, F).assign();
}
