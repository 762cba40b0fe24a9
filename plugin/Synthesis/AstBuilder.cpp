//===- AstBuilder.cpp - declarations and expressions through Sema -----------------------------------------------===//

#include "Synthesis/AstBuilder.h"
#include "clang/AST/ASTConsumer.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/Basic/Builtins.h"
#include "clang/Sema/Initialization.h"
#include "clang/Sema/Lookup.h"
#include "clang/Sema/ScopeInfo.h"

using namespace clang;
using namespace kernix;

NamedDecl *AstBuilder::lookup(DeclContext *Scope, llvm::StringRef Name, Sema::LookupNameKind Kind) {
  LookupResult Result(S, &Context.Idents.get(Name), Loc, Kind);
  Result.suppressDiagnostics();
  if (!S.LookupQualifiedName(Result, Scope) || !Result.isSingleResult())
    return nullptr;
  return Result.getFoundDecl();
}

namespace {

void reportMissing(Sema &S, SourceLocation Loc, llvm::StringRef Name) {
  DiagnosticsEngine &Diags = S.getDiagnostics();
  Diags.Report(Loc, Diags.getCustomDiagID(DiagnosticsEngine::Error,
                                          "'%0' is not declared: <kernix/kernix.h> does not belong to this plugin"))
      << Name;
}

} // namespace

QualType AstBuilder::abiType(llvm::StringRef Name) {
  NamedDecl *Found = lookup(Context.getTranslationUnitDecl(), Name, Sema::LookupTagName);
  if (auto *Record = dyn_cast_or_null<RecordDecl>(Found))
    return Context.getCanonicalTagType(Record);
  reportMissing(S, Loc, Name);
  return {};
}

FunctionDecl *AstBuilder::globalFunction(llvm::StringRef Name) {
  auto *Found =
      dyn_cast_or_null<FunctionDecl>(lookup(Context.getTranslationUnitDecl(), Name, Sema::LookupOrdinaryName));
  if (!Found)
    reportMissing(S, Loc, Name);
  return Found;
}

NamedDecl *AstBuilder::lookupDetail(llvm::StringRef Name) {
  TranslationUnitDecl *File = Context.getTranslationUnitDecl();
  auto *Outer = dyn_cast_or_null<NamespaceDecl>(lookup(File, "kernix", Sema::LookupNamespaceName));
  auto *Inner = Outer ? dyn_cast_or_null<NamespaceDecl>(lookup(Outer, "detail", Sema::LookupNamespaceName)) : nullptr;
  return Inner ? lookup(Inner, Name, Sema::LookupOrdinaryName) : nullptr;
}

bool AstBuilder::hasDetail(llvm::StringRef Name) { return lookupDetail(Name) != nullptr; }

ValueDecl *AstBuilder::detail(llvm::StringRef Name) {
  auto *Found = dyn_cast_or_null<ValueDecl>(lookupDetail(Name));
  if (!Found)
    reportMissing(S, Loc, ("kernix::detail::" + Name).str());
  return Found;
}

ClassTemplateDecl *AstBuilder::detailTemplate(llvm::StringRef Name) {
  auto *Found = dyn_cast_or_null<ClassTemplateDecl>(lookupDetail(Name));
  if (!Found)
    reportMissing(S, Loc, ("kernix::detail::" + Name).str());
  return Found;
}

QualType AstBuilder::instance(ClassTemplateDecl *Template, llvm::ArrayRef<QualType> Types,
                              llvm::ArrayRef<Expr *> Values) {
  TemplateArgumentListInfo Arguments(Loc, Loc);
  for (QualType Type : Types)
    Arguments.addArgument(TemplateArgumentLoc(TemplateArgument(Type), Context.getTrivialTypeSourceInfo(Type, Loc)));
  for (Expr *Value : Values)
    Arguments.addArgument(TemplateArgumentLoc(TemplateArgument(Value, /*IsCanonical=*/false), Value));
  QualType Result = S.CheckTemplateIdType(ElaboratedTypeKeyword::None, TemplateName(Template), Loc, Arguments,
                                          /*Scope=*/nullptr, /*ForNestedNameSpecifier=*/false);
  if (Result.isNull() || S.RequireCompleteType(Loc, Result, 0))
    return {};
  return Result.getCanonicalType();
}

QualType AstBuilder::detailClass(llvm::StringRef Name, llvm::ArrayRef<QualType> Types, llvm::ArrayRef<Expr *> Values) {
  ClassTemplateDecl *Template = detailTemplate(Name);
  return Template && !llvm::is_contained(Values, nullptr) ? instance(Template, Types, Values) : QualType();
}

