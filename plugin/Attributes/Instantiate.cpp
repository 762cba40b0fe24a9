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

/// An empty or repeated type is a slip that would make two variants of one signature.
static bool checkNew(WrittenArguments &Arguments, const InstantiateAttribute &Before, const StringArgument &Type) {
  Diagnostics Diag(Arguments.sema());
  if (llvm::StringRef(Type.Text).trim().empty()) {
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

namespace {

class Instantiate : public Attribute {
public:
  Instantiate() : Attribute("instantiate", OnFunction) {}

  const AttributeBase *find(const DeclAttributes &Attributes) const override {
    return Attributes.Instantiate ? &*Attributes.Instantiate : nullptr;
  }

  void check(Sema &S, const FinishedSubject &Subject) const override {
    const InstantiateAttribute &Own = *Subject.Own->Instantiate;
    const FunctionTemplateDecl *Template = Subject.Function->getDescribedFunctionTemplate();
    Diagnostics Diag(S);
    if (!Template) {
      Diag.error(Own.location(), "'kernix::instantiate' on %0, which is no function template")
          << Subject.Function << Own.Range;
      return;
    }
    const TemplateParameterList &Parameters = *Template->getTemplateParameters();
    bool OneType = Parameters.size() == 1 && isa<TemplateTypeParmDecl>(Parameters.getParam(0)) &&
                   !Parameters.getParam(0)->isTemplateParameterPack();
    if (OneType)
      return warnUnlessBound(S, Subject, Own, name());
    Diag.error(Own.location(), "'kernix::instantiate' needs a template with exactly one type parameter; bind "
                               "instantiations of %0 by variables instead")
        << Subject.Function << Own.Range;
    Diag.note(Parameters.getTemplateLoc(), "its template parameters are here") << Parameters.getSourceRange();
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
