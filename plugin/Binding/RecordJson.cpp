//===- RecordJson.cpp - a record as JSON ------------------------------------------------------------------------===//

#include "Binding/RecordJson.h"
#include "Binding/ArgSpec.h"
#include "Binding/NumbaCall.h"
#include "clang/AST/Decl.h"
#include "clang/AST/DeclCXX.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>

using namespace kernix;
namespace json = llvm::json;

namespace {

json::Value text(const std::string &Text) { return json::fixUTF8(Text); }

const char *kindName(kernix_function_kind Kind) {
  switch (Kind) {
  case KERNIX_KERNEL:
    return "kernel";
  case KERNIX_HOST_FUNCTION:
    return "host";
  case KERNIX_DEVICE_FUNCTION:
    return "device";
  }
  return "";
}

const char *roleName(kernix_role Role) {
  switch (Role) {
  case KERNIX_ARG:
    return "arg";
  case KERNIX_RET:
    return "ret";
  case KERNIX_ATTR:
    return "attr";
  case KERNIX_STREAM:
    return "stream";
  }
  return "";
}

json::Value intentName(kernix_intent Intent) {
  switch (Intent) {
  case KERNIX_INTENT_DEFAULT:
    return nullptr;
  case KERNIX_INTENT_IN:
    return "in";
  case KERNIX_INTENT_INOUT_PTR:
    return "inout_ptr";
  case KERNIX_INTENT_OUT_PTR:
    return "out_ptr";
  case KERNIX_INTENT_OUT_RETURN:
    return "out_return";
  case KERNIX_INTENT_OUT_ARRAY_RETURN:
    return "out_array_return";
  }
  return nullptr;
}

const char *passingName(kernix_passing Passing) {
  switch (Passing) {
  case KERNIX_PASS_VOID:
    return "void";
  case KERNIX_PASS_POINTER:
    return "pointer";
  case KERNIX_PASS_TENSOR_VIEW:
    return "tensor_view";
  case KERNIX_PASS_TENSOR:
    return "tensor";
  case KERNIX_PASS_SCALAR:
    return "scalar";
  case KERNIX_PASS_STRUCT:
    return "struct";
  case KERNIX_PASS_C_STRING:
    return "c_string";
  case KERNIX_PASS_STRING_VIEW:
    return "string_view";
  case KERNIX_PASS_STREAM:
    return "stream";
  case KERNIX_PASS_REFERENCE:
    return "reference";
  case KERNIX_PASS_ARRAY:
    return "array";
  }
  return "";
}

/// JSON has no spelling for these; Python's float() takes the strings.
json::Value real(double Value) {
  if (std::isnan(Value))
    return "nan";
  if (std::isinf(Value))
    return Value < 0 ? "-inf" : "inf";
  if (Value == 0 && std::signbit(Value))
    return "-0.0"; // a JSON reader may take -0 for an integer
  return Value;
}

json::Value scalarValue(const ConstantScalar &Scalar, kernix_dtype Dtype) {
  switch (Dtype.code) {
  case KERNIX_BOOL:
    return Scalar.Integer != 0;
  case KERNIX_INT:
    return Scalar.Integer;
  case KERNIX_UINT:
    return static_cast<uint64_t>(Scalar.Integer);
  case KERNIX_COMPLEX:
    return json::Array{real(Scalar.Real[0]), real(Scalar.Real[1])};
  default:
    return real(Scalar.Real[0]);
  }
}

/// The scalars of one leaf of a struct; that of an array is an array.
json::Value leafValue(llvm::ArrayRef<ConstantScalar> Scalars, const Field &Leaf) {
  if (Leaf.Count == 1)
    return scalarValue(Scalars.front(), Leaf.Dtype);
  json::Array Elements;
  for (const ConstantScalar &Scalar : Scalars.take_front(static_cast<size_t>(Leaf.Count)))
    Elements.push_back(scalarValue(Scalar, Leaf.Dtype));
  return Elements;
}

json::Value defaultValue(const Parameter &P) {
  if (!P.Default)
    return nullptr;
  if (P.Default->Text)
    return text(*P.Default->Text);
  if (P.Default->Parts.empty())
    return P.Element.Dtype.code == KERNIX_NO_DTYPE ? nullptr : scalarValue(*P.Default, P.Element.Dtype);
  json::Array Leaves; // in the order of the fields
  llvm::ArrayRef<ConstantScalar> Left = P.Default->Parts;
  for (const Field &Leaf : P.Fields) {
    Leaves.push_back(leafValue(Left, Leaf));
    Left = Left.drop_front(static_cast<size_t>(Leaf.Count));
  }
  return Leaves;
}

json::Value expressionText(const std::optional<Expression> &E) { return E ? text(E->Text) : json::Value(nullptr); }

json::Value axes(const std::array<std::optional<Expression>, 3> &Sizes) {
  if (!Sizes[0])
    return nullptr;
  json::Array Result;
  for (const std::optional<Expression> &Size : Sizes)
    if (Size)
      Result.push_back(text(Size->Text));
  return Result;
}

json::Value nameOrNull(const std::string &Name) { return Name.empty() ? json::Value(nullptr) : text(Name); }

json::Value indexOrNull(int Index) { return Index < 0 ? json::Value(nullptr) : json::Value(Index); }

json::Value derivativeName(kernix_derivative Derivative) {
  switch (Derivative) {
  case KERNIX_NO_DERIVATIVE:
    return nullptr;
  case KERNIX_FORWARD_DERIVATIVE:
    return "forward";
  case KERNIX_BACKWARD_DERIVATIVE:
    return "backward";
  }
  return nullptr;
}

json::Value accessName(kernix_access Access) {
  switch (Access) {
  case KERNIX_ACCESS_NONE:
    return nullptr;
  case KERNIX_ACCESS_IN:
    return "in";
  case KERNIX_ACCESS_OUT:
    return "out";
  case KERNIX_ACCESS_INOUT:
    return "inout";
  }
  return nullptr;
}

/// What the shadow is; null for a value.
json::Value shadowKind(uint32_t Flags) {
  if ((Flags & KERNIX_COTANGENT) && (Flags & KERNIX_GRADIENT))
    return "cotangent_and_gradient";
  if (Flags & KERNIX_COTANGENT)
    return "cotangent";
  if (Flags & KERNIX_GRADIENT)
    return "gradient";
  if (Flags & KERNIX_TANGENT)
    return "tangent";
  return nullptr;
}

json::Object parameterToJson(const Parameter &P) {
  json::Object Result{{"name", text(P.Name)},
                      {"type", text(P.Type)},
                      {"role", roleName(P.Role)},
                      {"intent", intentName(P.Intent)},
                      {"passing", passingName(P.Passing)},
                      {"dtype", dtypeName(P.Element.Dtype)},
                      {"optional", P.Optional},
                      {"written", P.Written},
                      {"zero_init", P.ZeroInit},
                      {"has_default", P.Default.has_value()},
                      {"default", defaultValue(P)},
                      {"unknown_default", P.HasUnknownDefault},
                      {"value", expressionText(P.Value)},
                      {"size", P.Size},
                      {"alignment", P.Alignment},
                      {"access", accessName(P.Access)},
                      {"differentiable", P.Differentiable},
                      {"accumulation", nameOrNull(P.Accumulation)},
                      {"no_diff", P.NoDiff}};
  if (P.PrimalParameter >= 0 || P.DerivativeFlags) {
    Result["shadow_kind"] = shadowKind(P.DerivativeFlags);
    Result["shadow_of"] = indexOrNull(P.ShadowOf);
    Result["shadow"] = indexOrNull(P.Shadow);
    Result["primal_parameter"] = indexOrNull(P.PrimalParameter);
    Result["primal_output"] = (P.DerivativeFlags & KERNIX_PRIMAL_OUTPUT) != 0;
    Result["carried"] = P.IsCarried;
  }
  if (P.isTensor() || P.ArrayLength)
    Result["element_shape"] = json::Array(P.Element.Shape);
  if (P.isTensor()) {
    Result["rank"] = P.Rank < 0 ? json::Value(nullptr) : json::Value(P.Rank);
    json::Value Shape = nullptr;
    if (P.DeclaredShape) {
      json::Array Axes;
      for (const Expression &Axis : P.DeclaredShape->Axes)
        Axes.push_back(text(Axis.Text));
      Shape = std::move(Axes);
    }
    Result["shape"] = std::move(Shape);
    Result["like"] = P.DeclaredShape && P.DeclaredShape->Like >= 0 ? json::Value(P.DeclaredShape->Like) : nullptr;
  }
  if (!P.Fields.empty()) {
    json::Array Fields;
    for (const Field &F : P.Fields)
      Fields.push_back(json::Object{{"name", text(F.Name)},
                                    {"type", text(F.Type)},
                                    {"dtype", dtypeName(F.Dtype)},
                                    {"offset", F.Offset},
                                    {"count", F.Count},
                                    {"shape", json::Array(F.Shape)},
                                    {"default", F.Default.empty() ? nullptr : leafValue(F.Default, F)},
                                    {"unknown_default", F.HasUnknownDefault}});
    Result["fields"] = std::move(Fields);
  }
  if (P.ArrayLength)
    Result["array_length"] = P.ArrayLength;
  return Result;
}

json::Value capability(const BoundFunction &F) {
  if (!F.Capability)
    return nullptr;
  return json::Object{{"tensor_cores", F.Capability->TensorCores},
                      {"performance_factor", F.Capability->PerformanceFactor},
                      {"memory_efficiency", F.Capability->MemoryEfficiency}};
}

std::string locationText(clang::SourceLocation Loc, const clang::SourceManager &SM) {
  clang::PresumedLoc Presumed = SM.getPresumedLoc(SM.getExpansionLoc(Loc));
  if (Presumed.isInvalid())
    return "";
  return std::string(Presumed.getFilename()) + ":" + std::to_string(Presumed.getLine()) + ":" +
         std::to_string(Presumed.getColumn());
}

} // namespace

