//===- ExplicitArgSpec.cpp - an arg_spec that was written, against the signature --------------------------------===//

#include "Binding/ExplicitArgSpec.h"
#include "Binding/ArgSpec.h"
#include "Binding/ArgSpecTokens.h"
#include "Binding/Types.h"
#include "Diagnostics/Diagnostics.h"
#include "Diagnostics/NearestName.h"
#include "clang/Sema/Initialization.h"
#include "llvm/ADT/StringExtras.h"

using namespace clang;
using namespace kernix;

namespace {

bool isSame(kernix_dtype A, kernix_dtype B) { return A.code == B.code && A.bits == B.bits; }
bool isInteger(kernix_dtype D) { return D.code == KERNIX_INT || D.code == KERNIX_UINT || D.code == KERNIX_BOOL; }

class SpecReader {
public:
  SpecReader(Sema &S, const StringArgument &Spec, BoundFunction &F)
      : S(S), Context(S.getASTContext()), Spec(Spec), F(F), Diag(S) {}

  bool apply() {
    std::optional<std::vector<ArgSpecToken>> Tokens = parseArgSpec(Context, Spec);
    if (!Tokens || !checkCount(*Tokens))
      return false;
    bool Ok = true;
    for (size_t I = 0; I < Tokens->size(); ++I)
      Ok &= applyToken((*Tokens)[I], F.Parameters[I]);
    return Ok && checkNames(*Tokens);
  }

private:
  Sema &S;
  ASTContext &Context;
  const StringArgument &Spec;
  BoundFunction &F;
  Diagnostics Diag;

  SourceLocation begin(const ArgSpecToken &Token) const { return Spec.locationOf(Token.Offset, Context); }
  SourceLocation typeOf(const ArgSpecToken &Token) const {
    return Spec.locationOf(Token.Type.empty() ? Token.Offset : Token.TypeOffset, Context);
  }

  DiagnosticBuilder warning(const ArgSpecToken &Token, llvm::StringRef Format) {
    return Diag.warning(WarningGroup::ArgSpec, begin(Token), Format);
  }

  void noteParameter(const Parameter &P) {
    Diag.note(P.Decl->getLocation(), "'%0' of type '%1' is declared here") << P.Name << P.Type;
  }

  std::string inferred() const { return llvm::join(argSpec(F), " "); }

  bool checkCount(llvm::ArrayRef<ArgSpecToken> Tokens) {
    if (Tokens.size() == F.Parameters.size())
      return true;
    if (Tokens.empty())
      Diag.error(Spec.location(), "the arg_spec of %0 is empty, and it has %1 parameter%s1")
          << F.Decl << static_cast<unsigned>(F.Parameters.size()) << Spec.Range;
    else
      Diag.error(Spec.locationOf(Tokens.front().Offset, Context),
                 "the arg_spec has %0 token%s0, and %1 has %2 parameter%s2: one token for each")
          << static_cast<unsigned>(Tokens.size()) << F.Decl << static_cast<unsigned>(F.Parameters.size())
          << SourceRange(begin(Tokens.front()), Tokens.back().rangeIn(Spec, Context).getEnd());
    Diag.note(F.Decl->getLocation(), "the signature means '%0'") << inferred();
    for (kernix_role Role : {KERNIX_ARG, KERNIX_RET})
      notePlural(Role, Tokens);
    if (F.Kind == KERNIX_KERNEL && llvm::any_of(Tokens, [](const ArgSpecToken &T) { return T.Role == KERNIX_STREAM; }))
      Diag.note(F.Decl->getLocation(), "a kernel takes no stream: it is launched on the caller's current stream");
    return false;
  }

  /// In jax-tvm-ffi a single `args` is all of them.
  void notePlural(kernix_role Role, llvm::ArrayRef<ArgSpecToken> Tokens) {
    auto HasRole = [&](const auto &Each) { return Each.Role == Role; };
    const auto *Token = llvm::find_if(Tokens, HasRole);
    const auto Tensors = llvm::count_if(F.Parameters, HasRole);
    if (Token != Tokens.end() && Token->Plural && llvm::count_if(Tokens, HasRole) == 1 && Tensors > 1)
      Diag.note(begin(*Token), "'%0' is one tensor here; in jax-tvm-ffi it means all of them: write it %1 times")
          << Token->Text << static_cast<unsigned>(Tensors);
  }

