//===- RuleJson.cpp - what the LLVM half has to know of a derivative that is written by hand --------------------===//

#include "Synthesis/RuleJson.h"
#include "Binding/Types.h"
#include "clang/AST/RecordLayout.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"

using namespace clang;
using namespace kernix;
namespace json = llvm::json;

namespace {

/// A parameter of more parts than this is not taken apart.
constexpr size_t MostLeaves = 256;

/// All numbers and pointers of a value, in the order of memory.
class LeafWriter {
public:
  explicit LeafWriter(ASTContext &Context) : Context(Context) {}

  /// False, with `Why`, if the value has others.
  bool append(QualType Type, int64_t Offset) {
    if (Leaves.size() >= MostLeaves)
      return fail("it has more than 256 numbers; pass a pointer to it");
    Type = Type.getCanonicalType().getUnqualifiedType();
    if (const ConstantArrayType *Array = Context.getAsConstantArrayType(Type)) {
      int64_t Size = Context.getTypeSizeInChars(Array->getElementType()).getQuantity();
      for (uint64_t I = 0; I < Array->getZExtSize(); ++I)
        if (!append(Array->getElementType(), Offset + static_cast<int64_t>(I) * Size))
          return false;
      return true;
    }
    if (Type->isPointerType() || Type->isReferenceType())
      return add(Type->getPointeeType().isConstQualified() ? "const pointer" : "pointer", Offset);
    if (Type->isNullPtrType())
      return add("const pointer", Offset);
    if (std::optional<kernix_dtype> Dtype = scalarDtype(Context, Type))
      return appendScalar(*Dtype, Offset);
    if (const auto *Vector = Type->getAs<VectorType>())
      return appendVector(*Vector, Offset);
    const CXXRecordDecl *Class = Type->getAsCXXRecordDecl();
    if (!Class || !Class->hasDefinition())
      return fail("there is a '" + typeName(Context, Type) + "' in it");
    return appendClass(*Class->getDefinition(), Offset);
  }

  json::Array Leaves;
  std::string Why;

private:
  ASTContext &Context;

  bool fail(std::string Message) {
    Why = std::move(Message);
    return false;
  }

  bool add(llvm::StringRef Type, int64_t Offset) {
    Leaves.push_back(json::Array{Offset, Type.str()});
    return true;
  }

  bool appendScalar(kernix_dtype Dtype, int64_t Offset) {
    int Bits = Dtype.bits;
    switch (Dtype.code) {
    case KERNIX_FLOAT:
      return add("f" + std::to_string(Bits), Offset);
    case KERNIX_BFLOAT:
      return add("bf16", Offset);
    case KERNIX_COMPLEX:
      return add("f" + std::to_string(Bits / 2), Offset) && add("f" + std::to_string(Bits / 2), Offset + Bits / 16);
    default:
      return add("i" + std::to_string(Bits), Offset);
    }
  }

  bool appendVector(const VectorType &Vector, int64_t Offset) {
    int64_t Size = Context.getTypeSizeInChars(Vector.getElementType()).getQuantity();
    for (unsigned I = 0; I < Vector.getNumElements(); ++I)
      if (!append(Vector.getElementType(), Offset + I * Size))
        return false;
    return true;
  }

  bool appendClass(const CXXRecordDecl &Class, int64_t Offset) {
    if (Class.isUnion())
      return fail("there is a union in it");
    if (Class.isPolymorphic() || Class.getNumVBases())
      return fail("it has virtual members");
    const ASTRecordLayout &Layout = Context.getASTRecordLayout(&Class);
    for (const CXXBaseSpecifier &Base : Class.bases()) {
      const CXXRecordDecl *Decl = Base.getType()->getAsCXXRecordDecl();
      if (!appendClass(*Decl, Offset + Layout.getBaseClassOffset(Decl).getQuantity()))
        return false;
    }
    for (const FieldDecl *Field : Class.fields()) {
      if (Field->isBitField())
        return fail("it has bit-fields");
      int64_t At = Offset + Context.toCharUnitsFromBits(Layout.getFieldOffset(Field->getFieldIndex())).getQuantity();
      if (!append(Field->getType(), At))
        return false;
    }
    return true;
  }
};

/// Whether an object of this type may be changed though it is const.
bool hasMutable(QualType Type) {
  const auto *Class = Type->getBaseElementTypeUnsafe()->getAsCXXRecordDecl();
  if (!Class || !Class->hasDefinition())
    return false;
  return llvm::any_of(Class->fields(), [](const FieldDecl *F) { return F->isMutable() || hasMutable(F->getType()); }) ||
         llvm::any_of(Class->bases(), [](const CXXBaseSpecifier &Base) { return hasMutable(Base.getType()); });
}

bool hasBody(const FunctionDecl &F) {
  const FunctionDecl *Written = F.getTemplateInstantiationPattern();
  return (Written ? Written : &F)->isDefined();
}

/// A device function is linked to those of its own file alone, but for one whose rule is beside it in another file.
/// Empty: the rule has its body here, or need not.
std::string whyWithoutBody(Sema &S, const FunctionDecl &F, const FunctionDecl &Rule) {
  const LangOptions &Options = S.getLangOpts();
  if (!Options.CUDAIsDevice || Options.GPURelocatableDeviceCode || hasBody(Rule) || !hasBody(F))
    return {};
  PresumedLoc Place = S.getSourceManager().getPresumedLoc(Rule.getLocation());
  std::string Text = "'" + Rule.getNameAsString() + "'";
  if (Place.isValid())
    Text += ", declared in line " + std::to_string(Place.getLine()) + " of " +
            llvm::sys::path::filename(Place.getFilename()).str() + ",";
  return Text + " has no body in this file";
}

class RuleWriter {
public:
  RuleWriter(Sema &S, const BoundFunction &F, kernix_derivative Mode, llvm::ArrayRef<DerivativeParameter> Parameters)
      : Context(S.getASTContext()), F(F), Mode(Mode), Parameters(Parameters) {}

