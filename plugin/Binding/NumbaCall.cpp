//===- NumbaCall.cpp - what a call of a device function from Numba passes and gives back --------------------------===//

#include "Binding/NumbaCall.h"

using namespace kernix;

using Passing = NumbaValue::Passing;

/// How a parameter is passed; nothing for one that cannot be.
static std::optional<Passing> passing(const BoundFunction &F, const Parameter &P) {
  switch (P.Passing) {
  case KERNIX_PASS_SCALAR:
  case KERNIX_PASS_STRUCT:
    return Passing::Value;
  case KERNIX_PASS_REFERENCE:
    if (P.ArrayLength)
      return Passing::Value;
    return P.Intent == KERNIX_INTENT_INOUT_PTR || P.Intent == KERNIX_INTENT_OUT_PTR ? Passing::Address : Passing::Value;
  case KERNIX_PASS_ARRAY:
    return Passing::Array;
  case KERNIX_PASS_POINTER:
    // Of a value: the caller gets it as a result.
    return P.ShadowOf >= 0 && (P.DerivativeFlags & KERNIX_GRADIENT) &&
                   passing(F, F.Parameters[static_cast<size_t>(P.ShadowOf)]) == Passing::Value
               ? Passing::Gradient
               : Passing::Pointer;
  default:
    return std::nullopt;
  }
}

/// One number, or the two of a complex one.
static void addScalars(kernix_dtype Dtype, int64_t Offset, llvm::SmallVectorImpl<NumbaScalar> &Scalars) {
  if (Dtype.code != KERNIX_COMPLEX) {
    Scalars.push_back({Dtype, Offset, Dtype.bits / 8});
    return;
  }
  Dtype.code = KERNIX_FLOAT;
  Dtype.bits /= 2;
  Scalars.push_back({Dtype, Offset, Dtype.bits / 8});
  Scalars.push_back({Dtype, Offset + Dtype.bits / 8, Dtype.bits / 8});
}

static llvm::SmallVector<NumbaScalar, 8> scalars(const Parameter &P) {
  llvm::SmallVector<NumbaScalar, 8> Result;
  if (P.ArrayLength) {
    int64_t Width = 1;
    for (int64_t Extent : P.Element.Shape)
      Width *= Extent;
    const int64_t Bytes = P.Size / P.ArrayLength;
    for (int64_t I = 0; I < P.ArrayLength; ++I)
      for (int64_t J = 0; J < Width; ++J)
        addScalars(P.Element.Dtype, I * Bytes + J * P.Element.Dtype.bits / 8, Result);
  } else if (P.Fields.empty()) {
    addScalars(P.Element.Dtype, 0, Result);
  } else {
    for (const Field &Leaf : P.Fields)
      for (int64_t I = 0; I < Leaf.Count; ++I)
        addScalars(Leaf.Dtype, Leaf.Offset + I * Leaf.Dtype.bits / 8, Result);
  }
  return Result;
}

NumbaCall kernix::numbaCall(const BoundFunction &F) {
  NumbaCall Call;
  if (F.Result.Passing != KERNIX_PASS_VOID)
    Call.Results.push_back({NumbaValue::OwnResult, Passing::Value, scalars(F.Result)});
  for (const auto &[Index, P] : llvm::enumerate(F.Parameters)) {
    const Passing How = passing(F, P).value();
    NumbaValue Value = {static_cast<int64_t>(Index), How, {}};
    if (How == Passing::Address || How == Passing::Pointer)
      Value.Scalars.push_back({{}, 0, 8, /*IsPointer=*/true});
    else
      Value.Scalars = scalars(How == Passing::Gradient ? F.Parameters[static_cast<size_t>(P.ShadowOf)] : P);
    const bool IsReturned =
        P.Intent == KERNIX_INTENT_OUT_RETURN || P.Intent == KERNIX_INTENT_OUT_ARRAY_RETURN || How == Passing::Gradient;
    if (IsReturned)
      Call.Results.push_back(std::move(Value));
    else
      Call.Arguments.push_back(std::move(Value));
  }
  return Call;
}

/// Scalars that a call may pass or give back: kernels have 4 KiB of parameters, and so have Numba's calls of functions.
static constexpr int64_t MaxScalars = 256;

std::string kernix::whyNotInNumba(const BoundFunction &F) {
  int64_t Count = 0;
  for (const Parameter &P : F.Parameters) {
    if (!passing(F, P))
      return "'" + P.Name + "' of type '" + P.Type + "' has no counterpart in Numba";
    Count += P.ArrayLength ? P.Size / std::max<int64_t>(P.Element.Dtype.bits / 8, 1) : 1;
    for (const Field &Leaf : P.Fields)
      Count += Leaf.Count;
  }
  if (Count > MaxScalars)
    return "it has more than " + std::to_string(MaxScalars) + " numbers as arguments and results";
  return {};
}
