//===- Instantiate.cpp - [[kernix::instantiate("type", ...)]] -----------------------------------------------------===//
//
// Syntax, subject and diagnostics. What the strings name is found by Binding.
//
//===--------------------------------------------------------------------------------------------------------------===//

#include "Attributes/Instantiate.h"
#include "Attributes/Attribute.h"
#include "Attributes/Effect.h"
#include "clang/AST/DeclTemplate.h"

using namespace clang;

namespace kernix {

/// An empty or repeated argument is a slip that would make two variants of one signature.
static bool checkNew(WrittenArguments &Arguments, const InstantiateAttribute &Before, const StringArgument &Type) {
  Diagnostics Diag(Arguments.sema());
  llvm::SmallVector<llvm::StringRef, 4> Parts;
  llvm::StringRef(Type.Text).split(Parts, ',');
  if (llvm::any_of(Parts, [](llvm::StringRef Part) { return Part.trim().empty(); })) {
    Diag.error(Type.location(), "'kernix::instantiate' needs the name of a type") << Type.Range;
    return false;
  }
  for (const StringArgument &Other : Before.Types)
    if (llvm::StringRef(Other.Text).trim() == llvm::StringRef(Type.Text).trim()) {
      Diag.error(Type.location(), "'kernix::instantiate' names '%0' twice") << Type.Text << Type.Range;
      Diag.note(Other.location(), "first named here") << Other.Range;
      return false;
    }
  return true;
}

static void noteParameters(Diagnostics &Diag, const TemplateParameterList &Parameters) {
  Diag.note(Parameters.getTemplateLoc(), "its template parameters are here") << Parameters.getSourceRange();
}

/// Whether a string names as many arguments as the template takes, up to those that have a default.
static bool checkCount(Diagnostics &Diag, const StringArgument &String, const FunctionTemplateDecl &Template) {
  const TemplateParameterList &Parameters = *Template.getTemplateParameters();
  auto Named = static_cast<unsigned>(llvm::count(String.Text, ',')) + 1;
  unsigned Least = Parameters.getMinRequiredArguments(), Most = Parameters.size();
  if (Named >= Least && Named <= Most)
    return true;
  Diag.error(String.location(), "'%0' names %1 template argument%2, and %3 takes %4%5")
      << String.Text << Named << (Named == 1 ? "" : "s") << Template.getTemplatedDecl()
      << (Named < Least && Least < Most ? "at least " : "") << (Named < Least ? Least : Most) << String.Range;
  noteParameters(Diag, Parameters);
  return false;
}

namespace {

class Instantiate : public DeclAttribute<&DeclAttributes::Instantiate> {
public:
  Instantiate() : DeclAttribute("instantiate", OnFunction) {}

  void check(Sema &S, const FinishedSubject &Subject) const override {
    const InstantiateAttribute &Own = own(Subject);
    const FunctionTemplateDecl *Template = Subject.Function->getDescribedFunctionTemplate();
    Diagnostics Diag(S);
    if (!Template) {
      Diag.error(Own.location(), "'kernix::instantiate' on %0, which is no function template")
          << Subject.Function << Own.Range;
      return;
    }
    const TemplateParameterList &Parameters = *Template->getTemplateParameters();
    bool CanBeNamed = llvm::none_of(Parameters, [](const NamedDecl *Parameter) {
      return isa<TemplateTemplateParmDecl>(Parameter) || Parameter->isTemplateParameterPack();
    });
    if (!CanBeNamed) {
      Diag.error(Own.location(), "'kernix::instantiate' needs a template whose parameters are types and integers; bind "
                                 "instantiations of %0 by variables instead")
          << Subject.Function << Own.Range;
      noteParameters(Diag, Parameters);
      return;
    }
    for (const StringArgument &String : Own.Types)
      if (!checkCount(Diag, String, *Template))
        return;
    warnUnlessBound(S, Subject, Own, name());
  }

protected:
  bool apply(WrittenArguments &Arguments, DeclAttributes &Record) const override {
    if (!Arguments.count(1, UINT_MAX))
      return false;
    InstantiateAttribute New;
    for (unsigned I = 0; I != Arguments.size(); ++I) {
      std::optional<StringArgument> Type = Arguments.string(I);
      if (!Type || !checkNew(Arguments, New, *Type))
        return false;
      New.Types.push_back(std::move(*Type));
    }
    return setOnce(Arguments, Record.Instantiate, std::move(New));
  }
};

ParsedAttrInfoRegistry::Add<Instantiate> Register("kernix-instantiate", "");

} // namespace
} // namespace kernix