static json::Array numbaValues(llvm::ArrayRef<NumbaValue> Values) {
  json::Array Written;
  for (const NumbaValue &Value : Values) {
    json::Array Scalars;
    for (const NumbaScalar &Scalar : Value.Scalars)
      Scalars.push_back(Scalar.IsPointer ? "pointer" : dtypeName(Scalar.Dtype));
    json::Value Parameter = nullptr;
    if (Value.Parameter != NumbaValue::OwnResult)
      Parameter = Value.Parameter;
    Written.push_back(json::Object{{"parameter", std::move(Parameter)}, {"scalars", std::move(Scalars)}});
  }
  return Written;
}

static json::Object numbaCallToJson(const NumbaCall &Call) {
  return json::Object{{"arguments", numbaValues(Call.Arguments)}, {"results", numbaValues(Call.Results)}};
}

json::Value kernix::recordToJson(const BoundFunction &F) {
  json::Array Parameters, Tokens;
  for (const Parameter &P : F.Parameters)
    Parameters.push_back(parameterToJson(P));
  for (std::string &Token : argSpec(F))
    Tokens.push_back(text(Token));
  json::Value Result = nullptr;
  if (F.Result.Passing != KERNIX_PASS_VOID)
    Result = parameterToJson(F.Result);
  json::Object Record{{"name", text(F.Name)},
                      {"kind", kindName(F.Kind)},
                      {"qualified_name", text(F.QualifiedName)},
                      {"mangled_name", text(F.MangledName)},
                      {"signature", text(F.Signature)},
                      {"doc", text(F.Doc)},
                      {"arg_spec", std::move(Tokens)},
                      {"parameters", std::move(Parameters)},
                      {"result", std::move(Result)},
                      {"launch", json::Object{{"grid", axes(F.DefaultLaunch.Grid)},
                                              {"block", axes(F.DefaultLaunch.Block)},
                                              {"shared_bytes", expressionText(F.DefaultLaunch.SharedBytes)},
                                              {"uses_only_x", F.UsesOnlyX},
                                              {"single_thread", F.SingleThread},
                                              {"shared_output", F.SharedOutput},
                                              {"ignores_blocks", F.IgnoresBlocks}}},
                      {"capability", capability(F)},
                      {"differentiable", F.isDifferentiable()},
                      {"forward", nameOrNull(F.Forward)},
                      {"backward", nameOrNull(F.Backward)},
                      {"primal", nameOrNull(F.Primal)},
                      {"hand_written", F.HandWritten},
                      {"derivative", derivativeName(F.Derivative)}};
  if (F.FollowsRules)
    Record["follows_rules"] = true;
  if (!F.OverloadOf.empty())
    Record["overload_of"] = text(F.OverloadOf);
  const clang::FunctionDecl *Written = F.Decl;
  if (F.Member)
    Written = F.Member;
  if (Written->isOverloadedOperator())
    Record["operator"] = clang::getOperatorSpelling(Written->getOverloadedOperator());
  if (F.Member)
    Record["member"] = json::Object{{"name", F.Member->getNameAsString()},
                                    {"is_constructor", llvm::isa<clang::CXXConstructorDecl>(F.Member)}};
  if (!F.NumbaShim.empty()) {
    Record["numba_shim"] = F.NumbaShim;
    Record["numba_call"] = numbaCallToJson(numbaCall(F));
  }
  if (!F.NotInNumba.empty())
    Record["not_in_numba"] = text(F.NotInNumba);
  return Record;
}

std::string kernix::recordJson(const BoundFunction &F) {
  std::string Text;
  llvm::raw_string_ostream(Text) << recordToJson(F);
  return Text;
}

json::Value kernix::recordToJson(const BoundFunction &F, const clang::SourceManager &SM) {
  json::Value Record = recordToJson(F);
  json::Object &Object = *Record.getAsObject();
  Object["location"] = locationText(F.Decl->getLocation(), SM);
  Object["record_hash"] = llvm::utohexstr(F.hash(), /*LowerCase=*/true);
  json::Array &Parameters = *Object.getArray("parameters");
  for (size_t I = 0; I < F.Parameters.size(); ++I)
    (*Parameters[I].getAsObject())["location"] = locationText(F.Parameters[I].Decl->getLocation(), SM);
  return Record;
}
