//===- Expressions.cpp - integer expressions in attribute strings -----------------------------------------------===//

#include "Binding/Expressions.h"
#include "Diagnostics/NearestName.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include <limits>

using namespace kernix;
using llvm::StringRef;

namespace {

constexpr unsigned MaxNesting = 64;

/// What the runtime's evaluator makes of two numbers, the second of which is not zero for a division; nothing where the
/// result does not fit.
std::optional<int64_t> fold(kernix_opcode Opcode, int64_t A, int64_t B) {
  int64_t Result = 0;
  bool IsMinByMinusOne = A == std::numeric_limits<int64_t>::min() && B == -1;
  switch (Opcode) {
  case KERNIX_OP_ADD:
    return llvm::AddOverflow(A, B, Result) ? std::nullopt : std::optional(Result);
  case KERNIX_OP_SUBTRACT:
    return llvm::SubOverflow(A, B, Result) ? std::nullopt : std::optional(Result);
  case KERNIX_OP_MULTIPLY:
    return llvm::MulOverflow(A, B, Result) ? std::nullopt : std::optional(Result);
  case KERNIX_OP_DIVIDE:
    return IsMinByMinusOne ? std::nullopt : std::optional(A / B);
  case KERNIX_OP_REMAINDER:
    return IsMinByMinusOne ? 0 : A % B;
  case KERNIX_OP_CEIL_DIV:
    if (IsMinByMinusOne)
      return std::nullopt;
    return A / B + (A % B != 0 && (A % B < 0) == (B < 0));
  case KERNIX_OP_MIN:
    return std::min(A, B);
  case KERNIX_OP_MAX:
    return std::max(A, B);
  default:
    return std::nullopt;
  }
}

class Parser {
public:
  Parser(StringRef Text, const ExpressionScope &Scope, ExpressionError &Error)
      : Text(Text), Scope(Scope), Error(Error) {}

  std::optional<Expression> parse() {
    Result.Text = Text.str();
    skipBlanks();
    if (Position == Text.size()) {
      fail(0, Text.size(), "the expression is empty");
      return std::nullopt;
    }
    if (!parseSum())
      return std::nullopt;
    if (Position != Text.size()) {
      fail(Position, 1, "expected an operator or the end of the expression");
      return std::nullopt;
    }
    Result.Constant = Values.back();
    return std::move(Result);
  }

private:
  StringRef Text;
  const ExpressionScope &Scope;
  ExpressionError &Error;
  Expression Result;
  size_t Position = 0;
  unsigned Nesting = 0;
  /// What the operands on the evaluator's stack are worth, as far as that is known here.
  llvm::SmallVector<std::optional<int64_t>, 8> Values;

  bool fail(size_t Offset, size_t Length, std::string Message) {
    Error = {Offset, std::max<size_t>(Length, 1), std::move(Message)};
    return false;
  }

  void emit(kernix_opcode Opcode, int Parameter = -1, int64_t Value = 0) {
    Result.Code.push_back({Opcode, Parameter, Value});
    Values.push_back(Opcode == KERNIX_OP_CONSTANT ? std::optional(Value) : std::nullopt);
  }

  /// `Operator` and `Right` are where the operator and the right operand begin.
  bool emitBinary(kernix_opcode Opcode, size_t Operator, size_t Right) {
    Result.Code.push_back({Opcode, -1, 0});
    std::optional<int64_t> B = Values.pop_back_val(), A = Values.pop_back_val(), Value;
    bool Divides = Opcode == KERNIX_OP_DIVIDE || Opcode == KERNIX_OP_REMAINDER || Opcode == KERNIX_OP_CEIL_DIV;
    if (Divides && B == 0)
      return fail(Right, 1, "division by zero");
    if (A && B && !(Value = fold(Opcode, *A, *B)))
      return fail(Operator, 1, "the result does not fit into 64 bits");
    Values.push_back(Value);
    return true;
  }

  bool emitNegation(size_t Operator) {
    Result.Code.push_back({KERNIX_OP_NEGATE, -1, 0});
    if (std::optional<int64_t> &Value = Values.back(); Value && !(Value = fold(KERNIX_OP_SUBTRACT, 0, *Value)))
      return fail(Operator, 1, "the result does not fit into 64 bits");
    return true;
  }

  void skipBlanks() {
    while (Position < Text.size() && llvm::isSpace(Text[Position]))
      ++Position;
  }

  bool consume(char Token) {
    if (Position >= Text.size() || Text[Position] != Token)
      return false;
    ++Position;
    skipBlanks();
    return true;
  }

  bool expect(char Token) {
    if (consume(Token))
      return true;
    return fail(Position, 1, std::string("expected '") + Token + "'");
  }

