//===- MangledName.cpp - the parts of a mangled C++ name --------------------------------------------------------===//

#include "Derivative/Canonical/MangledName.h"

using namespace llvm;
using namespace kernix;

namespace {

/// A number and as many characters, at the front of Rest; empty: there is none.
StringRef takeIdentifier(StringRef &Rest) {
  size_t Length;
  if (Rest.consumeInteger(10, Length) || Length > Rest.size())
    return {};
  StringRef Identifier = Rest.take_front(Length);
  Rest = Rest.drop_front(Length);
  return Identifier;
}

} // namespace

std::optional<MangledName> kernix::parseMangledName(StringRef Symbol) {
  if (!Symbol.consume_front("_Z"))
    return std::nullopt;
  MangledName Result;
  bool IsNested = Symbol.consume_front("N");
  if (IsNested && (Result.Scope = takeIdentifier(Symbol)).empty())
    return std::nullopt;
  Symbol.consume_front("L"); // internal linkage
  Result.Name = takeIdentifier(Symbol);
  if (Result.Name.empty() || (IsNested && !Symbol.consume_front("E")) || Symbol.starts_with("I"))
    return std::nullopt;
  Result.Parameters = Symbol;
  return Result;
}
