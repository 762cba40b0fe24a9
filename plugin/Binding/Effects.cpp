//===- Effects.cpp - what others can see of code ----------------------------------------------------------------===//
//
// All pointers and references are taken to lead to the thread's own variables until one is given something else. What
// is found then may change what others lead to, so that the code is walked until nothing new is found.
//
//===------------------------------------------------------------------------------------------------------------===//

#include "Binding/Effects.h"
#include "Binding/RunCode.h"
#include "Binding/SkippedCode.h"
#include "Binding/ThreadUses.h"
#include "clang/AST/ASTLambda.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/DenseSet.h"

using namespace clang;
using namespace kernix;

namespace {

bool isIndirect(QualType Type) { return Type->isPointerType() || Type->isReferenceType(); }

/// What may lead out of the variables of the thread.
struct Foreign {
  llvm::DenseSet<const VarDecl *> Variables;     ///< pointers and references
  llvm::DenseSet<const FunctionDecl *> Objects;  ///< member functions by their `this`
  llvm::DenseSet<const FunctionDecl *> Returned; ///< functions by what they return
  bool IsNew = false;                            ///< something was added

  void add(const VarDecl *Variable) { IsNew |= Variables.insert(Variable).second; }
  void addObject(const FunctionDecl *Method) { IsNew |= Objects.insert(Method).second; }
  void addReturned(const FunctionDecl *Function) { IsNew |= Returned.insert(Function).second; }
};

/// Of kernix's own headers, which by architecture choose only how an error is raised.
bool isOfKernix(const FunctionDecl *F) {
  const DeclContext *Space = nullptr;
  for (const DeclContext *Each = F->getDeclContext(); !Each->isTranslationUnit(); Each = Each->getParent())
    Space = Each;
  const auto *Outermost = dyn_cast_or_null<NamespaceDecl>(Space);
  return Outermost && Outermost->getName() == "kernix";
}

/// Whether text that was skipped in a function may have an effect. Of system headers most is skipped in all passes.
bool mayTell(const FunctionDecl *Definition, const SkippedCode &Skipped) {
  if (Skipped.mentions(Definition, tellsOthers))
    return true;
  const SourceManager &SM = Definition->getASTContext().getSourceManager();
  return !SM.isInSystemHeader(Definition->getLocation()) && !isOfKernix(Definition) && Skipped.mayChange(Definition);
}

class EffectFinder final : public RunCode {
public:
  bool Found = false;

  EffectFinder(Foreign &Known, const SkippedCode &Skipped) : Known(Known), Skipped(Skipped) {}

private:
  Foreign &Known;
  const SkippedCode &Skipped;

  void found() { Found = IsDone = true; }

  bool enters(const FunctionDecl *F) override {
    if (!isRuntimeFunction(F))
      return true;
    if (!readsGeometry(F))
      found();
    return false;
  }

  void enter(const FunctionDecl *Definition) override {
    if (mayTell(Definition, Skipped))
      found();
  }

  bool visit(const Stmt *S) override {
    if (const auto *Lambda = dyn_cast<LambdaExpr>(S)) {
      visitCaptures(*Lambda);
      return false; // what it does is seen where it is called
    }
    if (isa<AtomicExpr, MSAsmStmt, CXXNewExpr, CXXDeleteExpr, CXXThrowExpr, CUDAKernelCallExpr>(S))
      found();
    else if (const auto *Asm = dyn_cast<GCCAsmStmt>(S))
      visitAsm(*Asm);
    else if (const auto *Binary = dyn_cast<BinaryOperator>(S); Binary && Binary->isAssignmentOp())
      visitAssignment(*Binary);
    else if (const auto *Unary = dyn_cast<UnaryOperator>(S))
      visitUnary(*Unary);
    else if (const auto *Cast = dyn_cast<CastExpr>(S); Cast && Cast->getCastKind() == CK_LValueBitCast)
      loseTrackOf(Cast->getSubExpr());
    else if (const auto *Declaration = dyn_cast<DeclStmt>(S))
      for (const Decl *D : Declaration->decls())
        visitDeclared(D);
    else if (const auto *Call = dyn_cast<CallExpr>(S))
      visitCall(*Call);
    else if (const auto *Construct = dyn_cast<CXXConstructExpr>(S))
      visitArguments(Construct->getConstructor(), Construct->arguments());
    else if (const auto *Inherited = dyn_cast<CXXInheritedCtorInitExpr>(S))
      passAnything(Inherited->getConstructor());
    else if (const auto *Return = dyn_cast<ReturnStmt>(S))
      visitReturn(*Return);
    return true;
  }