FunctionDecl *AstBuilder::memberFunction(QualType Class, llvm::StringRef Name) {
  return Class.isNull()
             ? nullptr
             : dyn_cast_or_null<FunctionDecl>(lookup(Class->getAsRecordDecl(), Name, Sema::LookupMemberName));
}

QualType AstBuilder::kernixTemplate(llvm::StringRef Name, QualType Argument) {
  TranslationUnitDecl *File = Context.getTranslationUnitDecl();
  auto *Scope = dyn_cast_or_null<NamespaceDecl>(lookup(File, "kernix", Sema::LookupNamespaceName));
  auto *Template = Scope ? dyn_cast_or_null<ClassTemplateDecl>(lookup(Scope, Name, Sema::LookupOrdinaryName)) : nullptr;
  if (!Template) {
    reportMissing(S, Loc, ("kernix::" + Name).str());
    return {};
  }
  return instance(Template, {Argument}, {});
}

llvm::SmallVector<ClassTemplateSpecializationDecl *, 4> AstBuilder::detailInstances(llvm::StringRef Template) {
  llvm::SmallVector<ClassTemplateSpecializationDecl *, 4> Result;
  if (auto *Found = dyn_cast_or_null<ClassTemplateDecl>(lookupDetail(Template)))
    Result.append(Found->spec_begin(), Found->spec_end());
  return Result;
}

Expr *AstBuilder::addressOf(Expr *E) {
  ExprResult Result = E ? S.CreateBuiltinUnaryOp(Loc, UO_AddrOf, E) : ExprError();
  return Result.isInvalid() ? nullptr : Result.get();
}

Expr *AstBuilder::addressOfMember(VarDecl *Object, llvm::StringRef Member) {
  CXXScopeSpec Scope;
  DeclarationNameInfo Name(&Context.Idents.get(Member), Loc);
  ExprResult Result = S.BuildMemberReferenceExpr(reference(Object), Object->getType(), Loc, /*IsArrow=*/false, Scope,
                                                 SourceLocation(), nullptr, Name, nullptr, nullptr);
  return Result.isInvalid() ? nullptr : addressOf(Result.get());
}

FunctionTemplateDecl *AstBuilder::kernixFunctionTemplate(llvm::StringRef Name) {
  TranslationUnitDecl *File = Context.getTranslationUnitDecl();
  auto *Scope = dyn_cast_or_null<NamespaceDecl>(lookup(File, "kernix", Sema::LookupNamespaceName));
  for (NamedDecl *Found : Scope ? Scope->lookup(&Context.Idents.get(Name)) : DeclContext::lookup_result())
    if (auto *Template = dyn_cast<FunctionTemplateDecl>(Found))
      return Template;
  return nullptr;
}

Expr *AstBuilder::callWithObject(FunctionDecl *F, llvm::ArrayRef<Expr *> Arguments) {
  auto *Method = dyn_cast<CXXMethodDecl>(F);
  if (!Method || !Method->isInstance())
    return call(F, Arguments);
  // Not through a name: private members have derivatives, too.
  DeclarationNameInfo Name(Method->getDeclName(), Loc);
  MemberExpr *Callee =
      S.BuildMemberExpr(Arguments.front(), /*IsArrow=*/false, Loc, NestedNameSpecifierLoc(), Loc, Method,
                        DeclAccessPair::make(Method, AS_public), /*HadMultipleCandidates=*/false, Name,
                        Context.BoundMemberTy, VK_PRValue, OK_Ordinary);
  llvm::SmallVector<Expr *, 4> Copy(Arguments.drop_front());
  ExprResult Result = S.BuildCallExpr(nullptr, Callee, Loc, Copy, Loc);
  return Result.isInvalid() ? nullptr : Result.get();
}

Expr *AstBuilder::forward(ParmVarDecl *P) {
  Expr *Value = reference(P);
  return P->getType()->isRValueReferenceType() ? cast(P->getType(), Value) : Value;
}

Expr *AstBuilder::integer(int64_t Value) {
  // Most members of the descriptors are int32_t: a literal of their type needs no conversion and no check for
  // narrowing.
  if (llvm::isInt<32>(Value))
    return IntegerLiteral::Create(Context, llvm::APInt(32, static_cast<uint64_t>(Value), true), Context.IntTy, Loc);
  return IntegerLiteral::Create(Context, llvm::APInt(64, static_cast<uint64_t>(Value), true), Context.LongTy, Loc);
}

