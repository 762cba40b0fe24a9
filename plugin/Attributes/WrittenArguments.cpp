//===- WrittenArguments.cpp - reading the arguments of an attribute -----------------------------------------------===//
//
// The arguments of one attribute as clang parsed them, into typed arguments or located errors.
//
//===--------------------------------------------------------------------------------------------------------------===//

#include "Attributes/WrittenArguments.h"
#include "Attributes/CustomDerivative.h"
#include "Diagnostics/Diagnostics.h"
#include "Diagnostics/NearestName.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Sema/DeclSpec.h"
#include "clang/Sema/ParsedAttr.h"
#include "clang/Sema/Sema.h"

using namespace clang;

namespace kernix {

unsigned WrittenArguments::size() const { return Attribute.getNumArgs(); }

SourceRange WrittenArguments::range(unsigned Index) const {
  if (Attribute.isArgIdent(Index))
    return Attribute.getArgAsIdent(Index)->getLoc();
  return Attribute.getArgAsExpr(Index)->getSourceRange();
}

bool WrittenArguments::count(unsigned Least, unsigned Most) {
  if (size() >= Least && size() <= Most)
    return true;
  // The first one too many, else the attribute.
  SourceLocation Location = size() > Most ? location(Most) : Whole.getBegin();
  Diagnostics Diag(S);
  if (Most == 0)
    Diag.error(Location, "'kernix::%0' takes no arguments") << Name << range();
  else if (Least == Most)
    Diag.error(Location, "'kernix::%0' takes %1 argument%s1, %2 given") << Name << Most << size() << range();
  else if (size() < Least)
    Diag.error(Location, "'kernix::%0' takes at least %1 argument%s1, %2 given") << Name << Least << size() << range();
  else
    Diag.error(Location, "'kernix::%0' takes at most %1 argument%s1, %2 given") << Name << Most << size() << range();
  return false;
}

bool WrittenArguments::isWord(unsigned Index) const { return Attribute.isArgIdent(Index); }

llvm::StringRef WrittenArguments::word(unsigned Index) const {
  return Attribute.getArgAsIdent(Index)->getIdentifierInfo()->getName();
}

static StringLiteral *asString(Expr *E) { return dyn_cast<StringLiteral>(E->IgnoreParenImpCasts()); }

bool WrittenArguments::isString(unsigned Index) const {
  return !isWord(Index) && asString(Attribute.getArgAsExpr(Index));
}

bool WrittenArguments::isInteger(unsigned Index) const {
  return !isWord(Index) && Attribute.getArgAsExpr(Index)->getType()->isIntegerType();
}

std::optional<unsigned> WrittenArguments::oneOf(unsigned Index, llvm::ArrayRef<llvm::StringRef> Words) {
  Diagnostics Diag(S);
  if (!isWord(Index)) {
    Diag.error(location(Index), "expected %0 as argument %1 of 'kernix::%2'")
        << quotedList(Words) << Index + 1 << Name << range(Index);
    // A forgotten lesson of other attributes: the word in quotes.
    if (StringLiteral *String = asString(Attribute.getArgAsExpr(Index)))
      if (String->isOrdinary() && llvm::is_contained(Words, String->getString()))
        Diag.note(location(Index), "write the word without quotes")
            << FixItHint::CreateReplacement(range(Index), String->getString());
    return std::nullopt;
  }
  for (unsigned I = 0; I != Words.size(); ++I)
    if (word(Index) == Words[I])
      return I;
  if (llvm::StringRef Nearest = nearestName(word(Index), Words); !Nearest.empty()) {
    Diag.error(location(Index), "unknown word '%0' in 'kernix::%1'; did you mean '%2'?")
        << word(Index) << Name << Nearest << FixItHint::CreateReplacement(range(Index), Nearest);
    return std::nullopt;
  }
  Diag.error(location(Index), "unknown word '%0' in 'kernix::%1'; expected %2")
      << word(Index) << Name << quotedList(Words) << range(Index);
  return std::nullopt;
}

std::optional<StringArgument> WrittenArguments::string(unsigned Index) {
  Diagnostics Diag(S);
  StringLiteral *Literal = isWord(Index) ? nullptr : asString(Attribute.getArgAsExpr(Index));
  if (!Literal) {
    DiagnosticBuilder Builder =
        Diag.error(location(Index), "argument %0 of 'kernix::%1' must be a string in double quotes");
    Builder << Index + 1 << Name << range(Index);
    if (isWord(Index))
      Builder << FixItHint::CreateReplacement(range(Index), ("\"" + word(Index) + "\"").str());
    return std::nullopt;
  }
  if (!Literal->isOrdinary() && !Literal->isUnevaluated()) {
    Diag.error(location(Index), "argument %0 of 'kernix::%1' must be an ordinary string, without a prefix")
        << Index + 1 << Name << range(Index);
    return std::nullopt;
  }
  StringArgument Argument;
  Argument.Text = Literal->getString().str();
  Argument.Range = Literal->getSourceRange();
  Argument.Literal = Literal;
  return Argument;
}

Expr *WrittenArguments::expression(unsigned Index) {
  if (!isWord(Index))
    return Attribute.getArgAsExpr(Index);
  // Clang takes a lone identifier for a word; here it names something.
  IdentifierLoc *Word = Attribute.getArgAsIdent(Index);
  CXXScopeSpec NoScope;
  UnqualifiedId Id;
  Id.setIdentifier(Word->getIdentifierInfo(), Word->getLoc());
  ExprResult Result = S.ActOnIdExpression(S.getCurScope(), NoScope, SourceLocation(), Id, /*HasTrailingLParen=*/false,
                                          /*IsAddressOfOperand=*/false);
  return Result.isUsable() ? Result.get() : nullptr;
}

std::optional<IntegerArgument> WrittenArguments::integer(unsigned Index, int64_t Least) {
  if (isString(Index)) {
    Diagnostics(S).error(location(Index), "argument %0 of 'kernix::%1' must be an integer constant, not a string")
        << Index + 1 << Name << range(Index);
    return std::nullopt;
  }
  Expr *Written = expression(Index);
  if (!Written || Written->containsErrors())
    return std::nullopt;
  IntegerArgument Argument;
  Argument.Range = range(Index);
  Argument.Written = Written;
  Argument.Least = Least;
  Argument.AttributeName = Name;
  if (Written->isTypeDependent() || Written->isValueDependent())
    return Argument;
  Argument.Value = evaluate(S, Written, Least, Name);
  if (!Argument.Value)
    return std::nullopt;
  return Argument;
}

std::optional<ExtentArgument> WrittenArguments::extent(unsigned Index, int64_t Least) {
  ExtentArgument Argument;
  if (isString(Index)) {
    Argument.Expression = string(Index);
    return Argument.Expression ? std::optional(Argument) : std::nullopt;
  }
  Argument.Integer = integer(Index, Least);
  return Argument.Integer ? std::optional(Argument) : std::nullopt;
}

std::optional<double> WrittenArguments::positiveNumber(unsigned Index) {
  Diagnostics Diag(S);
  Expr *Written = isString(Index) ? nullptr : expression(Index);
  if (!isString(Index) && (!Written || Written->containsErrors()))
    return std::nullopt;
  Expr::EvalResult Result;
  bool Constant = Written && !Written->isTypeDependent() && !Written->isValueDependent() &&
                  Written->getType()->isArithmeticType() && Written->EvaluateAsRValue(Result, S.Context);
  if (!Constant || !(Result.Val.isInt() || Result.Val.isFloat())) {
    Diag.error(location(Index), "argument %0 of 'kernix::%1' must be a constant number")
        << Index + 1 << Name << range(Index);
    return std::nullopt;
  }
  double Number = 0;
  if (Result.Val.isInt()) {
    Number = Result.Val.getInt().roundToDouble(Result.Val.getInt().isSigned());
  } else {
    llvm::APFloat Float = Result.Val.getFloat();
    bool LosesInfo;
    Float.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &LosesInfo);
    Number = Float.convertToDouble();
  }
  if (Number > 0 && Number < std::numeric_limits<double>::infinity())
    return Number;
  Diag.error(location(Index), "argument %0 of 'kernix::%1' must be positive and finite")
      << Index + 1 << Name << range(Index);
  return std::nullopt;
}

