//===- ThreadUses.cpp - what a kernel's threads do differently --------------------------------------------------===//

#include "Binding/ThreadUses.h"
#include "Binding/BodyIndex.h"
#include "Binding/Effects.h"
#include "Binding/RunCode.h"
#include "Binding/SkippedCode.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/ASTLambda.h"
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
class GeometryFinder final : public RunCode {
public:
  bool OnlyX = true;
  bool Threads = false; ///< something depends on the thread, or on there being several
  bool Blocks = false;  ///< blockIdx or gridDim are looked at

  explicit GeometryFinder(const SkippedCode &Skipped) : Skipped(Skipped) {}

private:
  const SkippedCode &Skipped;
  llvm::DenseSet<const Expr *> UnderMember;
  llvm::DenseSet<const CXXRecordDecl *> Classes;

  void refuse() {
    OnlyX = false;
    IsDone = true;
  }

  bool enters(const FunctionDecl *F) override {
    if (!isRuntimeFunction(F))
      return true;
    Threads |= !readsGeometry(F); // a barrier, a shuffle, ...
    return false;                 // the member that names a getter is looked at instead
  }

  void enter(const FunctionDecl *Definition) override {
    if (Skipped.mentions(Definition, isGeometryName) || Skipped.mentionsInParameters(Definition, isGeometryName))
      refuse();
    Threads |= Skipped.mentions(Definition, tellsOthers);
    if (isa<CXXConstructorDecl, CXXDestructorDecl>(Definition))
      visitClass(cast<CXXMethodDecl>(Definition)->getParent());
  }

  /// What its default member initializers are for the other pass.
  void visitClass(const CXXRecordDecl *Class) {
    if (!Class || !Class->hasDefinition() || !Classes.insert(Class).second)
      return;
    if (Skipped.mentionsInMembers(Class, isGeometryName))
      return refuse();
    for (const CXXBaseSpecifier &Base : Class->bases())
      visitClass(Base.getType()->getAsCXXRecordDecl());
    for (const FieldDecl *Field : Class->fields())
      visitClass(Field->getType()->getBaseElementTypeUnsafe()->getAsCXXRecordDecl());
  }

  bool visit(const Stmt *S) override {
    if (const auto *Member = dyn_cast<MemberExpr>(S))
      visitMember(Member->getBase(), Member->getMemberNameInfo().getAsString());
    else if (const auto *Member = dyn_cast<MSPropertyRefExpr>(S))
      visitMember(Member->getBaseExpr(), Member->getPropertyDecl()->getNameAsString());
    else if (const auto *Reference = dyn_cast<DeclRefExpr>(S))
      visitReference(*Reference);
    else if (isa<AtomicExpr>(S))
      Threads = true;
    else if (const auto *Asm = dyn_cast<GCCAsmStmt>(S))
      visitAsm(*Asm);
    else if (isa<MSAsmStmt>(S))
      refuse();
    else if (const auto *Call = dyn_cast<CallExpr>(S); Call && UnderMember.contains(Call)) {
      Threads = Blocks = true;
      return false;
    } else if (isa<CXXConstructExpr, InitListExpr, CXXParenListInitExpr>(S))
      visitClass(cast<Expr>(S)->getType()->getBaseElementTypeUnsafe()->getAsCXXRecordDecl());
    return true;
  }

  void visitReference(const DeclRefExpr &Reference) {
    if (!isGeometry(&Reference))
      return;
    llvm::StringRef Name = Reference.getDecl()->getName();
    Threads = true;
    Blocks |= Name == "blockIdx" || Name == "gridDim";
    if (!UnderMember.contains(&Reference))
      refuse();
  }

  void visitAsm(const GCCAsmStmt &Asm) {
    std::string Text = Asm.getAsmString();
    Threads |= !Text.empty();
    Blocks |= llvm::StringRef(Text).contains("ctaid");
    for (llvm::StringRef Special : {"tid.y", "tid.z", "ctaid.y", "ctaid.z"}) // ntid and nctaid end in these too
      if (llvm::StringRef(Text).contains(Special))
        refuse();
  }