Expr *AstBuilder::real(double Value) {
  return FloatingLiteral::Create(Context, llvm::APFloat(Value), true, Context.DoubleTy, Loc);
}

Expr *AstBuilder::null() { return S.ActOnCXXNullPtrLiteral(Loc).get(); }

Expr *AstBuilder::string(std::optional<llvm::StringRef> Text) {
  if (!Text)
    return null();
  QualType Array = Context.getStringLiteralArrayType(Context.CharTy, static_cast<unsigned>(Text->size()));
  return StringLiteral::Create(Context, *Text, StringLiteralKind::Ordinary, false, Array, Loc);
}

Expr *AstBuilder::list(llvm::ArrayRef<Expr *> Elements) {
  llvm::SmallVector<Expr *, 16> Copy(Elements);
  return S.ActOnInitList(Loc, Copy, Loc).get();
}

Expr *AstBuilder::reference(ValueDecl *D) {
  return S.BuildDeclRefExpr(D, D->getType().getNonReferenceType(), VK_LValue, Loc);
}

Expr *AstBuilder::address(ValueDecl *D) {
  ExprResult Result = S.CreateBuiltinUnaryOp(Loc, UO_AddrOf, reference(D));
  return Result.isInvalid() ? nullptr : Result.get();
}

Expr *AstBuilder::cast(QualType T, Expr *E) {
  if (!E)
    return nullptr;
  ExprResult Result = S.BuildCStyleCastExpr(Loc, Context.getTrivialTypeSourceInfo(T, Loc), Loc, E);
  return Result.isInvalid() ? nullptr : Result.get();
}

Expr *AstBuilder::asVoidPointer(Expr *E) { return cast(Context.getPointerType(Context.VoidTy.withConst()), E); }

Expr *AstBuilder::call(FunctionDecl *F, llvm::ArrayRef<Expr *> Arguments) {
  llvm::SmallVector<Expr *, 4> Copy(Arguments);
  ExprResult Result = S.BuildCallExpr(nullptr, reference(F), Loc, Copy, Loc);
  return Result.isInvalid() ? nullptr : Result.get();
}

Expr *AstBuilder::dereference(ParmVarDecl *Pointer) { return dereference(reference(Pointer)); }

Expr *AstBuilder::dereference(Expr *Pointer) {
  if (!Pointer)
    return nullptr;
  ExprResult Result = S.CreateBuiltinUnaryOp(Loc, UO_Deref, Pointer);
  return Result.isInvalid() ? nullptr : Result.get();
}

Expr *AstBuilder::argument(QualType T, Expr *Value) {
  if (!Value)
    return nullptr;
  InitializedEntity Entity = InitializedEntity::InitializeParameter(Context, T, /*Consumed=*/false);
  ExprResult Result = S.PerformCopyInitialization(Entity, Loc, Value);
  return Result.isInvalid() ? nullptr : Result.get();
}

Expr *AstBuilder::assign(Expr *To, Expr *Value) {
  if (!To || !Value)
    return nullptr;
  ExprResult Result = S.BuildBinOp(nullptr, Loc, BO_Assign, To, Value);
  return Result.isInvalid() ? nullptr : Result.get();
}

Expr *AstBuilder::sequence(Expr *First, Expr *Second) {
  if (!First || !Second)
    return nullptr;
  ExprResult Result = S.CreateBuiltinBinOp(Loc, BO_Comma, First, Second);
  return Result.isInvalid() ? nullptr : Result.get();
}

Expr *AstBuilder::zero(Expr *Address, QualType T) {
  if (!Address)
    return nullptr;
  // Through void *: Sema warns of bytes of classes with constructors.
  Expr *Bytes = cast(Context.getPointerType(Context.VoidTy), Address);
  Expr *Size = IntegerLiteral::Create(
      Context, llvm::APInt(64, static_cast<uint64_t>(Context.getTypeSizeInChars(T).getQuantity())),
      Context.UnsignedLongTy, Loc);
  Expr *Arguments[] = {Bytes, integer(0), Size};
  return Bytes ? S.BuildBuiltinCallExpr(Loc, Builtin::BI__builtin_memset, Arguments) : nullptr;
}

Expr *AstBuilder::decayed(FunctionDecl *F) {
  return ImplicitCastExpr::Create(Context, Context.getPointerType(F->getType()), CK_FunctionToPointerDecay,
                                  reference(F), nullptr, VK_PRValue, FPOptionsOverride());
}

