//===- WrittenArguments.h - reading the arguments of an attribute -------------------------------------------------===//
//
// The arguments of one attribute as clang parsed them: the first may be a word, the others are expressions. Each reader
// reports its own error and then gives nothing.
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_ATTRIBUTES_WRITTENARGUMENTS_H
#define KERNIX_ATTRIBUTES_WRITTENARGUMENTS_H

#include "Attributes/Arguments.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace clang {
class ParsedAttr;
} // namespace clang

namespace kernix {

class WrittenArguments {
public:
  /// `Whole` is where the attribute was written.
  WrittenArguments(clang::Sema &S, const clang::ParsedAttr &Attribute, llvm::StringRef Name, clang::SourceRange Whole)
      : S(S), Attribute(Attribute), Name(Name), Whole(Whole) {}

  clang::Sema &sema() const { return S; }
  clang::SourceRange range() const { return Whole; }
  unsigned size() const;
  clang::SourceRange range(unsigned Index) const;
  clang::SourceLocation location(unsigned Index) const { return range(Index).getBegin(); }

  /// Reports a number of arguments outside [Least, Most].
  bool count(unsigned Least, unsigned Most);
  /// Whether the argument is a single identifier, and which.
  bool isWord(unsigned Index) const;
  bool isString(unsigned Index) const;
  /// Whether the argument is an expression of integer type.
  bool isInteger(unsigned Index) const;
  llvm::StringRef word(unsigned Index) const;
  /// The index among `Words` of the word; anything else is an error, with a fix-it where it is a misspelling.
  std::optional<unsigned> oneOf(unsigned Index, llvm::ArrayRef<llvm::StringRef> Words);
  std::optional<StringArgument> string(unsigned Index);
  /// An integer constant, at least `Least` (checked later where it depends on template parameters).
  std::optional<IntegerArgument> integer(unsigned Index, int64_t Least);
  /// A string or an integer of at least `Least`.
  std::optional<ExtentArgument> extent(unsigned Index, int64_t Least);
  /// A finite positive number.
  std::optional<double> positiveNumber(unsigned Index);
  /// An expression that names a function, an overload set or a function template.
  clang::Expr *function(unsigned Index);

  /// Reports that the attribute is there already. False.
  bool refuseSecond(clang::SourceRange First);
  /// Reports that the attribute contradicts another one, given at `Other`. False.
  bool refuseBoth(llvm::StringRef OtherName, clang::SourceRange Other);

private:
  clang::Expr *expression(unsigned Index);

  clang::Sema &S;
  const clang::ParsedAttr &Attribute;
  llvm::StringRef Name;
  clang::SourceRange Whole;
};

} // namespace kernix

#endif
