//===- FunctionNames.cpp - the functions of a translation unit by name --------------------------------------------===//
//
// Collects functions and compares the parameter types that users write with those that functions have.
//
//===--------------------------------------------------------------------------------------------------------------===//

#include "Binding/FunctionNames.h"
#include "Attributes/Arguments.h"
#include "Binding/OtherNames.h"
#include "Diagnostics/Diagnostics.h"
#include "Diagnostics/NearestName.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/Basic/SourceManager.h"

using namespace clang;

namespace kernix {
namespace {

class Collector {
public:
  Collector(const ASTContext &Context, std::map<std::string, llvm::SmallVector<const FunctionDecl *, 2>> &ByName)
      : SM(Context.getSourceManager()), ByName(ByName) {
    collect(Context.getTranslationUnitDecl());
  }

private:
  void collect(const DeclContext *Scope) {
    for (const Decl *D : Scope->decls()) {
      if (D->isInvalidDecl() || D->isImplicit())
        continue;
      if (const auto *Template = dyn_cast<FunctionTemplateDecl>(D))
        add(Template->getTemplatedDecl());
      else if (const auto *Function = dyn_cast<FunctionDecl>(D))
        add(Function);
      else if (isa<NamespaceDecl, LinkageSpecDecl, ExportDecl, CXXRecordDecl>(D) && !isKernix(D))
        collect(cast<DeclContext>(D));
    }
  }

  /// What the header declares, which every file that is bound from outside includes, is nobody's to bind.
  static bool isKernix(const Decl *D) {
    const auto *Namespace = dyn_cast<NamespaceDecl>(D);
    return Namespace && Namespace->getName() == "kernix" && Namespace->getParent()->isTranslationUnit();
  }

  void add(const FunctionDecl *Function) {
    const auto *Method = dyn_cast<CXXMethodDecl>(Function);
    bool HasName = Function->getIdentifier() || Function->isOverloadedOperator() || Function->getLiteralIdentifier() ||
                   isa<CXXConstructorDecl>(Function);
    // Those that need an object are bound in device code only.
    bool NeedsObject = Method && !Method->isStatic() && !Method->hasAttr<CUDADeviceAttr>();
    if (Function != Function->getFirstDecl() || !HasName || NeedsObject || Function->isTemplateInstantiation())
      return;
    auto &List = ByName[Function->getQualifiedNameAsString()];
    bool System = isSystem(Function);
    if (!List.empty() && isSystem(List.front()) != System) {
      if (System)
        return;
      List.clear();
    }
    List.push_back(Function);
  }

  /// CUDA's functions on the CPU target are kernix's.
  bool isSystem(const FunctionDecl *Function) const {
    return SM.isInSystemHeader(Function->getLocation()) ||
           SM.getFilename(SM.getSpellingLoc(Function->getLocation())).contains("/kernix/cpu/");
  }

