//===- Instantiate.cpp - [[kernix::instantiate("float", ...)]] --------------------------------------------------===//

#include "Binding/Instantiate.h"
#include "Diagnostics/Diagnostics.h"
#include "clang/AST/ASTConsumer.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/Sema/Lookup.h"
#include "clang/Sema/Template.h"
#include "clang/Sema/TemplateDeduction.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;
using namespace kernix;

namespace {

QualType builtinType(ASTContext &C, llvm::StringRef Name) {
  return llvm::StringSwitch<QualType>(Name)
      .Case("bool", C.BoolTy)
      .Cases({"char"}, C.CharTy)
      .Cases({"signed char", "int8", "int8_t"}, C.SignedCharTy)
      .Cases({"unsigned char", "uint8", "uint8_t"}, C.UnsignedCharTy)
      .Cases({"short", "int16", "int16_t"}, C.ShortTy)
      .Cases({"unsigned short", "uint16", "uint16_t"}, C.UnsignedShortTy)
      .Cases({"int", "int32", "int32_t"}, C.IntTy)
      .Cases({"unsigned", "unsigned int", "uint32", "uint32_t"}, C.UnsignedIntTy)
      .Cases({"long", "int64", "int64_t"}, C.LongTy)
      .Cases({"unsigned long", "uint64", "uint64_t"}, C.UnsignedLongTy)
      .Case("long long", C.LongLongTy)
      .Case("unsigned long long", C.UnsignedLongLongTy)
      .Cases({"float", "float32"}, C.FloatTy)
      .Cases({"double", "float64"}, C.DoubleTy)
      .Case("_Float16", C.Float16Ty)
      .Case("__bf16", C.BFloat16Ty)
      .Default(QualType());
}

/// `a::b::T`, the first part looked for from `Scope` outwards.
QualType namedType(Sema &S, DeclContext *Scope, llvm::StringRef Name, SourceLocation Loc) {
  llvm::SmallVector<llvm::StringRef, 4> Parts;
  Name.split(Parts, "::");
  if (Parts.front().empty()) { // ::T
    Parts.erase(Parts.begin());
    Scope = S.getASTContext().getTranslationUnitDecl();
  }
  NamedDecl *Found = nullptr;
  for (size_t I = 0; I < Parts.size(); ++I) {
    if (Parts[I].trim().empty())
      return {};
    IdentifierInfo *Identifier = &S.getASTContext().Idents.get(Parts[I].trim());
    DeclContext *Context = I == 0 ? Scope : dyn_cast_or_null<DeclContext>(Found);
    Found = nullptr;
    for (; Context && !Found; Context = I == 0 ? Context->getParent() : nullptr) {
      LookupResult Result(S, Identifier, Loc,
                          I + 1 == Parts.size() ? Sema::LookupOrdinaryName : Sema::LookupNestedNameSpecifierName);
      Result.suppressDiagnostics();
      if (S.LookupQualifiedName(Result, Context) && Result.isSingleResult())
        Found = Result.getFoundDecl();
    }
    if (!Found)
      return {};
  }
  auto *Type = dyn_cast<TypeDecl>(Found);
  return Type ? S.getASTContext().getTypeDeclType(Type) : QualType();
}

/// std::complex<Part>, if <complex> is included.
QualType complexType(Sema &S, QualType Part, SourceLocation Loc) {
  ASTContext &Context = S.getASTContext();
  NamespaceDecl *Std = S.getStdNamespace();
  if (!Std)
    return {};
  LookupResult Result(S, &Context.Idents.get("complex"), Loc, Sema::LookupOrdinaryName);
  Result.suppressDiagnostics();
  auto *Template = S.LookupQualifiedName(Result, Std) ? Result.getAsSingle<ClassTemplateDecl>() : nullptr;
  if (!Template)
    return {};
  TemplateArgumentListInfo Arguments(Loc, Loc);
  Arguments.addArgument(TemplateArgumentLoc(TemplateArgument(Part), Context.getTrivialTypeSourceInfo(Part, Loc)));
  return S.CheckTemplateIdType(ElaboratedTypeKeyword::None, TemplateName(Template), Loc, Arguments, /*Scope=*/nullptr,
                               /*ForNestedNameSpecifier=*/false);
}

/// One template argument as it is written in a string.
struct WrittenArgument {
  llvm::StringRef Text;
  SourceLocation Loc;
};

QualType resolveType(Sema &S, FunctionTemplateDecl *Template, const WrittenArgument &Written) {
  llvm::StringRef Text = Written.Text;
  if (QualType Builtin = builtinType(S.getASTContext(), Text); !Builtin.isNull())
    return Builtin;
  if (Text == "complex64" || Text == "complex128")
    return complexType(S, Text == "complex64" ? S.getASTContext().FloatTy : S.getASTContext().DoubleTy, Written.Loc);
  // arg_spec's names of types that a header declares.
  llvm::StringRef Spelling = llvm::StringSwitch<llvm::StringRef>(Text)
                                 .Case("float16", "__half")
                                 .Case("bfloat16", "__nv_bfloat16")
                                 .Default(Text);
  QualType Type = namedType(S, Template->getDeclContext(), Spelling, Written.Loc);
  if (Type.isNull() && Text == "float16")
    return S.getASTContext().Float16Ty;
  if (Type.isNull() && Text == "bfloat16")
    return S.getASTContext().BFloat16Ty;
  return Type;
}

/// The header that declares a dtype's type; "" for other types.
llvm::StringRef headerOf(llvm::StringRef Text) {
  return llvm::StringSwitch<llvm::StringRef>(Text)
      .Cases({"float16", "__half", "half"}, "<cuda_fp16.h>")
      .Cases({"bfloat16", "__nv_bfloat16", "nv_bfloat16"}, "<cuda_bf16.h>")
      .Cases({"complex64", "complex128"}, "<complex>")
      .Default("");
}

std::optional<TemplateArgumentLoc> typeArgument(Sema &S, FunctionTemplateDecl *Template,
                                                const WrittenArgument &Written) {
  QualType Type = resolveType(S, Template, Written);
  llvm::StringRef Header = headerOf(Written.Text);
  if (!Header.empty() && (Type.isNull() || Type->isIncompleteType())) {
    Diagnostics(S).error(Written.Loc, "'%0' is a type of %1, which is not included") << Written.Text << Header;
    return {};
  }
  if (Type.isNull()) {
    Diagnostics(S).error(Written.Loc, "no type called '%0' is visible here") << Written.Text;
    Diagnostics(S).note(Template->getLocation(),
                        "looked up from where %0 is declared; give other types a name with 'using'")
        << Template;
    return {};
  }
  return TemplateArgumentLoc(TemplateArgument(Type), S.getASTContext().getTrivialTypeSourceInfo(Type, Written.Loc));
}

/// An integer, or true or false.
std::optional<TemplateArgumentLoc> valueArgument(Sema &S, FunctionTemplateDecl *Template,
                                                 const WrittenArgument &Written, const NamedDecl *Parameter) {
  ASTContext &Context = S.getASTContext();
  Expr *Value = nullptr;
  int64_t Number = 0;
  if (Written.Text == "true" || Written.Text == "false")
    Value = CXXBoolLiteralExpr::Create(Context, Written.Text == "true", Context.BoolTy, Written.Loc);
  else if (!Written.Text.getAsInteger(0, Number))
    Value = IntegerLiteral::Create(Context, llvm::APInt(64, static_cast<uint64_t>(Number), /*isSigned=*/true),
                                   Context.LongTy, Written.Loc);
  if (!Value) {
    Diagnostics(S).error(Written.Loc, "'%0' is no integer") << Written.Text;
    Diagnostics(S).note(Parameter->getLocation(), "the template parameter is here");
    return {};
  }
  return TemplateArgumentLoc(TemplateArgument(Value, /*IsCanonical=*/false), Value);
}

/// The arguments that a string names, in the order of the template's parameters.
std::optional<TemplateArgumentListInfo> parseArguments(Sema &S, FunctionTemplateDecl *Template,
                                                       const StringArgument &String) {
  TemplateArgumentListInfo Arguments(String.location(), String.location());
  llvm::SmallVector<llvm::StringRef, 4> Texts;
  llvm::StringRef(String.Text).split(Texts, ',');
  if (Texts.size() > Template->getTemplateParameters()->size())
    return {}; // an error of the attribute
  for (auto [Index, Text] : llvm::enumerate(Texts)) {
    const NamedDecl *Parameter = Template->getTemplateParameters()->getParam(static_cast<unsigned>(Index));
    WrittenArgument Written = {Text.trim(), String.location()};
    if (Texts.size() > 1) {
      const auto Byte = static_cast<size_t>(Text.ltrim().begin() - String.Text.data());
      Written.Loc = String.locationOf(Byte, S.getASTContext());
    }
    std::optional<TemplateArgumentLoc> Argument = isa<NonTypeTemplateParmDecl>(Parameter)
                                                      ? valueArgument(S, Template, Written, Parameter)
                                                      : typeArgument(S, Template, Written);
    if (!Argument)
      return {};
    Arguments.addArgument(*Argument);
  }
  return Arguments;
}

} // namespace

