//===- TensorUses.cpp - what a body does with a parameter -------------------------------------------------------===//
//
// Every mention of a tracked variable is followed outwards, from the expression to the one it is part of, until it is
// known what becomes of it. Two kinds of expressions are told apart on the way: a handle (pointer, view, tensor) and an
// element that a handle leads to.
//
// What is put into an object is lost, unless objects are looked through: then a field that a handle gets into leads to
// the tensor in every object of its class, in all code that runs.
//
//===------------------------------------------------------------------------------------------------------------===//

#include "Binding/TensorUses.h"
#include "Binding/BodyIndex.h"
#include "Binding/RunCode.h"
#include "Binding/SkippedCode.h"
#include "Binding/ThreadUses.h"
#include "Binding/Types.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringSwitch.h"
#include <memory>
#include <utility>

using namespace clang;
using namespace kernix;

namespace {

/// More functions than this are not looked into.
constexpr size_t MaxFunctions = 200;
constexpr size_t MaxFunctionsThroughObjects = 2000;

/// What an expression or variable stands for.
enum class Kind { None, Handle, Element };

/// Functions without a visible body that are known to overwrite what their first argument points to, and no more.
bool overwritesFirst(StringRef Name) {
  Name.consume_front("__builtin_");
  return llvm::StringSwitch<bool>(Name)
      .Cases({"memcpy", "memmove", "memset"}, true)
      .Cases({"cudaMemcpy", "cudaMemcpyAsync", "cudaMemset", "cudaMemsetAsync"}, true)
      .Default(false);
}

/// What view[i] is of a differentiable view: it stands for the element, as a reference does.
bool isElementOfView(QualType Type) {
  const CXXRecordDecl *Class = Type.getNonReferenceType()->getAsCXXRecordDecl();
  const auto *Space = Class ? dyn_cast<NamespaceDecl>(Class->getDeclContext()) : nullptr;
  return Space && Space->getName() == "kernix" && Class->getName() == "ViewElement";
}

/// No tensor has such elements, so that an expression of this type is no element.
bool isHandleType(QualType Type) {
  return Type->isPointerType() || !viewElement(Type).isNull() || isKernixTensor(Type);
}

bool isEvaluatedNever(const Stmt *S) { return isa<UnaryExprOrTypeTraitExpr, CXXNoexceptExpr>(S); }

class UseFinder {
public:
  TensorUses Uses;

  explicit UseFinder(const SkippedCode &Skipped) : Skipped(Skipped) {}

  /// Follows a parameter of `F` through all that runs, and through objects.
  void followEverywhere(const FunctionDecl *F, const ParmVarDecl *Parameter) {
    std::vector<const FunctionDecl *> Functions = functionsThatRun(F);
    if (Functions.empty() || Functions.size() > MaxFunctionsThroughObjects)
      return unknown();
    ThroughObjects = true;
    for (const FunctionDecl *Function : Functions)
      Bodies[Function] = std::make_unique<BodyIndex>(Function);
    Kernel = Bodies[Functions.front()].get();
    reach(Functions.front()->getParamDecl(Parameter->getFunctionScopeIndex()), Kind::Handle);
    for (size_t I = 0; I < Reached.size(); ++I) // grows
      for (const FunctionDecl *Function : Functions) {
        auto [Declaration, Meaning] = Reached[I];
        CurrentFunction = Function;
        Current = Bodies[Function].get();
        climbFrom(Declaration, Meaning);
      }
  }

  /// Follows parameter `Index` of `F`; gives what the function returns of it.
  Kind follow(const FunctionDecl *F, unsigned Index, Kind As) {
    const FunctionDecl *Definition = nullptr;
    if (!F->hasBody(Definition) || Index >= Definition->getNumParams() ||
        (!ThroughObjects && Bodies.size() >= MaxFunctions)) {
      unknown();
      return Kind::None;
    }
    const ParmVarDecl *Parameter = Definition->getParamDecl(Index);
    if (ThroughObjects) {
      reach(Parameter, As);
      return Kind::None; // its calls are gone through
    }
    auto [Known, IsNew] = Returned.try_emplace(Parameter, std::nullopt);
    if (!IsNew && Known->second)
      return *Known->second;
    if (!IsNew) { // a recursive call
      QualType Result = Definition->getReturnType();
      if (!Result->isVoidType() && !Result->isArithmeticType())
        unknown();
      return Kind::None;
    }
    std::unique_ptr<BodyIndex> &Slot = Bodies[Definition];
    if (!Slot)
      Slot = std::make_unique<BodyIndex>(Definition);
    if (!Kernel)
      Kernel = Slot.get();
    BodyIndex *Outer = std::exchange(Current, Slot.get());
    auto *OuterWork = std::exchange(Work, nullptr);
    Kind OuterReturn = std::exchange(Return, Kind::None);
    llvm::SmallVector<std::pair<const VarDecl *, Kind>, 8> Variables = {{Parameter, As}};
    Work = &Variables;
    for (size_t I = 0; I < Variables.size(); ++I) { // grows
      auto [Variable, Meaning] = Variables[I];
      if (Skipped.mentions(Definition, [&](StringRef Name) { return Name == Variable->getName(); }))
        unknown();
      for (const DeclRefExpr *Mention : Current->mentions(Variable))
        climb(Mention, Meaning);
    }
    Kind Result = Return;
    Current = Outer;
    Work = OuterWork;
    Return = OuterReturn;
    Returned[Parameter] = Result;
    return Result;
  }

private:
  const SkippedCode &Skipped;
  llvm::DenseMap<const FunctionDecl *, std::unique_ptr<BodyIndex>> Bodies;
  /// What functions return of a parameter; nothing while they are being looked at.
  llvm::DenseMap<const ParmVarDecl *, std::optional<Kind>> Returned;
  llvm::DenseMap<const FunctionDecl *, Kind> ReturnedByMembers;
  // Of the function that is looked at now:
  BodyIndex *Current = nullptr;
  llvm::SmallVectorImpl<std::pair<const VarDecl *, Kind>> *Work = nullptr;
  Kind Return = Kind::None;
  bool IsIndexed = false;
  const BodyIndex *Kernel = nullptr; ///< of the function whose parameter is followed
  // Where objects are looked through:
  bool ThroughObjects = false;
  const FunctionDecl *CurrentFunction = nullptr;
  /// Variables and fields that lead to the tensor, and functions that return what does.
  llvm::SmallVector<std::pair<const ValueDecl *, Kind>, 16> Reached;

