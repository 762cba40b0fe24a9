//===- FieldDefaults.cpp - default member initializers of structs -------------------------------------------------===//
//
// Walks a struct in the order of its leaves. An initializer that a constructor writes counts like one at the member; a
// constructor that does more than that, or whose body is not visible, makes every initializer unknown. A member without
// an initializer has the defaults of its own type. Zeroes that aggregate initialization would put in are no defaults: a
// caller that leaves out a member without an initializer has forgotten it.
//
//===--------------------------------------------------------------------------------------------------------------===//

#include "Binding/FieldDefaults.h"
#include "Binding/StructDefaults.h"
#include "Binding/Types.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Sema/EnterExpressionEvaluationContext.h"

using namespace clang;
using namespace kernix;

namespace {

/// The default constructor that the user wrote the body of; null if the compiler makes it.
const CXXConstructorDecl *writtenConstructor(const CXXRecordDecl *Record) {
  for (const CXXConstructorDecl *Each : Record->ctors())
    if (Each->isDefaultConstructor() && Each->isUserProvided())
      return Each;
  return nullptr;
}

bool doesOnlyInitialize(const CXXConstructorDecl *Constructor) {
  const auto *Body = dyn_cast_or_null<CompoundStmt>(Constructor->getBody());
  return Body && Body->body_empty() && !Constructor->isDelegatingConstructor();
}

class Reader {
public:
  Reader(Sema &S, std::vector<Field> &Leaves) : S(S), Context(S.getASTContext()), Leaves(Leaves) {}

  void read(QualType Type) {
    if (const ConstantArrayType *Array = leafArray(Type)) {
      for (uint64_t I = 0; I < Context.getConstantArrayElementCount(Array); ++I)
        read(Context.getBaseElementType(Type));
      return;
    }
    if (isLeaf(Type)) {
      ++Next;
      return;
    }
    const CXXRecordDecl *Record = Type->getAsCXXRecordDecl();
    const CXXConstructorDecl *Constructor = writtenConstructor(Record);
    for (const CXXBaseSpecifier &Base : Record->bases()) {
      if (Base.getType()->getAsCXXRecordDecl()->isEmpty())
        continue;
      size_t First = Next;
      read(Base.getType());
      if (Constructor) // which may initialize the base as it likes
        forget(First);
    }
    for (FieldDecl *Member : Record->fields())
      readMember(Member, Constructor);
  }

private:
  bool isLeaf(QualType Type) const { return scalarDtype(Context, Context.getBaseElementType(Type)).has_value(); }

  /// An array of structs, whose elements are leaves of their own.
  const ConstantArrayType *leafArray(QualType Type) const {
    return isLeaf(Type) ? nullptr : Context.getAsConstantArrayType(Type);
  }

  void readMember(FieldDecl *Member, const CXXConstructorDecl *Constructor) {
    size_t First = Next;
    read(Member->getType());
    bool IsWritten = Member->hasInClassInitializer();
    const Expr *Initializer = nullptr;
    if (!Constructor) {
      Initializer = IsWritten ? ofMember(Member) : nullptr;
    } else if (!doesOnlyInitialize(Constructor)) {
      forget(First);
    } else {
      for (const CXXCtorInitializer *Each : Constructor->inits())
        if (Each->getMember() == Member && (Each->isWritten() || IsWritten)) {
          IsWritten = true;
          Initializer = Each->getInit();
        }
    }
    if (!IsWritten)
      return;
    std::vector<ConstantScalar> Scalars;
    bool IsConstant = Initializer && !Initializer->isValueDependent() &&
                      readConstants(Context, Initializer, Member->getType(), Scalars);
    put(First, IsConstant ? Scalars : std::vector<ConstantScalar>());
  }

  /// Of a class template the initializer is made when it is needed.
  const Expr *ofMember(FieldDecl *Member) {
    if (!Member->getInClassInitializer()) {
      EnterExpressionEvaluationContext Unevaluated(S, Sema::ExpressionEvaluationContext::Unevaluated);
      if (S.BuildCXXDefaultInitExpr(Member->getLocation(), Member).isInvalid())
        return nullptr;
    }
    return Member->getInClassInitializer();
  }

  /// The leaves from `First` on get these scalars, one after another; without scalars they are unknown.
  void put(size_t First, llvm::ArrayRef<ConstantScalar> Scalars) {
    for (Field &Leaf : llvm::MutableArrayRef(Leaves).slice(First, Next - First)) {
      auto Count = static_cast<size_t>(Leaf.Count);
      Leaf.HasUnknownDefault = Scalars.size() < Count;
      Leaf.Default.clear();
      if (Leaf.HasUnknownDefault)
        continue;
      Leaf.Default.assign(Scalars.begin(), Scalars.begin() + static_cast<ptrdiff_t>(Count));
      Scalars = Scalars.drop_front(Count);
    }
  }

  void forget(size_t First) {
    for (Field &Leaf : llvm::MutableArrayRef(Leaves).slice(First, Next - First)) {
      Leaf.HasUnknownDefault |= !Leaf.Default.empty();
      Leaf.Default.clear();
    }
  }

  Sema &S;
  ASTContext &Context;
  std::vector<Field> &Leaves;
  size_t Next = 0; ///< leaf
};

} // namespace

void kernix::readFieldDefaults(Sema &S, QualType Type, std::vector<Field> &Leaves) { Reader(S, Leaves).read(Type); }