  bool parseSum() {
    if (++Nesting > MaxNesting)
      return fail(Position, 1, "the expression is nested too deeply");
    if (!parseProduct())
      return false;
    while (true) {
      size_t Operator = Position;
      kernix_opcode Opcode = KERNIX_OP_ADD;
      if (consume('-')) {
        Opcode = KERNIX_OP_SUBTRACT;
      } else if (!consume('+')) {
        --Nesting;
        return true;
      }
      size_t Right = Position;
      if (!parseProduct() || !emitBinary(Opcode, Operator, Right))
        return false;
    }
  }

  bool parseProduct() {
    if (!parseUnary())
      return false;
    while (true) {
      size_t Operator = Position;
      kernix_opcode Opcode;
      if (consume('*'))
        Opcode = KERNIX_OP_MULTIPLY;
      else if (consume('/'))
        Opcode = KERNIX_OP_DIVIDE;
      else if (consume('%'))
        Opcode = KERNIX_OP_REMAINDER;
      else
        return true;
      size_t Right = Position;
      if (!parseUnary() || !emitBinary(Opcode, Operator, Right))
        return false;
    }
  }

  bool parseUnary() {
    if (++Nesting > MaxNesting)
      return fail(Position, 1, "the expression is nested too deeply");
    size_t Operator = Position;
    bool Negative = consume('-');
    bool Ok = Negative ? parseUnary() && emitNegation(Operator) : parsePrimary();
    --Nesting;
    return Ok;
  }

  bool parseInteger(int64_t &Value) {
    size_t Start = Position;
    while (Position < Text.size() && llvm::isDigit(Text[Position]))
      ++Position;
    StringRef Digits = Text.slice(Start, Position);
    if (Digits.empty())
      return fail(Start, 1, "expected an integer");
    // 010 is eight in C++ and ten to everybody else.
    if ((Digits.size() > 1 && Digits.front() == '0') ||
        (Position < Text.size() && (llvm::isAlnum(Text[Position]) || Text[Position] == '.' || Text[Position] == '_')))
      return fail(Start, Digits.size() + 1, "expected a decimal integer without leading zeros");
    uint64_t Magnitude;
    if (Digits.getAsInteger(10, Magnitude) || Magnitude > uint64_t(std::numeric_limits<int64_t>::max()))
      return fail(Start, Digits.size(), "the integer does not fit into 64 bits");
    Value = static_cast<int64_t>(Magnitude);
    skipBlanks();
    return true;
  }

  /// Of an identifier: clang takes letters of other alphabets and dollars too.
  static bool isLetter(char C) { return llvm::isAlpha(C) || C == '_' || C == '$' || (C & 0x80); }

  /// A whole character of UTF-8.
  StringRef characterAt(size_t Offset) const {
    size_t End = Offset + 1;
    while (End < Text.size() && (static_cast<unsigned char>(Text[End]) & 0xc0) == 0x80)
      ++End;
    return Text.slice(Offset, End);
  }

  StringRef parseName() {
    size_t Start = Position;
    while (Position < Text.size() && (llvm::isDigit(Text[Position]) || isLetter(Text[Position])))
      ++Position;
    StringRef Name = Text.slice(Start, Position);
    skipBlanks();
    return Name;
  }

  bool parsePrimary() {
    if (Position == Text.size())
      return fail(Position, 1, "expected an operand");
    if (consume('('))
      return parseSum() && expect(')');
    char C = Text[Position];
    if (llvm::isDigit(C)) {
      int64_t Value;
      if (!parseInteger(Value))
        return false;
      emit(KERNIX_OP_CONSTANT, -1, Value);
      return true;
    }
    if (!isLetter(C))
      return fail(Position, 1, "unexpected '" + characterAt(Position).str() + "'");
    size_t Start = Position;
    StringRef Name = parseName();
    // A parameter hides the words of this little language, as a local hides a global.
    int Index = findParameter(Scope.Parameters, Name);
    if (Index >= 0)
      return parseParameter(Scope.Parameters[static_cast<size_t>(Index)], Index, Start, Name);
    if (Index == -2)
      return fail(Start, Name.size(),
                  "'" + Name.str() + "' is another parameter in another declaration of the function");
    if (Name == "ceil_div")
      return parseCall(KERNIX_OP_CEIL_DIV, Start);
    if (Name == "min")
      return parseCall(KERNIX_OP_MIN, Start);
    if (Name == "max")
      return parseCall(KERNIX_OP_MAX, Start);
    if (Name == "block")
      return parseBlock(Start);
    return failUnknown(Start, Name);
  }