  void reach(const ValueDecl *Declaration, Kind Meaning) {
    std::pair<const ValueDecl *, Kind> Entry = {cast<ValueDecl>(Declaration->getCanonicalDecl()), Meaning};
    if (!llvm::is_contained(Reached, Entry))
      Reached.push_back(Entry);
  }

  /// The mentions of a declaration in the function that is looked at now. Those in a lambda belong to its own function.
  void climbFrom(const ValueDecl *Declaration, Kind Meaning) {
    if (!isa<FunctionDecl>(Declaration) &&
        Skipped.mentions(CurrentFunction, [&](StringRef Name) { return Name == Declaration->getName(); }))
      unknown();
    if (const auto *Variable = dyn_cast<VarDecl>(Declaration)) {
      for (const DeclRefExpr *Mention : Current->mentions(Variable))
        if (!isInBodyOfLambda(Mention))
          climb(Mention, Meaning);
    } else if (const auto *Field = dyn_cast<FieldDecl>(Declaration)) {
      for (const MemberExpr *Mention : Current->mentions(Field))
        if (!isInBodyOfLambda(Mention))
          climb(Mention, Meaning);
    } else {
      for (const CallExpr *Call : Current->calls(cast<FunctionDecl>(Declaration)))
        if (!isInBodyOfLambda(Call)) {
          Step Next = afterCall(*Call, Meaning);
          climb(Next.E, Next.Meaning);
        }
    }
  }

  bool isInBodyOfLambda(const Stmt *S) const {
    for (const Stmt *Outer = parent(S); Outer; S = std::exchange(Outer, parent(Outer)))
      if (const auto *Lambda = dyn_cast<LambdaExpr>(Outer); Lambda && Lambda->getBody() == S)
        return true;
    return false;
  }

  void read(const Expr *E) {
    if (!Uses.Read)
      Uses.Read = E;
  }
  void write(const Expr *E) {
    if (!Uses.Write)
      Uses.Write = E;
  }
  void unknown() { Uses.Unknown = true; }
  /// An index into the tensor, or what is added to its pointer.
  void index(const Expr *E) { Uses.Spread |= isSpread(E, *Current, 0); }

  /// Whether threads of a block may differ in it. A parameter is what the calls that have been seen give; of what else
  /// a function computes nothing is known.
  bool isSpread(const Expr *E, const BodyIndex &Body, unsigned Depth) {
    if (&Body == Kernel)
      return !isSameInBlock(E, Body);
    E = E->IgnoreParenImpCasts();
    if (isa<IntegerLiteral>(E))
      return false;
    const auto *Reference = dyn_cast<DeclRefExpr>(E);
    const auto *Parameter = Reference ? dyn_cast<ParmVarDecl>(Reference->getDecl()) : nullptr;
    const auto *Function = Parameter ? dyn_cast<FunctionDecl>(Parameter->getDeclContext()) : nullptr;
    if (!Function || !Body.isOnlyRead(Parameter) || Depth > 8)
      return true;
    bool IsCalled = false;
    for (const auto &[Caller, Callers] : Bodies)
      for (const CallExpr *Call : Callers ? Callers->calls(Function) : ArrayRef<const CallExpr *>()) {
        // The object comes first where an operator is written.
        const auto *Method = dyn_cast<CXXMethodDecl>(Function);
        unsigned Index = Parameter->getFunctionScopeIndex();
        Index += isa<CXXOperatorCallExpr>(Call) && Method && Method->isImplicitObjectMemberFunction() ? 1 : 0;
        if (Index >= Call->getNumArgs() || isSpread(Call->getArg(Index), *Callers, Depth + 1))
          return true;
        IsCalled = true;
      }
    return !IsCalled;
  }

  void countIndices(std::optional<unsigned> Count) {
    if (std::exchange(IsIndexed, true) && Uses.Indices != Count)
      Count = std::nullopt;
    Uses.Indices = Count;
  }