  /// Why: it cannot be used, whatever its parameters are; empty: it can.
  json::Value write(std::string Why) {
    Refused = std::move(Why);
    json::Array Described;
    for (size_t I = 0; I < F.Parameters.size(); ++I)
      Described.push_back(describe(F.Parameters[I], static_cast<int>(I)));
    json::Object Result{{"function", json::fixUTF8(F.Name)},
                        {"mode", Mode == KERNIX_FORWARD_DERIVATIVE ? "forward" : "reverse"},
                        {"parameters", std::move(Described)}};
    QualType Returned = F.Decl->getReturnType();
    if (!Returned->isVoidType()) {
      Result["result"] = describe("result", Returned, "none", F.Result.Differentiable);
      Result["dual"] = Returned->isFloatingType() || Returned->isRecordType();
    }
    if (!Refused.empty())
      Result["refused"] = json::fixUTF8(Refused);
    return Result;
  }

private:
  ASTContext &Context;
  const BoundFunction &F;
  kernix_derivative Mode;
  llvm::ArrayRef<DerivativeParameter> Parameters;
  std::string Refused;

  bool hasSlot(int Index) const {
    return llvm::any_of(Parameters, [&](const DerivativeParameter &P) { return P.Primal == Index && P.IsShadow; });
  }

  json::Object describe(const std::string &Name, QualType Type, llvm::StringRef Slot, bool IsActive) {
    LeafWriter Writer(Context);
    if (!Writer.append(Type, 0)) {
      Refused = "'" + Name + "' of type '" + typeName(Context, Type) + "' cannot be taken apart: " + Writer.Why;
      Writer.Leaves.clear();
    }
    return json::Object{{"name", json::fixUTF8(Name)},
                        {"slot", Slot},
                        {"active", IsActive},
                        {"size", Context.getTypeSizeInChars(Type).getQuantity()},
                        {"align", Context.getTypeAlignInChars(Type).getQuantity()},
                        {"leaves", std::move(Writer.Leaves)}};
  }

  json::Object describe(const Parameter &P, int Index) {
    static constexpr const char *Names[] = {"none", "value", "memory", "pointer", "view"};
    QualType Type = P.Decl->getType().getNonReferenceType();
    RuleSlot Slot = ruleSlot(P, hasSlot(Index));
    json::Object Result = describe(P.Name, Type, Names[static_cast<int>(Slot)], P.Differentiable);
    json::Array &Leaves = *Result.getArray("leaves");
    bool HasPointer = llvm::any_of(
        Leaves, [](const json::Value &Leaf) { return Leaf.getAsArray()->back().getAsString()->ends_with("pointer"); });
    if (P.Passing == KERNIX_PASS_TENSOR && P.Differentiable)
      Refused = "'" + P.Name + "' has its element type only at run time";
    if (Slot == RuleSlot::View && !tensorViewElement(Type).isNull() && !Leaves.empty()) {
      // The strides of the shadow are its own.
      for (json::Value &Leaf : Leaves) {
        int64_t Offset = *Leaf.getAsArray()->front().getAsInteger() - offsetof(kernix_tensor_view, strides);
        if (Offset >= 0 && Offset < 8 * KERNIX_MAX_RANK)
          Leaf.getAsArray()->back() = "stride";
      }
      if (tensorViewElement(Type).isConstQualified())
        Leaves.front().getAsArray()->back() = "const pointer";
    }
    if (Slot == RuleSlot::Memory && HasPointer)
      Refused = "'" + P.Name + "' may be changed and holds pointers, which could not be followed any more; " +
                (Type.getNonReferenceType().isConstQualified()              ? "let its class have no mutable members"
                 : P.Decl->getDeclName().isIdentifier() && P.Name == "self" ? "declare the member function const"
                                                                            : "declare it const");
    if (Slot != RuleSlot::Memory && P.Decl->getType()->isReferenceType() && hasMutable(Type))
      Refused = "'" + P.Name + "' is const, but its class has mutable members, which may be changed all the same";
    Result["no_diff"] = P.NoDiff && !P.HoldsGradient;
    Result["holds_gradient"] = P.HoldsGradient;
    return Result;
  }
};

} // namespace

RuleSlot kernix::ruleSlot(const Parameter &P, bool HasSlot) {
  QualType Type = P.Decl->getType(), Value = Type.getNonReferenceType();
  // Integers behind a reference are changed, too.
  if (Type->isReferenceType() && (!Value.isConstQualified() || (P.HoldsGradient && hasMutable(Value))))
    return RuleSlot::Memory;
  if (!HasSlot)
    return RuleSlot::None;
  if (Value->isPointerType())
    return RuleSlot::Pointer;
  return tensorViewElement(Value).isNull() && !isKernixTensor(Value) ? RuleSlot::Value : RuleSlot::View;
}

std::string kernix::ruleJson(Sema &S, const BoundFunction &F, const FunctionDecl &Rule, kernix_derivative Mode,
                             llvm::ArrayRef<DerivativeParameter> Parameters) {
  std::string Text;
  llvm::raw_string_ostream(Text) << RuleWriter(S, F, Mode, Parameters).write(whyWithoutBody(S, *F.Decl, Rule));
  return Text;
}
