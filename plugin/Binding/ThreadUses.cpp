//===- ThreadUses.cpp - what a kernel's threads do differently --------------------------------------------------===//

#include "Binding/ThreadUses.h"
#include "Binding/BodyIndex.h"
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

/// The getters behind threadIdx.x: the member that names them is looked at instead.
bool isFetch(const FunctionDecl *F) {
  return F->getIdentifier() &&
         (F->getName().starts_with("__fetch_builtin_") || F->getName().starts_with("kernix_cpu_"));
}

bool isGetter(llvm::StringRef Name) {
  return Name.starts_with("__fetch_builtin_") || Name.starts_with("kernix_cpu_thread_idx") ||
         Name.starts_with("kernix_cpu_block_idx") || Name.starts_with("kernix_cpu_block_dim") ||
         Name.starts_with("kernix_cpu_grid_dim");
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

  void refuse() {
    OnlyX = false;
    IsDone = true;
  }

  bool enters(const FunctionDecl *F) override {
    if (!isFetch(F))
      return true;
    Threads |= !isGetter(F->getName()); // a barrier, a shuffle, ...
    return false;
  }

  void enter(const FunctionDecl *Definition) override {
    if (Skipped.mentions(Definition, isGeometryName))
      refuse();
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
    }
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

/// Looks for whatever other threads or the caller can see: writes to anything but a function's own variables, atomics,
/// barriers, and what threads tell one another.
class EffectFinder final : public RunCode {
public:
  bool Found = false;

private:
  void found() { Found = IsDone = true; }

  bool enters(const FunctionDecl *F) override {
    if (!isFetch(F))
      return true;
    if (!isGetter(F->getName()))
      found();
    return false;
  }

  bool visit(const Stmt *S) override {
    const auto *Binary = dyn_cast<BinaryOperator>(S);
    const auto *Unary = dyn_cast<UnaryOperator>(S);
    const auto *Operator = dyn_cast<CXXOperatorCallExpr>(S);
    const auto *Asm = dyn_cast<GCCAsmStmt>(S);
    bool IsFound = isa<AtomicExpr, MSAsmStmt, CXXNewExpr, CXXDeleteExpr, CXXThrowExpr>(S);
    IsFound |= Asm && !Asm->getAsmString().empty();
    IsFound |= Binary && Binary->isAssignmentOp() && !isOwn(Binary->getLHS());
    IsFound |= Unary && Unary->isIncrementDecrementOp() && !isOwn(Unary->getSubExpr());
    // That of a plain struct has no body.
    IsFound |= Operator && Operator->getOperator() == OO_Equal && Operator->getDirectCallee() &&
               Operator->getDirectCallee()->isTrivial() && !isOwn(Operator->getArg(0));
    if (IsFound)
      found();
    return true;
  }

  void visitUnknownCall() override { found(); }

  /// Mathematics takes its arguments by value; what threads tell one another does, too.
  void visitUnseen(const FunctionDecl *F) override {
    llvm::StringRef Name = F->getIdentifier() ? F->getName() : "";
    bool IsQuiet = !Name.empty() && llvm::all_of(F->parameters(), [](const ParmVarDecl *Parameter) {
      QualType Type = Parameter->getType();
      return (!Type->isPointerType() && !Type->isReferenceType()) || Type->getPointeeType().isConstQualified();
    });
    for (llvm::StringRef Tells : {"shfl", "vote", "match", "bar", "sync", "fence", "atom", "red", "async"})
      IsQuiet &= !Name.contains(Tells);
    if (F->isVariadic() || !IsQuiet)
      found();
  }

  /// A variable of the function itself, a part of one, or of the object that a constructor makes.
  bool isOwn(const Expr *E) const {
    E = E->IgnoreParens();
    while (const auto *Cast = dyn_cast<CastExpr>(E)) {
      if (Cast->getCastKind() != CK_NoOp && Cast->getCastKind() != CK_ArrayToPointerDecay &&
          Cast->getCastKind() != CK_DerivedToBase && Cast->getCastKind() != CK_UncheckedDerivedToBase)
        return false;
      E = Cast->getSubExpr()->IgnoreParens();
    }
    if (const auto *Member = dyn_cast<MemberExpr>(E)) {
      if (!isa<FieldDecl>(Member->getMemberDecl()) || Member->getMemberDecl()->getType()->isReferenceType())
        return false;
      return Member->isArrow() ? isOwnThis(Member->getBase()) : isOwn(Member->getBase());
    }
    if (const auto *Subscript = dyn_cast<ArraySubscriptExpr>(E)) {
      const auto *Decay = dyn_cast<ImplicitCastExpr>(Subscript->getBase()->IgnoreParens());
      return Decay && Decay->getCastKind() == CK_ArrayToPointerDecay && isOwn(Decay->getSubExpr());
    }
    const auto *Reference = dyn_cast<DeclRefExpr>(E);
    const auto *Variable = Reference ? dyn_cast<VarDecl>(Reference->getDecl()) : nullptr;
    return Variable && Variable->hasLocalStorage() && !Variable->getType()->isReferenceType();
  }

  bool isOwnThis(const Expr *E) const {
    return isa<CXXThisExpr>(E->IgnoreParenImpCasts()) &&
           isa_and_nonnull<CXXConstructorDecl, CXXDestructorDecl>(Current);
  }
};

bool hasEffect(const Expr *E) {
  EffectFinder Finder;
  Finder.walk(E);
  return Finder.Found;
}

bool hasEffect(const DeclStmt *Declaration) {
  EffectFinder Finder;
  Finder.walk(Declaration);
  return Finder.Found;
}

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

/// Whether evaluating a condition has an effect that is not the first thread's alone.
bool hasEffectBefore(const Expr *E, unsigned Known, const BodyIndex &Body) {
  if (Known == BothIds)
    return false;
  const auto *Binary = dyn_cast<BinaryOperator>(E->IgnoreParenImpCasts());
  if (!Binary || !Binary->isLogicalOp())
    return hasEffect(E);
  bool Truth = Binary->getOpcode() == BO_LAnd;
  return hasEffectBefore(Binary->getLHS(), Known, Body) ||
         hasEffectBefore(Binary->getRHS(), Known | idsKnown(Binary->getLHS(), Truth, Body), Body);
}

bool isReturn(const Stmt *S) {
  if (const auto *Block = dyn_cast<CompoundStmt>(S); Block && Block->size() == 1)
    S = Block->body_front();
  const auto *Return = dyn_cast<ReturnStmt>(S);
  return Return && !Return->getRetValue();
}

/// Declarations and early returns without an effect apart, the body is one thread's.
bool isForFirstThread(const FunctionDecl *Kernel) {
  const auto *Block = dyn_cast_or_null<CompoundStmt>(Kernel->getBody());
  if (!Block)
    return false;
  BodyIndex Body(Kernel->getBody());
  unsigned Known = NoId;
  for (const Stmt *Each : Block->body()) {
    if (Known == BothIds)
      return true;
    if (isa<NullStmt>(Each))
      continue;
    if (const auto *Declaration = dyn_cast<DeclStmt>(Each)) {
      if (hasEffect(Declaration))
        return false;
      continue;
    }
    const auto *If = dyn_cast<IfStmt>(Each);
    if (!If || If->getElse() || If->hasInitStorage() || If->hasVarStorage() || If->isConsteval())
      return false;
    if (hasEffectBefore(If->getCond(), Known, Body))
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
  if (isLambdaCallOperator(Variable->getDeclContext())) // each call gives it another value
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