Expr *WrittenArguments::function(unsigned Index) {
  Expr *Written = isString(Index) ? nullptr : expression(Index);
  if (!isString(Index) && (!Written || Written->containsErrors()))
    return nullptr;
  if (Written) {
    const Expr *Named = functionNameIn(Written);
    const auto *Reference = dyn_cast<DeclRefExpr>(Named);
    if (isa<OverloadExpr, DependentScopeDeclRefExpr>(Named) || (Reference && isa<FunctionDecl>(Reference->getDecl())))
      return Written;
  }
  Diagnostics(S).error(location(Index), "argument %0 of 'kernix::%1' must name a function")
      << Index + 1 << Name << range(Index);
  return nullptr;
}

bool WrittenArguments::refuseSecond(SourceRange First) {
  Diagnostics Diag(S);
  Diag.error(Whole.getBegin(), "'kernix::%0' is given twice") << Name << range();
  Diag.note(First.getBegin(), "first given here") << First;
  return false;
}

bool WrittenArguments::refuseBoth(llvm::StringRef OtherName, SourceRange Other) {
  Diagnostics Diag(S);
  Diag.error(Whole.getBegin(), "'kernix::%0' contradicts 'kernix::%1'") << Name << OtherName << range();
  Diag.note(Other.getBegin(), "'kernix::%0' is given here") << OtherName << Other;
  return false;
}

} // namespace kernix
