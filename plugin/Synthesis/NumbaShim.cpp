//===- NumbaShim.cpp - device functions for Numba's kernels -----------------------------------------------------===//

#include "Synthesis/NumbaShim.h"
#include "Binding/NumbaCall.h"
#include "HandOver.h"
#include "Synthesis/LaunchThunk.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/xxhash.h"

using namespace clang;
using namespace kernix;

namespace {

using Passing = NumbaValue::Passing;

/// As callers pass it: 16-bit floats as their bits.
QualType typeOf(ASTContext &Context, const NumbaScalar &Scalar) {
  if (Scalar.IsPointer)
    return Context.VoidPtrTy;
  const kernix_dtype Dtype = Scalar.Dtype;
  if (Dtype.code == KERNIX_FLOAT && Dtype.bits >= 32)
    return Dtype.bits == 32 ? Context.FloatTy : Context.DoubleTy;
  return Context.getIntTypeForBitwidth(Dtype.bits, /*Signed=*/Dtype.code == KERNIX_INT);
}

/// The numbers that kernix::detail::NumbaShim is made of.
class Layout {
public:
  Layout(ASTContext &Context, const BoundFunction &F) : Context(Context), F(F) {
    const NumbaCall Call = numbaCall(F);
    Values.resize(F.Parameters.size());
    for (const NumbaValue &Value : Call.Arguments)
      Values[static_cast<size_t>(Value.Parameter)] = {&Value, /*IsReturned=*/false};
    for (const NumbaValue &Value : Call.Results)
      if (Value.Parameter != NumbaValue::OwnResult)
        Values[static_cast<size_t>(Value.Parameter)] = {&Value, /*IsReturned=*/true};
    for (size_t I = 0; I < Values.size(); ++I)
      add(I);
    int64_t OwnResult = 0;
    for (const NumbaValue &Value : Call.Results) {
      const bool IsOwn = Value.Parameter == NumbaValue::OwnResult;
      if (IsOwn)
        OwnResult = place(F.Result.Size, F.Result.Alignment);
      giveBack(Value.Scalars, IsOwn ? OwnResult : Places[static_cast<size_t>(Value.Parameter)]);
    }
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

  void add(size_t Index) {
    const auto &[Value, IsReturned] = Values[Index];
    const Parameter &P = F.Parameters[Index];
    Places.push_back(0);
    if (Value->How == Passing::Address) {
      Parameters.append({ByAddress_, static_cast<int64_t>(Leaves.size()), 0});
      Leaves.push_back(Context.VoidPtrTy);
      ++ByAddress;
      return;
    }
    const bool IsGradient = Value->How == Passing::Gradient;
    const Parameter &Object = IsGradient ? F.Parameters[static_cast<size_t>(P.ShadowOf)] : P;
    const int64_t Place = Places.back() = place(Object.Size, Object.Alignment);
    const bool IsPointer = IsGradient || Value->How == Passing::Array;
    Parameters.append({IsPointer ? Pointer : ByValue, Place, IsGradient ? Object.Size : 0});
    if (IsReturned)
      return;
    for (const NumbaScalar &Scalar : Value->Scalars) {
      Given.append({static_cast<int64_t>(Leaves.size()), Place + Scalar.Offset, Scalar.Size});
      Leaves.push_back(typeOf(Context, Scalar));
    }
  }

  void giveBack(llvm::ArrayRef<NumbaScalar> Scalars, int64_t Place) {
    for (const NumbaScalar &Value : Scalars) {
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
  llvm::SmallVector<std::pair<const NumbaValue *, bool>, 8> Values; ///< of the parameters, and whether it is returned
  llvm::SmallVector<int64_t, 8> Places;                             ///< of those that are in the storage
};

} // namespace

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
