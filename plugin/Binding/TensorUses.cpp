//===- TensorUses.cpp - what a body does with a tensor parameter -----------------------------------------------------===//

#include "Binding/TensorUses.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/ParentMap.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include <memory>

using namespace clang;
using namespace kernix;

namespace {

bool isReadOnlyPointer(QualType Type) {
  QualType Pointee = Type->getPointeeType();
  return !Pointee.isNull() && Pointee.isConstQualified();
}

/// Collects the mentions of variables in one body.
struct Mentions : DynamicRecursiveASTVisitor {
  llvm::DenseMap<const VarDecl *, std::vector<DeclRefExpr *>> Found;
  Mentions() {
    ShouldVisitTemplateInstantiations = true;
    ShouldVisitImplicitCode = true;
    ShouldVisitLambdaBody = true;
  }
  bool VisitDeclRefExpr(DeclRefExpr *Reference) override {
    if (auto *Variable = dyn_cast<VarDecl>(Reference->getDecl()))
      Found[Variable->getCanonicalDecl()].push_back(Reference);
    return true;
  }
};

/// One body with what is needed to climb from an expression to its use.
struct BodyIndex {
  Mentions Variables;
  std::unique_ptr<ParentMap> Parents;
  explicit BodyIndex(Stmt *Body) : Parents(std::make_unique<ParentMap>(Body)) { Variables.TraverseStmt(Body); }
};

class UseFinder {
public:
  TensorUses Uses;

  void follow(const FunctionDecl *F, unsigned ParameterIndex) {
    const FunctionDecl *Definition = nullptr;
    if (!F->hasBody(Definition) || ParameterIndex >= Definition->getNumParams()) {
      unknown(nullptr);
      return;
    }
    const ParmVarDecl *Parameter = Definition->getParamDecl(ParameterIndex);
    if (!Visited.insert(Parameter).second)
      return;
    std::unique_ptr<BodyIndex> &Index = Bodies[Definition];
    if (!Index)
      Index = std::make_unique<BodyIndex>(Definition->getBody());
    Current = Index.get();
    BodyIndex *Saved = Current;
    llvm::SmallVector<const VarDecl *, 8> Work = {Parameter};
    llvm::DenseSet<const VarDecl *> Seen = {Parameter};
    while (!Work.empty()) {
      const VarDecl *Variable = Work.pop_back_val();
      for (DeclRefExpr *Reference : Saved->Variables.Found[Variable->getCanonicalDecl()]) {
        Current = Saved;
        if (const VarDecl *Alias = climbPointer(Reference))
          if (Seen.insert(Alias->getCanonicalDecl()).second)
            Work.push_back(Alias->getCanonicalDecl());
      }
    }
  }

private:
  BodyIndex *Current = nullptr;
  llvm::DenseMap<const FunctionDecl *, std::unique_ptr<BodyIndex>> Bodies;
  llvm::DenseSet<const ParmVarDecl *> Visited;

  void read(const Expr *E) {
    if (!Uses.Read)
      Uses.Read = E;
  }
  void write(const Expr *E) {
    if (!Uses.Write)
      Uses.Write = E;
  }
  void unknown(const Expr *E) {
    if (!Uses.Unknown)
      Uses.Unknown = E;
  }

  const VarDecl *initializedVariable(const Expr *E) {
    // ParentMap gives the DeclStmt; find whose initializer this is.
    const auto *Declaration = dyn_cast_or_null<DeclStmt>(Current->Parents->getParent(E));
    if (!Declaration)
      return nullptr;
    for (const Decl *D : Declaration->decls())
      if (const auto *Variable = dyn_cast<VarDecl>(D); Variable && Variable->getInit() == E)
        return Variable;
    return nullptr;
  }

