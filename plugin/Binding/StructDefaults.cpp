//===- StructDefaults.cpp - constants as defaults: numbers and structs of them ------------------------------------===//

#include "Binding/StructDefaults.h"
#include "Binding/Types.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"
#include <cstring>

using namespace clang;
using namespace kernix;

namespace {

/// std::complex is a struct around a complex number, __half around its bits.
bool readComplex(const APValue &Value, ConstantScalar &Default) {
  if (Value.isComplexFloat()) {
    auto toDouble = [](llvm::APFloat F) {
      bool Lossy;
      F.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &Lossy);
      return F.convertToDouble();
    };
    Default.Real[0] = toDouble(Value.getComplexFloatReal());
    Default.Real[1] = toDouble(Value.getComplexFloatImag());
    return true;
  }
  if (Value.isStruct() && Value.getStructNumFields() == 1 && Value.getStructNumBases() == 0)
    return readComplex(Value.getStructField(0), Default);
  return false;
}

/// The scalars of a struct in the order of its leaves (structFields).
bool readParts(ASTContext &Context, const APValue &Value, QualType Type, std::vector<ConstantScalar> &Parts) {
  if (const ConstantArrayType *Array = Context.getAsConstantArrayType(Type)) {
    if (!Value.isArray())
      return false;
    for (unsigned I = 0; I < Value.getArraySize(); ++I) {
      bool IsWritten = I < Value.getArrayInitializedElts();
      if (!readParts(Context, IsWritten ? Value.getArrayInitializedElt(I) : Value.getArrayFiller(),
                     Array->getElementType(), Parts))
        return false;
    }
    return true;
  }
  if (std::optional<kernix_dtype> Dtype = scalarDtype(Context, Type))
    return readConstant(Value, *Dtype, Parts.emplace_back());
  const auto *Record = dyn_cast_or_null<CXXRecordDecl>(Type->getAsRecordDecl());
  if (!Record || !Value.isStruct())
    return false;
  unsigned Index = 0;
  for (const CXXBaseSpecifier &Base : Record->bases()) {
    const APValue &Part = Value.getStructBase(Index++);
    if (!Base.getType()->getAsCXXRecordDecl()->isEmpty() && !readParts(Context, Part, Base.getType(), Parts))
      return false;
  }
  return llvm::all_of(Record->fields(), [&](const FieldDecl *Field) {
    return readParts(Context, Value.getStructField(Field->getFieldIndex()), Field->getType(), Parts);
  });
}

uint64_t floatBits(double Value, const llvm::fltSemantics &Semantics) {
  llvm::APFloat F(Value);
  bool Lossy;
  F.convert(Semantics, llvm::APFloat::rmNearestTiesToEven, &Lossy);
  return F.bitcastToAPInt().getZExtValue();
}

void writeReal(double Value, unsigned Bits, char *To) {
  uint64_t Pattern = floatBits(Value, Bits == 16   ? llvm::APFloat::IEEEhalf()
                                      : Bits == 32 ? llvm::APFloat::IEEEsingle()
                                                   : llvm::APFloat::IEEEdouble());
  std::memcpy(To, &Pattern, Bits / 8);
}

void write(const ConstantScalar &Scalar, kernix_dtype Dtype, char *To) {
  uint64_t Pattern = static_cast<uint64_t>(Scalar.Integer);
  switch (Dtype.code) {
  case KERNIX_FLOAT:
    return writeReal(Scalar.Real[0], Dtype.bits, To);
  case KERNIX_COMPLEX:
    writeReal(Scalar.Real[0], Dtype.bits / 2, To);
    return writeReal(Scalar.Real[1], Dtype.bits / 2, To + Dtype.bits / 16);
  case KERNIX_BFLOAT:
    Pattern = floatBits(Scalar.Real[0], llvm::APFloat::BFloat());
    break;
  default:
    break;
  }
  std::memcpy(To, &Pattern, Dtype.bits / 8);
}

} // namespace

bool kernix::readConstant(const APValue &Value, kernix_dtype Dtype, ConstantScalar &Default) {
  if (Dtype.code == KERNIX_COMPLEX)
    return readComplex(Value, Default);
  if (Value.isInt()) {
    Default.Integer =
        Value.getInt().isSigned() ? Value.getInt().getSExtValue() : static_cast<int64_t>(Value.getInt().getZExtValue());
    return true;
  }
  if (Value.isFloat()) {
    llvm::APFloat F = Value.getFloat();
    bool Lossy;
    F.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &Lossy);
    Default.Real[0] = F.convertToDouble();
    return true;
  }
  return false;
}

bool kernix::readHalf(ASTContext &Context, const Expr *E, ConstantScalar &Default) {
  E = E->IgnoreImplicit()->IgnoreParenCasts();
  const Expr *Argument = nullptr;
  if (const auto *Construct = dyn_cast<CXXConstructExpr>(E); Construct && Construct->getNumArgs() == 1)
    Argument = Construct->getArg(0);
  else if (const auto *Call = dyn_cast<CallExpr>(E); Call && Call->getNumArgs() == 1)
    Argument = Call->getArg(0);
  if (!Argument)
    return false;
  Expr::EvalResult Result;
  if (Argument->getType()->isRealType() && Argument->EvaluateAsRValue(Result, Context)) {
    if (Result.Val.isInt()) {
      Default.Real[0] = static_cast<double>(Result.Val.getInt().getSExtValue());
      return true;
    }
    return readConstant(Result.Val, {KERNIX_FLOAT, 64, 1}, Default);
  }
  return Argument->getType()->isRecordType() && readHalf(Context, Argument, Default);
}

bool kernix::readConstants(ASTContext &Context, const Expr *E, QualType Type, std::vector<ConstantScalar> &Scalars) {
  if (const auto *Cleanups = dyn_cast<ExprWithCleanups>(E))
    E = Cleanups->getSubExpr();
  if (const auto *Temporary = dyn_cast<MaterializeTemporaryExpr>(E)) // for a reference to const
    E = Temporary->getSubExpr();
  Expr::EvalResult Result;
  size_t Before = Scalars.size();
  if (E->EvaluateAsRValue(Result, Context) && !Result.HasSideEffects && readParts(Context, Result.Val, Type, Scalars))
    return true;
  Scalars.resize(Before);
  std::optional<kernix_dtype> Dtype = scalarDtype(Context, Type);
  return Dtype && Dtype->bits == 16 && readHalf(Context, E, Scalars.emplace_back());
}

bool kernix::readStructDefault(ASTContext &Context, const Expr *E, const Parameter &P, DefaultValue &Default) {
  if (!readConstants(Context, E, E->getType(), Default.Parts))
    return false;
  int64_t Expected = 0;
  for (const Field &Leaf : P.Fields)
    Expected += Leaf.Count;
  return static_cast<int64_t>(Default.Parts.size()) == Expected;
}

std::string kernix::structDefaultBytes(const Parameter &P) {
  std::string Bytes(static_cast<size_t>(P.Size), 0);
  size_t Next = 0;
  for (const Field &Leaf : P.Fields)
    for (int64_t I = 0; I < Leaf.Count; ++I)
      write(P.Default->Parts[Next++], Leaf.Dtype, &Bytes[static_cast<size_t>(Leaf.Offset + I * (Leaf.Dtype.bits / 8))]);
  return Bytes;
}
