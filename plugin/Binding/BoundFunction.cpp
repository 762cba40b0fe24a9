//===- BoundFunction.cpp - the record of one bound function -----------------------------------------------------===//

#include "Binding/BoundFunction.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"

using namespace kernix;

std::string kernix::dtypeName(kernix_dtype Dtype) {
  const char *Kind = nullptr;
  switch (Dtype.code) {
  case KERNIX_INT:
    Kind = "int";
    break;
  case KERNIX_UINT:
    Kind = "uint";
    break;
  case KERNIX_FLOAT:
    Kind = "float";
    break;
  case KERNIX_BFLOAT:
    Kind = "bfloat";
    break;
  case KERNIX_COMPLEX:
    Kind = "complex";
    break;
  case KERNIX_BOOL:
    return "bool";
  default:
    return "any";
  }
  return Kind + std::to_string(Dtype.bits);
}

namespace {

/// Everything that is hashed, as text; each item ends in a separator that no name contains.
class Digest {
public:
  void add(llvm::StringRef Text) { OS << Text << '\n'; }
  void add(int64_t Number) { OS << Number << '\n'; }
  void add(kernix_dtype D) { add(dtypeName(D)); }

  void add(const std::optional<Expression> &E) {
    add(E ? static_cast<int64_t>(E->Code.size()) : -1);
    for (const kernix_instruction &I : E ? llvm::ArrayRef(E->Code) : llvm::ArrayRef<kernix_instruction>()) {
      add(I.opcode);
      add(I.parameter);
      add(I.value);
    }
  }

  void add(const Parameter &P) {
    add(P.Name);
    add(P.Type);
    for (int64_t Number : {int64_t(P.Role), int64_t(P.Intent), int64_t(P.Passing), int64_t(P.IsConst), int64_t(P.Rank),
                           P.Size, P.Alignment, P.ArrayLength, int64_t(P.Optional), int64_t(P.Access),
                           int64_t(P.Differentiable), int64_t(P.ShadowOf), int64_t(P.IsDiffView)})
      add(Number);
    add(P.Element.Dtype);
    add(P.Element.Alignment);
    for (int64_t Axis : P.Element.Shape)
      add(Axis);
    for (const Field &F : P.Fields) {
      add(F.Name);
      add(F.Dtype);
      add(F.Offset);
      add(F.Count);
    }
    add(P.Value);
    add(P.DeclaredShape ? P.DeclaredShape->Like : -2);
    if (P.DeclaredShape && P.DeclaredShape->Like < 0)
      for (const Expression &Axis : P.DeclaredShape->Axes)
        add(std::optional(Axis));
  }

  uint64_t value() const { return llvm::xxh3_64bits(Text); }

private:
  std::string Text;
  llvm::raw_string_ostream OS{Text};
};

} // namespace

uint64_t BoundFunction::hash() const {
  Digest D;
  D.add(Kind);
  D.add(Name);
  D.add(MangledName);
  D.add(static_cast<int64_t>(Parameters.size()));
  for (const Parameter &P : Parameters)
    D.add(P);
  D.add(Result);
  for (const auto *Sizes : {&DefaultLaunch.Grid, &DefaultLaunch.Block})
    for (const std::optional<Expression> &Size : *Sizes)
      D.add(Size);
  D.add(DefaultLaunch.SharedBytes);
  D.add(WantsForward + 2 * WantsBackward + 4 * int64_t(Order));
  D.add(Derivative);
  return D.value();
}
