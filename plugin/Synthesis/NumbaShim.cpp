//===- NumbaShim.cpp - device functions for Numba's kernels -----------------------------------------------------===//

#include "Synthesis/NumbaShim.h"
#include "HandOver.h"
#include "Synthesis/LaunchThunk.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/xxhash.h"

using namespace clang;
using namespace kernix;

namespace {

/// A scalar at `Offset` bytes of a value.
struct Scalar {
  QualType Type; ///< as callers pass it
  int64_t Offset = 0;
  int64_t Size = 0;
};

/// One number, or the two of a complex one.
void addScalars(ASTContext &Context, kernix_dtype Dtype, int64_t Offset, llvm::SmallVectorImpl<Scalar> &Scalars) {
  if (Dtype.code == KERNIX_COMPLEX) {
    QualType Part = Dtype.bits == 64 ? Context.FloatTy : Context.DoubleTy;
    Scalars.push_back({Part, Offset, Dtype.bits / 16});
    Scalars.push_back({Part, Offset + Dtype.bits / 16, Dtype.bits / 16});
    return;
  }
  const bool IsFloat = Dtype.code == KERNIX_FLOAT && Dtype.bits >= 32;
  QualType Type = IsFloat ? (Dtype.bits == 32 ? Context.FloatTy : Context.DoubleTy)
                          : Context.getIntTypeForBitwidth(Dtype.bits, /*Signed=*/Dtype.code == KERNIX_INT);
  Scalars.push_back({Type, Offset, Dtype.bits / 8});
}

/// How a parameter or a result is passed.
enum class Passing { Value, Address, Pointer, Array, Gradient, Unknown };

Passing passing(const BoundFunction &F, const Parameter &P) {
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
    return Passing::Unknown;
  }
}

bool isReturned(const BoundFunction &F, const Parameter &P) {
  return P.Intent == KERNIX_INTENT_OUT_RETURN || P.Intent == KERNIX_INTENT_OUT_ARRAY_RETURN ||
         passing(F, P) == Passing::Gradient;
}

/// What lies in the storage for P: of a gradient, what it points to.
llvm::SmallVector<Scalar, 8> scalars(ASTContext &Context, const BoundFunction &F, const Parameter &P) {
  llvm::SmallVector<Scalar, 8> Result;
  switch (passing(F, P)) {
  case Passing::Pointer:
  case Passing::Address:
    return {{Context.VoidPtrTy, 0, 8}};
  case Passing::Gradient:
    return scalars(Context, F, F.Parameters[static_cast<size_t>(P.ShadowOf)]);
  default:
    break;
  }
  if (P.ArrayLength) {
    int64_t Width = 1;
    for (int64_t Extent : P.Element.Shape)
      Width *= Extent;
    const int64_t Bytes = P.Size / P.ArrayLength;
    for (int64_t I = 0; I < P.ArrayLength; ++I)
      for (int64_t J = 0; J < Width; ++J)
        addScalars(Context, P.Element.Dtype, I * Bytes + J * P.Element.Dtype.bits / 8, Result);
  } else if (P.Fields.empty()) {
    addScalars(Context, P.Element.Dtype, 0, Result);
  } else {
    for (const Field &Leaf : P.Fields)
      for (int64_t I = 0; I < Leaf.Count; ++I)
        addScalars(Context, Leaf.Dtype, Leaf.Offset + I * Leaf.Dtype.bits / 8, Result);
  }
  return Result;
}

/// The numbers that kernix::detail::NumbaShim is made of.
class Layout {
public:
  Layout(ASTContext &Context, const BoundFunction &F) : Context(Context), F(F) {
    for (const Parameter &P : F.Parameters)
      add(P);
    int64_t OwnResult = 0;
    if (F.Result.Passing != KERNIX_PASS_VOID) {
      OwnResult = place(F.Result.Size, F.Result.Alignment);
      giveBack(scalars(Context, F, F.Result), OwnResult);
    }
    for (const auto &[Values, Place] : Outputs)
      giveBack(Values, Place);
    Numbers = {Bytes ? Bytes : 1, Alignment, static_cast<int64_t>(F.Parameters.size()),
               static_cast<int64_t>(Leaves.size()) - ByAddress, static_cast<int64_t>(Returned.size() / 3)};
    Numbers.append(Parameters);
    Numbers.append(Given);
    Numbers.push_back(OwnResult);
    Numbers.append(Returned);
  }

  llvm::SmallVector<int64_t, 64> Numbers;
  llvm::SmallVector<QualType, 16> Leaves; ///< what callers pass

private:
  enum Kind : int64_t { ByValue, ByAddress_, Pointer }; // as kernix::detail::NumbaArgument

  int64_t place(int64_t Size, int64_t Align) {
    const int64_t Result =
        static_cast<int64_t>(llvm::alignTo(static_cast<uint64_t>(Bytes), static_cast<uint64_t>(Align)));
    Bytes = Result + Size;
    Alignment = std::max(Alignment, Align);
    return Result;
  }

