//===- AttributeStore.cpp - the attributes of a translation unit --------------------------------------------------===//
//
// Finds all declarations that speak for an entity (redeclarations, the template it was instantiated from) and joins
// what they say.
//
//===--------------------------------------------------------------------------------------------------------------===//

#include "Attributes/AttributeStore.h"
#include "Diagnostics/Diagnostics.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/Stmt.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/MapVector.h"
#include <deque>

using namespace clang;

namespace kernix {
namespace {

/// Calls `Visit(name, slot of A, slot of B)` for every attribute.
template <class A, class B, class Visitor> void forEachSlot(A &First, B &Second, Visitor Visit) {
  Visit("bind", First.Bind, Second.Bind);
  Visit("instantiate", First.Instantiate, Second.Instantiate);
  Visit("grid", First.Grid, Second.Grid);
  Visit("block", First.Block, Second.Block);
  Visit("shared_bytes", First.SharedBytes, Second.SharedBytes);
  Visit("max_registers", First.MaxRegisters, Second.MaxRegisters);
  Visit("capability", First.Capability, Second.Capability);
  Visit("differentiable", First.Differentiable, Second.Differentiable);
  Visit("forward_derivative", First.ForwardDerivative, Second.ForwardDerivative);
  Visit("backward_derivative", First.BackwardDerivative, Second.BackwardDerivative);
  Visit("forward_derivative_of", First.ForwardDerivativeOf, Second.ForwardDerivativeOf);
  Visit("backward_derivative_of", First.BackwardDerivativeOf, Second.BackwardDerivativeOf);
  Visit("intent", First.Intent, Second.Intent);
  Visit("shape", First.Shape, Second.Shape);
  Visit("value", First.Value, Second.Value);
  Visit("optional", First.Optional, Second.Optional);
  Visit("diff", First.Diff, Second.Diff);
  Visit("no_diff", First.NoDiff, Second.NoDiff);
  Visit("recompute", First.Recompute, Second.Recompute);
  Visit("store", First.Store, Second.Store);
}

bool isEmpty(const DeclAttributes &Attributes) {
  bool Empty = true;
  forEachSlot(Attributes, Attributes, [&](const char *, auto &Slot, auto &) { Empty = Empty && !Slot; });
  return Empty;
}

/// The declarations of the function itself, or of the template that it was made from: those that users wrote.
const FunctionDecl *writtenFunction(const FunctionDecl *Function) {
  if (const FunctionDecl *Pattern = Function->getTemplateInstantiationPattern())
    return Pattern;
  return Function;
}

const VarDecl *writtenVariable(const VarDecl *Variable) {
  if (const VarDecl *Pattern = Variable->getTemplateInstantiationPattern())
    return Pattern;
  return Variable;
}

/// The parameter of `Written` from which the parameter `Index` of `Function` was made: a pack makes several.
unsigned writtenIndex(const FunctionDecl *Written, const FunctionDecl *Function, unsigned Index) {
  unsigned Count = Function->getNumParams();
  for (unsigned I = 0; I != Written->getNumParams(); ++I) {
    if (!Written->getParamDecl(I)->isParameterPack())
      continue;
    unsigned After = Written->getNumParams() - I - 1;
    if (Index < I)
      return Index;
    return Index + After >= Count ? Written->getNumParams() - (Count - Index) : I;
  }
  return Index;
}

/// Oldest first.
template <class D> SmallVector<const D *, 4> declarationsOf(const D *Entity) {
  SmallVector<const D *, 4> List;
  for (const D *Each = Entity->getMostRecentDecl(); Each; Each = Each->getPreviousDecl())
    List.push_back(Each);
  std::reverse(List.begin(), List.end());
  return List;
}

} // namespace

struct AttributeStore::Implementation {
  explicit Implementation(ASTContext &Context) : Context(Context) {}

  ASTContext &Context;
  llvm::MapVector<const Decl *, std::unique_ptr<DeclAttributes>> Written, External;
  std::deque<StmtAttributes> Statements;
  /// By where they begin, which an instantiation keeps.
  llvm::DenseMap<SourceLocation, StmtAttributes *> StatementAt;
  llvm::DenseMap<SourceLocation, const Decl *> LocalVariableAt;
  /// Joined attributes by canonical declaration; forgotten when something is added, but never freed before the end.
  llvm::DenseMap<const Decl *, const DeclAttributes *> Joined;
  std::deque<DeclAttributes> Memory;
  SmallVector<const Decl *, 0> Annotated;

  static DeclAttributes &slot(llvm::MapVector<const Decl *, std::unique_ptr<DeclAttributes>> &Map, const Decl *D) {
    std::unique_ptr<DeclAttributes> &Slot = Map[D];
    if (!Slot)
      Slot = std::make_unique<DeclAttributes>();
    return *Slot;
  }