  /// `E` is a pointer, view or tensor derived from the parameter. Records how it is used; returns a local variable that
  /// becomes another name for it.
  const VarDecl *climbPointer(const Expr *E) {
    while (true) {
      if (const VarDecl *Variable = initializedVariable(E)) {
        if (Variable->getType()->isPointerType() || Variable->getType()->isRecordType() ||
            Variable->getType()->isReferenceType())
          return Variable;
        unknown(E);
        return nullptr;
      }
      const Stmt *Parent = Current->Parents->getParent(E);
      if (!Parent)
        return nullptr;
      if (isa<ImplicitCastExpr, ParenExpr, MaterializeTemporaryExpr, ExprWithCleanups, CXXBindTemporaryExpr,
              ConditionalOperator>(Parent)) {
        E = cast<Expr>(Parent);
        continue;
      }
      if (const auto *Cast = dyn_cast<ExplicitCastExpr>(Parent)) {
        if (!Cast->getType()->isPointerType() && !Cast->getType()->isRecordType()) {
          if (!Cast->getType()->isVoidType() && !Cast->getType()->isBooleanType())
            unknown(Cast);
          return nullptr;
        }
        E = Cast;
        continue;
      }
      if (const auto *Construct = dyn_cast<CXXConstructExpr>(Parent)) {
        if (!Construct->getConstructor()->isCopyOrMoveConstructor()) {
          unknown(Construct);
          return nullptr;
        }
        E = Construct;
        continue;
      }
      if (const auto *Unary = dyn_cast<UnaryOperator>(Parent)) {
        if (Unary->getOpcode() == UO_Deref) {
          useElement(Unary);
          return nullptr;
        }
        if (Unary->getOpcode() == UO_LNot || Unary->getOpcode() == UO_AddrOf)
          return Unary->getOpcode() == UO_AddrOf ? (unknown(Unary), nullptr) : nullptr;
        E = Unary; // ++ and --
        continue;
      }
      if (const auto *Subscript = dyn_cast<ArraySubscriptExpr>(Parent)) {
        if (Subscript->getBase() == E)
          useElement(Subscript);
        return nullptr;
      }
      if (const auto *Binary = dyn_cast<BinaryOperator>(Parent))
        return climbBinary(Binary, E);
      if (const auto *Member = dyn_cast<MemberExpr>(Parent)) {
        const Stmt *Use = Current->Parents->getParent(Member);
        if (const auto *Call = dyn_cast_or_null<CXXMemberCallExpr>(Use); Call && Call->getCallee() == Member) {
          QualType Result = Call->getMethodDecl()->getReturnType();
          if (Result->isReferenceType()) {
            useElement(Call);
            return nullptr;
          }
          if (!Result->isPointerType() && !Result->isRecordType())
            return nullptr; // size(), rank()
          E = Call;
          continue;
        }
        if (!Member->getType()->isPointerType())
          return nullptr; // a size or stride
        E = Member;
        continue;
      }
      if (const auto *Operator = dyn_cast<CXXOperatorCallExpr>(Parent)) {
        if (Operator->getOperator() == OO_Equal)
          return nullptr; // the view itself is assigned
        if (Operator->getType()->isRecordType() || Operator->isGLValue() || Operator->getNumArgs() > 0)
          useElement(Operator);
        return nullptr;
      }
      if (const auto *Call = dyn_cast<CallExpr>(Parent)) {
        useArgument(Call, E);
        return nullptr;
      }
      if (isa<CompoundStmt, IfStmt, ForStmt, WhileStmt, DoStmt>(Parent))
        return nullptr; // value not used, or only tested
      unknown(E);
      return nullptr;
    }
  }

  const VarDecl *climbBinary(const BinaryOperator *Binary, const Expr *E) {
    if (Binary->isComparisonOp() || Binary->isLogicalOp())
      return nullptr;
    if (Binary->getOpcode() == BO_Comma)
      return Binary->getRHS() == E ? climbPointer(Binary) : nullptr;
    if (Binary->isAssignmentOp()) {
      if (Binary->getLHS() == E)
        return nullptr; // the pointer variable itself changes
      if (const auto *Target = dyn_cast<DeclRefExpr>(Binary->getLHS()->IgnoreParenImpCasts()))
        if (const auto *Variable = dyn_cast<VarDecl>(Target->getDecl()); Variable && Variable->isLocalVarDeclOrParm())
          return Variable;
      unknown(E);
      return nullptr;
    }
    if (Binary->getType()->isPointerType())
      return climbPointer(Binary);
    return nullptr; // the difference of two pointers
  }

