//===- ThreadUses.cpp - what a kernel's threads do differently --------------------------------------------------===//

#include "Binding/ThreadUses.h"
#include "Binding/BodyIndex.h"
#include "Binding/SkippedCode.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/DenseSet.h"

using namespace clang;
using namespace kernix;

namespace {

bool isGeometryName(llvm::StringRef Name) {
  return Name == "threadIdx" || Name == "blockIdx" || Name == "blockDim" || Name == "gridDim";
}

/// Looks through what a property access puts around its object.
const Expr *written(const Expr *E) {
  E = E->IgnoreParenImpCasts();
  while (const auto *Opaque = dyn_cast<OpaqueValueExpr>(E))
    E = Opaque->getSourceExpr()->IgnoreParenImpCasts();
  return E;
}

bool isGeometry(const Expr *E) {
  const auto *Reference = dyn_cast<DeclRefExpr>(E);
  if (!Reference || !Reference->getDecl()->getIdentifier())
    return false;
  return isGeometryName(Reference->getDecl()->getName()) &&
         Reference->getDecl()->getDeclContext()->getRedeclContext()->isTranslationUnit();
}

/// kernix::global_index(), whose members are sums of those of the built-in variables.
bool isGlobalIndex(const Expr *E) {
  const auto *Call = dyn_cast<CallExpr>(E);
  const FunctionDecl *Callee = Call ? Call->getDirectCallee() : nullptr;
  const auto *Space = Callee ? dyn_cast<NamespaceDecl>(Callee->getDeclContext()) : nullptr;
  return Space && Space->getName() == "kernix" && Callee->getDeclName().isIdentifier() &&
         Callee->getName() == "global_index";
}

/// Which of the built-in variables is accessed: "threadIdx" for threadIdx.x; empty for other expressions.
llvm::StringRef geometryOf(const Expr *E) {
  if (const auto *Property = dyn_cast<PseudoObjectExpr>(E))
    E = Property->getSyntacticForm()->IgnoreParenImpCasts();
  const Expr *Base = nullptr;
  if (const auto *Member = dyn_cast<MSPropertyRefExpr>(E))
    Base = Member->getBaseExpr();
  else if (const auto *Member = dyn_cast<MemberExpr>(E))
    Base = Member->getBase();
  if (!Base || !isGeometry(written(Base)))
    return "";
  return cast<DeclRefExpr>(written(Base))->getDecl()->getName();
}

/// Looks for y and z of the built-in variables, for those variables used whole, and for whatever makes one thread
/// differ from another.
class GeometryFinder : public DynamicRecursiveASTVisitor {
public:
  bool OnlyX = true;
  bool Threads = false; ///< something depends on the thread, or on there being several
  bool Blocks = false;  ///< blockIdx or gridDim are looked at

  explicit GeometryFinder(const SkippedCode &Skipped) : Skipped(Skipped) {
    ShouldVisitLambdaBody = true;
    ShouldVisitImplicitCode = true;
  }

  void visitFunction(const FunctionDecl *F) {
    const FunctionDecl *Definition = nullptr;
    if (!F->hasBody(Definition)) {
      visitUnseen(F);
      return;
    }
    if (!Visited.insert(Definition).second)
      return;
    if (Skipped.mentions(Definition, isGeometryName)) {
      OnlyX = false;
      return;
    }
    if (const auto *Constructor = dyn_cast<CXXConstructorDecl>(Definition))
      for (const CXXCtorInitializer *Initializer : Constructor->inits())
        TraverseStmt(Initializer->getInit());
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
    if (!isGeometry(Reference))
      return true;
    llvm::StringRef Name = Reference->getDecl()->getName();
    Threads = true;
    Blocks |= Name == "blockIdx" || Name == "gridDim";
    OnlyX &= UnderMember.contains(Reference);
    return OnlyX;
  }

  bool VisitCallExpr(CallExpr *Call) override {
    const FunctionDecl *Callee = Call->getDirectCallee();
    if (UnderMember.contains(Call)) {
      Threads = Blocks = true;
      return true;
    }
    if (!Callee)
      OnlyX = false; // whatever it calls
    else if (!isFetch(Callee))
      visitFunction(Callee);
    else if (!isGetter(Callee->getName()))
      Threads = true; // a barrier, a shuffle, ...
    return OnlyX;
  }

  bool VisitCXXConstructExpr(CXXConstructExpr *Construct) override {
    if (Construct->getConstructor()->isUserProvided())
      visitFunction(Construct->getConstructor());
    return OnlyX;
  }

  bool VisitAtomicExpr(AtomicExpr *) override {
    Threads = true;
    return OnlyX;
  }