  void visitUnknownCall() override { found(); }

  /// Mathematics takes its arguments by value or writes to them; what threads tell one another does, too.
  void visitUnseen(const FunctionDecl *F) override {
    llvm::StringRef Name = F->getIdentifier() ? F->getName() : "";
    bool IsQuiet = !Name.empty() && !F->isVariadic();
    for (llvm::StringRef Tells : {"shfl", "vote", "match", "bar", "sync", "fence", "atom", "red", "async"})
      IsQuiet &= !Name.contains(Tells);
    if (!IsQuiet)
      found();
  }

  //===--- What is written, and what pointers and references are given

  void visitAssignment(const BinaryOperator &Assignment) {
    if (!isOwn(Assignment.getLHS()))
      return found();
    if (Assignment.getOpcode() == BO_Assign && Assignment.getLHS()->getType()->isPointerType() &&
        !leadsToOwn(Assignment.getRHS()))
      loseTrackOf(Assignment.getLHS());
  }

  void visitUnary(const UnaryOperator &Unary) {
    if (Unary.isIncrementDecrementOp() && !isOwn(Unary.getSubExpr()))
      found();
    if (Unary.getOpcode() == UO_AddrOf)
      loseTrackOf(Unary.getSubExpr());
  }

  /// Without text it may still give a variable what another has.
  void visitAsm(const GCCAsmStmt &Asm) {
    if (!Asm.getAsmString().empty() || llvm::any_of(Asm.outputs(), [&](const Expr *E) { return !isOwn(E); }))
      return found();
    for (const Expr *Output : Asm.outputs())
      loseTrackOf(Output);
  }

  /// A pointer that may be given something else by another name.
  void loseTrackOf(const Expr *E) {
    for (const VarDecl *Variable : variables(E))
      if (Variable->getType().getNonReferenceType()->isPointerType())
        Known.add(Variable);
  }

  void visitDeclared(const Decl *D) {
    const auto *Variable = dyn_cast_or_null<VarDecl>(D);
    if (!Variable)
      return;
    if (Variable->isConstexpr() && isIndirect(Variable->getType())) // nothing of it runs
      Known.add(Variable);
    else if (Variable->hasInit())
      bind(Variable, Variable->getInit());
    if (const auto *Decomposition = dyn_cast<DecompositionDecl>(Variable))
      for (const BindingDecl *Binding : Decomposition->bindings())
        visitDeclared(Binding->getHoldingVar());
  }

  void visitCaptures(const LambdaExpr &Lambda) {
    auto Init = Lambda.capture_init_begin();
    for (const LambdaCapture &Capture : Lambda.captures()) {
      if (Lambda.isInitCapture(&Capture))
        visitDeclared(Capture.getCapturedVar());
      walk(*Init++);
    }
  }

  /// Gives a pointer or reference its value.
  void bind(const VarDecl *Variable, const Expr *Value) {
    QualType Type = Variable->getType();
    if (Type->isReferenceType() ? !isOwn(Value) : Type->isPointerType() && !leadsToOwn(Value))
      Known.add(Variable);
    if (Type->isReferenceType() && !Type->getPointeeType().isConstQualified())
      loseTrackOf(Value);
  }

  void visitReturn(const ReturnStmt &Return) {
    const Expr *Value = Return.getRetValue();
    if (!Current || !Value || !isIndirect(Current->getReturnType()))
      return;
    if (Current->getReturnType()->isReferenceType() ? !isOwn(Value) : !leadsToOwn(Value))
      Known.addReturned(Current);
    if (Current->getReturnType()->isReferenceType())
      loseTrackOf(Value);
  }

