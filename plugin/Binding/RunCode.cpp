//===- RunCode.cpp - the code that runs when a function is called -----------------------------------------------===//

#include "Binding/RunCode.h"
#include "Binding/SkippedCode.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/ExprConcepts.h"
#include "clang/AST/StmtCXX.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace clang;
using namespace kernix;

const FunctionDecl *kernix::calledFunction(const CallExpr &Call) {
  const FunctionDecl *Callee = Call.getDirectCallee();
  const auto *Method = dyn_cast_or_null<CXXMethodDecl>(Callee);
  if (!Method || !Method->isVirtual())
    return Callee;
  const Expr *Object = nullptr;
  if (isa<CXXOperatorCallExpr>(Call)) {
    Object = Call.getArg(0);
  } else if (const auto *Member = dyn_cast<MemberExpr>(Call.getCallee()->IgnoreParens())) {
    if (Member->hasQualifier()) // Base::f()
      return Method;
    Object = Member->getBase();
  }
  return Object ? Method->getDevirtualizedMethod(Object, /*IsAppleKext=*/false) : nullptr;
}

namespace {

class Collector final : public RunCode {
public:
  std::vector<const FunctionDecl *> Functions;

private:
  bool visit(const Stmt *) override { return true; }
  void enter(const FunctionDecl *Definition) override { Functions.push_back(Definition); }
  void visitUnseen(const FunctionDecl *) override {}
  void visitUnknownCall() override {}
};

class AtomicFinder final : public RunCode {
public:
  bool Found = false;

  explicit AtomicFinder(const SkippedCode &Skipped) : Skipped(Skipped) {}

private:
  const SkippedCode &Skipped;

  void findIf(bool Condition) {
    if (Condition)
      Found = IsDone = true;
  }
  static bool isAtomic(llvm::StringRef Name) { return Name.contains("atom"); }

  bool visit(const Stmt *S) override {
    const auto *Asm = dyn_cast<GCCAsmStmt>(S);
    findIf(isa<AtomicExpr, MSAsmStmt>(S) || (Asm && !Asm->getAsmString().empty()));
    return true;
  }
  void enter(const FunctionDecl *Definition) override { findIf(Skipped.mentions(Definition, isAtomic)); }
  void visitUnseen(const FunctionDecl *F) override { findIf(F->getIdentifier() && isAtomic(F->getName())); }
  void visitUnknownCall() override { findIf(true); }
};

/// The branch that is compiled; null for none.
const Stmt *compiledBranch(const IfStmt *If, const ASTContext &Context) {
  if (If->isConsteval())
    return If->isNonNegatedConsteval() ? If->getElse() : If->getThen();
  return If->getNondiscardedCase(Context).value_or(nullptr);
}

} // namespace

void RunCode::visitFunction(const FunctionDecl *F) {
  if (IsDone || !enters(F))
    return;
  const FunctionDecl *Definition = nullptr;
  if (!F->hasBody(Definition)) {
    const auto *Destructor = dyn_cast<CXXDestructorDecl>(F);
    if (!Destructor || !Destructor->isDefaulted()) {
      if (!F->isTrivial())
        visitUnseen(F);
    } else if (Visited.insert(F).second) {
      destroyParts(Destructor);
    }
    return;
  }
  if (!Visited.insert(Definition).second)
    return;
  llvm::SaveAndRestore Inside(Current, Definition);
  enter(Definition);
  if (const auto *Constructor = dyn_cast<CXXConstructorDecl>(Definition))
    for (const CXXCtorInitializer *Initializer : Constructor->inits())
      walk(Initializer->getInit());
  walk(Definition->getBody());
  if (const auto *Destructor = dyn_cast<CXXDestructorDecl>(Definition))
    destroyParts(Destructor);
  for (const ParmVarDecl *Parameter : Definition->parameters())
    destroy(Parameter->getType());
}

void RunCode::visitVariable(const VarDecl *Variable) {
  if (!Variable->isConstexpr())
    walk(Variable->getInit());
  destroy(Variable->getType());
  if (const auto *Cleanup = Variable->getAttr<CleanupAttr>())
    visitFunction(Cleanup->getFunctionDecl());
  if (const auto *Decomposition = dyn_cast<DecompositionDecl>(Variable))
    for (const BindingDecl *Binding : Decomposition->bindings())
      if (const VarDecl *Holding = Binding->getHoldingVar())
        visitVariable(Holding);
}

void RunCode::walk(const Stmt *S) {
  if (!S || IsDone || isa<UnaryExprOrTypeTraitExpr, CXXNoexceptExpr, RequiresExpr, ConceptSpecializationExpr>(S))
    return;
  if (const auto *Constant = dyn_cast<ConstantExpr>(S); Constant && Constant->hasAPValueResult())
    return;
  if (!visit(S))
    return;
  walkChildren(S);
  walkCalls(S);
}