void AstBuilder::emit(Decl *D) { S.Consumer.HandleTopLevelDecl(DeclGroupRef(D)); }

VarDecl *AstBuilder::variable(llvm::StringRef Name, QualType T, Expr *Init, const VariableOptions &Options) {
  if (!Init || T.isNull())
    return nullptr;
  TranslationUnitDecl *Scope = Context.getTranslationUnitDecl();
  StorageClass Storage = Options.Linkage == Sharing::OneObject ? SC_Static : SC_None;
  VarDecl *D = VarDecl::Create(Context, Scope, Loc, Loc, &Context.Idents.get(Name), T,
                               Context.getTrivialTypeSourceInfo(T, Loc), Storage);
  D->setImplicit();
  // A constant has internal linkage unless it is inline.
  if (Options.Linkage == Sharing::Merged)
    D->setInlineSpecified();
  if (Options.Hidden && Options.Linkage == Sharing::Merged)
    D->addAttr(VisibilityAttr::CreateImplicit(Context, VisibilityAttr::Hidden));
  if (!Options.Section.empty())
    D->addAttr(SectionAttr::CreateImplicit(Context, Options.Section));
  if (Options.Device)
    D->addAttr(CUDADeviceAttr::CreateImplicit(Context));
  if (!Options.Symbol.empty())
    D->addAttr(AsmLabelAttr::CreateImplicit(Context, Options.Symbol));
  if (Options.Used) {
    D->addAttr(UsedAttr::CreateImplicit(Context));
    D->addAttr(RetainAttr::CreateImplicit(Context)); // for --gc-sections of lld
    D->setIsUsed();
  }
  Scope->addDecl(D);
  S.AddInitializerToDecl(D, Init, /*DirectInit=*/false);
  S.FinalizeDeclaration(D);
  if (D->isInvalidDecl())
    return nullptr;
  emit(D);
  return D;
}

Expr *AstBuilder::constantArray(llvm::StringRef Name, QualType Element, llvm::ArrayRef<Expr *> Elements,
                                Sharing Linkage) {
  if (Elements.empty())
    return null();
  QualType Array = Context.getConstantArrayType(Element.withConst(), llvm::APInt(64, Elements.size()), nullptr,
                                                ArraySizeModifier::Normal, 0);
  VariableOptions Options;
  Options.Linkage = Linkage;
  VarDecl *D = variable(Name, Array, list(Elements), Options);
  return D ? reference(D) : nullptr;
}

FunctionDecl *AstBuilder::declare(llvm::StringRef Symbol, QualType Result, llvm::ArrayRef<QualType> Parameters,
                                  StorageClass Storage, bool Inline, bool Hidden) {
  TranslationUnitDecl *Scope = Context.getTranslationUnitDecl();
  QualType Type = Context.getFunctionType(Result, Parameters, FunctionProtoType::ExtProtoInfo());
  FunctionDecl *F =
      FunctionDecl::Create(Context, Scope, Loc, Loc, DeclarationName(&Context.Idents.get(Symbol)), Type,
                           Context.getTrivialTypeSourceInfo(Type, Loc), Storage, /*UsesFPIntrin=*/false, Inline);
  F->setImplicit();
  F->addAttr(AsmLabelAttr::CreateImplicit(Context, Symbol));
  F->addAttr(VisibilityAttr::CreateImplicit(Context, Hidden ? VisibilityAttr::Hidden : VisibilityAttr::Default));
  llvm::SmallVector<ParmVarDecl *, 4> Declared;
  for (QualType Parameter : Parameters) {
    auto *P = ParmVarDecl::Create(Context, F, Loc, Loc, nullptr, Parameter,
                                  Context.getTrivialTypeSourceInfo(Parameter, Loc), SC_None, nullptr);
    P->setScopeInfo(0, static_cast<unsigned>(Declared.size()));
    P->setIsUsed();
    Declared.push_back(P);
  }
  F->setParams(Declared);
  Scope->addDecl(F);
  return F;
}

FunctionDecl *AstBuilder::declaration(llvm::StringRef Symbol, QualType Result, llvm::ArrayRef<QualType> Parameters,
                                      bool Device) {
  if (FunctionDecl *Known = findFunction(Symbol))
    return Known;
  FunctionDecl *F = declare(Symbol, Result, Parameters, SC_Extern, /*Inline=*/false, /*Hidden=*/true);
  if (Device)
    F->addAttr(CUDADeviceAttr::CreateImplicit(Context));
  return F;
}

