//===- AstBuilder.h - declarations and expressions through Sema --------------------------------------*- C++ -*--===//
//
// The few shapes that synthesis needs: constants as initializer lists, hidden variables that the linker merges, and
// functions with C names. Everything goes through Sema, so that types are checked and conversions inserted as for
// written code. Nothing here knows about bound functions.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_SYNTHESIS_ASTBUILDER_H
#define KERNIX_SYNTHESIS_ASTBUILDER_H

#include "clang/AST/DeclTemplate.h"
#include "clang/AST/Expr.h"
#include "clang/Sema/Sema.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace kernix {

/// How many objects may define a synthesized thing.
enum class Sharing {
  OneObject, ///< internal linkage
  Merged     ///< may be defined by several objects; the linker keeps one
};

class AstBuilder {
public:
  AstBuilder(clang::Sema &S, clang::SourceLocation Loc) : S(S), Context(S.getASTContext()), Loc(Loc) {}

  /// A type of kernix/abi.h; null after an error that says to include kernix/kernix.h.
  clang::QualType abiType(llvm::StringRef Name);
  /// A member of namespace kernix::detail, or of the global namespace; null after an error.
  clang::ValueDecl *detail(llvm::StringRef Name);
  clang::ClassTemplateDecl *detailTemplate(llvm::StringRef Name);
  /// kernix::detail::Name<Types..., Values...>, complete; null after an error.
  clang::QualType detailClass(llvm::StringRef Name, llvm::ArrayRef<clang::QualType> Types,
                              llvm::ArrayRef<clang::Expr *> Values);
  /// The only member function of this name; null, as for a null class, after an error.
  clang::FunctionDecl *memberFunction(clang::QualType Class, llvm::StringRef Name);
  /// kernix::Name<Argument>, complete; null after an error.
  clang::QualType kernixTemplate(llvm::StringRef Name, clang::QualType Argument);
  /// Whether kernix::detail has such a member; no error.
  bool hasDetail(llvm::StringRef Name);
  clang::FunctionDecl *globalFunction(llvm::StringRef Name);
  /// A function template of namespace kernix; null where the header is not included.
  clang::FunctionTemplateDecl *kernixFunctionTemplate(llvm::StringRef Name);

  clang::Expr *integer(int64_t Value);
  clang::Expr *real(double Value);
  /// A string literal, or a null pointer for nothing.
  clang::Expr *string(std::optional<llvm::StringRef> Text);
  clang::Expr *null();
  clang::Expr *list(llvm::ArrayRef<clang::Expr *> Elements);
  clang::Expr *reference(clang::ValueDecl *D);
  clang::Expr *address(clang::ValueDecl *D);
  /// `(const void *)E`
  clang::Expr *asVoidPointer(clang::Expr *E);
  /// A cast written as `(T)E`.
  clang::Expr *cast(clang::QualType T, clang::Expr *E);
  clang::Expr *call(clang::FunctionDecl *F, llvm::ArrayRef<clang::Expr *> Arguments);
  /// The same where the first argument of a member function is its object.
  clang::Expr *callWithObject(clang::FunctionDecl *F, llvm::ArrayRef<clang::Expr *> Arguments);
  /// The parameter as an argument of another call of the same type.
  clang::Expr *forward(clang::ParmVarDecl *P);
  /// `*Pointer`
  clang::Expr *dereference(clang::ParmVarDecl *Pointer);
  clang::Expr *dereference(clang::Expr *Pointer);
  /// `Value` converted for a parameter of type T.
  clang::Expr *argument(clang::QualType T, clang::Expr *Value);
  clang::Expr *assign(clang::Expr *To, clang::Expr *Value);
  /// `First, Second`
  clang::Expr *sequence(clang::Expr *First, clang::Expr *Second);
  /// Sets the bytes of the T at the address to zero, whatever its constructors do.
  clang::Expr *zero(clang::Expr *Address, clang::QualType T);
  /// The address of a function, without Sema's check of whether code here may use it.
  clang::Expr *decayed(clang::FunctionDecl *F);