  //===--- Calls

  void visitCall(const CallExpr &Call) {
    const FunctionDecl *Callee = calledFunction(Call);
    if (!Callee || isRuntimeFunction(Callee))
      return;
    llvm::ArrayRef<const Expr *> Arguments(Call.getArgs(), Call.getNumArgs());
    const auto *Method = dyn_cast<CXXMethodDecl>(Callee);
    if (Method && isa<CXXOperatorCallExpr>(Call) && !Method->isExplicitObjectMemberFunction())
      Arguments = Arguments.drop_front();
    if (Method && Method->isImplicitObjectMemberFunction() && !hasOwnObject(Call))
      visitForeignObject(*Method);
    visitArguments(Callee, Arguments);
  }

  static const Expr *objectOf(const CallExpr &Call) {
    if (const auto *Member = dyn_cast<CXXMemberCallExpr>(&Call))
      return Member->getImplicitObjectArgument();
    return isa<CXXOperatorCallExpr>(Call) ? Call.getArg(0) : nullptr;
  }

  bool hasOwnObject(const CallExpr &Call) const {
    const Expr *Object = objectOf(Call);
    return Object && (Object->getType()->isPointerType() ? leadsToOwn(Object) : isOwn(Object));
  }

  void visitForeignObject(const CXXMethodDecl &Method) {
    // What is copied to an object captured or destroyed with it is not followed.
    bool IsLost = isa<CXXDestructorDecl>(Method) || (isLambdaCallOperator(&Method) && !Method.isConst());
    const FunctionDecl *Definition = nullptr;
    if (Method.hasBody(Definition))
      Known.addObject(Definition);
    else
      IsLost |= !Method.isConst(); // the assignment of a plain struct, too
    if (IsLost)
      found();
  }

  /// What a function without a body may write to has to be the thread's.
  template <class Range> void visitArguments(const FunctionDecl *Callee, Range &&Arguments) {
    const FunctionDecl *Definition = nullptr;
    bool IsSeen = Callee->hasBody(Definition);
    const FunctionDecl *Function = IsSeen ? Definition : Callee;
    unsigned Index = 0;
    for (const Expr *Argument : Arguments) {
      if (Index >= Function->getNumParams())
        return;
      const ParmVarDecl *Parameter = Function->getParamDecl(Index++);
      QualType Type = Parameter->getType();
      if (IsSeen)
        bind(Parameter, Argument);
      else if (isIndirect(Type) && !Type->getPointeeType().isConstQualified() && !Callee->isTrivial() &&
               !(Type->isReferenceType() ? isOwn(Argument) : leadsToOwn(Argument)))
        found();
    }
  }

  void passAnything(const FunctionDecl *Callee) {
    const FunctionDecl *Definition = nullptr;
    if (!Callee->hasBody(Definition))
      return;
    for (const ParmVarDecl *Parameter : Definition->parameters())
      if (isIndirect(Parameter->getType()))
        Known.add(Parameter);
  }

  //===--- What belongs to the thread

  /// The variables of which an lvalue may be the whole; nothing more is known where there are none.
  static llvm::SmallVector<const VarDecl *, 2> variables(const Expr *E) {
    llvm::SmallVector<const VarDecl *, 2> Found;
    llvm::SmallVector<const Expr *, 4> Work = {E};
    while (!Work.empty()) {
      E = Work.pop_back_val()->IgnoreParens();
      if (const auto *Reference = dyn_cast<DeclRefExpr>(E)) {
        if (const auto *Variable = dyn_cast<VarDecl>(Reference->getDecl()))
          Found.push_back(Variable);
      } else if (const auto *Cast = dyn_cast<CastExpr>(E); Cast && Cast->isGLValue()) {
        Work.push_back(Cast->getSubExpr());
      } else if (const auto *Unary = dyn_cast<UnaryOperator>(E); Unary && Unary->isIncrementDecrementOp()) {
        Work.push_back(Unary->getSubExpr());
      } else if (const auto *Binary = dyn_cast<BinaryOperator>(E)) {
        Work.push_back(Binary->isAssignmentOp() ? Binary->getLHS() : Binary->getRHS());
      } else if (const auto *Choice = dyn_cast<ConditionalOperator>(E)) {
        Work.append({Choice->getTrueExpr(), Choice->getFalseExpr()});
      }
    }
    return Found;
  }