  void useArgument(const CallExpr *Call, const Expr *E) {
    const auto *Callee = dyn_cast_or_null<FunctionDecl>(Call->getCalleeDecl());
    unsigned Index = 0;
    while (Index < Call->getNumArgs() && Call->getArg(Index) != E)
      ++Index;
    if (!Callee || Index == Call->getNumArgs()) {
      unknown(E);
      return;
    }
    llvm::StringRef Name = Callee->getIdentifier() ? Callee->getName() : "";
    if (Name.starts_with("atomic") && Index == 0) {
      read(E);
      write(E);
      return;
    }
    if (Index < Callee->getNumParams()) {
      QualType Type = Callee->getParamDecl(Index)->getType();
      if (Type->isPointerType() && isReadOnlyPointer(Type)) {
        read(E);
        return;
      }
    }
    if (Callee->hasBody()) {
      BodyIndex *Saved = Current;
      follow(Callee, Index);
      Current = Saved;
      return;
    }
    unknown(E);
  }

  /// `E` denotes an element of the tensor, or a part of one.
  void useElement(const Expr *E) {
    while (true) {
      if (const VarDecl *Variable = initializedVariable(E)) {
        if (!Variable->getType()->isReferenceType() || Variable->getType()->getPointeeType().isConstQualified()) {
          read(E);
          return;
        }
        unknown(E);
        return;
      }
      const Stmt *Parent = Current->Parents->getParent(E);
      if (!Parent || isa<CompoundStmt>(Parent))
        return; // value not used
      if (const auto *Cast = dyn_cast<ImplicitCastExpr>(Parent)) {
        if (Cast->getCastKind() == CK_LValueToRValue) {
          read(E);
          return;
        }
        E = Cast;
        continue;
      }
      if (isa<ParenExpr, MaterializeTemporaryExpr, ExprWithCleanups>(Parent)) {
        E = cast<Expr>(Parent);
        continue;
      }
      if (const auto *Member = dyn_cast<MemberExpr>(Parent)) {
        const Stmt *Use = Current->Parents->getParent(Member);
        if (const auto *Call = dyn_cast_or_null<CXXMemberCallExpr>(Use); Call && Call->getCallee() == Member) {
          read(E);
          if (!Call->getMethodDecl()->isConst())
            write(E);
          return;
        }
        E = Member;
        continue;
      }
      if (const auto *Subscript = dyn_cast<ArraySubscriptExpr>(Parent); Subscript && Subscript->getBase() == E) {
        E = Subscript;
        continue;
      }
      if (const auto *Unary = dyn_cast<UnaryOperator>(Parent)) {
        if (Unary->getOpcode() == UO_AddrOf) {
          if (const VarDecl *Alias = climbPointer(Unary); Alias)
            unknown(Unary);
          return;
        }
        if (Unary->isIncrementDecrementOp()) {
          read(E);
          write(E);
          return;
        }
      }
      if (const auto *Binary = dyn_cast<BinaryOperator>(Parent); Binary && Binary->isAssignmentOp()) {
        if (Binary->getLHS() != E) {
          read(E);
          return;
        }
        if (Binary->isCompoundAssignmentOp())
          read(E);
        write(E);
        if (Binary->getOpcode() == BO_Assign && !isa_and_nonnull<CompoundStmt>(Current->Parents->getParent(Binary)))
          useElement(Binary); // y[i] = z[i] = 1
        return;
      }
      if (const auto *Operator = dyn_cast<CXXOperatorCallExpr>(Parent)) {
        bool IsTarget = Operator->getNumArgs() > 0 && Operator->getArg(0) == E;
        if (Operator->getOperator() == OO_Equal && IsTarget) {
          write(E);
          return;
        }
        useOperand(Operator, E);
        return;
      }
      if (const auto *Call = dyn_cast<CallExpr>(Parent)) {
        useOperand(Call, E);
        return;
      }
      if (isa<CXXConstructExpr>(Parent)) {
        read(E);
        return;
      }
      unknown(E);
      return;
    }
  }