  bool applyToken(const ArgSpecToken &Token, Parameter &P) {
    if (P.isTensor() && (Token.Role == KERNIX_ARG || Token.Role == KERNIX_RET))
      return applyTensor(Token, P);
    if (Token.Role == KERNIX_STREAM && P.Passing != KERNIX_PASS_STREAM && mayBeStream(P)) {
      P.Role = KERNIX_STREAM;
      P.Passing = KERNIX_PASS_STREAM;
      return true;
    }
    if (Token.Role == KERNIX_ATTR && P.Passing == KERNIX_PASS_STREAM && isNumber(P)) {
      P.Role = KERNIX_ATTR;
      P.Passing = KERNIX_PASS_SCALAR;
      P.Element.Dtype = *scalarDtype(Context, P.Decl->getType());
    }
    if (Token.Role != P.Role)
      return refuseKind(Token, P);
    return Token.Role != KERNIX_ATTR || applyAttribute(Token, P);
  }

  /// A 64-bit integer by value, into which the handle of a stream fits.
  bool mayBeStream(const Parameter &P) const {
    const kernix_dtype D = P.Element.Dtype;
    return F.Kind == KERNIX_HOST_FUNCTION && P.Passing == KERNIX_PASS_SCALAR && D.bits == 64 &&
           (D.code == KERNIX_INT || D.code == KERNIX_UINT);
  }

  bool isNumber(const Parameter &P) const { return scalarDtype(Context, P.Decl->getType()).has_value(); }

  bool refuseKind(const ArgSpecToken &Token, const Parameter &P) {
    Diag.error(begin(Token), "'%0' does not fit the parameter at its place, '%1' of type '%2', which is "
                             "%select{an attribute: 'attr.%1'|a tensor: 'arg' or 'ret'|a stream: 'stream'|an output: "
                             "'ret'}3")
        << Token.Text << P.Name << P.Type
        << (P.isTensor()              ? 1
            : P.Role == KERNIX_STREAM ? 2
            : P.Role == KERNIX_RET    ? 3
                                      : 0)
        << Token.rangeIn(Spec, Context);
    noteParameter(P);
    Diag.note(F.Decl->getLocation(), "the signature means '%0'") << inferred();
    return false;
  }

  bool applyTensor(const ArgSpecToken &Token, Parameter &P) {
    if (Token.Role == P.Role)
      return true;
    if (P.Intent != KERNIX_INTENT_DEFAULT) {
      Diag.error(begin(Token), "'%0' contradicts the intent of '%1'") << Token.Text << P.Name;
      noteParameter(P);
      return false;
    }
    const bool IsInput = Token.Role == KERNIX_ARG;
    warning(Token, "'%0' is an %select{output|input}1 by its arg_spec, and %select{const|not const}1 in the signature")
        << P.Name << IsInput << Token.rangeIn(Spec, Context);
    noteParameter(P);
    P.Role = Token.Role;
    P.Written = !IsInput;
    return true;
  }

  bool applyAttribute(const ArgSpecToken &Token, Parameter &P) { return applyType(Token, P) && applyName(Token, P); }

  /// A name of its own is given by those who give the type too; else it can only be a mistake.
  bool applyName(const ArgSpecToken &Token, Parameter &P) {
    if (Token.Name == P.Name)
      return true;
    if (llvm::is_contained(P.OtherNames, Token.Name)) {
      std::replace(P.OtherNames.begin(), P.OtherNames.end(), Token.Name.str(), P.Name);
      P.Name = Token.Name.str();
      return true;
    }
    const auto Other = llvm::find_if(
        F.Parameters, [&](const Parameter &Each) { return &Each != &P && Each.Decl->getName() == Token.Name; });
    if (Other != F.Parameters.end()) {
      Diag.error(begin(Token), "'%0' stands at the place of '%1', and '%2' is another parameter of %3")
          << Token.Text << P.Name << Token.Name << F.Decl << Token.rangeIn(Spec, Context);
      noteParameter(*Other);
      Diag.note(F.Decl->getLocation(), "the signature means '%0'") << inferred();
      return false;
    }
    if (Token.Type.empty() && !P.Decl->getName().empty()) {
      llvm::SmallVector<llvm::StringRef, 8> Known;
      for (const Parameter &Each : F.Parameters)
        if (Each.Role == KERNIX_ATTR)
          Known.push_back(Each.Name);
      llvm::StringRef Nearest = nearestName(Token.Name, Known);
      Diag.error(begin(Token), "Parameter '%0' not found in signature of %1%select{; did you mean '%3'?|.}2 Use the "
                               "explicit form 'attr.%0:<type>' to give '%4' another name")
          << Token.Name << F.Decl << Nearest.empty() << Nearest << P.Name << Token.rangeIn(Spec, Context);
      noteParameter(P);
      return false;
    }
    P.OtherNames.push_back(P.Name);
    P.Name = Token.Name.str();
    return true;
  }