void kernix::instantiate(Sema &S, FunctionTemplateDecl *Template, const InstantiateAttribute &A) {
  llvm::DenseMap<const FunctionDecl *, const StringArgument *> Seen;
  for (const StringArgument &Name : A.Types) {
    SourceLocation Loc = Name.location();
    std::optional<TemplateArgumentListInfo> Arguments = parseArguments(S, Template, Name);
    if (!Arguments)
      continue;
    FunctionDecl *Instance = nullptr;
    sema::TemplateDeductionInfo Info(Loc);
    if (S.DeduceTemplateArguments(Template, &*Arguments, Instance, Info) != TemplateDeductionResult::Success ||
        !Instance) {
      Diagnostics(S).error(Loc, "%0 cannot be instantiated for '%1'") << Template << Name.Text;
      continue;
    }
    if (auto [Other, IsNew] = Seen.try_emplace(Instance->getCanonicalDecl(), &Name); !IsNew) {
      bool IsOneType = Arguments->size() == 1 && (*Arguments)[0].getArgument().getKind() == TemplateArgument::Type;
      Diagnostics(S).error(Loc, IsOneType ? "'%0' is the same type as '%1'" : "'%0' is the same instantiation as '%1'")
          << Name.Text << Other->second->Text;
      Diagnostics(S).note(Other->second->location(), "named here");
      continue;
    }
    if (Instance->getTemplateSpecializationKind() == TSK_ExplicitSpecialization) {
      Diagnostics(S).error(Loc, "%0 is specialized for '%1', and a specialization is bound by an attribute of its own")
          << Template << Name.Text;
      Diagnostics(S).note(Instance->getLocation(), "specialized here");
      continue;
    }
    if (Instance->getTemplateSpecializationKind() == TSK_ExplicitInstantiationDefinition)
      continue; // written out in the source
    Instance->setTemplateSpecializationKind(TSK_ExplicitInstantiationDefinition, Loc);
    S.InstantiateFunctionDefinition(Loc, Instance, /*Recursive=*/true, /*DefinitionRequired=*/true, /*AtEndOfTU=*/true);
    if (Instance->isDefined() && !Instance->isInvalidDecl())
      S.Consumer.HandleTopLevelDecl(DeclGroupRef(Instance));
  }
}