  void forget() {
    Joined.clear();
    Annotated.clear();
  }

  static const DeclAttributes *find(const llvm::MapVector<const Decl *, std::unique_ptr<DeclAttributes>> &Map,
                                    const Decl *D) {
    auto It = Map.find(D);
    return It == Map.end() ? nullptr : It->second.get();
  }

  /// What speaks for an entity, the strongest first: the YAML file, then the source from the oldest declaration on.
  struct Speakers {
    SmallVector<const DeclAttributes *, 4> List;

    void add(const DeclAttributes *Attributes) {
      if (Attributes && !isEmpty(*Attributes))
        List.push_back(Attributes);
    }
  };

  template <class D> Speakers speakersFor(const D *Entity) const {
    Speakers Result;
    SmallVector<const D *, 4> Declarations = declarationsOf(Entity);
    for (const D *Each : Declarations)
      Result.add(find(External, Each));
    for (const D *Each : Declarations)
      Result.add(find(Written, Each));
    return Result;
  }

  Speakers speakersFor(const FunctionDecl *Function, unsigned Index) const {
    Speakers Result;
    SmallVector<const FunctionDecl *, 4> Declarations = declarationsOf(Function);
    for (const auto *Map : {&External, &Written})
      for (const FunctionDecl *Each : Declarations)
        if (Index < Each->getNumParams())
          Result.add(find(*Map, Each->getParamDecl(Index)));
    return Result;
  }

  const DeclAttributes *join(const Decl *Key, const Speakers &Speakers) {
    if (Speakers.List.empty())
      return Joined[Key] = nullptr;
    if (Speakers.List.size() == 1)
      return Joined[Key] = Speakers.List.front();
    Memory.push_back(*Speakers.List.front());
    for (const DeclAttributes *Each : llvm::ArrayRef(Speakers.List).drop_front())
      forEachSlot(Memory.back(), *Each, [](const char *, auto &Slot, auto &Other) {
        if (!Slot)
          Slot = Other;
      });
    return Joined[Key] = &Memory.back();
  }

