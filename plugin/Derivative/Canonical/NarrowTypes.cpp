//===- NarrowTypes.cpp - which of half, half2, bfloat16 and its pair a function or a type is about ---------------===//

#include "Derivative/Canonical/NarrowTypes.h"
#include "llvm/ADT/Twine.h"
#include "llvm/IR/DerivedTypes.h"

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

Type *kernix::narrowNumber(const Type *T) {
  const auto *Struct = dyn_cast<StructType>(T);
  if (!Struct || Struct->isLiteral() || Struct->isOpaque() || Struct->getNumElements() != 1 ||
      !Struct->getElementType(0)->isIntegerTy(16))
    return nullptr;
  // A context with two types of one name tells them apart by a number.
  StringRef Name = Struct->getName();
  Name.consume_front("struct.");
  StringRef Word = Name.split('.').first;
  if (Word == "__half")
    return Type::getHalfTy(T->getContext());
  return Word == "__nv_bfloat16" ? Type::getBFloatTy(T->getContext()) : nullptr;
}

std::string kernix::nameForOne(StringRef Name, const NarrowKind &Kind) {
  if (Kind.Count == 1)
    return Name.str();
  auto [Before, After] = Name.split('2');
  return Name.contains('2') ? (Before + Twine(After)).str() : "";
}
