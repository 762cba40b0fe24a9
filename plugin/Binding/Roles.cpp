//===- Roles.cpp - what a parameter means -----------------------------------------------------------------------===//

#include "Binding/Roles.h"
#include "Binding/DiffViews.h"
#include "Binding/FieldDefaults.h"
#include "Binding/Types.h"
#include "Diagnostics/Diagnostics.h"
#include "Diagnostics/NearestName.h"
#include "clang/AST/ASTContext.h"
#include <limits>

using namespace clang;
using namespace kernix;

namespace {

kernix_intent toAbi(IntentKind Kind) {
  switch (Kind) {
  case IntentKind::In:
    return KERNIX_INTENT_IN;
  case IntentKind::InoutPtr:
    return KERNIX_INTENT_INOUT_PTR;
  case IntentKind::OutPtr:
    return KERNIX_INTENT_OUT_PTR;
  case IntentKind::OutReturn:
    return KERNIX_INTENT_OUT_RETURN;
  case IntentKind::OutArrayReturn:
    return KERNIX_INTENT_OUT_ARRAY_RETURN;
  }
  return KERNIX_INTENT_DEFAULT;
}

bool isOutput(kernix_intent Intent) {
  return Intent == KERNIX_INTENT_INOUT_PTR || Intent == KERNIX_INTENT_OUT_PTR || Intent == KERNIX_INTENT_OUT_RETURN ||
         Intent == KERNIX_INTENT_OUT_ARRAY_RETURN;
}

/// A class template that nothing has needed yet is instantiated; what is passed, pointed at or viewed is looked into.
/// False if that ended in an error.
bool complete(Sema &S, QualType Type, SourceLocation Loc) {
  Type = Type.getNonReferenceType();
  if (Type->isPointerType())
    Type = Type->getPointeeType();
  Type = S.getASTContext().getBaseElementType(Type);
  if (QualType Element = tensorViewElement(Type); !Element.isNull() && !complete(S, Element, Loc))
    return false;
  if (!Type->isRecordType() || !S.isCompleteType(Loc, Type))
    return true; // what is incomplete is refused with the words of its role
  if (QualType Element = diffViewElement(Type); !Element.isNull() && !complete(S, Element, Loc))
    return false;
  const RecordDecl *Record = Type->getAsRecordDecl();
  return !Record->isInvalidDecl() &&
         llvm::none_of(Record->fields(), [](const FieldDecl *Field) { return Field->isInvalidDecl(); });
}

class RoleAssigner {
public:
  RoleAssigner(Sema &S, const FunctionDecl *F, kernix_function_kind Kind, const DeclAttributes *Attributes,
               Parameter &P)
      : S(S), Context(S.getASTContext()), F(F), Kind(Kind), Intent(Attributes ? &*Attributes->Intent : nullptr), P(P),
        Loc(P.Decl->getLocation()) {
    if (!Attributes || !Attributes->Intent)
      Intent = nullptr;
  }

  bool assign() {
    QualType Type = P.Decl->getType();
    if (!complete(S, Type, Loc))
      return false;
    P.Type = typeName(Context, P.Decl->getOriginalType().getUnqualifiedType());
    P.Intent = Intent ? toAbi(Intent->Kind) : KERNIX_INTENT_DEFAULT;
    if (QualType Passed = Type.getNonReferenceType(); Passed->isIncompleteType() && !Passed->isVoidType()) {
      error("%0 of type '%1' cannot be bound: it is incomplete") << named() << P.Type;
      return false;
    }
    if (Type->isReferenceType())
      return assignReference(Type);
    return assignValue(Type, Type.isConstQualified());
  }

private:
  Sema &S;
  ASTContext &Context;
  const FunctionDecl *F;
  kernix_function_kind Kind;
  const IntentAttribute *Intent;
  Parameter &P;
  SourceLocation Loc;

  /// Parameters without a name have one in calls.
  std::string named() const { return "'" + P.Name + "'"; }
  DiagnosticBuilder error(llvm::StringRef Format) { return Diagnostics(S).error(Loc, Format); }
  DiagnosticBuilder intentError(llvm::StringRef Format) { return Diagnostics(S).error(Intent->location(), Format); }
  DiagnosticBuilder note(llvm::StringRef Format) { return Diagnostics(S).note(Loc, Format); }

  void setSize(QualType Type) {
    P.Size = Context.getTypeSizeInChars(Type).getQuantity();
    P.Alignment = Context.getTypeAlignInChars(Type).getQuantity();
  }