  const Stmt *parent(const Stmt *S) const { return Current->parent(S); }

  void alias(const VarDecl *Variable, Kind Meaning) {
    if (ThroughObjects && !isa<DecompositionDecl>(Variable))
      return reach(Variable, Meaning);
    // A static variable keeps the pointer beyond the call.
    if (!Variable->hasLocalStorage() || isa<DecompositionDecl>(Variable))
      return unknown();
    std::pair<const VarDecl *, Kind> Entry = {Variable->getCanonicalDecl(), Meaning};
    if (!llvm::is_contained(*Work, Entry))
      Work->push_back(Entry);
  }

  /// What has become of the expression after one step outwards: the outer expression and what it stands for; Kind::None
  /// where the use is settled.
  struct Step {
    const Expr *E = nullptr;
    Kind Meaning = Kind::None;
  };
  static Step done() { return {}; }
  static Step handle(const Stmt *E) { return {cast<Expr>(E), Kind::Handle}; }
  static Step element(const Stmt *E) { return {cast<Expr>(E), Kind::Element}; }
  Step lost() {
    unknown();
    return {};
  }

  void climb(const Expr *E, Kind Meaning) {
    while (Meaning != Kind::None) {
      const Stmt *Parent = parent(E);
      Step Next = Parent ? step(Parent, E, Meaning) : initializeMember(E, Meaning);
      E = Next.E;
      Meaning = Next.Meaning;
    }
  }

  /// What a constructor initializes, where nothing is outside of the expression.
  Step initializeMember(const Expr *E, Kind Meaning) {
    const CXXCtorInitializer *Initializer = ThroughObjects ? Current->initializer(E) : nullptr;
    return Initializer && Initializer->isMemberInitializer() ? keep(Initializer->getMember(), E, Meaning) : lost();
  }

  /// An initializer list: of a number or pointer, an array of them, or an object.
  Step list(const Expr &List, llvm::ArrayRef<Expr *> Parts, const Expr *E, Kind Meaning) {
    const CXXRecordDecl *Class = List.getType()->getAsCXXRecordDecl();
    if (!ThroughObjects || isHandleType(List.getType()))
      return ThroughObjects ? Step{&List, Meaning} : Meaning == Kind::Handle ? store(E) : lost();
    if (!Class)
      return List.getType()->isArrayType() && Meaning == Kind::Handle ? handle(&List) : lost();
    if (const auto *Braces = dyn_cast<InitListExpr>(&List); Braces && Braces->getInitializedFieldInUnion())
      return keep(Braces->getInitializedFieldInUnion(), E, Meaning);
    auto At = llvm::find(Parts, E);
    size_t Index = At - Parts.begin();
    if (At == Parts.end() || Index < Class->getNumBases())
      return lost();
    Index -= Class->getNumBases();
    for (const FieldDecl *Field : Class->fields())
      if (!Field->isUnnamedBitField() && Index-- == 0)
        return keep(Field, E, Meaning);
    return lost();
  }

  /// A field holds the handle, or refers to the element, from now on.
  Step keep(const FieldDecl *Field, const Expr *E, Kind Meaning) {
    if (Meaning == Kind::Element && !Field->getType()->isReferenceType() && !isElementOfView(Field->getType()))
      read(E);
    else
      reach(Field, Meaning);
    return done();
  }

  Step step(const Stmt *Parent, const Expr *E, Kind Meaning) {
    if (isEvaluatedNever(Parent) || isDiscarded(Parent, E))
      return done();
    if (isa<ParenExpr, MaterializeTemporaryExpr, ExprWithCleanups, CXXBindTemporaryExpr, StmtExpr, ConstantExpr,
            SubstNonTypeTemplateParmExpr>(Parent))
      return {cast<Expr>(Parent), Meaning};
    if (const auto *Block = dyn_cast<CompoundStmt>(Parent)) // the value of a statement expression
      return {cast<Expr>(parent(Block)), Meaning};
    if (const auto *Declaration = dyn_cast<DeclStmt>(Parent))
      return initialize(*Declaration, E, Meaning);
    if (const auto *Conditional = dyn_cast<ConditionalOperator>(Parent))
      return Conditional->getCond() == E ? done() : Step{Conditional, Meaning};
    if (const auto *Lambda = dyn_cast<LambdaExpr>(Parent))
      return capture(*Lambda, E, Meaning);
    if (const auto *List = dyn_cast<InitListExpr>(Parent))
      return list(*List, List->inits(), E, Meaning);
    if (const auto *List = dyn_cast<CXXParenListInitExpr>(Parent))
      return list(*List, List->getUserSpecifiedInitExprs(), E, Meaning);
    if (const auto *Default = dyn_cast<CXXDefaultInitExpr>(Parent); Default && ThroughObjects)
      return keep(Default->getField(), E, Meaning);
    if (isa<ReturnStmt>(Parent) && ThroughObjects) {
      reach(CurrentFunction, Meaning);
      return done();
    }
    if (isa<ReturnStmt>(Parent)) {
      if (isInLambda(Parent))
        return lost();
      Return = Meaning;
      return done();
    }
    return Meaning == Kind::Handle ? stepHandle(Parent, E) : stepElement(Parent, E);
  }

