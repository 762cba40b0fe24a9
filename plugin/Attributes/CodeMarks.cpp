//===- CodeMarks.cpp - what attributes say of code ----------------------------------------------------------------===//

#include "Attributes/CodeMarks.h"
#include "Attributes/AttributeStore.h"
#include "Diagnostics/Diagnostics.h"
#include "HandOver.h"
#include "clang/AST/ASTConsumer.h"
#include "clang/AST/ASTLambda.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/Sema/Sema.h"

using namespace clang;
using namespace kernix;

namespace {

using Marks = SmallVector<std::string, 2>;

/// What an attribute writes on a function or a variable; empty: nothing.
std::string markOf(StringRef Attribute, const NamedDecl &D) {
  if (Attribute == "no_diff")
    return NoDiffAnnotation;
  if (isa<ParmVarDecl>(D) || (Attribute != "store" && Attribute != "recompute"))
    return "";
  return std::string(Attribute == "store" ? StoreAnnotation : RecomputeAnnotation) + ":" + D.getNameAsString();
}

Marks marksOf(const DeclAttributes *Attributes, const NamedDecl &D) {
  Marks Result;
  if (!Attributes)
    return Result;
  if (Attributes->NoDiff)
    Result.push_back(markOf("no_diff", D));
  if (Attributes->Store)
    Result.push_back(markOf("store", D));
  if (Attributes->Recompute)
    Result.push_back(markOf("recompute", D));
  llvm::erase(Result, std::string());
  return Result;
}

bool isMark(const Attr &A) {
  const auto *Annotation = dyn_cast<AnnotateAttr>(&A);
  if (!Annotation)
    return false;
  StringRef Text = Annotation->getAnnotation();
  return Text == NoDiffAnnotation || Text.starts_with((StoreAnnotation + llvm::Twine(":")).str()) ||
         Text.starts_with((RecomputeAnnotation + llvm::Twine(":")).str());
}

/// Whether there was one to add.
bool addMissing(Decl &D, const Marks &Wanted) {
  bool Added = false;
  for (const std::string &Mark : Wanted) {
    if (llvm::any_of(D.specific_attrs<AnnotateAttr>(),
                     [&](const AnnotateAttr *A) { return A->getAnnotation() == Mark; }))
      continue;
    D.addAttr(AnnotateAttr::CreateImplicit(D.getASTContext(), Mark, nullptr, 0));
    Added = true;
  }
  return Added;
}

void removeMarks(Decl &D) {
  if (!D.hasAttrs())
    return;
  llvm::erase_if(D.getAttrs(), [](const Attr *A) { return isMark(*A); });
  if (D.getAttrs().empty())
    D.dropAttrs();
}

/// A variable that binds a function speaks of the function.
bool isBinding(const Decl &D) {
  const auto *Variable = dyn_cast<VarDecl>(&D);
  return Variable && Variable->isConstexpr() && !isa<ParmVarDecl>(Variable);
}

/// Clang refuses an attribute behind the definition, with a warning that has no place. A function of that name may be
/// another one, which costs nothing: all have their marks corrected.
bool mayBeDefined(const NamedDecl &D) {
  const DeclContext *Scope = D.getDeclContext();
  if (isa<ParmVarDecl>(D) || !D.getDeclName())
    return false;
  if (isa<FunctionDecl>(D) && Scope->isFunctionOrMethod())
    return true; // declares a function of the namespace around
  if (!Scope->getRedeclContext()->isFileContext())
    return false;
  return llvm::any_of(Scope->getRedeclContext()->lookup(D.getDeclName()), [](const NamedDecl *Other) {
    if (const FunctionDecl *Function = Other->getAsFunction())
      return Function->isDefined();
    if (const auto *Template = dyn_cast<VarTemplateDecl>(Other))
      Other = Template->getTemplatedDecl();
    const auto *Variable = dyn_cast<VarDecl>(Other);
    return Variable && Variable->getDefinition();
  });
}

/// Whether D inherits from a template for which it stands: one of the two functions is no instance of the other.
bool isSpecialized(const FunctionDecl &F) {
  if (F.getTemplateSpecializationKind() == TSK_ExplicitSpecialization)
    return true;
  // A template that is a member of a class template, specialized for one class.
  const FunctionTemplateDecl *Template =
      F.getDescribedFunctionTemplate() ? F.getDescribedFunctionTemplate() : F.getPrimaryTemplate();
  return Template && Template->isMemberSpecialization();
}

/// Local variables are no contexts of others, and declared once.
bool isOutsideFunctions(const VarDecl &Variable) {
  return !isa<ParmVarDecl>(Variable) && !Variable.isLocalVarDecl() && !Variable.isExceptionVariable() &&
         !isBinding(Variable);
}

void correct(FunctionDecl &F, AttributeStore &Store) {
  // Instances of lambdas are found by what they inherit alone.
  if (isLambdaCallOperator(&F))
    return;
  bool Replaces = isSpecialized(F);
  if (Replaces)
    removeMarks(F);
  if (!F.isDependentContext())
    addMissing(F, marksOf(Store.lookup(&F), F));
  for (ParmVarDecl *Parameter : F.parameters()) {
    if (Replaces)
      removeMarks(*Parameter);
    addMissing(*Parameter, marksOf(Store.lookup(Parameter), *Parameter));
  }
}

void correct(VarDecl &Variable, AttributeStore &Store) {
  if (!isOutsideFunctions(Variable))
    return;
  if (Variable.getTemplateSpecializationKind() == TSK_ExplicitSpecialization)
    removeMarks(Variable);
  if (!Variable.isTemplated())
    addMissing(Variable, marksOf(Store.lookup(&Variable), Variable));
}

/// Marks all declarations of F, one of which has its code.
bool addToAll(FunctionDecl &F, const Marks &Wanted) {
  bool Added = false;
  for (FunctionDecl *Each : F.redecls())
    Added |= addMissing(*Each, Wanted);
  return Added;
}

class LateMarks {
public:
  LateMarks(Sema &S, AttributeStore &Store, ASTConsumer &Code) : S(S), Store(Store), Code(Code) {}