FunctionDecl *AstBuilder::findFunction(llvm::StringRef Symbol) {
  return dyn_cast_or_null<FunctionDecl>(lookup(Context.getTranslationUnitDecl(), Symbol, Sema::LookupOrdinaryName));
}

namespace {

/// CodeGen wants constant expressions as arguments of an annotation.
Expr *constantArgument(Sema &S, Expr *Argument) {
  ExprResult Converted = S.DefaultFunctionArrayLvalueConversion(Argument);
  Expr::EvalResult Value;
  if (!Converted.get()->EvaluateAsRValue(Value, S.getASTContext()))
    return Converted.get();
  return ConstantExpr::Create(S.getASTContext(), Converted.get(), Value.Val);
}

} // namespace

AstBuilder::FunctionOptions AstBuilder::ownOptions() const {
  FunctionOptions Options;
  Options.Linkage = Sharing::OneObject;
  Options.Device = S.getLangOpts().CUDAIsDevice;
  Options.Used = false;
  return Options;
}

FunctionDecl *AstBuilder::function(llvm::StringRef Symbol, QualType Result, llvm::ArrayRef<QualType> Parameters,
                                   const FunctionOptions &Options,
                                   llvm::function_ref<Expr *(llvm::ArrayRef<ParmVarDecl *>)> Body) {
  bool Merged = Options.Linkage == Sharing::Merged;
  FunctionDecl *F = declare(Symbol, Result, Parameters, Merged ? SC_None : SC_Static, Merged, Options.Hidden);
  if (Options.Used)
    F->addAttr(UsedAttr::CreateImplicit(Context));
  F->setIsUsed();
  if (Options.Device)
    F->addAttr(CUDADeviceAttr::CreateImplicit(Context));
  if (Options.Rare) {
    F->addAttr(OptimizeNoneAttr::CreateImplicit(Context));
    F->addAttr(NoInlineAttr::CreateImplicit(Context));
  }
  if (!Options.Annotation.empty()) {
    llvm::SmallVector<Expr *, 8> Arguments;
    for (Expr *Argument : Options.AnnotationArguments)
      Arguments.push_back(constantArgument(S, Argument));
    F->addAttr(AnnotateAttr::CreateImplicit(Context, Options.Annotation, Arguments.data(),
                                            static_cast<unsigned>(Arguments.size())));
  }
  return define(F, Body) ? F : nullptr;
}

bool AstBuilder::defineWithLocal(FunctionDecl *F, QualType T, bool IsReturned,
                                 llvm::function_ref<Expr *(llvm::ArrayRef<ParmVarDecl *>, VarDecl *)> Body) {
  Sema::SynthesizedFunctionScope FunctionScope(S, F);
  VarDecl *Local = VarDecl::Create(Context, F, Loc, Loc, &Context.Idents.get("kernix_local"), T,
                                   Context.getTrivialTypeSourceInfo(T, Loc), SC_Auto);
  Local->setImplicit();
  F->addDecl(Local);
  S.ActOnUninitializedDecl(Local);
  if (Local->isInvalidDecl())
    return false;
  Local->setIsUsed();
  llvm::SmallVector<Stmt *, 3> Statements = {new (Context) DeclStmt(DeclGroupRef(Local), Loc, Loc)};
  Expr *Value = Body(F->parameters(), Local);
  if (!Value)
    return false;
  Statements.push_back(Value);
  if (IsReturned) {
    StmtResult Return = S.BuildReturnStmt(Loc, reference(Local));
    if (Return.isInvalid())
      return false;
    Statements.push_back(Return.get());
  }
  F->setBody(CompoundStmt::Create(Context, Statements, FPOptionsOverride(), Loc, Loc));
  emit(F);
  return true;
}

bool AstBuilder::define(FunctionDecl *F, llvm::function_ref<Expr *(llvm::ArrayRef<ParmVarDecl *>)> Body) {
  Sema::SynthesizedFunctionScope FunctionScope(S, F);
  Expr *Value = Body(F->parameters());
  if (!Value)
    return false;
  Stmt *Statement = Value;
  if (!F->getReturnType()->isVoidType()) {
    StmtResult Return = S.BuildReturnStmt(Loc, Value);
    if (Return.isInvalid())
      return false;
    Statement = Return.get();
  }
  F->setBody(CompoundStmt::Create(Context, {Statement}, FPOptionsOverride(), Loc, Loc));
  emit(F);
  return true;
}