  bool isInLambda(const Stmt *S) const {
    while (S && !isa<LambdaExpr>(S))
      S = parent(S);
    return S != nullptr;
  }

  /// Statements that do nothing with an expression, or only test it.
  bool isDiscarded(const Stmt *Parent, const Expr *E) const {
    if (const auto *Block = dyn_cast<CompoundStmt>(Parent))
      return !isa_and_nonnull<StmtExpr>(parent(Block)) || Block->body_back() != E;
    return isa<IfStmt, ForStmt, WhileStmt, DoStmt, SwitchStmt, SwitchCase, LabelStmt, AttributedStmt>(Parent);
  }

  Step initialize(const DeclStmt &Declaration, const Expr *E, Kind Meaning) {
    const VarDecl *Variable = nullptr;
    for (const Decl *D : Declaration.decls())
      if (const auto *Candidate = dyn_cast<VarDecl>(D); Candidate && Candidate->getInit() == E)
        Variable = Candidate;
    if (!Variable)
      return lost();
    QualType Type = Variable->getType();
    if (Meaning == Kind::Element && !Type->isReferenceType() && !isElementOfView(Type)) {
      read(E);
      return done();
    }
    QualType Value = Type.getNonReferenceType();
    bool IsArray = ThroughObjects && Value->isArrayType(); // of pointers
    if (Meaning == Kind::Handle && !Value->isPointerType() && !Value->isRecordType() && !IsArray)
      return lost();
    alias(Variable, Meaning);
    return done();
  }

  /// A simple capture says nothing: the mentions in the lambda's body are followed themselves.
  Step capture(const LambdaExpr &Lambda, const Expr *E, Kind Meaning) {
    for (const LambdaCapture &Capture : Lambda.captures()) {
      if (!Capture.capturesVariable() || !isa<VarDecl>(Capture.getCapturedVar()))
        continue;
      const auto *Variable = cast<VarDecl>(Capture.getCapturedVar());
      if (Variable->isInitCapture() && Variable->getInit() == E) {
        alias(Variable, Meaning);
        return done();
      }
    }
    const auto *Mention = dyn_cast<DeclRefExpr>(E->IgnoreParenImpCasts());
    return Mention && isa<VarDecl>(Mention->getDecl()) ? done() : lost();
  }

  //===--------------------------------------------------------------------------------------------------------------===//
  // Handles
  //===--------------------------------------------------------------------------------------------------------------===//

  Step stepHandle(const Stmt *Parent, const Expr *E) {
    if (const auto *Cast = dyn_cast<CastExpr>(Parent))
      return castHandle(*Cast);
    if (const auto *Construct = dyn_cast<CXXConstructExpr>(Parent))
      return construct(*Construct, E);
    if (const auto *Unary = dyn_cast<UnaryOperator>(Parent)) {
      if (Unary->getOpcode() == UO_Deref)
        return isHandleType(Unary->getType()) ? handle(Unary) : element(Unary);
      if (Unary->getOpcode() == UO_LNot)
        return done();
      if (Unary->getOpcode() == UO_AddrOf)
        return ThroughObjects ? handle(Unary) : lost();
      Uses.Spread |= Unary->isIncrementDecrementOp();
      return handle(Unary); // ++, --, +
    }
    if (const auto *Subscript = dyn_cast<ArraySubscriptExpr>(Parent)) {
      if (isHandleType(Subscript->getType())) // of an array of pointers
        return handle(Subscript);
      index(Subscript->getIdx());
      return element(Subscript);
    }
    if (const auto *Binary = dyn_cast<BinaryOperator>(Parent))
      return binaryHandle(*Binary, E);
    if (const auto *Member = dyn_cast<MemberExpr>(Parent))
      return Member->isArrow() && !isHandleType(E->getType()->getPointeeType()) ? memberOfElement(*Member)
                                                                                : memberOfView(*Member, E);
    if (const auto *Call = dyn_cast<CXXOperatorCallExpr>(Parent))
      return operatorOfView(*Call, E);
    if (const auto *Call = dyn_cast<CallExpr>(Parent))
      return passHandle(*Call, E);
    if (isa<AtomicExpr>(Parent) && ThroughObjects) {
      Uses.Atomic = true;
      return done();
    }
    return lost();
  }

  Step castHandle(const CastExpr &Cast) {
    QualType To = Cast.getType();
    if (To->isPointerType() || To->isRecordType())
      return handle(&Cast);
    if (To->isVoidType() || To->isBooleanType() || Cast.getCastKind() == CK_PointerToBoolean)
      return done();
    return lost();
  }

  Step binaryHandle(const BinaryOperator &Binary, const Expr *E) {
    if (Binary.isComparisonOp() || Binary.isLogicalOp())
      return done();
    if (Binary.getOpcode() == BO_Comma)
      return Binary.getRHS() == E ? handle(&Binary) : done();
    const Expr *Other = Binary.getLHS() == E ? Binary.getRHS() : Binary.getLHS();
    if (Binary.isAdditiveOp() || Binary.isCompoundAssignmentOp())
      index(Other);
    if (!Binary.isAssignmentOp())
      return Binary.getType()->isPointerType() ? handle(&Binary) : done(); // p + 1; p - q
    if (Binary.getLHS() == E)
      return handle(&Binary);
    return assign(*Binary.getLHS(), E);
  }

