//===- Bind.cpp - [[kernix::bind("name", "arg_spec")]] ------------------------------------------------------------===//
//
// Syntax, subject and diagnostics. Whether the arg_spec fits the signature is Binding/ArgSpec's business.
//
//===--------------------------------------------------------------------------------------------------------------===//

#include "Attributes/Bind.h"
#include "Attributes/Attribute.h"
#include "Attributes/BoundVariable.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/Sema/Sema.h"

using namespace clang;

namespace kernix {

size_t firstByteNoName(llvm::StringRef Name) {
  if (Name.empty())
    return 0;
  for (size_t I = 0; I != Name.size(); ++I)
    if (Name[I] != '_' && !llvm::isAlpha(Name[I]) && (I == 0 || !llvm::isDigit(Name[I])))
      return I;
  return llvm::StringRef::npos;
}

static bool checkName(Sema &S, const StringArgument &Name) {
  size_t Bad = firstByteNoName(Name.Text);
  if (Bad == llvm::StringRef::npos)
    return true;
  Diagnostics Diag(S);
  if (Name.Text.empty())
    Diag.error(Name.location(), "the name that 'kernix::bind' gives must not be empty") << Name.Range;
  else
    Diag.error(Name.locationOf(Bad, S.Context),
               "'%0' is not a name for 'kernix::bind': letters, digits and underscores only, no digit first")
        << Name.Text;
  return false;
}

/// Empty where the function can be bound.
static llvm::StringRef whyNotBindable(const FunctionDecl &Function) {
  if (Function.isMain())
    return "it is the program's entry point";
  // Members of device code get a function that takes the object, or gives it.
  const bool OnDevice = Function.hasAttr<CUDADeviceAttr>();
  if (isa<CXXConstructorDecl>(Function) && !OnDevice)
    return "it is a constructor";
  if (isa<CXXDestructorDecl>(Function))
    return "it is a destructor";
  if (isa<CXXConversionDecl>(Function))
    return "it is a conversion function";
  if (isa<CXXDeductionGuideDecl>(Function))
    return "it is a deduction guide";
  if (const auto *Method = dyn_cast<CXXMethodDecl>(&Function)) {
    if (Method->getParent()->isLambda())
      return "it is a lambda's call operator";
    if (Method->isVirtual())
      return "it is virtual";
    if (Method->isExplicitObjectMemberFunction())
      return "its object is a parameter; make it static, or a member of the usual kind";
    if (!Method->isStatic() && !OnDevice)
      return "it is a member that needs an object";
  }
  if (Function.isDeleted())
    return "it is deleted";
  if (Function.isVariadic())
    return "it takes a variable number of arguments";
  if (Function.isConsteval())
    return "it is consteval";
  if (Function.isLocalExternDecl() || Function.getDeclContext()->getRedeclContext()->isFunctionOrMethod())
    return "it is declared inside a function";
  if (const auto *Record = dyn_cast<CXXRecordDecl>(Function.getDeclContext()); Record && Record->isLocalClass())
    return "it is a member of a class inside a function";
  return "";
}

static void checkVariable(Sema &S, const VarDecl &Variable, const FinishedSubject &Subject) {
  Diagnostics Diag(S);
  const BindAttribute &Bind = *Subject.Own->Bind;
  QualType Type = Variable.getType();
  bool IsPointer = Type->isFunctionPointerType() || Type->isDependentType();
  if (Variable.getDescribedVarTemplate() || isa<VarTemplateSpecializationDecl>(Variable)) {
    Diag.error(Bind.location(), "cannot bind %0: a variable template names no single function")
        << &Variable << Bind.Range;
    return;
  }
  if (!IsPointer || !Variable.isConstexpr()) {
    Diag.error(Bind.location(), "cannot bind %0: only a constexpr function pointer binds the function it points to")
        << &Variable << Bind.Range;
    if (IsPointer && Variable.hasInit())
      Diag.note(Variable.getOuterLocStart(), "declare it constexpr")
          << FixItHint::CreateInsertion(Variable.getOuterLocStart(), "constexpr ");
    return;
  }
  if (Type->isDependentType())
    return;
  if (!Subject.Function) {
    Diag.error(Bind.location(), "cannot bind %0: it points to no function") << &Variable << Bind.Range;
    return;
  }
  llvm::StringRef Reason = whyNotBindable(*Subject.Function);
  if (Reason.empty())
    return;
  Diag.error(Bind.location(), "cannot bind %0: %1") << Subject.Function << Reason << Bind.Range;
  Diag.note(Subject.Function->getLocation(), "%0 is declared here") << Subject.Function;
}

namespace {

class Bind : public DeclAttribute<&DeclAttributes::Bind> {
public:
  Bind() : DeclAttribute("bind", OnFunction | OnVariable) {}

  void check(Sema &S, const FinishedSubject &Subject) const override {
    if (const auto *Variable = dyn_cast<VarDecl>(Subject.Written))
      return checkVariable(S, *Variable, Subject);
    llvm::StringRef Reason = whyNotBindable(*Subject.Function);
    if (Reason.empty())
      return;
    Diagnostics Diag(S);
    Diag.error(own(Subject).location(), "cannot bind %0: %1") << Subject.Function << Reason << own(Subject).Range;
  }

protected:
  bool apply(WrittenArguments &Arguments, DeclAttributes &Record) const override {
    BindAttribute New;
    if (!Arguments.count(0, 2))
      return false;
    if (Arguments.size() > 0) {
      New.Name = Arguments.string(0);
      if (!New.Name || !checkName(Arguments.sema(), *New.Name))
        return false;
    }
    if (Arguments.size() > 1) {
      New.ArgSpec = Arguments.string(1);
      if (!New.ArgSpec)
        return false;
    }
    return setOnce(Arguments, Record.Bind, std::move(New));
  }
};

ParsedAttrInfoRegistry::Add<Bind> Register("kernix-bind", "");

} // namespace
} // namespace kernix