  bool failUnknown(size_t Start, StringRef Name) {
    llvm::SmallVector<StringRef, 16> Known = {"ceil_div", "min", "max", "block"};
    for (const Parameter &P : Scope.Parameters)
      Known.push_back(P.Name);
    StringRef Nearest = nearestName(Name, Known);
    std::string Message = "no parameter is called '" + Name.str() + "'";
    // Any one-letter name is near any other.
    if (!Nearest.empty() && (Name.size() > 2 || Name.equals_insensitive(Nearest)))
      Message += "; did you mean '" + Nearest.str() + "'?";
    return fail(Start, Name.size(), Message);
  }

  bool parseCall(kernix_opcode Opcode, size_t Name) {
    if (!expect('(') || !parseSum() || !expect(','))
      return false;
    size_t Right = Position;
    return parseSum() && expect(')') && emitBinary(Opcode, Name, Right);
  }

  bool parseBlock(size_t Start) {
    if (!Scope.AllowBlock)
      return fail(Start, 5, "'block' is known only in grid and shared_bytes");
    if (!expect('.'))
      return false;
    size_t AxisStart = Position;
    StringRef Axis = parseName();
    if (Axis != "x" && Axis != "y" && Axis != "z")
      return fail(AxisStart, Axis.size(), "expected x, y or z");
    emit(KERNIX_OP_BLOCK, -1, Axis[0] - 'x');
    return true;
  }

  bool parseParameter(const Parameter &P, int Index, size_t Start, StringRef Name) {
    if (P.Passing == KERNIX_PASS_STREAM)
      return fail(Start, Name.size(), "'" + P.Name + "' is a stream");
    if (!P.isTensor()) {
      if (P.Passing != KERNIX_PASS_SCALAR ||
          (P.Element.Dtype.code != KERNIX_INT && P.Element.Dtype.code != KERNIX_UINT))
        return fail(Start, Name.size(), "'" + P.Name + "' of type '" + P.Type + "' is not an integer");
      if (P.Intent == KERNIX_INTENT_OUT_RETURN || P.Intent == KERNIX_INTENT_OUT_PTR)
        return fail(Start, Name.size(), "'" + P.Name + "' is an output and has no value before the call");
      emit(KERNIX_OP_SCALAR, Index);
      return true;
    }
    if (!consume('.'))
      return fail(Start, Name.size(),
                  "'" + P.Name + "' is a tensor; write " + P.Name + ".size(k), " + P.Name + ".rank() or " + P.Name +
                      ".numel()");
    size_t MemberStart = Position;
    StringRef Member = parseName();
    if (Member == "size") {
      int64_t Axis;
      if (!expect('('))
        return false;
      size_t AxisStart = Position;
      bool FromEnd = consume('-');
      if (!parseInteger(Axis))
        return false;
      size_t AxisEnd = Position;
      if (!expect(')'))
        return false;
      if (FromEnd)
        Axis = -Axis;
      int Limit = P.Rank >= 0 ? P.Rank : KERNIX_MAX_RANK;
      if (Axis >= Limit || Axis < -Limit)
        return fail(AxisStart, AxisEnd - AxisStart,
                    "axis " + std::to_string(Axis) + " is beyond rank " + std::to_string(Limit));
      emit(KERNIX_OP_SIZE, Index, Axis);
      return true;
    }
    if (Member != "rank" && Member != "numel")
      return fail(MemberStart, Member.size(), "a tensor has size(k), rank() and numel()");
    if (!expect('(') || !expect(')'))
      return false;
    emit(Member == "rank" ? KERNIX_OP_RANK : KERNIX_OP_NUMEL, Index);
    return true;
  }
};

} // namespace

std::optional<Expression> kernix::parseExpression(StringRef Text, const ExpressionScope &Scope,
                                                  ExpressionError &Error) {
  return Parser(Text, Scope, Error).parse();
}

int kernix::findParameter(llvm::ArrayRef<Parameter> Parameters, StringRef Name) {
  int Found = -1;
  for (size_t I = 0; I < Parameters.size(); ++I) {
    const Parameter &P = Parameters[I];
    if (P.Name != Name && !llvm::is_contained(P.OtherNames, Name))
      continue;
    if (Found >= 0)
      return -2;
    Found = static_cast<int>(I);
  }
  return Found;
}

llvm::SmallVector<int, 4> kernix::referencedParameters(const Expression &E) {
  llvm::SmallVector<int, 4> Result;
  for (const kernix_instruction &Instruction : E.Code)
    if (Instruction.parameter >= 0 && !llvm::is_contained(Result, Instruction.parameter))
      Result.push_back(Instruction.parameter);
  return Result;
}