  /// A variable or field becomes the handle.
  Step assign(const Expr &To, const Expr *E) {
    const Expr *Place = To.IgnoreParenImpCasts();
    const auto *Member = dyn_cast<MemberExpr>(Place);
    if (const auto *Field = Member ? dyn_cast<FieldDecl>(Member->getMemberDecl()) : nullptr; Field && ThroughObjects)
      return keep(Field, E, Kind::Handle);
    // What is put together by hand is what from_tensor makes.
    if (Member && !diffViewElement(Member->getBase()->getType()).isNull() && !Member->isArrow()) {
      if (!leadsOn(*Member))
        return lost();
      Place = Member->getBase()->IgnoreParenImpCasts();
    }
    const auto *Target = dyn_cast<DeclRefExpr>(Place);
    const auto *Variable = Target ? dyn_cast<VarDecl>(Target->getDecl()) : nullptr;
    if (!Variable || Variable->getType()->isReferenceType())
      return store(E);
    alias(Variable, Kind::Handle);
    return done();
  }

  Step construct(const CXXConstructExpr &Construct, const Expr *E) {
    if (Construct.getConstructor()->isCopyOrMoveConstructor())
      return handle(&Construct);
    QualType Element = tensorViewElement(Construct.getType());
    if (!Element.isNull() && Element.isConstQualified()) {
      read(E); // a view that cannot write
      return done();
    }
    if (!ThroughObjects)
      return store(E);
    return Element.isNull() ? passToConstructor(Construct, E, Kind::Handle) : handle(&Construct);
  }

  Step passToConstructor(const CXXConstructExpr &Construct, const Expr *E, Kind Meaning) {
    for (unsigned I = 0; I < Construct.getNumArgs(); ++I)
      if (Construct.getArg(I) == E)
        follow(Construct.getConstructor(), I, Meaning);
    return done();
  }

  /// A handle becomes a part of some object, and is not followed further.
  Step store(const Expr *E) {
    if (leadsToWrites(E->getType()) && !Uses.Stored)
      Uses.Stored = E;
    return lost();
  }

  static bool leadsToWrites(QualType Type) {
    if (Type->isPointerType())
      return !Type->getPointeeType().isConstQualified();
    QualType Element = tensorViewElement(Type);
    return isKernixTensor(Type) || (!Element.isNull() && !Element.isConstQualified());
  }

  /// p->m and p->f()
  Step memberOfElement(const MemberExpr &Member) {
    const auto *Method = dyn_cast<CXXMethodDecl>(Member.getMemberDecl());
    if (!Method)
      return isa<FieldDecl>(Member.getMemberDecl()) ? element(&Member) : done();
    callOnElement(*Method, &Member);
    return done();
  }

  /// v.m and v.f() of a view or tensor
  Step memberOfView(const MemberExpr &Member, const Expr *E) {
    const auto *Call = dyn_cast_or_null<CXXMemberCallExpr>(parent(&Member));
    if (!Call || Call->getCallee() != &Member)
      return leadsOn(Member) ? handle(&Member) : done(); // else a size or stride
    QualType View = E->getType()->isPointerType() ? E->getType()->getPointeeType() : E->getType();
    if (!diffViewElement(View).isNull())
      return callOfDiffView(*Call);
    bool IsTensor = isKernixTensor(View);
    if (!IsTensor && tensorViewElement(View).isNull())
      return lost();
    if (isa<CXXConversionDecl>(Call->getMethodDecl()))
      return handle(Call);
    StringRef Name = Call->getMethodDecl()->getIdentifier() ? Call->getMethodDecl()->getName() : "";
    if (Name == "data" || Name == "data_ptr")
      return handle(Call);
    if (Name.empty() || Name == "raw")
      return lost();
    if (Name == "rank") // the body goes by it
      countIndices(std::nullopt);
    return done(); // size(), dtype(), ...
  }

  /// A pointer, or the values of a differentiable view. Its gradients are no business of the function.
  static bool leadsOn(const MemberExpr &Member) {
    return Member.getType()->isPointerType() ||
           (!tensorViewElement(Member.getType()).isNull() && Member.getMemberDecl()->getName() == "primal");
  }

  /// An integer is one, a vector several.
  static std::optional<unsigned> indicesIn(const Expr *Index) {
    QualType Type = Index->getType().getNonReferenceType();
    if (Type->isIntegralOrEnumerationType())
      return 1;
    std::optional<std::pair<QualType, unsigned>> Vector = cudaVector(Type);
    return Vector ? std::optional(Vector->second) : std::nullopt;
  }

