//===- Types.cpp - what a C++ type is to kernix -----------------------------------------------------------------===//

#include "Binding/Types.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/RecordLayout.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"
#include <limits>

using namespace clang;
using namespace kernix;

namespace {

/// The record behind a type if it is declared in `namespace Name` (inline namespaces skipped) or, with an empty name,
/// at file scope.
const RecordDecl *recordIn(QualType Type, StringRef Namespace) {
  const RecordDecl *Record = Type.getCanonicalType()->getAsRecordDecl();
  if (!Record || !Record->getIdentifier())
    return nullptr;
  const DeclContext *Context = Record->getDeclContext()->getRedeclContext();
  while (Context->isInlineNamespace() || isa<LinkageSpecDecl>(Context))
    Context = Context->getParent();
  if (Namespace.empty())
    return Context->isTranslationUnit() ? Record : nullptr;
  const auto *Scope = dyn_cast<NamespaceDecl>(Context);
  if (!Scope || Scope->getName() != Namespace)
    return nullptr;
  const DeclContext *Outer = Scope->getDeclContext()->getRedeclContext();
  return Outer->isTranslationUnit() ? Record : nullptr;
}

bool isNamed(QualType Type, StringRef Namespace, StringRef Name) {
  const RecordDecl *Record = recordIn(Type, Namespace);
  return Record && Record->getName() == Name;
}

const TemplateArgumentList *templateArguments(const RecordDecl *Record) {
  const auto *Specialization = dyn_cast_or_null<ClassTemplateSpecializationDecl>(Record);
  return Specialization ? &Specialization->getTemplateArgs() : nullptr;
}

std::optional<kernix_dtype> builtinDtype(ASTContext &Context, const BuiltinType *Builtin) {
  auto Bits = static_cast<uint8_t>(Context.getTypeSize(Builtin));
  switch (Builtin->getKind()) {
  case BuiltinType::Bool:
    return kernix_dtype{KERNIX_BOOL, 8, 1};
  case BuiltinType::Char_S: // plain char is int8, also where it is unsigned
  case BuiltinType::Char_U:
  case BuiltinType::SChar:
  case BuiltinType::Short:
  case BuiltinType::Int:
  case BuiltinType::Long:
  case BuiltinType::LongLong:
    return kernix_dtype{KERNIX_INT, Bits, 1};
  case BuiltinType::UChar:
  case BuiltinType::UShort:
  case BuiltinType::UInt:
  case BuiltinType::ULong:
  case BuiltinType::ULongLong:
    return kernix_dtype{KERNIX_UINT, Bits, 1};
  case BuiltinType::Half:
  case BuiltinType::Float16:
  case BuiltinType::Float:
  case BuiltinType::Double:
    return kernix_dtype{KERNIX_FLOAT, Bits, 1};
  case BuiltinType::BFloat16:
    return kernix_dtype{KERNIX_BFLOAT, Bits, 1};
  default:
    return std::nullopt;
  }
}

bool sameDtype(kernix_dtype A, kernix_dtype B) { return A.code == B.code && A.bits == B.bits; }

/// Arrays of structs are unrolled; nobody names so many fields.
constexpr size_t MaxLeaves = 1024;

/// Appends the leaves of `Type`, which lies `Offset` bytes into the struct.
bool appendLeaves(ASTContext &Context, QualType Type, const std::string &Name, int64_t Offset,
                  std::vector<Field> &Leaves, std::string &Why) {
  int64_t Count = 1;
  std::vector<int64_t> Shape;
  QualType Element = Type;
  while (const ConstantArrayType *Array = Context.getAsConstantArrayType(Element)) {
    Shape.push_back(static_cast<int64_t>(Array->getZExtSize()));
    Count *= Shape.back();
    Element = Array->getElementType();
  }
  if (std::optional<kernix_dtype> Dtype = scalarDtype(Context, Element)) {
    if (Leaves.size() == MaxLeaves) {
      Why = "it has more than " + std::to_string(MaxLeaves) + " fields";
      return false;
    }
    Leaves.push_back(
        {Name, typeName(Context, Element.getUnqualifiedType()), *Dtype, Offset, Count, std::move(Shape), {}});
    return true;
  }
  if (!Leaves.empty() || !Name.empty())
    if (isKernixTensor(Element) || !tensorViewElement(Element).isNull() || !diffViewElement(Element).isNull()) {
      Why = "field '" + Name + "' is a tensor, which is a parameter of its own";
      return false;
    }
  const auto *Record = dyn_cast_or_null<CXXRecordDecl>(Element->getAsRecordDecl());
  if (!Record || !Record->hasDefinition()) {
    Why = "field '" + Name + "' of type '" + typeName(Context, Element) + "' is not made of arithmetic scalars";
    if (Element->isPointerType())
      Why += "; a tensor is a parameter of its own";
    return false;
  }
  if (Record->isUnion()) {
    Why = "field '" + Name + "' is a union";
    return false;
  }
  const ASTRecordLayout &Layout = Context.getASTRecordLayout(Record);
  int64_t Stride = Context.getTypeSizeInChars(Element).getQuantity();
  for (int64_t I = 0; I < Count; ++I) {
    std::string Prefix = Name;
    if (Element != Type)
      Prefix += "." + std::to_string(I);
    if (!Prefix.empty())
      Prefix += ".";
    int64_t Start = Offset + I * Stride;
    for (const CXXBaseSpecifier &Base : Record->bases()) {
      const auto *BaseRecord = Base.getType()->getAsCXXRecordDecl();
      if (BaseRecord->isEmpty())
        continue;
      int64_t BaseOffset = Layout.getBaseClassOffset(BaseRecord).getQuantity();
      std::string BaseName = Prefix.empty() ? "" : Prefix.substr(0, Prefix.size() - 1);
      if (!appendLeaves(Context, Base.getType(), BaseName, Start + BaseOffset, Leaves, Why))
        return false;
    }
    for (const FieldDecl *Member : Record->fields()) {
      if (Member->isBitField()) {
        Why = "field '" + Prefix + Member->getNameAsString() + "' is a bit-field";
        return false;
      }
      if (Member->getName().empty()) {
        Why = "it has an unnamed member";
        return false;
      }
      int64_t FieldOffset = static_cast<int64_t>(Layout.getFieldOffset(Member->getFieldIndex()) / 8);
      if (!appendLeaves(Context, Member->getType(), Prefix + Member->getNameAsString(), Start + FieldOffset, Leaves,
                        Why))
        return false;
    }
  }
  return true;
}

} // namespace

