//===- Storage.cpp - [[kernix::recompute]] and [[kernix::store]] --------------------------------------------------===//
//
// Syntax and diagnostics of the two, which exclude each other.
//
//===--------------------------------------------------------------------------------------------------------------===//

#include "Attributes/Storage.h"
#include "Attributes/Attribute.h"
#include "Attributes/Effect.h"
#include "clang/AST/Attr.h"
#include "clang/AST/Decl.h"

using namespace clang;

namespace kernix {
namespace {

constexpr unsigned Places = OnFunction | OnLocalVariable | OnLoop;

/// Both are for what a thread computes in a function that is differentiated.
void checkSubject(Sema &S, const FinishedSubject &Subject, const AttributeBase &Own, llvm::StringRef Name) {
  if (const auto *Variable = dyn_cast<VarDecl>(Subject.Written)) {
    if (Variable->hasAttr<CUDASharedAttr>() || Variable->isStaticLocal())
      Diagnostics(S).error(Own.location(), "'kernix::%0' applies to variables of one thread, and %1 is "
                                           "%select{static|__shared__}2")
          << Name << Variable << Variable->hasAttr<CUDASharedAttr>() << Own.Range;
    return;
  }
  if (Subject.Function->hasAttr<CUDAGlobalAttr>() && !Subject.IsDifferentiable)
    warnNoEffect(S, Subject, Own, Name, "is not differentiable");
}

class Recompute : public DeclAttribute<&DeclAttributes::Recompute> {
public:
  Recompute() : DeclAttribute("recompute", Places) {}

  void check(Sema &S, const FinishedSubject &Subject) const override { checkSubject(S, Subject, own(Subject), name()); }

protected:
  bool apply(WrittenArguments &Arguments, DeclAttributes &Record) const override {
    return Arguments.count(0, 0) && setOnce(Arguments, Record.Recompute, RecomputeAttribute());
  }
  bool apply(WrittenArguments &Arguments, StmtAttributes &Record) const override {
    if (!Arguments.count(0, 0))
      return false;
    if (Record.Store)
      return Arguments.refuseBoth("store", Record.Store->Range);
    return setOnce(Arguments, Record.Recompute, RecomputeAttribute());
  }
};

class Store : public DeclAttribute<&DeclAttributes::Store> {
public:
  Store() : DeclAttribute("store", Places) {}

  void check(Sema &S, const FinishedSubject &Subject) const override {
    if (Subject.All->Recompute)
      return refuseBoth(S, own(Subject), name(), *Subject.All->Recompute, "recompute");
    checkSubject(S, Subject, own(Subject), name());
  }

protected:
  bool apply(WrittenArguments &Arguments, DeclAttributes &Record) const override {
    return Arguments.count(0, 0) && setOnce(Arguments, Record.Store, StoreAttribute());
  }
  bool apply(WrittenArguments &Arguments, StmtAttributes &Record) const override {
    if (!Arguments.count(0, 0))
      return false;
    if (Record.Recompute)
      return Arguments.refuseBoth("recompute", Record.Recompute->Range);
    return setOnce(Arguments, Record.Store, StoreAttribute());
  }
};

ParsedAttrInfoRegistry::Add<Recompute> RegisterRecompute("kernix-recompute", "");
ParsedAttrInfoRegistry::Add<Store> RegisterStore("kernix-store", "");

} // namespace
} // namespace kernix