  /// v.load(i), v.store(i, x), v.size(d); what a class of the user's calls on itself.
  Step callOfDiffView(const CXXMemberCallExpr &Call) {
    const CXXMethodDecl *Method = Call.getMethodDecl();
    if (isa<CXXConversionDecl>(Method))
      return handle(&Call);
    StringRef Name = Method->getIdentifier() ? Method->getName() : "";
    for (unsigned I = 0; I < Call.getNumArgs() && I < 1; ++I)
      index(Call.getArg(I));
    const auto *Space = dyn_cast<NamespaceDecl>(Method->getParent()->getDeclContext());
    if (!Space || Space->getName() != "kernix")
      return afterCall(Call, followObject(*Method));
    bool IsStore = Name.starts_with("store"), IsLoad = Name.starts_with("load");
    if (IsStore)
      write(&Call);
    else if (IsLoad)
      read(&Call);
    if (IsStore || IsLoad)
      countIndices(indicesIn(Call.getArg(0)));
    else if (Name == "rank") // the body goes by it
      countIndices(std::nullopt);
    return done();
  }

  /// The uses of `this` in a member function; gives what that returns of it.
  Kind followObject(const CXXMethodDecl &Method) {
    const FunctionDecl *Definition = nullptr;
    if (!Method.hasBody(Definition) || (!ThroughObjects && Bodies.size() >= MaxFunctions)) {
      unknown();
      return Kind::None;
    }
    auto [Known, IsNew] = ReturnedByMembers.try_emplace(Definition, Kind::None);
    if (!IsNew)
      return Known->second;
    std::unique_ptr<BodyIndex> &Slot = Bodies[Definition];
    if (!Slot)
      Slot = std::make_unique<BodyIndex>(Definition);
    const FunctionDecl *OuterFunction = std::exchange(CurrentFunction, Definition);
    BodyIndex *Outer = std::exchange(Current, Slot.get());
    llvm::SmallVector<std::pair<const VarDecl *, Kind>, 8> Variables;
    auto *OuterWork = std::exchange(Work, &Variables);
    Kind OuterReturn = std::exchange(Return, Kind::None);
    for (const CXXThisExpr *This : Current->objects()) {
      const Expr *Object = This;
      while (const auto *Cast = dyn_cast_or_null<CastExpr>(parent(Object))) // to a base
        Object = Cast;
      const auto *Member = dyn_cast_or_null<MemberExpr>(parent(Object));
      Step Next = Member ? memberOfView(*Member, Object) : lost();
      if (Next.Meaning != Kind::None)
        climb(Next.E, Next.Meaning);
    }
    for (size_t I = 0; I < Variables.size(); ++I) // grows
      for (const DeclRefExpr *Mention : Current->mentions(Variables[I].first))
        climb(Mention, Variables[I].second);
    Current = Outer;
    CurrentFunction = OuterFunction;
    Work = OuterWork;
    return ReturnedByMembers[Definition] = std::exchange(Return, OuterReturn);
  }

  Step operatorOfView(const CXXOperatorCallExpr &Call, const Expr *E) {
    if (Call.getOperator() == OO_Equal) {
      if (Call.getArg(0) == E) { // the view itself is replaced
        countIndices(std::nullopt);
        return done();
      }
      return assign(*Call.getArg(0), E);
    }
    bool IsAccess = Call.getOperator() == OO_Subscript || Call.getOperator() == OO_Call;
    if (!IsAccess || Call.getArg(0) != E || viewElement(E->getType()).isNull())
      return passHandle(Call, E);
    for (unsigned I = 1; I < Call.getNumArgs(); ++I)
      index(Call.getArg(I));
    if (diffViewElement(E->getType()).isNull())
      countIndices(Call.getNumArgs() - 1);
    else
      countIndices(indicesIn(Call.getArg(1)));
    return element(&Call);
  }

  Step passHandle(const CallExpr &Call, const Expr *E) {
    const FunctionDecl *Callee = calledFunction(Call);
    std::optional<unsigned> Index = parameterIndex(Call, E);
    if (!Callee || !Index)
      return lost();
    StringRef Name = Callee->getIdentifier() ? Callee->getName() : "";
    // What a gradient beside the tensor is written by is no business of the function's signature.
    if (Name == "__builtin_assume_aligned" || (Name == "from_tensor" && !viewElement(Call.getType()).isNull()))
      return *Index == 0 ? handle(&Call) : lost();
    if (Name == "__builtin_prefetch")
      return done();
    if (*Index >= Callee->getNumParams())
      return lost();
    QualType Type = Callee->getParamDecl(*Index)->getType();
    bool ReadOnly = Type->isPointerType() && Type->getPointeeType().isConstQualified();
    if (Name.starts_with("atomic") && *Index == 0 && !ReadOnly) {
      Uses.Atomic = true;
      read(E);
      write(E);
      return done();
    }
    if (Callee->hasBody() && !ReadOnly)
      return afterCall(Call, follow(Callee, *Index, Kind::Handle));
    if (ReadOnly) {
      read(E);
      if (ThroughObjects)
        return done();
      return Call.getType()->isPointerType() || Call.getType()->isRecordType() ? lost() : done();
    }
    if (overwritesFirst(Name) && *Index == 0) {
      write(E);
      return done();
    }
    QualType Element = tensorViewElement(Type);
    bool MayWrite =
        Type->isPointerType() ||
        (!Type.isConstQualified() && (isKernixTensor(Type) || (!Element.isNull() && !Element.isConstQualified())));
    if (MayWrite && !Uses.Escape)
      Uses.Escape = E;
    return lost();
  }

