//===- BoundFunction.h - the record of one bound function ---------------------------------------------*- C++ -*-===//
//
// Everything that kernix prints or synthesizes for a function (descriptors, reflection, arg_spec tokens) is printed
// from these records. They are plain data with pointers to the declarations they come from; building and checking them
// is the work of BindFunctions.h. Enumerations are those of kernix/abi.h, so that records and descriptors cannot
// disagree.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_BINDING_BOUNDFUNCTION_H
#define KERNIX_BINDING_BOUNDFUNCTION_H

#include "kernix/abi.h"
#include "clang/Basic/SourceLocation.h"
#include "llvm/ADT/SmallVector.h"
#include <array>
#include <deque>
#include <optional>
#include <string>
#include <vector>

namespace clang {
class CXXMethodDecl;
class FunctionDecl;
class ParmVarDecl;
class VarDecl;
} // namespace clang

namespace kernix {

/// Name of a dtype as Python spells it: "float32", "bfloat16", "bool"; "any" for KERNIX_NO_DTYPE.
std::string dtypeName(kernix_dtype Dtype);

/// One element of a tensor: a scalar, or several of one scalar type that trailing axes of the tensor make up.
struct ElementType {
  kernix_dtype Dtype = {KERNIX_NO_DTYPE, 0, 1};
  llvm::SmallVector<int64_t, 2> Shape;
  unsigned Alignment = 1;
};

/// A number, by its dtype in one of the two.
struct ConstantScalar {
  int64_t Integer = 0;
  double Real[2] = {0, 0};
};

/// One scalar leaf of a struct; see kernix_field.
struct Field {
  std::string Name;
  std::string Type;
  kernix_dtype Dtype;
  int64_t Offset = 0;
  int64_t Count = 1;
  std::vector<int64_t> Shape;          ///< of an array: its extents
  std::vector<ConstantScalar> Default; ///< each element, of a default member initializer; empty: none
  bool HasUnknownDefault = false;      ///< there is an initializer, which is no constant
};

/// A constant default argument.
struct DefaultValue : ConstantScalar {
  std::optional<std::string> Text;   ///< of strings
  std::vector<ConstantScalar> Parts; ///< of structs: each element of each field
};

/// An integer expression in the postfix form of abi.h.
struct Expression {
  std::string Text;
  std::vector<kernix_instruction> Code;
  std::optional<int64_t> Constant = std::nullopt; ///< its value where no argument plays a part
};

struct Shape {
  int Like = -1; ///< index of the parameter whose shape is copied
  std::vector<Expression> Axes;
};

struct Parameter {
  const clang::ParmVarDecl *Decl = nullptr; ///< null for a function's result
  std::string Name;
  std::vector<std::string> OtherNames; ///< what other declarations of the function call it
  std::string Type;
  kernix_role Role = KERNIX_ATTR;
  kernix_intent Intent = KERNIX_INTENT_DEFAULT;
  kernix_passing Passing = KERNIX_PASS_VOID;
  ElementType Element;  ///< of tensors and scalars
  bool IsConst = false; ///< the tensor is declared read-only
  /// An explicit arg_spec says another type, Element, than the parameter has: the call converts, as C++ does.
  bool Converts = false;
  int Rank = -1;
  int64_t Size = 0;
  int64_t Alignment = 1;
  int64_t ArrayLength = 0;
  std::vector<Field> Fields;
  bool IsDiffView = false; ///< the object is a view and the one of its shadow, as in kernix::DiffTensorView
  bool IsReadBack = false; ///< of such a view: the body both reads and writes elements
  bool IsOnlyRead = false; ///< a tensor of which the body shows that it writes no element
  bool Optional = false;
  bool Written = false;
  bool ZeroInit = false;
  std::optional<DefaultValue> Default;
  bool HasUnknownDefault = false; ///< there is a default argument, which is no constant
  std::optional<Shape> DeclaredShape;
  std::optional<Expression> Value;