void RunCode::walkChildren(const Stmt *S) {
  if (const auto *If = dyn_cast<IfStmt>(S); If && Current && (If->isConstexpr() || If->isConsteval())) {
    walk(If->getInit());
    walk(If->getConditionVariableDeclStmt());
    return walk(compiledBranch(If, Current->getASTContext()));
  }
  if (const auto *Lambda = dyn_cast<LambdaExpr>(S)) {
    for (const Expr *Init : Lambda->capture_inits())
      walk(Init);
    // What a generic one does is seen where it is called.
    if (!Lambda->isGenericLambda() && !Lambda->getCallOperator()->isDependentContext())
      visitFunction(Lambda->getCallOperator());
    return;
  }
  if (const auto *Declaration = dyn_cast<DeclStmt>(S)) {
    for (const Decl *D : Declaration->decls())
      if (const auto *Variable = dyn_cast<VarDecl>(D))
        visitVariable(Variable);
    return;
  }
  if (const auto *Default = dyn_cast<CXXDefaultArgExpr>(S))
    return walk(Default->getExpr());
  if (const auto *Default = dyn_cast<CXXDefaultInitExpr>(S))
    return walk(Default->getExpr());
  if (const auto *Opaque = dyn_cast<OpaqueValueExpr>(S)) {
    if (Sources.insert(Opaque).second)
      walk(Opaque->getSourceExpr());
    return;
  }
  if (const auto *Captured = dyn_cast<CapturedStmt>(S))
    walk(Captured->getCapturedStmt());
  if (const auto *List = dyn_cast<InitListExpr>(S)) {
    if (const InitListExpr *Semantic = List->isSemanticForm() ? nullptr : List->getSemanticForm())
      return walk(Semantic);
    if (List->hasArrayFiller())
      walk(List->getArrayFiller());
  }
  if (const auto *List = dyn_cast<CXXParenListInitExpr>(S))
    walk(List->getArrayFiller());
  if (const auto *Selection = dyn_cast<GenericSelectionExpr>(S))
    return walk(Selection->getResultExpr());
  for (const Stmt *Child : S->children())
    walk(Child);
}

void RunCode::walkCalls(const Stmt *S) {
  if (const auto *Call = dyn_cast<CallExpr>(S)) {
    if (const FunctionDecl *Callee = calledFunction(*Call))
      visitFunction(Callee);
    else if (!isa<CXXPseudoDestructorExpr>(Call->getCallee()->IgnoreParens()))
      visitUnknownCall();
  } else if (const auto *Construct = dyn_cast<CXXConstructExpr>(S)) {
    visitFunction(Construct->getConstructor());
  } else if (const auto *Inherited = dyn_cast<CXXInheritedCtorInitExpr>(S)) {
    visitFunction(Inherited->getConstructor());
  } else if (const auto *Bind = dyn_cast<CXXBindTemporaryExpr>(S)) {
    destroy(Bind->getType());
  } else if (const auto *New = dyn_cast<CXXNewExpr>(S)) {
    if (New->getOperatorNew())
      visitFunction(New->getOperatorNew());
  } else if (const auto *Delete = dyn_cast<CXXDeleteExpr>(S)) {
    QualType Type = Delete->getDestroyedType();
    const CXXRecordDecl *Class = Type.isNull() ? nullptr : Type->getBaseElementTypeUnsafe()->getAsCXXRecordDecl();
    const CXXDestructorDecl *Destructor = Class && Class->hasDefinition() ? Class->getDestructor() : nullptr;
    if (Destructor && Destructor->isVirtual() && !Class->isEffectivelyFinal())
      visitUnknownCall();
    else if (!Type.isNull())
      destroy(Type);
    if (Delete->getOperatorDelete())
      visitFunction(Delete->getOperatorDelete());
  } else if (isa<CoroutineBodyStmt, CoroutineSuspendExpr, BlockExpr>(S)) {
    visitUnknownCall();
  }
}

void RunCode::destroy(QualType Type) {
  const CXXRecordDecl *Class =
      Type->isReferenceType() ? nullptr : Type->getBaseElementTypeUnsafe()->getAsCXXRecordDecl();
  if (!Class || !Class->hasDefinition() || Class->hasTrivialDestructor())
    return;
  if (const CXXDestructorDecl *Destructor = Class->getDestructor())
    visitFunction(Destructor);
  else
    visitUnknownCall();
}

void RunCode::destroyParts(const CXXDestructorDecl *Destructor) {
  const CXXRecordDecl *Class = Destructor->getParent();
  for (const FieldDecl *Field : Class->fields())
    destroy(Field->getType());
  for (const CXXBaseSpecifier &Base : Class->bases())
    destroy(Base.getType());
}

std::vector<const FunctionDecl *> kernix::functionsThatRun(const FunctionDecl *F) {
  Collector Found;
  Found.visitFunction(F);
  return std::move(Found.Functions);
}

bool kernix::runsAtomics(const FunctionDecl *F, const SkippedCode &Skipped) {
  AtomicFinder Finder(Skipped);
  Finder.visitFunction(F);
  return Finder.Found;
}