  /// Without what stands around it for clang alone.
  static const Expr *withoutWrapping(const Expr *E) {
    E = E->IgnoreParens();
    if (const auto *Default = dyn_cast<CXXDefaultArgExpr>(E))
      return withoutWrapping(Default->getExpr());
    if (const auto *Full = dyn_cast<ExprWithCleanups>(E))
      return withoutWrapping(Full->getSubExpr());
    return E;
  }

  /// An object of the thread, or a part of one.
  bool isOwn(const Expr *E) const {
    E = withoutWrapping(E);
    if (E->isPRValue()) // a temporary, or a pointer that is passed on by reference
      return !E->getType()->isPointerType();
    if (const auto *Cast = dyn_cast<CastExpr>(E)) {
      CastKind Kind = Cast->getCastKind();
      return (Kind == CK_NoOp || Kind == CK_LValueBitCast || Kind == CK_DerivedToBase ||
              Kind == CK_UncheckedDerivedToBase || Kind == CK_BaseToDerived) &&
             isOwn(Cast->getSubExpr());
    }
    if (const auto *Temporary = dyn_cast<MaterializeTemporaryExpr>(E))
      return (Temporary->getStorageDuration() == SD_Automatic ||
              Temporary->getStorageDuration() == SD_FullExpression) &&
             isOwn(Temporary->getSubExpr());
    if (const auto *Member = dyn_cast<MemberExpr>(E)) {
      if (!isa<FieldDecl>(Member->getMemberDecl()) || Member->getMemberDecl()->getType()->isReferenceType())
        return false;
      return Member->isArrow() ? leadsToOwn(Member->getBase()) : isOwn(Member->getBase());
    }
    if (const auto *Subscript = dyn_cast<ArraySubscriptExpr>(E))
      return Subscript->getBase()->getType()->isPointerType() ? leadsToOwn(Subscript->getBase())
                                                              : isOwn(Subscript->getBase());
    if (const auto *Element = dyn_cast<ExtVectorElementExpr>(E))
      return Element->isArrow() ? leadsToOwn(Element->getBase()) : isOwn(Element->getBase());
    if (const auto *Unary = dyn_cast<UnaryOperator>(E))
      return Unary->getOpcode() == UO_Deref ? leadsToOwn(Unary->getSubExpr()) : isOwn(Unary->getSubExpr());
    if (const auto *Binary = dyn_cast<BinaryOperator>(E))
      return Binary->isAssignmentOp() ? isOwn(Binary->getLHS())
                                      : Binary->getOpcode() == BO_Comma && isOwn(Binary->getRHS());
    if (const auto *Choice = dyn_cast<ConditionalOperator>(E))
      return isOwn(Choice->getTrueExpr()) && isOwn(Choice->getFalseExpr());
    if (const auto *Call = dyn_cast<CallExpr>(E))
      return returnsOwn(*Call);
    const auto *Reference = dyn_cast<DeclRefExpr>(E);
    if (!Reference)
      return false;
    if (const auto *Binding = dyn_cast<BindingDecl>(Reference->getDecl()))
      return Binding->getBinding() && isOwn(Binding->getBinding());
    const auto *Variable = dyn_cast<VarDecl>(Reference->getDecl());
    return Variable && Variable->hasLocalStorage() &&
           (!Variable->getType()->isReferenceType() || !Known.Variables.contains(Variable));
  }