  void checkAgreement(Diagnostics &Diag, const Speakers &Speakers) {
    for (size_t I = 1; I < Speakers.List.size(); ++I)
      for (size_t J = 0; J != I; ++J)
        forEachSlot(*Speakers.List[J], *Speakers.List[I], [&](const char *Name, auto &First, auto &Second) {
          if (!First || !Second || First->sameAs(*Second, Context))
            return;
          if (First->External) {
            Diag.warning(WarningGroup::NoEffect, Second->location(),
                         "'kernix::%0' has no effect: the configuration file says otherwise")
                << Name << Second->Range;
            Diag.note(First->location(), "given here") << First->Range;
            return;
          }
          Diag.error(Second->location(), "'kernix::%0' differs from that of an earlier declaration")
              << Name << Second->Range;
          Diag.note(First->location(), "earlier given here") << First->Range;
        });
  }
};

AttributeStore::AttributeStore(ASTContext &Context) : Impl(std::make_unique<Implementation>(Context)) {}
AttributeStore::~AttributeStore() = default;

AttributeStore &AttributeStore::get(ASTContext &Context) {
  // An ASTContext has no room for foreign data.
  static llvm::DenseMap<const ASTContext *, std::unique_ptr<AttributeStore>> Stores;
  std::unique_ptr<AttributeStore> &Store = Stores[&Context];
  if (!Store) {
    Store = std::make_unique<AttributeStore>(Context);
    Context.AddDeallocation([](void *Gone) { Stores.erase(static_cast<ASTContext *>(Gone)); }, &Context);
  }
  return *Store;
}

const DeclAttributes *AttributeStore::lookup(const FunctionDecl *Function) {
  const FunctionDecl *Entity = writtenFunction(Function)->getCanonicalDecl();
  auto Known = Impl->Joined.find(Entity);
  return Known != Impl->Joined.end() ? Known->second : Impl->join(Entity, Impl->speakersFor(Entity));
}

const DeclAttributes *AttributeStore::lookup(const ParmVarDecl *Parameter) {
  const auto *Function = dyn_cast<FunctionDecl>(Parameter->getDeclContext());
  if (!Function)
    return Implementation::find(Impl->Written, Parameter);
  const FunctionDecl *Entity = writtenFunction(Function)->getCanonicalDecl();
  unsigned Index = writtenIndex(Entity, Function, Parameter->getFunctionScopeIndex());
  if (Index >= Entity->getNumParams())
    return nullptr;
  const Decl *Key = Entity->getParamDecl(Index);
  auto Known = Impl->Joined.find(Key);
  return Known != Impl->Joined.end() ? Known->second : Impl->join(Key, Impl->speakersFor(Entity, Index));
}

const DeclAttributes *AttributeStore::lookup(const VarDecl *Variable) {
  if (const auto *Parameter = dyn_cast<ParmVarDecl>(Variable))
    return lookup(Parameter);
  if (Variable->isLocalVarDecl() || Variable->isExceptionVariable()) {
    const Decl *D = Variable;
    if (auto At = Impl->LocalVariableAt.find(Variable->getLocation()); At != Impl->LocalVariableAt.end())
      D = At->second;
    return Implementation::find(Impl->Written, D);
  }
  const VarDecl *Entity = writtenVariable(Variable)->getCanonicalDecl();
  auto Known = Impl->Joined.find(Entity);
  return Known != Impl->Joined.end() ? Known->second : Impl->join(Entity, Impl->speakersFor(Entity));
}

const StmtAttributes *AttributeStore::lookup(const Stmt *Statement) {
  return Impl->StatementAt.lookup(Statement->getBeginLoc());
}

llvm::ArrayRef<const Decl *> AttributeStore::annotated() {
  if (!Impl->Annotated.empty())
    return Impl->Annotated;
  llvm::DenseSet<const Decl *> Seen;
  for (const auto *Map : {&Impl->Written, &Impl->External})
    for (const auto &[D, Attributes] : *Map) {
      if (isEmpty(*Attributes))
        continue;
      const Decl *Owner = D;
      if (isa<ParmVarDecl>(D))
        Owner = dyn_cast<FunctionDecl>(D->getDeclContext());
      else if (const auto *Variable = dyn_cast<VarDecl>(D); Variable && Variable->isLocalVarDecl())
        Owner = nullptr;
      if (Owner && Seen.insert(Owner->getCanonicalDecl()).second)
        Impl->Annotated.push_back(Owner);
    }
  return Impl->Annotated;
}

llvm::SmallVector<const StmtAttributes *, 4> AttributeStore::statementsIn(const FunctionDecl *Function) {
  const FunctionDecl *Entity = writtenFunction(Function)->getCanonicalDecl();
  llvm::SmallVector<const StmtAttributes *, 4> Result;
  for (const StmtAttributes &Each : Impl->Statements)
    if (Each.Function && Each.Function->getCanonicalDecl() == Entity)
      Result.push_back(&Each);
  llvm::sort(Result, [&](const StmtAttributes *A, const StmtAttributes *B) {
    return Impl->Context.getSourceManager().isBeforeInTranslationUnit(A->Statement->getBeginLoc(),
                                                                      B->Statement->getBeginLoc());
  });
  return Result;
}

llvm::SmallVector<const StmtAttributes *, 0> AttributeStore::allStatements() const {
  llvm::SmallVector<const StmtAttributes *, 0> Result;
  for (const StmtAttributes &Each : Impl->Statements)
    Result.push_back(&Each);
  return Result;
}

bool AttributeStore::empty() const {
  return Impl->Written.empty() && Impl->External.empty() && Impl->Statements.empty();
}

llvm::SmallVector<std::pair<const Decl *, const DeclAttributes *>, 0> AttributeStore::allWritten() const {
  llvm::SmallVector<std::pair<const Decl *, const DeclAttributes *>, 0> Result;
  for (const auto *Map : {&Impl->Written, &Impl->External})
    for (const auto &[D, Attributes] : *Map)
      if (!isEmpty(*Attributes))
        Result.push_back({D, Attributes.get()});
  return Result;
}

void AttributeStore::checkAgreement(Sema &S) {
  Diagnostics Diag(S);
  for (const Decl *Owner : annotated()) {
    if (const auto *Variable = dyn_cast<VarDecl>(Owner)) {
      Impl->checkAgreement(Diag, Impl->speakersFor(Variable));
      continue;
    }
    const auto *Function = cast<FunctionDecl>(Owner);
    Impl->checkAgreement(Diag, Impl->speakersFor(Function));
    for (unsigned I = 0; I != Function->getNumParams(); ++I)
      Impl->checkAgreement(Diag, Impl->speakersFor(Function, I));
  }
}

DeclAttributes &AttributeStore::written(const Decl *D) {
  Impl->forget();
  const auto *Variable = dyn_cast<VarDecl>(D);
  if (Variable && (Variable->isLocalVarDecl() || Variable->isExceptionVariable()))
    Impl->LocalVariableAt[Variable->getLocation()] = D;
  return Implementation::slot(Impl->Written, D);
}

DeclAttributes &AttributeStore::external(const Decl *D) {
  Impl->forget();
  return Implementation::slot(Impl->External, D);
}

StmtAttributes &AttributeStore::written(const Stmt *Statement, const FunctionDecl *Function) {
  StmtAttributes *&At = Impl->StatementAt[Statement->getBeginLoc()];
  if (!At) {
    At = &Impl->Statements.emplace_back();
    At->Statement = Statement;
    At->Function = Function;
  }
  return *At;
}

} // namespace kernix
