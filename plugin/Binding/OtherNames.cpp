//===- OtherNames.cpp - names that stand for no function that could be bound
//---------------------------------------===//
//
// Runs only when a name was not found among the functions: it walks all declarations outside of functions once more.
//
//===--------------------------------------------------------------------------------------------------------------===//

#include "Binding/OtherNames.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/Basic/SourceManager.h"

using namespace clang;

namespace kernix {
namespace {

constexpr llvm::StringLiteral CallIt = "bind a function that calls it";
constexpr llvm::StringLiteral OnlyFunctions = "only functions can be bound";

std::string withoutBlanks(llvm::StringRef Text) {
  std::string Result;
  llvm::copy_if(Text, std::back_inserter(Result), [](char C) { return !llvm::isSpace(C); });
  return Result;
}

OtherName describeFunction(const FunctionDecl *Function) {
  if (isa<CXXConstructorDecl>(Function))
    return {Function, "a constructor", "bind a function that makes the object"};
  if (isa<CXXDestructorDecl>(Function))
    return {Function, "a destructor", OnlyFunctions};
  const auto *Method = dyn_cast<CXXMethodDecl>(Function);
  if (Method && !Method->isStatic())
    return {Function, "a non-static member function", "bind a function that takes the object and calls it"};
  if (Method && Method->getParent()->isDependentContext())
    return {Function, "a member of a class template", "bind a variable that points to the one that is meant"};
  return {Function, "a function of kernix itself", CallIt};
}

OtherName describe(const NamedDecl *D) {
  if (const auto *Template = dyn_cast<FunctionTemplateDecl>(D))
    return describeFunction(Template->getTemplatedDecl());
  if (const auto *Function = dyn_cast<FunctionDecl>(D))
    return describeFunction(Function);
  if (isa<NamespaceDecl, NamespaceAliasDecl>(D))
    return {D, "a namespace", OnlyFunctions};
  if (isa<TypeDecl, ClassTemplateDecl, TypeAliasTemplateDecl>(D))
    return {D, "a type", OnlyFunctions};
  if (isa<VarDecl, VarTemplateDecl>(D))
    return {D, "a variable", "in a source of one's own a constexpr pointer to a function can have [[kernix::bind]]"};
  if (isa<FieldDecl>(D))
    return {D, "a data member", OnlyFunctions};
  if (isa<EnumConstantDecl>(D))
    return {D, "an enumerator", OnlyFunctions};
  if (isa<UsingShadowDecl, UsingDecl>(D))
    return {D, "a using-declaration", "write the name with the namespace that the function is declared in"};
  return {D, "no function", OnlyFunctions};
}

class Finder {
public:
  explicit Finder(llvm::StringRef Name) : Wanted(withoutBlanks(Name)) {}

  const NamedDecl *find(const DeclContext *Scope) const {
    for (const Decl *D : Scope->decls()) {
      const auto *Named = dyn_cast<NamedDecl>(D);
      if (Named && !Named->isImplicit() && isMeant(Named))
        return Named;
      if (const auto *Template = dyn_cast<ClassTemplateDecl>(D))
        D = Template->getTemplatedDecl();
      const auto *Inner = dyn_cast<DeclContext>(D);
      if (!Inner || isa<FunctionDecl>(D))
        continue;
      if (const NamedDecl *Found = find(Inner))
        return Found;
    }
    return nullptr;
  }

private:
  bool isMeant(const NamedDecl *D) const {
    // The full name is long to make; most are another one at the end already.
    std::string Own = withoutBlanks(D->getNameAsString());
    if (Own.empty() || !llvm::StringRef(Wanted).ends_with(Own))
      return false;
    std::string Full = withoutBlanks(D->getQualifiedNameAsString());
    // What kernix's headers call their parts is nothing that a short name could stand for.
    return Full == Wanted || (llvm::StringRef(Full).ends_with("::" + Wanted) && !Full.starts_with("kernix::") &&
                              !D->getASTContext().getSourceManager().isInSystemHeader(D->getLocation()));
  }

  std::string Wanted;
};

} // namespace

std::optional<OtherName> findOtherName(const ASTContext &Context, llvm::StringRef Name) {
  Name.consume_front("::");
  if (auto It = Context.Idents.find(Name); It != Context.Idents.end() && It->second->hasMacroDefinition())
    return OtherName{nullptr, "a macro", CallIt};
  const NamedDecl *Found = Finder(Name).find(Context.getTranslationUnitDecl());
  return Found ? std::optional(describe(Found)) : std::nullopt;
}

} // namespace kernix