  /// A pointer to what isOwn.
  bool leadsToOwn(const Expr *E) const {
    E = withoutWrapping(E);
    if (isa<CXXThisExpr>(E))
      return isOwnThis();
    if (const auto *Cast = dyn_cast<CastExpr>(E)) {
      switch (Cast->getCastKind()) {
      case CK_ArrayToPointerDecay:
        return isOwn(Cast->getSubExpr());
      case CK_LValueToRValue:
        return holdsOwn(Cast->getSubExpr());
      case CK_NullToPointer:
        return true;
      case CK_NoOp:
      case CK_BitCast:
      case CK_DerivedToBase:
      case CK_UncheckedDerivedToBase:
      case CK_BaseToDerived:
        return leadsToOwn(Cast->getSubExpr());
      default:
        return false;
      }
    }
    if (const auto *Unary = dyn_cast<UnaryOperator>(E))
      return Unary->getOpcode() == UO_AddrOf ? isOwn(Unary->getSubExpr())
                                             : Unary->isPostfix() && holdsOwn(Unary->getSubExpr());
    if (const auto *Binary = dyn_cast<BinaryOperator>(E)) {
      if (Binary->getOpcode() == BO_Comma)
        return leadsToOwn(Binary->getRHS());
      const Expr *Pointer = Binary->getLHS()->getType()->isPointerType() ? Binary->getLHS() : Binary->getRHS();
      return Binary->isAdditiveOp() && leadsToOwn(Pointer);
    }
    if (const auto *Choice = dyn_cast<ConditionalOperator>(E))
      return leadsToOwn(Choice->getTrueExpr()) && leadsToOwn(Choice->getFalseExpr());
    if (const auto *Call = dyn_cast<CallExpr>(E))
      return returnsOwn(*Call);
    return false;
  }

  /// A variable with a pointer to what isOwn.
  bool holdsOwn(const Expr *E) const {
    E = E->IgnoreParens();
    if (const auto *Choice = dyn_cast<ConditionalOperator>(E))
      return holdsOwn(Choice->getTrueExpr()) && holdsOwn(Choice->getFalseExpr());
    llvm::SmallVector<const VarDecl *, 2> Pointers = variables(E);
    return Pointers.size() == 1 && Pointers[0]->hasLocalStorage() && Pointers[0]->getType()->isPointerType() &&
           !Known.Variables.contains(Pointers[0]);
  }

  bool returnsOwn(const CallExpr &Call) const {
    const FunctionDecl *Callee = calledFunction(Call), *Definition = nullptr;
    return Callee && isIndirect(Callee->getReturnType()) && Callee->hasBody(Definition) &&
           !Known.Returned.contains(Definition);
  }

  /// `this` in a lambda is that of the function around it.
  bool isOwnThis() const {
    const DeclContext *Around = Current;
    while (const auto *Method = dyn_cast_or_null<CXXMethodDecl>(Around)) {
      if (!isLambdaCallOperator(Method))
        return !Known.Objects.contains(Method);
      Around = Method->getParent()->getParent();
    }
    return false;
  }
};

} // namespace

bool kernix::tellsOthers(llvm::StringRef Name) {
  for (llvm::StringRef Start :
       {"__sync", "__threadfence", "__shfl", "__ballot", "__any", "__all", "__match", "__reduce"})
    if (Name.starts_with(Start))
      return true;
  return Name.contains("atomic") || Name == "asm" || Name == "__asm" || Name == "__asm__";
}

bool kernix::haveEffect(llvm::ArrayRef<const Stmt *> Code, const FunctionDecl *Kernel, const SkippedCode &Skipped) {
  Foreign Known;
  const FunctionDecl *Definition = nullptr;
  if (!Kernel->hasBody(Definition) || mayTell(Definition, Skipped))
    return true;
  for (const ParmVarDecl *Parameter : Definition->parameters())
    if (isIndirect(Parameter->getType()))
      Known.add(Parameter);
  do {
    Known.IsNew = false;
    EffectFinder Finder(Known, Skipped);
    for (const Stmt *Each : Code)
      Finder.walk(Each);
    if (Finder.Found)
      return true;
  } while (Known.IsNew);
  return false;
}
