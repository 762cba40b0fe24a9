//===- DerivativeJson.cpp - what the LLVM half has to know of a derivative --------------------------------------===//

#include "Synthesis/DerivativeJson.h"
#include "Attributes/StatementPlaces.h"
#include "Binding/Leaves.h"
#include "Binding/Types.h"
#include "clang/AST/StmtCXX.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/Support/JSON.h"

using namespace clang;
using namespace kernix;
namespace json = llvm::json;

namespace {

const char *accessName(kernix_access Access) {
  switch (Access) {
  case KERNIX_ACCESS_OUT:
    return "out";
  case KERNIX_ACCESS_INOUT:
    return "inout";
  default:
    return "in";
  }
}

class JsonWriter {
public:
  JsonWriter(Sema &S, AttributeStore &Store, const BoundFunction &F, kernix_derivative Mode)
      : S(S), Context(S.getASTContext()), Store(Store), F(F), Mode(Mode) {}

  json::Value write() {
    json::Array Parameters;
    for (const Parameter &P : F.Parameters) {
      json::Object Entry{{"name", json::fixUTF8(P.Name)}, {"leaves", leaves(P)}};
      if (std::optional<CharUnits> Size = Context.getTypeSizeInCharsIfKnown(P.Decl->getType().getNonReferenceType()))
        Entry["size"] = Size->getQuantity();
      if (F.Derivative == KERNIX_BACKWARD_DERIVATIVE && P.Shadow >= 0)
        Entry["shadow"] = P.Shadow; // its gradient or cotangent, among f_bwd's parameters
      if (carriesGradient(P))
        Entry["carries_gradient"] = true;
      Parameters.push_back(std::move(Entry));
    }
    if (F.Result.Passing != KERNIX_PASS_VOID)
      Parameters.push_back(json::Object{
          {"name", "result"}, {"leaves", scalars(F.Result, F.Decl->getReturnType(), "memory", KERNIX_ACCESS_OUT)}});
    json::Array MaxIters, Recompute, StoreList, NoDiff;
    // Those of the whole file: f's callees become part of it.
    for (const auto &[D, Attributes] : Store.allWritten())
      if (const auto *Function = dyn_cast<FunctionDecl>(D); Function && (Attributes->Recompute || Attributes->Store))
        for (const Stmt *Loop : loopsWithoutAttribute(*Function, Store))
          add(Attributes->Store ? StoreList : Recompute, Loop, 0);
    for (const StmtAttributes *Statement : Store.allStatements()) {
      if (Statement->MaxIters)
        if (std::optional<int64_t> Count = countOf(*Statement))
          add(MaxIters, Statement->Statement, *Count);
      if (Statement->Recompute)
        add(Recompute, Statement->Statement, 0);
      if (Statement->Store)
        add(StoreList, Statement->Statement, 0);
      if (Statement->NoDiff)
        addCalls(NoDiff, Statement->Statement);
    }
    json::Array Block;
    for (const std::optional<Expression> &Extent : F.DefaultLaunch.Block)
      Block.push_back(Extent ? Extent->Constant.value_or(0) : F.DefaultLaunch.Block[0] ? 1 : 0);
    return json::Object{{"function", json::fixUTF8(F.Name)},
                        {"mode", Mode == KERNIX_FORWARD_DERIVATIVE ? "forward" : "reverse"},
                        {"kind", kindName()},
                        {"order", static_cast<int64_t>(F.Derivative == KERNIX_NO_DERIVATIVE ? 1 : 2)},
                        {"parameters", std::move(Parameters)},
                        {"block", std::move(Block)},
                        {"max_registers", F.MaxRegisters},
                        {"max_iters", std::move(MaxIters)},
                        {"recompute", std::move(Recompute)},
                        {"store", std::move(StoreList)},
                        {"no_diff", std::move(NoDiff)}};
  }

private:
  Sema &S;
  ASTContext &Context;
  AttributeStore &Store;
  const BoundFunction &F;
  kernix_derivative Mode;

  const char *kindName() const {
    switch (F.Kind) {
    case KERNIX_KERNEL:
      return "kernel";
    case KERNIX_DEVICE_FUNCTION:
      return "device";
    case KERNIX_HOST_FUNCTION:
      return S.getLangOpts().CUDAIsDevice ? "device" : "host"; // __host__ __device__
    }
    return "";
  }

  /// Nothing for a count that depends on template parameters of another function.
  std::optional<int64_t> countOf(const StmtAttributes &Statement) {
    const IntegerArgument &Count = Statement.MaxIters->Count;
    bool IsOwn = llvm::is_contained(Store.statementsIn(F.Decl), &Statement);
    return IsOwn ? Count.valueIn(S, F.Decl) : Count.Value;
  }