  bool checkNames(llvm::ArrayRef<ArgSpecToken> Tokens) {
    for (size_t I = 0; I < F.Parameters.size(); ++I)
      for (size_t J = 0; J < F.Parameters.size(); ++J)
        if (I != J && F.Parameters[I].Name == F.Parameters[J].Name && Tokens[I].Role == KERNIX_ATTR) {
          Diag.error(begin(Tokens[I]), "two parameters of %0 would be called '%1'") << F.Decl << F.Parameters[I].Name;
          return false;
        }
    return true;
  }

  bool refuseType(const ArgSpecToken &Token, const Parameter &P, llvm::StringRef Why) {
    Diag.error(typeOf(Token), "'%0' cannot be %1, as its arg_spec says: %2")
        << P.Name << Token.Type << Why << Token.rangeIn(Spec, Context);
    noteParameter(P);
    return false;
  }

  bool applyType(const ArgSpecToken &Token, Parameter &P) {
    if (Token.Type.empty())
      return true;
    const bool IsString = P.Passing == KERNIX_PASS_C_STRING || P.Passing == KERNIX_PASS_STRING_VIEW;
    const bool IsStruct = !P.Fields.empty();
    std::optional<kernix_dtype> Given = argSpecDtype(Token.Type);
    if (IsString || IsStruct || !Given) {
      if ((IsString && Token.Type == "string") || (IsStruct && Token.Type == "struct"))
        return true;
      return refuseType(Token, P,
                        IsString   ? "it is a string: 'attr." + P.Name + ":string'"
                        : IsStruct ? "it is a struct: 'attr." + P.Name + ":struct'"
                                   : "its type is " + dtypeName(P.Element.Dtype));
    }
    const kernix_dtype Declared = P.Element.Dtype;
    if (isSame(*Given, Declared))
      return true;
    // The bits of a 16-bit float, as XLA hands them over.
    if (Given->bits == 16 && (Given->code == KERNIX_FLOAT || Given->code == KERNIX_BFLOAT) &&
        Declared.code == KERNIX_UINT && Declared.bits == 16) {
      P.Element.Dtype = *Given;
      return checkDefault(Token, P);
    }
    return convert(Token, P, *Given);
  }

  bool convert(const ArgSpecToken &Token, Parameter &P, kernix_dtype Given) {
    if (F.Kind == KERNIX_KERNEL)
      return refuseType(Token, P,
                        "a kernel gets its arguments as they are, and this one is " + dtypeName(P.Element.Dtype));
    if (F.isDifferentiable())
      return refuseType(Token, P,
                        "a differentiable function has the types of its signature, and this one is " +
                            dtypeName(P.Element.Dtype));
    QualType Type = scalarType(Context, Given);
    if (P.Passing != KERNIX_PASS_SCALAR || Type.isNull() || !convertsTo(P, Type))
      return refuseType(Token, P,
                        "C++ does not convert " + dtypeName(Given) + " to '" + P.Type + "' (" +
                            dtypeName(P.Element.Dtype) + ")");
    warning(Token, "'%0' is %1 by its arg_spec and %2 in the signature; it is converted")
        << P.Name << Token.Type << dtypeName(P.Element.Dtype) << Token.rangeIn(Spec, Context);
    noteParameter(P);
    const bool SameClass = isInteger(Given) == isInteger(P.Element.Dtype);
    P.Element.Dtype = Given;
    P.Converts = true;
    P.Size = Context.getTypeSizeInChars(Type).getQuantity();
    P.Alignment = Context.getTypeAlignInChars(Type).getQuantity();
    return SameClass || checkDefault(Token, P);
  }

  /// A default was read as a constant of the type in the signature.
  bool checkDefault(const ArgSpecToken &Token, const Parameter &P) {
    return !P.Default || refuseType(Token, P, "it has a default argument, which is of the type in the signature");
  }

  bool convertsTo(const Parameter &P, QualType Given) {
    SourceLocation Loc = P.Decl->getLocation();
    OpaqueValueExpr Value(Loc, Given, VK_PRValue);
    Expr *Arguments[] = {&Value};
    InitializedEntity Entity = InitializedEntity::InitializeParameter(Context, P.Decl->getType(), /*Consumed=*/false);
    return bool(InitializationSequence(S, Entity, InitializationKind::CreateCopy(Loc, Loc), Arguments));
  }
};

} // namespace

bool kernix::applyArgSpec(Sema &S, const StringArgument &Spec, BoundFunction &F) {
  return SpecReader(S, Spec, F).apply();
}
