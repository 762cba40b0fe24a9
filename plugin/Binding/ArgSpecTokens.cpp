//===- ArgSpecTokens.cpp - the words of an arg_spec -------------------------------------------------------------===//

#include "Binding/ArgSpecTokens.h"
#include "Diagnostics/Diagnostics.h"
#include "Diagnostics/NearestName.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;
using namespace kernix;

namespace {

struct NamedDtype {
  llvm::StringLiteral Name;
  kernix_dtype Dtype;
};

constexpr NamedDtype Dtypes[] = {
    {"bool", {KERNIX_BOOL, 8, 1}},
    {"int8", {KERNIX_INT, 8, 1}},
    {"uint8", {KERNIX_UINT, 8, 1}},
    {"int16", {KERNIX_INT, 16, 1}},
    {"uint16", {KERNIX_UINT, 16, 1}},
    {"int32", {KERNIX_INT, 32, 1}},
    {"uint32", {KERNIX_UINT, 32, 1}},
    {"int64", {KERNIX_INT, 64, 1}},
    {"uint64", {KERNIX_UINT, 64, 1}},
    {"float16", {KERNIX_FLOAT, 16, 1}},
    {"bfloat16", {KERNIX_BFLOAT, 16, 1}},
    {"float32", {KERNIX_FLOAT, 32, 1}},
    {"float64", {KERNIX_FLOAT, 64, 1}},
    {"complex64", {KERNIX_COMPLEX, 64, 1}},
    {"complex128", {KERNIX_COMPLEX, 128, 1}},
};

/// What is written for a type by those who think of C++; empty where nothing is certain.
llvm::StringRef typeMeantBy(llvm::StringRef Type) {
  llvm::StringRef Meant = llvm::StringSwitch<llvm::StringRef>(Type)
                              .Case("float", "float32")
                              .Case("double", "float64")
                              .Cases({"half", "__half", "_Float16", "fp16"}, "float16")
                              .Cases({"__nv_bfloat16", "__bf16", "bf16"}, "bfloat16")
                              .Cases({"int", "i32"}, "int32")
                              .Cases({"unsigned", "u32"}, "uint32")
                              .Case("char", "int8")
                              .Case("short", "int16")
                              .Cases({"long", "i64"}, "int64")
                              .Cases({"f32", "fp32"}, "float32")
                              .Cases({"f64", "fp64"}, "float64")
                              .Case("size_t", "uint64")
                              .Cases({"str", "std::string_view"}, "string")
                              .Case("std::complex<float>", "complex64")
                              .Case("std::complex<double>", "complex128")
                              .Default("");
  if (Meant.empty() && Type.consume_back("_t") && argSpecDtype(Type))
    return Type;
  return Meant;
}

bool isIdentifier(llvm::StringRef Name) {
  return !Name.empty() && !llvm::isDigit(Name.front()) &&
         llvm::all_of(Name, [](char C) { return llvm::isAlnum(C) || C == '_'; });
}

class Parser {
public:
  Parser(const ASTContext &Context, const StringArgument &Spec) : Context(Context), Spec(Spec), Diag(Context) {}

  std::optional<std::vector<ArgSpecToken>> parse() {
    llvm::StringRef Text = Spec.Text;
    std::vector<ArgSpecToken> Tokens;
    for (size_t At = 0; (At = Text.find_first_not_of(" \t\r\n", At)) != llvm::StringRef::npos;) {
      size_t End = std::min(Text.find_first_of(" \t\r\n", At), Text.size());
      ArgSpecToken Token;
      Token.Offset = At;
      Token.Text = Text.slice(At, End);
      if (!read(Token) || !checkOnce(Token, Tokens))
        return std::nullopt;
      Tokens.push_back(Token);
      At = End;
    }
    return Tokens;
  }

private:
  const ASTContext &Context;
  const StringArgument &Spec;
  Diagnostics Diag;

  DiagnosticBuilder error(const ArgSpecToken &Token, size_t Offset, llvm::StringRef Format) {
    auto Result = Diag.error(Spec.locationOf(Offset, Context), Format);
    Result << Token.rangeIn(Spec, Context);
    return Result;
  }

