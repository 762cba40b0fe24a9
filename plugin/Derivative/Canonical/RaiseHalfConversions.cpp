//===- RaiseHalfConversions.cpp - half and bfloat16: conversions, pairs from numbers and back -------------------===//
//
// Rounding to nearest, which is the default; the functions that round elsewhere are left alone.
//
//===------------------------------------------------------------------------------------------------------------===//

#include "Derivative/Canonical/NarrowTypes.h"
#include "Derivative/Prepare/CallScalars.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace kernix;

namespace {

/// Where the numbers of the result come from: places in the list of all numbers of the arguments.
struct Conversion {
  StringRef Name;   ///< with "half" where bfloat16's function has "bfloat16"
  StringRef From;   ///< letter and number of the numbers that come in: n narrow, f float, d double; "f2" is a float2
  char To;          ///< n or f
  StringRef Places; ///< "01": the first and the second
};
const Conversion Conversions[] = {
    {"__float2half", "f", 'n', "0"},        {"__float2half_rn", "f", 'n', "0"},
    {"__double2half", "d", 'n', "0"},       {"__half2float", "n", 'f', "0"},
    {"__float2half2_rn", "f", 'n', "00"},   {"__floats2half2_rn", "ff", 'n', "01"},
    {"__float22half2_rn", "f2", 'n', "01"}, {"__half22float2", "n2", 'f', "01"},
    {"__low2float", "n2", 'f', "0"},        {"__high2float", "n2", 'f', "1"},
    {"__low2half", "n2", 'n', "0"},         {"__high2half", "n2", 'n', "1"},
    {"__low2half2", "n2", 'n', "00"},       {"__high2half2", "n2", 'n', "11"},
    {"__lows2half2", "n2n2", 'n', "02"},    {"__highs2half2", "n2n2", 'n', "13"},
    {"__lowhigh2highlow", "n2", 'n', "10"}, {"__halves2half2", "nn", 'n', "01"},
    {"__half2half2", "n", 'n', "00"},       {"make_half2", "nn", 'n', "01"},
};

/// The numbers of all arguments; empty: they are not what From says.
Scalars readAll(RaiseBuilder &Builder, CallBase &Call, Type *Narrow, StringRef From) {
  Scalars Numbers;
  unsigned Argument = 0;
  while (!From.empty()) {
    Type *Scalar = From[0] == 'n' ? Narrow : From[0] == 'f' ? Builder.getFloatTy() : Builder.getDoubleTy();
    From = From.drop_front();
    unsigned Count = From.consume_front("2") ? 2 : 1;
    Scalars More = readArgument(Builder, Call, Argument++, Scalar, Count);
    if (More.empty())
      return {};
    Numbers.append(More);
  }
  return Argument == sourceArguments(Call) ? Numbers : Scalars();
}

Value *convert(RaiseBuilder &Builder, Value *X, Type *To) {
  if (X->getType() == To)
    return X;
  // The C runtime of the compilers that are about has no rounding of double to bfloat16.
  if (X->getType()->isDoubleTy() && To->isBFloatTy())
    X = Builder.CreateFPTrunc(X, Builder.getFloatTy());
  return Builder.CreateFPCast(X, To);
}

bool raiseBetweenFloats(CallBase &Call, StringRef Name, Type *Narrow) {
  for (const Conversion &C : Conversions) {
    if (C.Name != Name)
      continue;
    RaiseBuilder Builder(Call);
    Type *To = C.To == 'n' ? Narrow : Builder.getFloatTy();
    if (!returnsScalars(Call, To, C.Places.size()))
      return false;
    Scalars Numbers = readAll(Builder, Call, Narrow, C.From);
    if (Numbers.empty())
      return false;
    Scalars Results;
    for (char Place : C.Places)
      Results.push_back(convert(Builder, Numbers[Place - '0'], To));
    replaceByScalars(Builder, Call, Results);
    return true;
  }
  return false;
}

bool isUnsigned(StringRef IntegerName) { return IntegerName.starts_with("u"); }

bool isIntegerName(StringRef Name) {
  return StringSwitch<bool>(Name)
      .Cases({"char", "uchar", "short", "ushort", "int", "uint", "ll", "ull"}, true)
      .Default(false);
}

/// `__int2half_rn`
bool raiseFromInteger(CallBase &Call, StringRef Name, Type *Narrow) {
  if (!Name.consume_front("__") || !Name.consume_back("2half_rn") || !isIntegerName(Name) ||
      sourceArguments(Call) != 1 || !returnsScalars(Call, Narrow, 1))
    return false;
  Value *X = sourceArgument(Call, 0);
  if (!X->getType()->isIntegerTy())
    return false;
  RaiseBuilder Builder(Call);
  replaceByScalars(Builder, Call, isUnsigned(Name) ? Builder.CreateUIToFP(X, Narrow) : Builder.CreateSIToFP(X, Narrow));
  return true;
}

/// `__half2int_rz`: out of range the nearest integer there is, 0 for a NaN.
bool raiseToInteger(CallBase &Call, StringRef Name, Type *Narrow) {
  if (!Name.consume_front("__half2") || !Call.getType()->isIntegerTy())
    return false;
  auto [Integer, Rounding] = Name.rsplit('_');
  Intrinsic::ID Round = StringSwitch<Intrinsic::ID>(Rounding)
                            .Case("rn", Intrinsic::rint)
                            .Case("rz", Intrinsic::trunc)
                            .Case("ru", Intrinsic::ceil)
                            .Case("rd", Intrinsic::floor)
                            .Default(Intrinsic::not_intrinsic);
  if (Round == Intrinsic::not_intrinsic || !isIntegerName(Integer))
    return false;
  RaiseBuilder Builder(Call);
  Scalars X = readArgument(Builder, Call, 0, Narrow, 1);
  if (X.empty() || sourceArguments(Call) != 1)
    return false;
  Value *Rounded = Builder.CreateUnaryIntrinsic(Round, Builder.CreateFPExt(X[0], Builder.getFloatTy()));
  replaceCall(Call, Builder.CreateIntrinsic(isUnsigned(Integer) ? Intrinsic::fptoui_sat : Intrinsic::fptosi_sat,
                                            {Call.getType(), Builder.getFloatTy()}, {Rounded}));
  return true;
}

} // namespace

bool kernix::raiseHalfConversion(CallBase &Call, const MangledName &Symbol) {
  // Both types have the same functions under names made alike.
  std::string Name = Symbol.Name.str();
  bool IsBfloat = StringRef(Name).contains("bfloat16") || Symbol.Parameters.contains("__nv_bfloat16");
  if (!IsBfloat && !StringRef(Name).contains("half") && !Symbol.Parameters.contains("__half"))
    return false;
  for (size_t At; (At = Name.find("bfloat16")) != std::string::npos;)
    Name.replace(At, 8, "half");
  Type *Narrow = IsBfloat ? Type::getBFloatTy(Call.getContext()) : Type::getHalfTy(Call.getContext());
  return raiseBetweenFloats(Call, Name, Narrow) || raiseFromInteger(Call, Name, Narrow) ||
         raiseToInteger(Call, Name, Narrow);
}