std::string kernix::typeName(ASTContext &Context, QualType Type) {
  PrintingPolicy Policy(Context.getPrintingPolicy());
  Policy.SuppressTagKeyword = true;
  Policy.Bool = true;
  Policy.PrintAsCanonical = true;
  return Type.getAsString(Policy);
}

std::optional<kernix_dtype> kernix::scalarDtype(ASTContext &Context, QualType Type) {
  QualType Canonical = Type.getCanonicalType().getUnqualifiedType();
  if (const auto *Enum = Canonical->getAs<EnumType>()) {
    if (!Enum->getDecl()->getDefinitionOrSelf()->isComplete())
      return std::nullopt;
    return scalarDtype(Context, Enum->getDecl()->getDefinitionOrSelf()->getIntegerType());
  }
  if (const auto *Builtin = dyn_cast<BuiltinType>(Canonical))
    return builtinDtype(Context, Builtin);
  if (isNamed(Canonical, "", "__half"))
    return kernix_dtype{KERNIX_FLOAT, 16, 1};
  if (isNamed(Canonical, "", "__nv_bfloat16"))
    return kernix_dtype{KERNIX_BFLOAT, 16, 1};
  if (isNamed(Canonical, "std", "complex")) {
    const TemplateArgumentList *Arguments = templateArguments(Canonical->getAsRecordDecl());
    std::optional<kernix_dtype> Part = scalarDtype(Context, Arguments->get(0).getAsType());
    if (Part && Part->code == KERNIX_FLOAT && Part->bits >= 32)
      return kernix_dtype{KERNIX_COMPLEX, static_cast<uint8_t>(2 * Part->bits), 1};
  }
  return std::nullopt;
}