  //===--------------------------------------------------------------------------------------------------------------===//
  // Elements
  //===--------------------------------------------------------------------------------------------------------------===//

  Step stepElement(const Stmt *Parent, const Expr *E) {
    if (isElementOfView(E->getType()) && isCutOffWhereTested(Parent))
      Uses.CutOff = E;
    if (const auto *Cast = dyn_cast<CastExpr>(Parent))
      return castElement(*Cast, E);
    if (const auto *Member = dyn_cast<MemberExpr>(Parent)) {
      if (const auto *Method = dyn_cast<CXXMethodDecl>(Member->getMemberDecl())) {
        if (isa<CXXConversionDecl>(Method) && isElementOfView(E->getType()) && isCutOff(*Member))
          Uses.CutOff = E;
        callOnElement(*Method, E);
        return done();
      }
      return isa<FieldDecl>(Member->getMemberDecl()) ? element(Member) : done();
    }
    if (const auto *Subscript = dyn_cast<ArraySubscriptExpr>(Parent); Subscript && Subscript->getBase() == E)
      return element(Subscript);
    if (const auto *Unary = dyn_cast<UnaryOperator>(Parent))
      return unaryElement(*Unary, E);
    if (const auto *Binary = dyn_cast<BinaryOperator>(Parent))
      return binaryElement(*Binary, E);
    if (const auto *Call = dyn_cast<CallExpr>(Parent))
      return passElement(*Call, E);
    if (const auto *Construct = dyn_cast<CXXConstructExpr>(Parent)) {
      passToConstructor(*Construct, E);
      return done();
    }
    return lost();
  }

  /// `c ? view[i] : 0`, which is an int, or `: false`: view[i] is no number itself, and becomes what the other side is.
  bool isCutOff(const MemberExpr &Conversion) const {
    bool BecomesInteger = false;
    const Stmt *Inner = &Conversion, *Outer = parent(Inner);
    while (isa_and_nonnull<CXXMemberCallExpr, ImplicitCastExpr, ParenExpr, ExprWithCleanups>(Outer)) {
      BecomesInteger |= isToInteger(*Outer);
      Inner = std::exchange(Outer, parent(Outer));
    }
    const auto *Choice = dyn_cast_or_null<ConditionalOperator>(Outer);
    return BecomesInteger && Choice && Choice->getCond() != Inner;
  }

  static bool isToInteger(const Stmt &Statement) {
    const auto *Cast = dyn_cast<ImplicitCastExpr>(&Statement);
    return Cast && (Cast->getCastKind() == CK_FloatingToIntegral || Cast->getCastKind() == CK_FloatingToBoolean);
  }

  /// `view[i] ?: 0`, in which it stands once and is seen twice.
  bool isCutOffWhereTested(const Stmt *Outer) const {
    while (isa_and_nonnull<OpaqueValueExpr, CXXMemberCallExpr, MemberExpr, ImplicitCastExpr, ParenExpr>(Outer))
      Outer = parent(Outer);
    const auto *Choice = dyn_cast_or_null<BinaryConditionalOperator>(Outer);
    const Expr *Chosen = Choice ? Choice->getTrueExpr() : nullptr;
    for (; isa_and_nonnull<ImplicitCastExpr>(Chosen); Chosen = cast<ImplicitCastExpr>(Chosen)->getSubExpr())
      if (isToInteger(*Chosen))
        return true;
    return false;
  }

  Step castElement(const CastExpr &Cast, const Expr *E) {
    if (Cast.getCastKind() == CK_LValueToRValue) {
      read(E);
      return done();
    }
    if (Cast.getCastKind() == CK_ArrayToPointerDecay)
      return handle(&Cast);
    if (Cast.getType()->isVoidType())
      return done();
    if (Cast.isGLValue())
      return element(&Cast);
    read(E);
    return Cast.getType()->isPointerType() ? lost() : done();
  }

  Step unaryElement(const UnaryOperator &Unary, const Expr *E) {
    if (Unary.getOpcode() == UO_AddrOf)
      return handle(&Unary);
    if (Unary.isIncrementDecrementOp()) {
      read(E);
      write(E);
      return done();
    }
    if (Unary.getOpcode() == UO_Real || Unary.getOpcode() == UO_Imag)
      return element(&Unary);
    return lost();
  }

  Step binaryElement(const BinaryOperator &Binary, const Expr *E) {
    if (Binary.getOpcode() == BO_Comma)
      return Binary.getRHS() == E ? element(&Binary) : done();
    if (!Binary.isAssignmentOp() || Binary.getLHS() != E)
      return lost();
    if (Binary.isCompoundAssignmentOp())
      read(E);
    write(&Binary);
    return afterAssignment(Binary);
  }

  /// The result of `a = b` read again is the value just written.
  Step afterAssignment(const Expr &Assignment) {
    const Expr *E = &Assignment;
    const Stmt *Outer = parent(E);
    while (isa_and_nonnull<ParenExpr, ExprWithCleanups>(Outer)) {
      E = cast<Expr>(Outer);
      Outer = parent(Outer);
    }
    if (!Outer || isDiscarded(Outer, E))
      return done();
    if (const auto *Cast = dyn_cast<ImplicitCastExpr>(Outer); Cast && Cast->getCastKind() == CK_LValueToRValue)
      return done();
    if (const auto *Cast = dyn_cast<CastExpr>(Outer); Cast && Cast->getType()->isVoidType())
      return done();
    return element(&Assignment);
  }