  /// The calls in a statement, where their own locations are.
  void addCalls(json::Array &List, const Stmt *Statement) {
    if (!Statement)
      return;
    if (const auto *Call = dyn_cast<Expr>(Statement); Call && isa<CallExpr, CXXConstructExpr>(Call))
      add(List, Call->getExprLoc(), 0);
    for (const Stmt *Child : Statement->children())
      addCalls(List, Child);
  }

  /// The place where the loop's own location is.
  void add(json::Array &List, const Stmt *Statement, int64_t Number) { add(List, Statement->getBeginLoc(), Number); }

  /// [line, column, number, file]
  void add(json::Array &List, SourceLocation Loc, int64_t Number) {
    StatementPlace Place = placeInCode(Loc, S.getSourceManager(), Store);
    List.push_back(json::Array{Place.Line, Place.Column, Number, Place.File});
  }

  json::Array leaves(const Parameter &P) {
    QualType Type = P.Decl->getType();
    if (P.Passing == KERNIX_PASS_POINTER)
      return json::Array{pointer(P, Type->getPointeeType())};
    if (P.IsDiffView)
      return json::Array(); // its own rules know what is in it
    if (P.Passing == KERNIX_PASS_TENSOR_VIEW) {
      json::Array Result{pointer(P, tensorViewElement(Type.getNonReferenceType()))};
      Result.push_back(json::Object{{"offset", static_cast<int64_t>(offsetof(kernix_tensor_view, strides))},
                                    {"kind", "stride"},
                                    {"count", KERNIX_MAX_RANK}});
      return Result;
    }
    if (P.Passing != KERNIX_PASS_SCALAR && P.Passing != KERNIX_PASS_STRUCT && P.Passing != KERNIX_PASS_REFERENCE)
      return json::Array();
    bool IsMemory = Type->isReferenceType() && !Type->getPointeeType().isConstQualified();
    return scalars(P, Type.getNonReferenceType(), IsMemory ? "memory" : "value", P.Access);
  }

  /// A view whose members say how its gradient is added to, unless the source says that it has none.
  bool carriesGradient(const Parameter &P) {
    const DeclAttributes *Written = Store.lookup(P.Decl);
    QualType Element = diffViewElement(P.Decl->getType());
    return (!Written || !Written->NoDiff) && !Element.isNull() && !elementLeafType(Context, Element).empty();
  }

  json::Object pointer(const Parameter &P, QualType Element) {
    json::Object Leaf{{"offset", 0}, {"kind", "pointer"}, {"active", P.Differentiable}};
    if (P.Access != KERNIX_ACCESS_NONE)
      Leaf["access"] = accessName(P.Access);
    else
      Leaf["access"] = P.Written ? "inout" : "in";
    if (std::string Type = elementLeafType(Context, Element); !Type.empty())
      Leaf["type"] = Type;
    if (int64_t Numbers = elementLeafCount(Context, Element); Numbers > 1)
      Leaf["numbers"] = Numbers;
    if (!P.Accumulation.empty()) {
      Leaf["diff"] = P.Accumulation;
      Leaf["diff_count"] = P.AccumulationCount;
    }
    if (!Element->isIncompleteType())
      Leaf["count"] = Context.getTypeSizeInChars(Element).getQuantity();
    return Leaf;
  }

  json::Array scalars(const Parameter &P, QualType Type, const char *Kind, kernix_access Access) {
    std::string Why;
    std::optional<std::vector<ScalarLeaf>> Scalars = scalarLeaves(Context, Type.getUnqualifiedType(), Why);
    json::Array Result;
    for (const ScalarLeaf &Scalar : Scalars ? *Scalars : std::vector<ScalarLeaf>()) {
      json::Object Leaf{{"offset", Scalar.Offset}, {"kind", Kind}, {"active", P.Differentiable}, {"type", Scalar.Type}};
      if (llvm::StringRef(Kind) == "memory")
        Leaf["access"] = accessName(Access);
      Leaf["name"] = json::fixUTF8(Scalar.Name.empty() ? P.Name : P.Name + "." + Scalar.Name);
      if (!P.Accumulation.empty()) {
        Leaf["diff"] = P.Accumulation;
        Leaf["diff_count"] = P.AccumulationCount;
      }
      Result.push_back(std::move(Leaf));
    }
    // Integers: the function may write them, too.
    if (Result.empty() && llvm::StringRef(Kind) == "memory")
      Result.push_back(json::Object{{"offset", 0}, {"kind", Kind}, {"active", false}, {"access", accessName(Access)}});
    return Result;
  }
};

} // namespace

std::string kernix::derivativeJson(Sema &S, AttributeStore &Store, const BoundFunction &F, kernix_derivative Mode) {
  std::string Text;
  llvm::raw_string_ostream(Text) << JsonWriter(S, Store, F, Mode).write();
  return Text;
}