  const SourceManager &SM;
  std::map<std::string, llvm::SmallVector<const FunctionDecl *, 2>> &ByName;
};

/// A type as a sequence of words, so that blanks do not count; `unsigned` alone is `unsigned int`.
std::string normalized(llvm::StringRef Type) {
  std::string Text;
  bool AfterUnsigned = false;
  auto CompleteUnsigned = [&](llvm::StringRef Next) {
    if (AfterUnsigned && !llvm::is_contained({"char", "short", "int", "long", "__int128"}, Next))
      Text += " int";
    AfterUnsigned = Next == "unsigned";
  };
  for (size_t I = 0; I < Type.size();) {
    if (llvm::isSpace(Type[I])) {
      ++I;
      continue;
    }
    size_t End = I + 1;
    auto isWord = [](char C) { return llvm::isAlnum(C) || C == '_'; };
    if (isWord(Type[I]))
      while (End < Type.size() && isWord(Type[End]))
        ++End;
    CompleteUnsigned(Type.slice(I, End));
    if (isWord(Type[I]) && !Text.empty() && isWord(Text.back()))
      Text += ' ';
    Text += Type.slice(I, End);
    I = End;
  }
  CompleteUnsigned("");
  return Text;
}

bool isSpelling(llvm::StringRef Written, QualType Type, const ASTContext &Context) {
  PrintingPolicy Policy(Context.getPrintingPolicy());
  std::string Wanted = normalized(Written);
  for (QualType Each :
       {Type, Type.getUnqualifiedType(), Type.getCanonicalType(), Type.getCanonicalType().getUnqualifiedType()}) {
    for (bool Bare : {false, true}) {
      Policy.SuppressScope = Bare;
      if (Wanted == normalized(Each.getAsString(Policy)))
        return true;
    }
  }
  return false;
}

/// `float *, map<int, int>` at its outermost commas.
llvm::SmallVector<llvm::StringRef, 8> splitTypes(llvm::StringRef List) {
  llvm::SmallVector<llvm::StringRef, 8> Types;
  if (List.trim().empty())
    return Types;
  int Depth = 0;
  size_t Begin = 0;
  for (size_t I = 0; I != List.size(); ++I) {
    if (llvm::StringRef("<([").contains(List[I]))
      ++Depth;
    else if (llvm::StringRef(">)]").contains(List[I]))
      --Depth;
    else if (List[I] == ',' && Depth == 0) {
      Types.push_back(List.slice(Begin, I).trim());
      Begin = I + 1;
    }
  }
  Types.push_back(List.substr(Begin).trim());
  return Types;
}

bool takes(const FunctionDecl *Function, llvm::ArrayRef<llvm::StringRef> Types, const ASTContext &Context) {
  if (Function->getNumParams() != Types.size())
    return false;
  for (size_t I = 0; I != Types.size(); ++I) {
    const ParmVarDecl *Parameter = Function->getParamDecl(I);
    if (!isSpelling(Types[I], Parameter->getType(), Context) &&
        !isSpelling(Types[I], Parameter->getOriginalType(), Context))
      return false;
  }
  return true;
}

} // namespace

FunctionNames::FunctionNames(const ASTContext &Context) : Context(Context) { Collector(Context, ByName); }

const FunctionNames::Overloads *FunctionNames::findAll(Diagnostics &Diag, const StringArgument &Written,
                                                       llvm::StringRef Name) const {
  Name.consume_front("::");
  std::string Compact = Name.str();
  if (Name.contains("operator"))
    llvm::erase_if(Compact, llvm::isSpace);
  if (auto It = ByName.find(Compact); It != ByName.end())
    return &It->second;
  // A name without its namespace, where it is the only one.
  const std::pair<const std::string, Overloads> *Found = nullptr;
  std::string Suffix = "::" + Compact;
  for (const auto &Each : ByName) {
    if (!llvm::StringRef(Each.first).ends_with(Suffix) ||
        Context.getSourceManager().isInSystemHeader(Each.second.front()->getLocation()))
      continue;
    if (Found) {
      Diag.error(Written.location(), "'%0' is ambiguous: write '%1' or '%2'")
          << Name << Found->first << Each.first << Written.Range;
      return nullptr;
    }
    Found = &Each;
  }
  if (Found)
    return &Found->second;
  if (std::optional<OtherName> Other = findOtherName(Context, Name)) {
    Diag.error(Written.location(), "'%0' is %1: %2") << Name << Other->What << Other->Advice << Written.Range;
    if (Other->Declaration)
      Diag.note(Other->Declaration->getLocation(), "declared here");
    return nullptr;
  }
  llvm::SmallVector<llvm::StringRef, 64> Known;
  for (const auto &Each : ByName) {
    if (Context.getSourceManager().isInSystemHeader(Each.second.front()->getLocation()))
      continue;
    Known.push_back(Each.first);
    if (size_t Colons = Known.back().rfind("::"); Colons != llvm::StringRef::npos && !Name.contains("::"))
      Known.push_back(Known.back().substr(Colons + 2));
  }
  llvm::StringRef Nearest = nearestName(Name, Known);
  Diag.error(Written.location(), "the source declares no function '%0'%select{; did you mean '%2'?|}1")
      << Name << Nearest.empty() << Nearest << Written.Range;
  return nullptr;
}

bool FunctionNames::declares(llvm::StringRef Name) const {
  Name = Name.substr(0, Name.find('(')).trim();
  Name.consume_front("::");
  const std::string Suffix = "::" + Name.str();
  return ByName.contains(Name.str()) || llvm::any_of(ByName, [&](const auto &Each) {
           return llvm::StringRef(Each.first).ends_with(Suffix) &&
                  !Context.getSourceManager().isInSystemHeader(Each.second.front()->getLocation());
         });
}

llvm::SmallVector<const FunctionDecl *, 2> FunctionNames::find(Diagnostics &Diag, const StringArgument &Written) const {
  llvm::StringRef Text = llvm::StringRef(Written.Text).trim();
  size_t CallOperator = Text.find("operator()");
  size_t Open = Text.find('(', CallOperator == llvm::StringRef::npos ? 0 : CallOperator + 10);
  const Overloads *All = findAll(Diag, Written, Text.substr(0, Open).rtrim());
  if (!All)
    return {};
  if (Open == llvm::StringRef::npos)
    return *All;
  if (!Text.ends_with(")")) {
    Diag.error(Written.locationOf(Written.Text.size(), Context), "expected ')' after the parameter types");
    return {};
  }
  llvm::SmallVector<llvm::StringRef, 8> Types = splitTypes(Text.slice(Open + 1, Text.size() - 1));
  for (const FunctionDecl *Each : *All)
    if (takes(Each, Types, Context))
      return {Each};
  Diag.error(Written.location(), "no overload of %0 takes these types") << All->front() << Written.Range;
  for (const FunctionDecl *Each : *All)
    Diag.note(Each->getLocation(), "%0 has type %1") << Each << Each->getType();
  return {};
}

} // namespace kernix