  void callOnElement(const CXXMethodDecl &Method, const Expr *E) {
    if (Method.isStatic())
      return;
    if (Method.isCopyAssignmentOperator() || Method.isMoveAssignmentOperator())
      return write(E);
    read(E);
    if (!Method.isConst()) {
      write(E);
      Uses.Atomic |= runsAtomics(&Method, Skipped);
    }
    if (Method.getReturnType()->isReferenceType() || Method.getReturnType()->isPointerType())
      unknown();
  }

  Step passElement(const CallExpr &Call, const Expr *E) {
    const FunctionDecl *Callee = calledFunction(Call);
    const auto *Method = dyn_cast_or_null<CXXMethodDecl>(Callee);
    if (const auto *Operator = dyn_cast<CXXOperatorCallExpr>(&Call); Operator && Method && Call.getArg(0) == E) {
      if (Operator->getOperator() == OO_Equal) {
        write(&Call);
        return afterAssignment(Call);
      }
      if (isElementOfView(E->getType())) { // +=
        read(E);
        write(&Call);
        return afterAssignment(Call);
      }
      callOnElement(*Method, E);
      return done();
    }
    std::optional<unsigned> Index = parameterIndex(Call, E);
    if (!Callee || !Index || *Index >= Callee->getNumParams())
      return lost();
    QualType Type = Callee->getParamDecl(*Index)->getType();
    if (!Type->isReferenceType() && !isElementOfView(Type)) {
      read(E);
      return done();
    }
    if (isElementOfView(Type) && Callee->hasBody())
      return afterCall(Call, follow(Callee, *Index, Kind::Element));
    if (Callee->hasBody() && !Type->getPointeeType().isConstQualified())
      return afterCall(Call, follow(Callee, *Index, Kind::Element));
    read(E);
    // std::min and relatives give back a reference to their argument.
    if (Type->getPointeeType().isConstQualified())
      return done();
    return lost();
  }

  void passToConstructor(const CXXConstructExpr &Construct, const Expr *E) {
    read(E);
    for (unsigned I = 0; I < Construct.getNumArgs() && I < Construct.getConstructor()->getNumParams(); ++I) {
      QualType Type = Construct.getConstructor()->getParamDecl(I)->getType();
      if (Construct.getArg(I) != E || !Type->isReferenceType() || Type->getPointeeType().isConstQualified())
        continue;
      if (ThroughObjects)
        passToConstructor(Construct, E, Kind::Element);
      else
        unknown();
    }
  }

  //===--------------------------------------------------------------------------------------------------------------===//
  // Calls
  //===--------------------------------------------------------------------------------------------------------------===//

  /// The parameter that takes argument `E`; nothing for the callee, the object, and what else is part of a call.
  static std::optional<unsigned> parameterIndex(const CallExpr &Call, const Expr *E) {
    unsigned Index = 0;
    while (Index < Call.getNumArgs() && Call.getArg(Index) != E)
      ++Index;
    if (Index == Call.getNumArgs())
      return std::nullopt;
    // Operators that are members count their object as an argument.
    const auto *Method = dyn_cast_or_null<CXXMethodDecl>(Call.getDirectCallee());
    if (!isa<CXXOperatorCallExpr>(Call) || !Method || Method->isStatic())
      return Index;
    return Index ? std::optional(Index - 1) : std::nullopt;
  }

  Step afterCall(const CallExpr &Call, Kind Returned) {
    if (Returned == Kind::None)
      return done();
    if (Returned == Kind::Element && !Call.isGLValue() && !isElementOfView(Call.getType())) // read in there
      return done();
    return {&Call, Returned};
  }
};

TensorUses uses(const FunctionDecl *F, const ParmVarDecl *Parameter, Kind As, const SkippedCode &Skipped) {
  UseFinder Finder(Skipped);
  Finder.Uses.BodyVisible = F->hasBody();
  if (Finder.Uses.BodyVisible && Finder.follow(F, Parameter->getFunctionScopeIndex(), As) != Kind::None)
    Finder.Uses.Unknown = true;
  return Finder.Uses;
}

} // namespace

TensorUses kernix::tensorUses(const FunctionDecl *F, const ParmVarDecl *Tensor, const SkippedCode &Skipped) {
  return uses(F, Tensor, Kind::Handle, Skipped);
}

TensorUses kernix::usesThroughObjects(const FunctionDecl *F, const ParmVarDecl *Tensor, const SkippedCode &Skipped) {
  UseFinder Finder(Skipped);
  Finder.Uses.BodyVisible = F->hasBody();
  Finder.followEverywhere(F, Tensor);
  return Finder.Uses;
}

TensorUses kernix::referenceUses(const FunctionDecl *F, const ParmVarDecl *Reference, const SkippedCode &Skipped) {
  return uses(F, Reference, Kind::Element, Skipped);
}
