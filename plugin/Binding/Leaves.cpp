//===- Leaves.cpp - the differentiable scalars in a value -------------------------------------------------------===//

#include "Binding/Leaves.h"
#include "Binding/Types.h"

using namespace clang;
using namespace kernix;

namespace {

/// The type of a floating-point scalar, or of the two parts of a complex one; empty for all others.
std::string leafType(kernix_dtype Dtype) {
  switch (Dtype.code) {
  case KERNIX_FLOAT:
    return "f" + std::to_string(Dtype.bits);
  case KERNIX_BFLOAT:
    return "bf16";
  case KERNIX_COMPLEX:
    return "f" + std::to_string(Dtype.bits / 2);
  default:
    return "";
  }
}

void append(kernix_dtype Dtype, int64_t Offset, int64_t Count, const std::string &Name,
            std::vector<ScalarLeaf> &Leaves) {
  std::string Type = leafType(Dtype);
  if (Type.empty())
    return;
  bool IsComplex = Dtype.code == KERNIX_COMPLEX;
  int64_t Size = Dtype.bits / (IsComplex ? 16 : 8);
  for (int64_t I = 0; I < Count; ++I) {
    std::string Element = Count == 1 ? Name : Name + "[" + std::to_string(I) + "]";
    std::string Prefix = Element.empty() ? "" : Element + ".";
    if (!IsComplex) {
      Leaves.push_back({Offset + I * Size, Type, Element});
      continue;
    }
    Leaves.push_back({Offset + 2 * I * Size, Type, Prefix + "real"});
    Leaves.push_back({Offset + (2 * I + 1) * Size, Type, Prefix + "imag"});
  }
}

} // namespace

std::optional<std::vector<ScalarLeaf>> kernix::scalarLeaves(ASTContext &Context, QualType Type, std::string &Why) {
  std::vector<ScalarLeaf> Leaves;
  if (const ConstantArrayType *Array = Context.getAsConstantArrayType(Type)) {
    std::optional<std::vector<ScalarLeaf>> One = scalarLeaves(Context, Array->getElementType(), Why);
    if (!One)
      return std::nullopt;
    int64_t Size = Context.getTypeSizeInChars(Array->getElementType()).getQuantity();
    for (int64_t I = 0; I < static_cast<int64_t>(Array->getZExtSize()); ++I)
      for (const ScalarLeaf &Leaf : *One)
        Leaves.push_back({Leaf.Offset + I * Size, Leaf.Type,
                          "[" + std::to_string(I) + "]" + (Leaf.Name.empty() ? "" : "." + Leaf.Name)});
    return Leaves;
  }
  if (std::optional<kernix_dtype> Dtype = scalarDtype(Context, Type)) {
    append(*Dtype, 0, 1, "", Leaves);
    return Leaves;
  }
  std::optional<std::vector<Field>> Fields = structFields(Context, Type, Why);
  if (!Fields)
    return std::nullopt;
  for (const Field &F : *Fields)
    append(F.Dtype, F.Offset, F.Count, F.Name, Leaves);
  return Leaves;
}

static std::optional<ElementType> findElementType(ASTContext &Context, QualType Element) {
  std::string Why;
  if (Element->isVoidType() || Element->isFunctionType())
    return std::nullopt;
  return elementType(Context, Context.getBaseElementType(Element).getUnqualifiedType(), Why);
}

std::string kernix::elementLeafType(ASTContext &Context, QualType Element) {
  std::optional<ElementType> Found = findElementType(Context, Element);
  return Found ? leafType(Found->Dtype) : "";
}

int64_t kernix::elementLeafCount(ASTContext &Context, QualType Element) {
  std::optional<ElementType> Found = findElementType(Context, Element);
  if (!Found || leafType(Found->Dtype).empty())
    return 0;
  int64_t Bits = Found->Dtype.bits * Found->Dtype.lanes, Count = Found->Dtype.lanes;
  if (Found->Dtype.code == KERNIX_COMPLEX)
    Count *= 2;
  for (int64_t Extent : Found->Shape)
    Bits *= Extent, Count *= Extent;
  return Bits == static_cast<int64_t>(Context.getTypeSize(Context.getBaseElementType(Element))) ? Count : 0;
}