  bool VisitGCCAsmStmt(GCCAsmStmt *Asm) override {
    std::string Text = Asm->getAsmString();
    Threads |= !Text.empty();
    Blocks |= llvm::StringRef(Text).contains("ctaid");
    for (llvm::StringRef Special : {"tid.y", "tid.z", "ctaid.y", "ctaid.z"}) // ntid and nctaid end in these too
      if (llvm::StringRef(Text).contains(Special))
        OnlyX = false;
    return OnlyX;
  }

private:
  const SkippedCode &Skipped;
  llvm::DenseSet<const FunctionDecl *> Visited;
  llvm::DenseSet<const Expr *> UnderMember;

  /// A function without a body here. Those of the compiler and of system headers are mathematics, except for the
  /// registers themselves; one of the user's may look at anything.
  void visitUnseen(const FunctionDecl *F) {
    if (F->getBuiltinID()) {
      llvm::StringRef Name = F->getIdentifier() ? F->getName() : "";
      Threads |= Name.contains("nvvm") || Name.contains("atomic") || Name.contains("sync");
      Blocks |= Name.contains("ctaid");
      if (Name.contains("ptx_sreg") && (Name.ends_with("_y") || Name.ends_with("_z")))
        OnlyX = false;
      return;
    }
    if (F->isImplicit() || F->isDefaulted())
      return;
    Threads |= !F->getIdentifier() || !F->getName().starts_with("__nv_"); // the mathematics of CUDA
    if (!F->getASTContext().getSourceManager().isInSystemHeader(F->getLocation()))
      OnlyX = false;
  }

  /// The getters behind threadIdx.x: the member that names them is looked at instead.
  static bool isFetch(const FunctionDecl *F) {
    return F->getIdentifier() &&
           (F->getName().starts_with("__fetch_builtin_") || F->getName().starts_with("kernix_cpu_"));
  }

  static bool isGetter(llvm::StringRef Name) {
    return Name.starts_with("__fetch_builtin_") || Name.starts_with("kernix_cpu_thread_idx") ||
           Name.starts_with("kernix_cpu_block_idx") || Name.starts_with("kernix_cpu_block_dim") ||
           Name.starts_with("kernix_cpu_grid_dim");
  }