  void run() {
    auto Written = Store.allWritten();
    for (const auto &[D, Own] : Written)
      if (Own->NoDiff)
        Marked.insert(D);
    for (const auto &[D, Own] : Written) {
      if (D->isInvalidDecl())
        continue;
      if (const auto *Parameter = dyn_cast<ParmVarDecl>(D)) {
        if (Own->NoDiff)
          checkParameter(*Parameter, *Own->NoDiff);
      } else if (const auto *Variable = dyn_cast<VarDecl>(D)) {
        if (Own->NoDiff && isOutsideFunctions(*Variable))
          checkVariable(*Variable, *Own->NoDiff);
      } else if (const auto *Function = dyn_cast<FunctionDecl>(D)) {
        addTo(*const_cast<FunctionDecl *>(Function));
      }
    }
  }

private:
  Sema &S;
  AttributeStore &Store;
  ASTConsumer &Code;
  llvm::SmallPtrSet<const Decl *, 8> Marked; ///< no_diff stands on them

  void addTo(FunctionDecl &F) {
    if (isLambdaCallOperator(&F))
      return;
    Marks Wanted = marksOf(Store.lookup(&F), F);
    if (Wanted.empty())
      return;
    if (!F.isDependentContext())
      return handOver(F, Wanted);
    if (FunctionTemplateDecl *Template = F.getDescribedFunctionTemplate())
      for (FunctionDecl *Instance : Template->specializations())
        if (!isSpecialized(*Instance) && !Instance->isDependentContext())
          handOver(*Instance, Wanted);
  }

  /// Annotations of functions are written at the end, of those that had one when they were handed over.
  void handOver(FunctionDecl &F, const Marks &Wanted) {
    if (!addToAll(F, Wanted))
      return;
    const FunctionDecl *Definition = nullptr;
    F.isDefined(Definition);
    Code.HandleTopLevelDecl(DeclGroupRef(Definition ? const_cast<FunctionDecl *>(Definition) : &F));
  }

  /// Whether neither the definition nor a declaration before it has the attribute, so that code was made without it.
  template <class D, class F> static bool isLate(const D *Definition, F HasMark) {
    for (const D *Each = Definition; Each; Each = Each->getPreviousDecl())
      if (HasMark(*Each))
        return false;
    return true;
  }

  void checkParameter(const ParmVarDecl &Parameter, const NoDiffAttribute &Own) {
    const auto *Function = dyn_cast<FunctionDecl>(Parameter.getDeclContext());
    const FunctionDecl *Definition = nullptr;
    // What parameters of kernels are is known without their code.
    if (Own.External || !Function || Function->hasAttr<CUDAGlobalAttr>() || !Function->isDefined(Definition))
      return;
    unsigned Index = Parameter.getFunctionScopeIndex();
    if (!isLate(Definition, [&](const FunctionDecl &Each) {
          return Index < Each.getNumParams() && Marked.contains(Each.getParamDecl(Index));
        }))
      return;
    report(Own, *Definition);
  }

  void checkVariable(const VarDecl &Variable, const NoDiffAttribute &Own) {
    const VarDecl *Definition = Variable.getDefinition();
    if (!Own.External && Definition && isLate(Definition, [&](const VarDecl &Each) { return Marked.contains(&Each); }))
      report(Own, *Definition);
  }

  void report(const NoDiffAttribute &Own, const NamedDecl &Definition) {
    Diagnostics Diag(S);
    Diag.error(Own.location(), "'kernix::no_diff' comes too late for the code of %0, which is defined before; write "
                               "it on the definition, or on a declaration before it")
        << &Definition << Own.Range;
    Diag.note(Definition.getLocation(), "defined here");
  }
};

} // namespace

void kernix::markWhereWritten(Sema &S, Decl &D, StringRef Attribute) {
  if ((!isa<VarDecl>(D) && !isa<FunctionDecl>(D)) || isBinding(D) || mayBeDefined(cast<NamedDecl>(D)))
    return;
  if (std::string Mark = markOf(Attribute, cast<NamedDecl>(D)); !Mark.empty())
    D.addAttr(AnnotateAttr::CreateImplicit(S.Context, Mark, nullptr, 0));
}

void kernix::correctMarks(Decl &D, AttributeStore &Store) {
  if (auto *Function = dyn_cast<FunctionDecl>(&D))
    correct(*Function, Store);
  else if (auto *Variable = dyn_cast<VarDecl>(&D))
    correct(*Variable, Store);
}

void kernix::addLateMarks(Sema &S, AttributeStore &Store, ASTConsumer &Code) { LateMarks(S, Store, Code).run(); }