  void visitUnknownCall() override { refuse(); }

  /// Functions of the compiler and of system headers are mathematics, except for the registers themselves; one of the
  /// user's may look at anything.
  void visitUnseen(const FunctionDecl *F) override {
    if (F->getBuiltinID()) {
      llvm::StringRef Name = F->getIdentifier() ? F->getName() : "";
      Threads |= Name.contains("nvvm") || Name.contains("atomic") || Name.contains("sync");
      Blocks |= Name.contains("ctaid");
      if (Name.contains("ptx_sreg") && (Name.ends_with("_y") || Name.ends_with("_z")))
        refuse();
      return;
    }
    if (F->isImplicit() && !isa<CXXMethodDecl>(F)) // operator new
      return;
    Threads |= !F->getIdentifier() || !F->getName().starts_with("__nv_"); // the mathematics of CUDA
    if (!F->getASTContext().getSourceManager().isInSystemHeader(F->getLocation()))
      refuse();
  }

  void visitMember(const Expr *Base, StringRef Name) {
    const Expr *Variable = written(Base);
    if (isGlobalIndex(Variable) && Name == "x")
      UnderMember.insert(Variable);
    if (!isGeometry(Variable))
      return;
    UnderMember.insert(Variable);
    if (Name != "x" && !Name.ends_with("_x")) // the member or its getter
      refuse();                               // y, z, or the conversion to dim3
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
  if (const auto *Member = dyn_cast<MemberExpr>(E); Member && isGlobalIndex(written(Member->getBase())))
    return Member->getMemberDecl()->getName() == "x" ? BothIds : NoId;
  if (const auto *Binary = dyn_cast<BinaryOperator>(E)) {
    if (Binary->getOpcode() == BO_Add || Binary->getOpcode() == BO_Or) {
      unsigned OfLeft = zeroIds(Binary->getLHS(), Body, Depth), OfRight = zeroIds(Binary->getRHS(), Body, Depth);
      // Bits that are none are none in both; a sum may be zero of an id and what is its opposite in that thread.
      return Binary->getOpcode() == BO_Or || (OfLeft && OfRight) ? OfLeft | OfRight : unsigned(NoId);
    }
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
unsigned idsKnown(const Expr *E, bool Truth, const BodyIndex &Body, unsigned Depth = 0) {
  E = E->IgnoreParenImpCasts();
  if (const auto *Unary = dyn_cast<UnaryOperator>(E); Unary && Unary->getOpcode() == UO_LNot)
    return idsKnown(Unary->getSubExpr(), !Truth, Body, Depth);
  if (const auto *Reference = dyn_cast<DeclRefExpr>(E)) {
    const auto *Variable = dyn_cast<VarDecl>(Reference->getDecl());
    if (Variable && Variable->getType()->isBooleanType() && Variable->hasLocalStorage() && Variable->hasInit() &&
        Body.isOnlyRead(Variable) && Depth <= 8)
      return idsKnown(Variable->getInit(), Truth, Body, Depth + 1);
  }
  const auto *Binary = dyn_cast<BinaryOperator>(E);
  if (Binary && Binary->getOpcode() == (Truth ? BO_LAnd : BO_LOr))
    return idsKnown(Binary->getLHS(), Truth, Body, Depth) | idsKnown(Binary->getRHS(), Truth, Body, Depth);
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

/// Collects what is not the first thread's alone.
class CodeOfOthers {
public:
  llvm::SmallVector<const Stmt *, 8> Found;

  explicit CodeOfOthers(const BodyIndex &Body) : Body(Body) {}

  /// Known: the ids that are zero in the threads that come to the statement. Gives those of whoever leaves it: all,
  /// where nobody does.
  unsigned visit(const Stmt *S, unsigned Known) {
    if (Known == BothIds)
      return BothIds;
    if (const auto *Block = dyn_cast<CompoundStmt>(S)) {
      for (const Stmt *Each : Block->body())
        Known = visit(Each, Known);
      return Known;
    }
    const auto *If = dyn_cast<IfStmt>(S);
    if (If && !If->hasInitStorage() && !If->hasVarStorage() && !If->isConsteval() && !If->isConstexpr()) {
      visitCondition(If->getCond(), Known);
      unsigned IfNot = Known | idsKnown(If->getCond(), /*Truth=*/false, Body);
      unsigned AfterThen = visit(If->getThen(), Known | idsKnown(If->getCond(), /*Truth=*/true, Body));
      return AfterThen & (If->getElse() ? visit(If->getElse(), IfNot) : IfNot);
    }
    Found.push_back(S);
    return isa<ReturnStmt>(S) ? unsigned(BothIds) : Known;
  }

private:
  const BodyIndex &Body;

  void visitCondition(const Expr *E, unsigned Known) {
    if (Known == BothIds)
      return;
    const auto *Binary = dyn_cast<BinaryOperator>(E->IgnoreParenImpCasts());
    if (!Binary || !Binary->isLogicalOp()) {
      Found.push_back(E);
      return;
    }
    bool Truth = Binary->getOpcode() == BO_LAnd;
    visitCondition(Binary->getLHS(), Known);
    visitCondition(Binary->getRHS(), Known | idsKnown(Binary->getLHS(), Truth, Body));
  }
};

/// Whether what follows a statement may be come to by another way.
bool jumps(const Stmt *S) {
  return S && (isa<GotoStmt, IndirectGotoStmt, LabelStmt>(S) || llvm::any_of(S->children(), jumps));
}

/// Whether all that has an effect is the first thread's.
bool isForFirstThread(const FunctionDecl *Kernel, const SkippedCode &Skipped) {
  const Stmt *Code = Kernel->getBody();
  if (!isa_and_nonnull<CompoundStmt>(Code) || jumps(Code))
    return false;
  BodyIndex Body(Kernel->getBody());
  CodeOfOthers Others(Body);
  Others.visit(Code, NoId);
  return !haveEffect(Others.Found, Kernel, Skipped);
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
  if (isLambdaCallOperator(Variable->getDeclContext())) // each call gives it another value
    return false;
  return isa<ParmVarDecl>(Variable) || (Variable->hasInit() && isSame(Variable->getInit(), Kernel, Depth + 1));
}

} // namespace

bool kernix::isRuntimeFunction(const FunctionDecl *F) {
  return F->getIdentifier() &&
         (F->getName().starts_with("__fetch_builtin_") || F->getName().starts_with("kernix_cpu_"));
}

bool kernix::readsGeometry(const FunctionDecl *F) {
  llvm::StringRef Name = F->getIdentifier() ? F->getName() : "";
  return Name.starts_with("__fetch_builtin_") || Name.starts_with("kernix_cpu_thread_idx") ||
         Name.starts_with("kernix_cpu_block_idx") || Name.starts_with("kernix_cpu_block_dim") ||
         Name.starts_with("kernix_cpu_grid_dim");
}

bool kernix::isSameInBlock(const Expr *E, const BodyIndex &Kernel) { return isSame(E, Kernel, 0); }

ThreadUses kernix::threadUses(const FunctionDecl *Kernel, const SkippedCode &Skipped) {
  GeometryFinder Finder(Skipped);
  Finder.visitFunction(Kernel);
  ThreadUses Result;
  Result.OnlyX = Finder.OnlyX;
  Result.SingleThread = Finder.OnlyX && !Finder.Threads;
  Result.IgnoresBlocks = Finder.OnlyX && !Finder.Blocks;
  Result.FirstThreadOnly = Finder.OnlyX && isForFirstThread(Kernel, Skipped);
  return Result;
}