  bool read(ArgSpecToken &Token) {
    llvm::StringRef Text = Token.Text;
    if (size_t Comma = Text.find_first_of(",;"); Comma != llvm::StringRef::npos) {
      error(Token, Token.Offset + Comma, "tokens of an arg_spec are separated by blanks, and there is a '%0'")
          << Text.substr(Comma, 1);
      return false;
    }
    if (Text == "arg" || Text == "args" || Text == "ret" || Text == "rets") {
      Token.Role = Text.starts_with("arg") ? KERNIX_ARG : KERNIX_RET;
      Token.Plural = Text.ends_with("s");
      return true;
    }
    if (Text == "stream" || Text == "ctx.stream") {
      Token.Role = KERNIX_STREAM;
      return true;
    }
    if (Text == "attr" || Text == "attrs") {
      error(Token, Token.Offset, "an attribute needs a name: '%0.<name>' or '%0.<name>:<type>'") << Text;
      return false;
    }
    if (Text.consume_front("attr.") || Text.consume_front("attrs."))
      return readAttribute(Token, Text);
    return refuse(Token);
  }

  bool refuse(const ArgSpecToken &Token) {
    llvm::StringRef Nearest = nearestName(Token.Text, {"arg", "ret", "stream", "args", "rets", "ctx.stream"});
    error(Token, Token.Offset,
          "Invalid arg_spec token '%0'%select{; did you mean '%2'?|.}1 Valid tokens: 'arg', 'ret', 'stream', "
          "'attr.<name>[:<type>]'")
        << Token.Text << Nearest.empty() << Nearest;
    return false;
  }

  /// `Rest` is what follows the dot.
  bool readAttribute(ArgSpecToken &Token, llvm::StringRef Rest) {
    Token.Role = KERNIX_ATTR;
    size_t Colon = Rest.find(':');
    Token.Name = Rest.substr(0, Colon);
    size_t NameOffset = Token.Offset + Token.Text.size() - Rest.size();
    if (!isIdentifier(Token.Name)) {
      error(Token, NameOffset,
            "'%0' is not a name for an attribute: letters, digits and underscores only, no digit first")
          << Token.Name;
      return false;
    }
    if (Colon == llvm::StringRef::npos)
      return true;
    Token.Type = Rest.substr(Colon + 1);
    Token.TypeOffset = NameOffset + Colon + 1;
    if (Token.Type == "string" || Token.Type == "struct" || argSpecDtype(Token.Type))
      return true;
    llvm::SmallVector<llvm::StringRef, 20> Known;
    for (const NamedDtype &Each : Dtypes)
      Known.push_back(Each.Name);
    Known.append({"string", "struct"});
    llvm::StringRef Meant = typeMeantBy(Token.Type);
    if (Meant.empty())
      Meant = nearestName(Token.Type, Known);
    error(Token, std::min(Token.TypeOffset, Token.Offset + Token.Text.size() - 1),
          "Invalid arg_spec token '%4': '%0' is not a type of an attribute%select{; did you mean '%2'?|: expected %3}1")
        << Token.Type << Meant.empty() << Meant << quotedList(Known) << Token.Text;
    return false;
  }

  bool checkOnce(const ArgSpecToken &Token, llvm::ArrayRef<ArgSpecToken> Earlier) {
    for (const ArgSpecToken &Each : Earlier) {
      if (Each.Role != Token.Role || Token.Role == KERNIX_ARG || Token.Role == KERNIX_RET || Each.Name != Token.Name)
        continue;
      error(Token, Token.Offset, "%select{the attribute '%1'|a 'stream'}0 is there twice")
          << (Token.Role == KERNIX_STREAM) << Token.Name;
      Diag.note(Spec.locationOf(Each.Offset, Context), "the first is here") << Each.rangeIn(Spec, Context);
      return false;
    }
    return true;
  }
};

} // namespace

std::optional<kernix_dtype> kernix::argSpecDtype(llvm::StringRef Type) {
  for (const NamedDtype &Each : Dtypes)
    if (Each.Name == Type)
      return Each.Dtype;
  return std::nullopt;
}

std::optional<std::vector<ArgSpecToken>> kernix::parseArgSpec(const ASTContext &Context, const StringArgument &Spec) {
  return Parser(Context, Spec).parse();
}