  struct VariableOptions {
    Sharing Linkage = Sharing::Merged;
    bool Hidden = true;
    llvm::StringRef Section; ///< empty: the compiler's choice
    llvm::StringRef Symbol;  ///< empty: as mangled
    bool Used = false;       ///< kept although nothing refers to it
    bool Device = false;     ///< __device__
  };
  /// `T Name = Init;` at file scope, handed to CodeGen. Null after an error.
  clang::VarDecl *variable(llvm::StringRef Name, clang::QualType T, clang::Expr *Init, const VariableOptions &Options);

  /// An array constant of elements that are initializer lists; a null pointer if there are none.
  clang::Expr *constantArray(llvm::StringRef Name, clang::QualType Element, llvm::ArrayRef<clang::Expr *> Elements,
                             Sharing Linkage);

  struct FunctionOptions {
    Sharing Linkage = Sharing::Merged;
    bool Hidden = false;
    bool Device = false;        ///< __device__
    bool Rare = false;          ///< called a few times in a process: not worth the optimiser's time
    bool Used = true;           ///< kept although nothing refers to it
    llvm::StringRef Annotation; ///< of `annotate(Annotation, AnnotationArguments...)`; empty: none
    llvm::ArrayRef<clang::Expr *> AnnotationArguments;
  };
  /// Of a function that only this object refers to, for the side that is compiled.
  FunctionOptions ownOptions() const;
  /// A function with the symbol `Symbol` whose body returns `Body(parameters)`. Null after an error.
  clang::FunctionDecl *function(llvm::StringRef Symbol, clang::QualType Result,
                                llvm::ArrayRef<clang::QualType> Parameters, const FunctionOptions &Options,
                                llvm::function_ref<clang::Expr *(llvm::ArrayRef<clang::ParmVarDecl *>)> Body);

  /// A hidden function that another object of the same library defines.
  clang::FunctionDecl *declaration(llvm::StringRef Symbol, clang::QualType Result,
                                   llvm::ArrayRef<clang::QualType> Parameters, bool Device = false);
  /// What function() or declaration() made before; null if nothing.
  clang::FunctionDecl *findFunction(llvm::StringRef Symbol);

  /// Gives a declared function the body `Body(parameters)`, an expression whose value is returned. False after an
  /// error.
  bool define(clang::FunctionDecl *F, llvm::function_ref<clang::Expr *(llvm::ArrayRef<clang::ParmVarDecl *>)> Body);
  /// The same with a local variable of type T: `T local; Body(parameters, local); [return local;]`.
  bool defineWithLocal(clang::FunctionDecl *F, clang::QualType T, bool IsReturned,
                       llvm::function_ref<clang::Expr *(llvm::ArrayRef<clang::ParmVarDecl *>, clang::VarDecl *)> Body);
  /// `&E`; `&Object.Member`
  clang::Expr *addressOf(clang::Expr *E);
  clang::Expr *addressOfMember(clang::VarDecl *Object, llvm::StringRef Member);
  /// The instances of a class template of kernix::detail; none where the header is not included.
  llvm::SmallVector<clang::ClassTemplateSpecializationDecl *, 4> detailInstances(llvm::StringRef Template);

  /// Hands a finished declaration to CodeGen.
  void emit(clang::Decl *D);

  clang::Sema &S;
  clang::ASTContext &Context;
  clang::SourceLocation Loc;

private:
  clang::QualType instance(clang::ClassTemplateDecl *Template, llvm::ArrayRef<clang::QualType> Types,
                           llvm::ArrayRef<clang::Expr *> Values);
  clang::FunctionDecl *declare(llvm::StringRef Symbol, clang::QualType Result,
                               llvm::ArrayRef<clang::QualType> Parameters, clang::StorageClass Storage, bool Inline,
                               bool Hidden);
  clang::NamedDecl *lookupDetail(llvm::StringRef Name);
  clang::NamedDecl *lookup(clang::DeclContext *Scope, llvm::StringRef Name, clang::Sema::LookupNameKind Kind);
};

} // namespace kernix

#endif // KERNIX_SYNTHESIS_ASTBUILDER_H
