//===- NarrowTypes.cpp - which of half, half2, bfloat16 and its pair a function is about ------------------------===//

#include "Derivative/NarrowTypes.h"
#include "llvm/IR/Type.h"

using namespace llvm;
using namespace kernix;

std::optional<NarrowKind> kernix::narrowKind(LLVMContext &Context, const MangledName &Symbol) {
  StringRef Parameters = Symbol.Parameters;
  if (Parameters.contains("7__half2"))
    return NarrowKind{Type::getHalfTy(Context), 2};
  if (Parameters.contains("6__half"))
    return NarrowKind{Type::getHalfTy(Context), 1};
  if (Parameters.contains("14__nv_bfloat162"))
    return NarrowKind{Type::getBFloatTy(Context), 2};
  if (Parameters.contains("13__nv_bfloat16"))
    return NarrowKind{Type::getBFloatTy(Context), 1};
  return std::nullopt;
}

std::string kernix::nameForOne(StringRef Name, const NarrowKind &Kind) {
  std::string Result = Name.str();
  size_t Two = Result.find('2');
  if (Kind.Count == 2 && Two != std::string::npos)
    Result.erase(Two, 1);
  return Result;
}