QualType kernix::scalarType(ASTContext &Context, kernix_dtype Dtype) {
  switch (Dtype.code) {
  case KERNIX_BOOL:
    return Context.BoolTy;
  case KERNIX_INT:
  case KERNIX_UINT:
    return Context.getIntTypeForBitwidth(Dtype.bits, Dtype.code == KERNIX_INT);
  case KERNIX_FLOAT:
    return Dtype.bits == 16 ? Context.Float16Ty : Dtype.bits == 32 ? Context.FloatTy : Context.DoubleTy;
  case KERNIX_BFLOAT:
    return Context.BFloat16Ty;
  default:
    return {};
  }
}

std::optional<std::pair<QualType, unsigned>> kernix::cudaVector(QualType Type) {
  const RecordDecl *Record = recordIn(Type, "");
  if (!Record || !Record->getDefinition())
    return std::nullopt;
  StringRef Name = Record->getName();
  if (Name == "__half2" || Name == "__nv_bfloat162") {
    Record = Record->getDefinition();
    if (Record->field_empty())
      return std::nullopt;
    return std::make_pair(Record->field_begin()->getType(), 2u);
  }
  Name.consume_back("_16a") || Name.consume_back("_32a");
  if (Name.empty() || Name.back() < '1' || Name.back() > '4')
    return std::nullopt;
  unsigned Width = static_cast<unsigned>(Name.back() - '0');
  bool IsVector = llvm::StringSwitch<bool>(Name.drop_back())
                      .Cases({"char", "uchar", "short", "ushort", "int", "uint"}, true)
                      .Cases({"long", "ulong", "longlong", "ulonglong", "float", "double"}, true)
                      .Default(false);
  Record = Record->getDefinition();
  if (!IsVector || std::distance(Record->field_begin(), Record->field_end()) != Width)
    return std::nullopt;
  return std::make_pair(Record->field_begin()->getType(), Width);
}

std::optional<std::vector<Field>> kernix::structFields(ASTContext &Context, QualType Type, std::string &Why) {
  const auto *Record = dyn_cast_or_null<CXXRecordDecl>(Type->getAsRecordDecl());
  if (!Record) {
    Why = "there is no dtype for it";
    return std::nullopt;
  }
  if (!Record->hasDefinition()) {
    Why = "it is incomplete";
    return std::nullopt;
  }
  if (Record->isUnion()) {
    Why = "it is a union";
    return std::nullopt;
  }
  if (!Type.isTriviallyCopyableType(Context)) {
    Why = "it is not trivially copyable";
    return std::nullopt;
  }
  std::vector<Field> Leaves;
  if (!appendLeaves(Context, Type, "", 0, Leaves, Why))
    return std::nullopt;
  if (Leaves.empty()) {
    Why = "it has no fields";
    return std::nullopt;
  }
  if (Context.getTypeSizeInChars(Type).getQuantity() > std::numeric_limits<int32_t>::max()) {
    Why = "it has more than 2^31 bytes";
    return std::nullopt;
  }
  llvm::StringSet<> Names;
  for (const Field &Leaf : Leaves)
    if (!Names.insert(Leaf.Name).second) {
      Why = "it has two fields called '" + Leaf.Name + "'";
      return std::nullopt;
    }
  return Leaves;
}