  bool assignReference(QualType Type) {
    QualType Referred = Type->getPointeeType();
    if (Kind == KERNIX_KERNEL) {
      error("a kernel cannot take %0 by reference: the caller's object is not in device memory") << named();
      note("pass it by value, or use a pointer for an output");
      return false;
    }
    if (isKernixTensor(Referred) || !viewElement(Referred).isNull()) {
      if (Type->isLValueReferenceType() && Referred.isConstQualified())
        return assignValue(Referred, /*IsConst=*/true);
      error("a tensor is passed by value: %0 of type '%1' is a reference") << named() << P.Type;
      note("'out' and 'inout' of a tensor are its constness: 'const' marks an input, its absence an output");
      return false;
    }
    if (const ConstantArrayType *Array = Context.getAsConstantArrayType(Referred))
      return assignArrayReference(Array, Referred);
    if (Referred.isConstQualified()) {
      if (isOutput(P.Intent)) {
        intentError("%0 is a reference to const and cannot be an output") << named();
        return false;
      }
      return assignValue(Referred, true);
    }
    return assignOutputReference(Referred);
  }

  /// T & or T &&.
  bool assignOutputReference(QualType Referred) {
    if (P.Intent == KERNIX_INTENT_OUT_ARRAY_RETURN) {
      intentError("'out_array_return' needs a pointer or an array; %0 is a reference to '%1'")
          << named() << typeName(Context, Referred);
      return false;
    }
    if (!Intent && Kind == KERNIX_HOST_FUNCTION) {
      error("%0 is a reference that %1 may write: say what it is with [[kernix::intent(...)]]") << named() << F;
      note("intents are in, inout_ptr, out_ptr and out_return; take 'const T &' or 'T' for an input");
      return false;
    }
    if (!assignElement(Referred))
      return false;
    P.Passing = KERNIX_PASS_REFERENCE;
    P.Role = isOutput(P.Intent) ? KERNIX_RET : KERNIX_ATTR;
    P.Written = isOutput(P.Intent);
    return true;
  }

  /// T (&)[N]
  bool assignArrayReference(const ConstantArrayType *Array, QualType Referred) {
    if (P.Intent != KERNIX_INTENT_OUT_ARRAY_RETURN) {
      error("%0 is a reference to an array; it needs [[kernix::intent(out_array_return, N)]]") << named();
      return false;
    }
    if (Referred.isConstQualified()) {
      intentError("%0 is a reference to const and cannot be an output") << named();
      return false;
    }
    return assignArray(Context.getBaseElementType(Array),
                       static_cast<int64_t>(Context.getConstantArrayElementCount(Array)), KERNIX_PASS_REFERENCE);
  }

  /// The element and fields of a scalar or struct that is passed by reference or value.
  bool assignElement(QualType Type) {
    if (std::optional<kernix_dtype> Dtype = scalarDtype(Context, Type)) {
      P.Element.Dtype = *Dtype;
    } else {
      std::string Why;
      std::optional<std::vector<Field>> Fields = passedFields(Context, Type, Why);
      if (!Fields) {
        error("%0 of type '%1' cannot be bound: %2") << named() << P.Type << Why;
        return false;
      }
      P.Fields = std::move(*Fields);
      readFieldDefaults(S, Type, P.Fields);
    }
    setSize(Type);
    return true;
  }

  bool assignArray(QualType Element, int64_t Deduced, kernix_passing Passing) {
    P.Passing = Passing;
    P.Role = KERNIX_RET;
    P.Written = true;
    std::string Why;
    std::optional<ElementType> Found = elementType(Context, Element, Why);
    if (!Found) {
      error("%0 of type '%1' cannot be returned as an array: %2") << named() << P.Type << Why;
      return false;
    }
    P.Element = *Found;
    P.ArrayLength = Deduced;
    if (Intent->Length) {
      std::optional<int64_t> Length = Intent->Length->valueIn(S, F);
      if (!Length)
        return false;
      if (Deduced && *Length != Deduced) {
        Diagnostics(S).error(Intent->Length->location(), "%0 has %1 elements, not %2")
            << named() << std::to_string(Deduced) << std::to_string(*Length);
        return false;
      }
      P.ArrayLength = *Length;
    }
    if (P.ArrayLength <= 0) {
      intentError("'out_array_return' of %0 needs its number of elements") << named();
      return false;
    }
    if (Intent->ElementType && Intent->ElementType->Text != typeName(Context, Element.getUnqualifiedType()) &&
        Intent->ElementType->Text != dtypeName(Found->Dtype)) {
      Diagnostics(S).error(Intent->ElementType->location(), "%0 has elements of type '%1', not '%2'")
          << named() << typeName(Context, Element.getUnqualifiedType()) << Intent->ElementType->Text;
      return false;
    }
    const int64_t Bytes = Context.getTypeSizeInChars(Element).getQuantity();
    if (P.ArrayLength > std::numeric_limits<int32_t>::max() / Bytes) {
      intentError("the %0 elements of %1 have more than 2^31 bytes; use a tensor")
          << std::to_string(P.ArrayLength) << named();
      return false;
    }
    P.Size = P.ArrayLength * Bytes;
    P.Alignment = Context.getTypeAlignInChars(Element).getQuantity();
    return true;
  }