  void add(const Parameter &P) {
    const Passing How = passing(F, P);
    if (How == Passing::Address) {
      Parameters.append({ByAddress_, static_cast<int64_t>(Leaves.size()), 0});
      Leaves.push_back(Context.VoidPtrTy);
      ++ByAddress;
      return;
    }
    const Parameter &Object = How == Passing::Gradient ? F.Parameters[static_cast<size_t>(P.ShadowOf)] : P;
    const int64_t Place = place(Object.Size, Object.Alignment);
    const bool IsPointer = How == Passing::Gradient || How == Passing::Array;
    Parameters.append({IsPointer ? Pointer : ByValue, Place, How == Passing::Gradient ? Object.Size : 0});
    llvm::SmallVector<Scalar, 8> Values = scalars(Context, F, P);
    if (isReturned(F, P)) {
      Outputs.emplace_back(std::move(Values), Place);
      return;
    }
    for (const Scalar &Value : Values) {
      Given.append({static_cast<int64_t>(Leaves.size()), Place + Value.Offset, Value.Size});
      Leaves.push_back(Value.Type);
    }
  }

  void giveBack(llvm::ArrayRef<Scalar> Values, int64_t Place) {
    for (const Scalar &Value : Values) {
      const auto Size = static_cast<uint64_t>(Value.Size);
      const auto To = static_cast<int64_t>(llvm::alignTo(static_cast<uint64_t>(ResultBytes), Size));
      Returned.append({Place + Value.Offset, To, Value.Size});
      ResultBytes = To + Value.Size;
    }
  }

  ASTContext &Context;
  const BoundFunction &F;
  int64_t Bytes = 0, Alignment = 1, ResultBytes = 0, ByAddress = 0;
  llvm::SmallVector<int64_t, 32> Parameters, Given, Returned;
  std::vector<std::pair<llvm::SmallVector<Scalar, 8>, int64_t>> Outputs;
};

/// Scalars that a call may pass or give back: kernels have 4 KiB of parameters, and so have Numba's calls of functions.
constexpr size_t MaxScalars = 256;

} // namespace

std::string kernix::whyNotInNumba(const BoundFunction &F) {
  int64_t Count = 0;
  for (const Parameter &P : F.Parameters) {
    if (passing(F, P) == Passing::Unknown)
      return "'" + P.Name + "' of type '" + P.Type + "' has no counterpart in Numba";
    Count += P.ArrayLength ? P.Size / std::max<int64_t>(P.Element.Dtype.bits / 8, 1) : 1;
    for (const Field &Leaf : P.Fields)
      Count += Leaf.Count;
  }
  if (Count > static_cast<int64_t>(MaxScalars))
    return "it has more than " + std::to_string(MaxScalars) + " numbers as arguments and results";
  return {};
}

std::string kernix::numbaShimSymbol(const BoundFunction &F, llvm::StringRef Unit) {
  // The same for both targets, whose headers may have other types of the same name; variants differ in what is here.
  std::string Key = F.Name + "@" + Unit.str();
  auto Add = [&](const Parameter &P) {
    llvm::raw_string_ostream OS(Key);
    OS << "@" << P.Passing << "," << P.Intent << "," << P.Element.Dtype.code << "," << P.Element.Dtype.bits << ","
       << P.Size << "," << P.ArrayLength << "," << P.Fields.size();
    for (int64_t Extent : P.Element.Shape)
      OS << "x" << Extent;
  };
  llvm::for_each(F.Parameters, Add);
  Add(F.Result);
  return NumbaShimPrefix + llvm::utohexstr(llvm::xxh3_64bits(Key), /*LowerCase=*/true);
}

bool kernix::synthesizeNumbaShim(AstBuilder &B, const BoundFunction &F) {
  const Layout Made(B.Context, F);
  llvm::SmallVector<QualType, 16> Types{B.Context.VoidPtrTy};
  Types.append(Made.Leaves.begin(), Made.Leaves.end());
  QualType Shim = B.Context.getFunctionType(B.Context.IntTy, Types, FunctionProtoType::ExtProtoInfo());
  const bool OnCpu = !F.DeviceThunk.empty();
  QualType Thunk = OnCpu ? B.detailClass("GuardedThunk", {}, {callThunk(B, F)}) : thunkType(B, F);
  if (Thunk.isNull())
    return false;
  llvm::SmallVector<Expr *, 64> Numbers;
  for (int64_t Number : Made.Numbers)
    Numbers.push_back(B.integer(Number));
  FunctionDecl *Call = B.memberFunction(B.detailClass("NumbaShim", {Thunk, Shim}, Numbers), "call");
  if (!Call)
    return false;
  AstBuilder::FunctionOptions Options;
  Options.Device = !OnCpu;
  return B.function(F.NumbaShim, B.Context.IntTy, Types, Options, [&](llvm::ArrayRef<ParmVarDecl *> P) {
    llvm::SmallVector<Expr *, 16> Arguments;
    for (ParmVarDecl *Leaf : P)
      Arguments.push_back(B.reference(Leaf));
    return B.call(Call, Arguments);
  }) != nullptr;
}