  // Of differentiable functions and their derivatives (abi.h, "Derivatives").
  kernix_access Access = KERNIX_ACCESS_NONE;
  bool Differentiable = false;   ///< has a shadow
  bool NoDiff = false;           ///< marked no_diff
  bool HoldsGradient = false;    ///< of a function with a rule: an object that knows where its gradients are
  std::string Accumulation;      ///< word of [[kernix::diff(word, N)]]
  int32_t AccumulationCount = 0; ///< N
  int32_t Replicas = 0;          ///< of gradients, see abi.h
  int32_t Notes = 0;             ///< likewise
  uint32_t DerivativeFlags = 0;  ///< KERNIX_GRADIENT, KERNIX_COTANGENT, KERNIX_TANGENT, KERNIX_PRIMAL_OUTPUT, ...
  bool IsCarried = false;        ///< a shadow that lies in the object of its value, and is no parameter in C++
  int ShadowOf = -1;
  int Shadow = -1;
  int PrimalParameter = -1;

  bool isTensor() const {
    return Passing == KERNIX_PASS_POINTER || Passing == KERNIX_PASS_TENSOR_VIEW || Passing == KERNIX_PASS_TENSOR;
  }
};

struct Launch {
  std::array<std::optional<Expression>, 3> Grid;
  std::array<std::optional<Expression>, 3> Block;
  std::optional<Expression> SharedBytes;
  bool empty() const { return !Grid[0] && !Block[0] && !SharedBytes; }
};

/// What the selector will know of a variant.
struct VariantCapability {
  bool TensorCores = false;
  double PerformanceFactor = 1;
  double MemoryEfficiency = 1;
};

struct BoundFunction {
  const clang::FunctionDecl *Decl = nullptr;
  const clang::CXXMethodDecl *Member = nullptr; ///< the method or constructor that Decl calls; see Members.h
  clang::SourceLocation Location;               ///< of the bind attribute, for messages about the binding
  kernix_function_kind Kind = KERNIX_HOST_FUNCTION;
  std::string Name;
  std::string OverloadOf; ///< the name it was bound under, where that is another operation's; see Operations.cpp
  std::string QualifiedName;
  std::string
      ShownName; ///< QualifiedName, but f_bwd<float> for f<float>, whose derivative has a hash for a name in code
  std::string MangledName;
  std::string Signature;
  std::string Doc;
  std::vector<Parameter> Parameters;
  Parameter Result;
  Launch DefaultLaunch;
  // Of kernels, for the default launch; see ThreadUses.h and the flags in abi.h.
  bool UsesOnlyX = false;
  bool SingleThread = false;
  bool SharedOutput = false;
  bool IgnoresBlocks = false;
  std::optional<VariantCapability> Capability;
  bool ForCuda = false;      ///< compiled for the CUDA target, not for the CPU
  bool WantsForward = false; ///< [[kernix::differentiable]]
  bool WantsBackward = false;
  unsigned Order = 1;            ///< 2: the backward is differentiable too
  int64_t MaxRegisters = 0;      ///< of a thread of a kernel's derivatives; 0: not limited
  std::string Forward, Backward; ///< public names of the derivatives; empty: none
  kernix_derivative Derivative = KERNIX_NO_DERIVATIVE;
  std::string Primal;              ///< public name of the function whose derivative this is
  bool HandWritten = false;        ///< a derivative that the user wrote
  bool FollowsRules = false;       ///< one of a file in which the user wrote some of device or host functions
  clang::VarDecl *Facts = nullptr; ///< the device variable of kernix_launch_facts
  bool isDifferentiable() const { return WantsForward || WantsBackward; }
  /// Device functions of the CPU target: symbol of the kernix_thunk that the device pass defines; else empty.
  std::string DeviceThunk;
  /// Device functions for Numba: symbol of the shim; empty where NotInNumba says why there is none.
  std::string NumbaShim, NotInNumba;

  /// Hash of what callers and both passes must agree on: names, parameters, launch. What a pass sees of the bodies, and
  /// how types and defaults are spelt, is not part of it.
  uint64_t hash() const;
};

/// All functions of the translation unit bound under one public name.
struct Operation {
  std::string Name;
  llvm::SmallVector<const BoundFunction *, 2> Variants;
};

struct Bindings {
  std::deque<BoundFunction> Functions; ///< in source order
  std::vector<Operation> Operations;
};

} // namespace kernix

#endif // KERNIX_BINDING_BOUNDFUNCTION_H