  bool assignValue(QualType Type, bool IsConst) {
    if (isKernixTensor(Type)) {
      P.Passing = KERNIX_PASS_TENSOR;
      setSize(Type);
      return assignTensor(IsConst);
    }
    if (QualType Element = viewElement(Type); !Element.isNull()) {
      P.Passing = KERNIX_PASS_TENSOR_VIEW;
      P.IsDiffView = !diffViewElement(Type).isNull();
      setSize(Type);
      std::string Why;
      if (P.IsDiffView && !isPlainDiffView(Context, Type, Why)) {
        error("%0 of type '%1' cannot be bound: %2") << named() << P.Type << Why;
        return false;
      }
      if (P.IsDiffView && Element.isConstQualified()) {
        error("%0 of type '%1' cannot be bound: the rules of a differentiable view are those of '%2'; write that, and "
              "const before the view")
            << named() << P.Type << typeName(Context, Element.getUnqualifiedType());
        return false;
      }
      if (P.IsDiffView && !checkAfter(S, Type))
        return false;
      std::optional<ElementType> Found = elementType(Context, Element.getUnqualifiedType(), Why);
      if (!Found) {
        error("%0: no tensor has elements of type '%1': %2") << named() << typeName(Context, Element) << Why;
        return false;
      }
      P.Element = *Found;
      return assignTensor(IsConst || Element.isConstQualified());
    }
    if (isStream(Type))
      return assignStream(Type);
    if (isStringView(Type) || isCString(Type))
      return assignString(Type);
    if (Type->isPointerType())
      return assignPointer(Type);
    if (isOutput(P.Intent)) {
      intentError("'%0' needs a reference%select{| or a pointer}1; %2 of type '%3' is passed by value")
          << spelling(Intent->Kind) << (P.Intent == KERNIX_INTENT_OUT_ARRAY_RETURN) << named() << P.Type;
      return false;
    }
    P.Role = KERNIX_ATTR;
    if (!assignElement(Type))
      return false;
    P.Passing = P.Fields.empty() ? KERNIX_PASS_SCALAR : KERNIX_PASS_STRUCT;
    return true;
  }

  bool assignTensor(bool IsConst) {
    P.IsConst = IsConst;
    if (IsConst && isOutput(P.Intent)) {
      intentError("%0 is read-only and cannot be an output") << named();
      return false;
    }
    if (P.Intent == KERNIX_INTENT_OUT_ARRAY_RETURN) {
      intentError("'out_array_return' needs a pointer or an array; %0 is a tensor") << named();
      return false;
    }
    P.Role = IsConst || P.Intent == KERNIX_INTENT_IN ? KERNIX_ARG : KERNIX_RET;
    P.Written = P.Role == KERNIX_RET;
    return true;
  }

  bool isStream(QualType Type) {
    if (isKernixStream(Type) || isCudaStream(Type))
      return true;
    return Kind == KERNIX_HOST_FUNCTION && P.Name == "stream" && Type->isIntegerType() &&
           Context.getTypeSize(Type) == 64 && Type->isSignedIntegerType();
  }

  bool assignStream(QualType Type) {
    if (Kind != KERNIX_HOST_FUNCTION) {
      error("only a host function takes a stream; %0 is a parameter of a %select{kernel|device function}1")
          << named() << (Kind == KERNIX_DEVICE_FUNCTION);
      if (Kind == KERNIX_KERNEL)
        note("a kernel is launched on the caller's current stream");
      return false;
    }
    if (Intent) {
      intentError("a stream has no intent");
      return false;
    }
    P.Role = KERNIX_STREAM;
    P.Passing = KERNIX_PASS_STREAM;
    setSize(Type);
    return true;
  }

  bool isCString(QualType Type) {
    return Type->isPointerType() && Type->getPointeeType().isConstQualified() && isPlainChar(Type->getPointeeType()) &&
           Kind == KERNIX_HOST_FUNCTION;
  }

  bool assignString(QualType Type) {
    if (Kind != KERNIX_HOST_FUNCTION) {
      error("%0: only a host function can take a string") << named();
      return false;
    }
    if (isOutput(P.Intent)) {
      intentError("%0 is a string and cannot be an output") << named();
      return false;
    }
    P.Role = KERNIX_ATTR;
    P.Passing = isStringView(Type) ? KERNIX_PASS_STRING_VIEW : KERNIX_PASS_C_STRING;
    setSize(Type);
    return true;
  }