  void visitMember(const Expr *Base, StringRef Name) {
    const Expr *Variable = written(Base);
    if (isGlobalIndex(Variable) && Name == "x")
      UnderMember.insert(Variable);
    if (!isGeometry(Variable))
      return;
    UnderMember.insert(Variable);
    if (Name != "x" && !Name.ends_with("_x")) // the member or its getter
      OnlyX = false;                          // y, z, or the conversion to dim3
  }
};

//===--- The first thread of the grid

enum Ids : unsigned { NoId = 0, ThreadId = 1, BlockId = 2, BothIds = 3 };

bool isWide(QualType Type) {
  for (BuiltinType::Kind Kind : {BuiltinType::Int, BuiltinType::UInt, BuiltinType::Long, BuiltinType::ULong,
                                 BuiltinType::LongLong, BuiltinType::ULongLong})
    if (Type->isSpecificBuiltinType(Kind))
      return true;
  return false;
}

/// Which ids are zero where a sum or product of them is zero.
unsigned zeroIds(const Expr *E, const BodyIndex &Body, unsigned Depth = 0) {
  E = E->IgnoreParenImpCasts();
  while (const auto *Cast = dyn_cast<ExplicitCastExpr>(E)) {
    // A narrow type may hold zero where the id is not.
    if (!isWide(Cast->getType()))
      return NoId;
    E = Cast->getSubExpr()->IgnoreParenImpCasts();
  }
  llvm::StringRef Name = geometryOf(E);
  if (!Name.empty())
    return Name == "threadIdx" ? ThreadId : Name == "blockIdx" ? BlockId : NoId;
  if (const auto *Binary = dyn_cast<BinaryOperator>(E)) {
    if (Binary->getOpcode() == BO_Add || Binary->getOpcode() == BO_Or)
      return zeroIds(Binary->getLHS(), Body, Depth) | zeroIds(Binary->getRHS(), Body, Depth);
    // A size is never zero, so that the other factor is.
    const Expr *Left = Binary->getLHS()->IgnoreParenImpCasts(), *Right = Binary->getRHS()->IgnoreParenImpCasts();
    if (Binary->getOpcode() == BO_Mul && geometryOf(Left).ends_with("Dim"))
      return zeroIds(Right, Body, Depth);
    if (Binary->getOpcode() == BO_Mul && geometryOf(Right).ends_with("Dim"))
      return zeroIds(Left, Body, Depth);
    return NoId;
  }
  const auto *Reference = dyn_cast<DeclRefExpr>(E);
  const auto *Variable = Reference ? dyn_cast<VarDecl>(Reference->getDecl()) : nullptr;
  if (!Variable || !Variable->hasLocalStorage() || !Variable->hasInit() || !Body.isOnlyRead(Variable) || Depth > 8)
    return NoId;
  return isWide(Variable->getType()) ? zeroIds(Variable->getInit(), Body, Depth + 1) : unsigned(NoId);
}

/// Which ids are zero where the condition has this truth value.
unsigned idsKnown(const Expr *E, bool Truth, const BodyIndex &Body) {
  E = E->IgnoreParenImpCasts();
  if (const auto *Unary = dyn_cast<UnaryOperator>(E); Unary && Unary->getOpcode() == UO_LNot)
    return idsKnown(Unary->getSubExpr(), !Truth, Body);
  const auto *Binary = dyn_cast<BinaryOperator>(E);
  if (Binary && Binary->getOpcode() == (Truth ? BO_LAnd : BO_LOr))
    return idsKnown(Binary->getLHS(), Truth, Body) | idsKnown(Binary->getRHS(), Truth, Body);
  if (Binary && Binary->getOpcode() == (Truth ? BO_EQ : BO_NE)) {
    auto isZero = [](const Expr *Side) {
      const auto *Literal = dyn_cast<IntegerLiteral>(Side->IgnoreParenImpCasts());
      return Literal && Literal->getValue().isZero();
    };
    if (isZero(Binary->getRHS()))
      return zeroIds(Binary->getLHS(), Body);
    return isZero(Binary->getLHS()) ? zeroIds(Binary->getRHS(), Body) : unsigned(NoId);
  }
  return Truth ? unsigned(NoId) : zeroIds(E, Body);
}

bool isReturn(const Stmt *S) {
  if (const auto *Block = dyn_cast<CompoundStmt>(S); Block && Block->size() == 1)
    S = Block->body_front();
  return isa<ReturnStmt>(S);
}

/// Declarations and early returns apart, the body is one thread's.
bool isForFirstThread(const FunctionDecl *Kernel) {
  const auto *Block = dyn_cast_or_null<CompoundStmt>(Kernel->getBody());
  if (!Block)
    return false;
  BodyIndex Body(Kernel->getBody());
  unsigned Known = NoId;
  for (const Stmt *Each : Block->body()) {
    if (Known == BothIds)
      return true;
    if (isa<DeclStmt, NullStmt>(Each))
      continue;
    const auto *If = dyn_cast<IfStmt>(Each);
    if (!If || If->getElse() || If->hasInitStorage() || If->hasVarStorage() || If->isConsteval())
      return false;
    if (isReturn(If->getThen()))
      Known |= idsKnown(If->getCond(), /*Truth=*/false, Body);
    else if ((Known | idsKnown(If->getCond(), /*Truth=*/true, Body)) != BothIds)
      return false;
  }
  return true;
}

bool isSame(const Expr *E, const BodyIndex &Kernel, unsigned Depth) {
  E = E->IgnoreParenCasts();
  llvm::StringRef Name = geometryOf(E);
  if (!Name.empty())
    return Name != "threadIdx";
  if (isa<IntegerLiteral, CharacterLiteral, CXXBoolLiteralExpr, UnaryExprOrTypeTraitExpr, SubstNonTypeTemplateParmExpr>(
          E))
    return true;
  if (const auto *Binary = dyn_cast<BinaryOperator>(E))
    return !Binary->isAssignmentOp() && isSame(Binary->getLHS(), Kernel, Depth) &&
           isSame(Binary->getRHS(), Kernel, Depth);
  if (const auto *Unary = dyn_cast<UnaryOperator>(E))
    return Unary->isArithmeticOp() && isSame(Unary->getSubExpr(), Kernel, Depth);
  const auto *Reference = dyn_cast<DeclRefExpr>(E);
  if (Reference && isa<EnumConstantDecl>(Reference->getDecl()))
    return true;
  const auto *Variable = Reference ? dyn_cast<VarDecl>(Reference->getDecl()) : nullptr;
  if (!Variable || !Variable->getType()->isIntegralOrEnumerationType() || Depth > 8)
    return false;
  if (Variable->isConstexpr())
    return true;
  if (!Variable->hasLocalStorage() || !Kernel.isOnlyRead(Variable))
    return false;
  return isa<ParmVarDecl>(Variable) || (Variable->hasInit() && isSame(Variable->getInit(), Kernel, Depth + 1));
}

} // namespace

bool kernix::isSameInBlock(const Expr *E, const BodyIndex &Kernel) { return isSame(E, Kernel, 0); }

ThreadUses kernix::threadUses(const FunctionDecl *Kernel, const SkippedCode &Skipped) {
  GeometryFinder Finder(Skipped);
  Finder.visitFunction(Kernel);
  ThreadUses Result;
  Result.OnlyX = Finder.OnlyX;
  Result.SingleThread = Finder.OnlyX && !Finder.Threads;
  Result.IgnoresBlocks = Finder.OnlyX && !Finder.Blocks;
  Result.FirstThreadOnly = Finder.OnlyX && isForFirstThread(Kernel);
  return Result;
}