  /// An element as an argument: by reference to const or by value it is read, else it may be both read and written.
  void useOperand(const CallExpr *Call, const Expr *E) {
    const auto *Callee = dyn_cast_or_null<FunctionDecl>(Call->getCalleeDecl());
    unsigned Index = 0;
    while (Index < Call->getNumArgs() && Call->getArg(Index) != E)
      ++Index;
    read(E);
    if (!Callee) {
      unknown(E);
      return;
    }
    if (const auto *Method = dyn_cast<CXXMethodDecl>(Callee); Method && isa<CXXOperatorCallExpr>(Call)) {
      if (Index == 0) {
        if (!Method->isConst())
          write(E);
        return;
      }
      --Index;
    }
    if (Index >= Callee->getNumParams()) {
      unknown(E);
      return;
    }
    QualType Type = Callee->getParamDecl(Index)->getType();
    if (Type->isLValueReferenceType() && !Type->getPointeeType().isConstQualified())
      write(E);
  }
};

/// Looks for y and z of the built-in variables, and for those variables used whole.
class GeometryFinder : public DynamicRecursiveASTVisitor {
public:
  bool OnlyX = true;

  GeometryFinder() { ShouldVisitLambdaBody = true; }

  void visitFunction(const FunctionDecl *F) {
    const FunctionDecl *Definition = nullptr;
    if (F->hasBody(Definition) && Visited.insert(Definition).second)
      TraverseStmt(Definition->getBody());
  }

  bool VisitMemberExpr(MemberExpr *Member) override {
    visitMember(Member->getBase(), Member->getMemberNameInfo().getAsString());
    return OnlyX;
  }

  bool VisitMSPropertyRefExpr(MSPropertyRefExpr *Member) override {
    visitMember(Member->getBaseExpr(), Member->getPropertyDecl()->getNameAsString());
    return OnlyX;
  }

  bool VisitDeclRefExpr(DeclRefExpr *Reference) override {
    if (isGeometry(Reference) && !UnderMember.contains(Reference))
      OnlyX = false;
    return OnlyX;
  }

  bool VisitCallExpr(CallExpr *Call) override {
    if (const FunctionDecl *Callee = Call->getDirectCallee(); Callee && !isFetch(Callee))
      visitFunction(Callee);
    return OnlyX;
  }

private:
  llvm::DenseSet<const FunctionDecl *> Visited;
  llvm::DenseSet<const Expr *> UnderMember;

  /// Looks through what a property access puts around its object.
  static const Expr *written(const Expr *E) {
    E = E->IgnoreParenImpCasts();
    while (const auto *Opaque = dyn_cast<OpaqueValueExpr>(E))
      E = Opaque->getSourceExpr()->IgnoreParenImpCasts();
    return E;
  }

  static bool isGeometry(const Expr *E) {
    const auto *Reference = dyn_cast<DeclRefExpr>(E);
    if (!Reference || !Reference->getDecl()->getIdentifier())
      return false;
    llvm::StringRef Name = Reference->getDecl()->getName();
    return (Name == "threadIdx" || Name == "blockIdx" || Name == "blockDim" || Name == "gridDim") &&
           Reference->getDecl()->getDeclContext()->getRedeclContext()->isTranslationUnit();
  }

  /// The getters behind threadIdx.x: the member that names them is looked at instead.
  static bool isFetch(const FunctionDecl *F) {
    return F->getIdentifier() && (F->getName().starts_with("__fetch_builtin_") || F->getName().starts_with("kernix_cpu_"));
  }

  void visitMember(const Expr *Base, const std::string &Name) {
    const Expr *Variable = written(Base);
    if (!isGeometry(Variable))
      return;
    UnderMember.insert(Variable);
    if (Name == "y" || Name == "z")
      OnlyX = false;
  }
};

} // namespace

TensorUses kernix::tensorUses(const FunctionDecl *F, const ParmVarDecl *Tensor) {
  UseFinder Finder;
  Finder.Uses.BodyVisible = F->hasBody();
  if (Finder.Uses.BodyVisible)
    Finder.follow(F, Tensor->getFunctionScopeIndex());
  return Finder.Uses;
}

bool kernix::usesOnlyX(const FunctionDecl *Kernel) {
  GeometryFinder Finder;
  Finder.visitFunction(Kernel);
  return Finder.OnlyX;
}