namespace {

const char *accessName(AccessSpecifier Access) { return Access == AS_private ? "private" : "protected"; }

/// What a caller has no access to, a field or a base of a record, as a sentence; empty if there is none. CUDA's vector
/// types aside.
std::string hiddenPart(ASTContext &Context, QualType Type) {
  Type = Context.getBaseElementType(Type);
  const auto *Record = dyn_cast_or_null<CXXRecordDecl>(Type->getAsRecordDecl());
  if (!Record || scalarDtype(Context, Type) || cudaVector(Type))
    return "";
  for (const CXXBaseSpecifier &Base : Record->bases()) {
    if (Base.getAccessSpecifier() != AS_public && !Base.getType()->getAsCXXRecordDecl()->isEmpty())
      return "base '" + typeName(Context, Base.getType()) + "' is " + accessName(Base.getAccessSpecifier());
    if (std::string Hidden = hiddenPart(Context, Base.getType()); !Hidden.empty())
      return Hidden;
  }
  for (const FieldDecl *Member : Record->fields()) {
    if (Member->getAccess() == AS_private || Member->getAccess() == AS_protected)
      return "field '" + Member->getNameAsString() + "' is " + accessName(Member->getAccess());
    if (std::string Hidden = hiddenPart(Context, Member->getType()); !Hidden.empty())
      return Hidden;
  }
  return "";
}

} // namespace

std::optional<std::vector<Field>> kernix::passedFields(ASTContext &Context, QualType Type, std::string &Why) {
  std::optional<std::vector<Field>> Fields = structFields(Context, Type, Why);
  if (Fields)
    Why = hiddenPart(Context, Type);
  return Why.empty() ? Fields : std::nullopt;
}

std::optional<ElementType> kernix::elementType(ASTContext &Context, QualType Type, std::string &Why) {
  ElementType Element;
  if (Type->isIncompleteType()) {
    Why = isNamed(Type, "", "__half")          ? "it is incomplete; include <cuda_fp16.h>"
          : isNamed(Type, "", "__nv_bfloat16") ? "it is incomplete; include <cuda_bf16.h>"
                                               : "it is incomplete";
    return std::nullopt;
  }
  Element.Alignment = static_cast<unsigned>(Context.getTypeAlignInChars(Type).getQuantity());
  if (std::optional<kernix_dtype> Dtype = scalarDtype(Context, Type)) {
    Element.Dtype = *Dtype;
    return Element;
  }
  if (auto Vector = cudaVector(Type)) {
    std::optional<kernix_dtype> Dtype = scalarDtype(Context, Vector->first);
    int64_t Packed = Dtype ? int64_t(Dtype->bits / 8) * Vector->second : 0;
    if (Packed != Context.getTypeSizeInChars(Type).getQuantity()) {
      Why = "it is not a CUDA vector type of the usual layout";
      return std::nullopt;
    }
    Element.Dtype = *Dtype;
    Element.Shape.push_back(Vector->second);
    return Element;
  }
  if (!Type->isRecordType()) {
    Why = "there is no dtype for it";
    return std::nullopt;
  }
  std::optional<std::vector<Field>> Leaves = structFields(Context, Type, Why);
  if (!Leaves)
    return std::nullopt;
  int64_t Count = 0;
  for (const Field &Leaf : *Leaves) {
    if (!sameDtype(Leaf.Dtype, Leaves->front().Dtype)) {
      Why = "its fields have different types ('" + dtypeName(Leaves->front().Dtype) + "' and '" +
            dtypeName(Leaf.Dtype) + "'), so that no tensor has its layout";
      return std::nullopt;
    }
    Count += Leaf.Count;
  }
  Element.Dtype = Leaves->front().Dtype;
  if (Count * Element.Dtype.bits / 8 != Context.getTypeSizeInChars(Type).getQuantity()) {
    const Field &Last = Leaves->back();
    const bool IsAtEnd = Last.Offset + Last.Count * Last.Dtype.bits / 8 == Count * Last.Dtype.bits / 8;
    Why = IsAtEnd ? "it has padding at its end, where no tensor has any; add a field there, or read the fields from "
                    "tensors of their own"
                  : "it has padding between its fields";
    return std::nullopt;
  }
  // A struct that is nothing but a matrix keeps its two axes; everything else is one axis.
  const RecordDecl *Record = Type->getAsRecordDecl();
  auto Members = Record->fields();
  bool OneMember = Leaves->size() == 1 && !Members.empty() && std::next(Members.begin()) == Members.end();
  const ConstantArrayType *Outer = OneMember ? Context.getAsConstantArrayType(Members.begin()->getType()) : nullptr;
  const ConstantArrayType *Inner = Outer ? Context.getAsConstantArrayType(Outer->getElementType()) : nullptr;
  if (Inner && !Context.getAsConstantArrayType(Inner->getElementType())) {
    Element.Shape.push_back(static_cast<int64_t>(Outer->getZExtSize()));
    Element.Shape.push_back(static_cast<int64_t>(Inner->getZExtSize()));
    return Element;
  }
  Element.Shape.push_back(Count);
  return Element;
}