  bool assignPointer(QualType Type) {
    QualType Pointee = Type->getPointeeType();
    bool IsConst = Pointee.isConstQualified();
    if (P.Intent == KERNIX_INTENT_OUT_ARRAY_RETURN) {
      if (Kind == KERNIX_KERNEL) {
        intentError("a kernel returns arrays through tensors: use intent(out_return) and [[kernix::shape(...)]] for %0")
            << named();
        return false;
      }
      if (IsConst) {
        intentError("%0 points to const and cannot be an output") << named();
        return false;
      }
      int64_t Deduced = 0;
      QualType Element = Pointee;
      if (const ConstantArrayType *Array = Context.getAsConstantArrayType(P.Decl->getOriginalType())) {
        Deduced = static_cast<int64_t>(Context.getConstantArrayElementCount(Array));
        Element = Context.getBaseElementType(Array);
      }
      return assignArray(Element, Deduced, KERNIX_PASS_ARRAY);
    }
    if (Kind == KERNIX_HOST_FUNCTION) {
      error("%0 of type '%1' cannot be bound: the size of what a pointer points to is unknown") << named() << P.Type;
      note("a host function takes tensors as kernix::Tensor or kernix::TensorView<T>, strings as const char *, and "
           "array "
           "results by [[kernix::intent(out_array_return, N)]]");
      return false;
    }
    if (Pointee->isVoidType() || Pointee->isFunctionType() || Pointee->isPointerType()) {
      error("%0 of type '%1' cannot be bound: no tensor has such elements") << named() << P.Type;
      note("use a pointer to the element type, or kernix::TensorView<T>");
      return false;
    }
    std::string Why;
    QualType Element = Pointee.getUnqualifiedType();
    std::optional<ElementType> Found;
    if (Pointee->isArrayType())
      Why = "it is an array";
    else
      Found = elementType(Context, Element, Why);
    if (!Found) {
      error("%0 of type '%1' cannot be bound: no tensor has elements of type '%2': %3")
          << named() << P.Type << typeName(Context, Element) << Why;
      return false;
    }
    if (Kind == KERNIX_DEVICE_FUNCTION && isOutput(P.Intent)) {
      intentError("'%0' needs a reference; %1 of type '%2' is a pointer")
          << spelling(Intent->Kind) << named() << P.Type;
      note("a pointer is visible as one without an intent, and is a result with intent(out_array_return, N)");
      return false;
    }
    P.Element = *Found;
    P.Passing = KERNIX_PASS_POINTER;
    setSize(Type);
    return assignTensor(IsConst);
  }
};

} // namespace

bool kernix::assignRole(Sema &S, const FunctionDecl *F, kernix_function_kind Kind, const DeclAttributes *Attributes,
                        Parameter &P) {
  return RoleAssigner(S, F, Kind, Attributes, P).assign();
}

bool kernix::assignResult(Sema &S, const FunctionDecl *F, Parameter &Result) {
  ASTContext &Context = S.getASTContext();
  QualType Type = F->getReturnType();
  // The function of a member has no written type.
  SourceLocation Location = F->getReturnTypeSourceRange().getBegin();
  if (Location.isInvalid())
    Location = F->getLocation();
  if (Type->isVoidType())
    return true;
  if (!complete(S, Type, F->getLocation()))
    return false;
  Result.Type = typeName(Context, Type.getUnqualifiedType());
  Result.Passing = KERNIX_PASS_SCALAR;
  Result.Role = KERNIX_RET;
  if (Type->isIncompleteType()) {
    Diagnostics(S).error(Location, "a result of type '%0' cannot be bound: it is "
                                   "incomplete")
        << Result.Type;
    return false;
  }
  if (std::optional<kernix_dtype> Dtype = scalarDtype(Context, Type)) {
    Result.Element.Dtype = *Dtype;
  } else {
    std::string Why = "it is a reference or a pointer";
    std::optional<std::vector<Field>> Fields;
    if (isKernixTensor(Type) || !viewElement(Type).isNull())
      Why = "a tensor is returned through a parameter with [[kernix::shape(...)]]";
    else if (!Type->isReferenceType() && !Type->isPointerType())
      Fields = passedFields(Context, Type, Why);
    if (!Fields) {
      Diagnostics(S).error(Location, "a result of type '%0' cannot be bound: %1") << Result.Type << Why;
      return false;
    }
    Result.Passing = KERNIX_PASS_STRUCT;
    Result.Fields = std::move(*Fields);
    readFieldDefaults(S, Type, Result.Fields);
  }
  Result.Size = Context.getTypeSizeInChars(Type).getQuantity();
  Result.Alignment = Context.getTypeAlignInChars(Type).getQuantity();
  return true;
}