bool kernix::isKernixTensor(QualType Type) { return isNamed(Type, "kernix", "Tensor"); }

bool kernix::isKernixStream(QualType Type) { return isNamed(Type, "kernix", "Stream"); }

bool kernix::isCudaStream(QualType Type) {
  QualType Canonical = Type.getCanonicalType();
  return Canonical->isPointerType() && isNamed(Canonical->getPointeeType(), "", "CUstream_st");
}

bool kernix::isPlainChar(QualType Type) {
  return Type->isSpecificBuiltinType(BuiltinType::Char_S) || Type->isSpecificBuiltinType(BuiltinType::Char_U);
}

bool kernix::isStringView(QualType Type) {
  if (!isNamed(Type, "std", "basic_string_view"))
    return false;
  const TemplateArgumentList *Arguments = templateArguments(Type.getCanonicalType()->getAsRecordDecl());
  return Arguments && isPlainChar(Arguments->get(0).getAsType());
}

QualType kernix::tensorViewElement(QualType Type) {
  if (!isNamed(Type, "kernix", "TensorView"))
    return {};
  const TemplateArgumentList *Arguments = templateArguments(Type.getCanonicalType()->getAsRecordDecl());
  return Arguments ? Arguments->get(0).getAsType() : QualType();
}

QualType kernix::diffViewElement(QualType Type) {
  QualType Base = diffViewBase(Type);
  const TemplateArgumentList *Arguments =
      Base.isNull() ? nullptr : templateArguments(Base.getCanonicalType()->getAsRecordDecl());
  return Arguments ? Arguments->get(0).getAsType() : QualType();
}

/// The class of namespace kernix of this name that `Type` is or is derived from; null otherwise.
static QualType baseNamed(QualType Type, StringRef Name) {
  Type = Type.getNonReferenceType();
  if (isNamed(Type, "kernix", Name))
    return Type;
  const CXXRecordDecl *Class = Type->getAsCXXRecordDecl();
  if (!Class || !Class->hasDefinition())
    return {};
  for (const CXXBaseSpecifier &Base : Class->bases())
    if (QualType Found = baseNamed(Base.getType(), Name); !Found.isNull())
      return Found;
  return {};
}

QualType kernix::diffViewBase(QualType Type) { return baseNamed(Type, "DiffTensorView"); }

bool kernix::isPlainDiffView(ASTContext &Context, QualType Type, std::string &Why) {
  const CXXRecordDecl *Class = Type->getAsCXXRecordDecl();
  QualType Known = baseNamed(Type, "ScratchDiffTensorView");
  if (Class->isPolymorphic() || Class->getNumVBases())
    Why = "it has virtual members or bases";
  else if (!Class->isTriviallyCopyable())
    Why = "it is not trivially copyable";
  else if (Context.getTypeSizeInChars(Type) != Context.getTypeSizeInChars(Known.isNull() ? diffViewBase(Type) : Known))
    Why = "it has fields of its own, which no caller knows; make them parameters of the kernel";
  return Why.empty();
}

QualType kernix::viewElement(QualType Type) {
  QualType Element = tensorViewElement(Type);
  return Element.isNull() ? diffViewElement(Type) : Element;
}
