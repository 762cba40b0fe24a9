//===- Descriptor.cpp - a record as a kernix_function constant --------------------------------------------------===//

#include "Synthesis/Descriptor.h"
#include "Binding/RecordJson.h"
#include "Binding/StructDefaults.h"
#include "Synthesis/LaunchThunk.h"
#include "Synthesis/ViewHooks.h"
#include "clang/AST/Decl.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"

using namespace clang;
using namespace kernix;

namespace {

/// One list element per member of the structure, in the order of abi.h.
using Members = llvm::SmallVector<Expr *, 32>;

class DescriptorWriter {
public:
  DescriptorWriter(AstBuilder &B, const BoundFunction &F) : B(B), F(F), Linkage(sharingOf(F)) {
    Suffix = "_" + llvm::utohexstr(llvm::xxh3_64bits(F.MangledName + "\n" + F.Name), /*LowerCase=*/true);
  }

  bool write() {
    QualType FunctionType = B.abiType("kernix_function");
    // Host functions need it too: for the device of their tensors and the errors of what they launch.
    const bool HasHooks = llvm::any_of(F.Parameters, [&](const Parameter &P) { return hasViewHooks(B.S, F, P); });
    const bool CallsCuda = B.S.getLangOpts().CUDA && (F.Kind != KERNIX_DEVICE_FUNCTION || HasHooks);
    ValueDecl *CudaApi = CallsCuda ? B.detail("cuda_api") : nullptr;
    ValueDecl *ModuleInfo = B.detail("module_info");
    if (FunctionType.isNull() || !ModuleInfo || (CallsCuda && !CudaApi))
      return false;
    // The module's own constant is written in a header, where nothing keeps it alive.
    if (!ModuleInfo->hasAttr<UsedAttr>()) {
      ModuleInfo->addAttr(UsedAttr::CreateImplicit(B.Context));
      ModuleInfo->addAttr(VisibilityAttr::CreateImplicit(B.Context, VisibilityAttr::Default));
      B.S.MarkVariableReferenced(B.Loc, cast<VarDecl>(ModuleInfo));
      B.emit(ModuleInfo);
    }

    std::vector<Expr *> Parameters;
    for (size_t I = 0; I < F.Parameters.size(); ++I) {
      Parameters.push_back(parameter(F.Parameters[I], "p" + std::to_string(I)));
      if (!Parameters.back())
        return false;
    }
    Expr *ParameterArray = array("parameters", "kernix_parameter", Parameters);
    Expr *LaunchConstant = launch();
    Expr *Result = parameter(F.Result, "result");
    Expr *Thunk = F.Kind == KERNIX_KERNEL ? B.null() : callThunk(B, F);
    Expr *Stub = F.Kind == KERNIX_KERNEL ? B.asVoidPointer(B.reference(const_cast<FunctionDecl *>(F.Decl))) : B.null();
    if (!Thunk || !Stub || !ParameterArray || !LaunchConstant)
      return false;

    uint32_t Flags = (F.UsesOnlyX ? KERNIX_USES_ONLY_X : 0) | (F.isDifferentiable() ? KERNIX_DIFFERENTIABLE : 0) |
                     (F.ForCuda ? KERNIX_FOR_CUDA : 0) | (F.SingleThread ? KERNIX_SINGLE_THREAD : 0) |
                     (F.SharedOutput ? KERNIX_SHARED_OUTPUT : 0) | (F.IgnoresBlocks ? KERNIX_IGNORES_BLOCKS : 0);
    int64_t Size = B.Context.getTypeSizeInChars(FunctionType).getQuantity();
    Members M = {B.integer(KERNIX_ABI_VERSION),
                 B.integer(Size),
                 B.string(F.Name),
                 B.string(F.QualifiedName),
                 B.string(F.MangledName),
                 B.string(F.Signature),
                 B.string(F.Doc),
                 B.string(recordJson(F)),
                 B.integer(F.Kind),
                 B.integer(Flags),
                 B.integer(static_cast<int64_t>(F.Parameters.size())),
                 ParameterArray,
                 Result,
                 Stub,
                 Thunk,
                 LaunchConstant,
                 CudaApi ? B.address(CudaApi) : B.null(),
                 hash(),
                 name(F.Forward),
                 name(F.Backward),
                 name(F.Primal),
                 B.integer(F.Derivative),
                 F.Facts ? B.asVoidPointer(B.address(F.Facts)) : B.null()};
    AstBuilder::VariableOptions Options;
    Options.Linkage = Linkage;
    VarDecl *Descriptor = B.variable("__kernix_function" + Suffix, FunctionType.withConst(), B.list(M), Options);
    if (!Descriptor)
      return false;
    // `const kernix_function *const entry = &descriptor;`, found by the section's bounds.
    QualType Entry = B.Context.getPointerType(FunctionType.withConst()).withConst();
    Options.Section = "kernix_functions";
    Options.Used = true;
    return B.variable("__kernix_entry" + Suffix, Entry, B.address(Descriptor), Options) != nullptr;
  }

private:
  AstBuilder &B;
  const BoundFunction &F;
  Sharing Linkage;
  std::string Suffix;

  /// A constant array of a structure of abi.h.
  Expr *array(const std::string &Name, llvm::StringRef Type, llvm::ArrayRef<Expr *> Elements) {
    QualType Element = B.abiType(Type);
    return Element.isNull() ? nullptr : B.constantArray("__kernix_" + Name + Suffix, Element, Elements, Linkage);
  }

  /// A public name, or a null pointer where there is none.
  Expr *name(const std::string &Name) { return Name.empty() ? B.null() : B.string(Name); }

  Expr *hash() { return IntegerLiteral::Create(B.Context, llvm::APInt(64, F.hash()), B.Context.UnsignedLongTy, B.Loc); }

  Expr *dtype(kernix_dtype D) { return B.list({B.integer(D.code), B.integer(D.bits), B.integer(D.lanes)}); }

  Expr *expression(const std::optional<Expression> &E, const std::string &Name) {
    if (!E)
      return B.list({B.null(), B.integer(0), B.null()});
    std::vector<Expr *> Code;
    for (const kernix_instruction &I : E->Code)
      Code.push_back(B.list({B.integer(I.opcode), B.integer(I.parameter), B.integer(I.value)}));
    return B.list(
        {array(Name, "kernix_instruction", Code), B.integer(static_cast<int64_t>(Code.size())), B.string(E->Text)});
  }

  Expr *shape(const Parameter &P, const std::string &Name) {
    if (!P.DeclaredShape)
      return B.list({B.integer(0), B.integer(-1), B.integer(0), B.null()});
    std::vector<Expr *> Axes;
    for (size_t I = 0; P.DeclaredShape->Like < 0 && I < P.DeclaredShape->Axes.size(); ++I)
      Axes.push_back(expression(P.DeclaredShape->Axes[I], Name + "_axis" + std::to_string(I)));
    Expr *AxisArray = array(Name + "_axes", "kernix_expression", Axes);
    return B.list(
        {B.integer(1), B.integer(P.DeclaredShape->Like), B.integer(static_cast<int64_t>(Axes.size())), AxisArray});
  }

  Expr *fields(const Parameter &P, const std::string &Name) {
    std::vector<Expr *> Fields;
    for (const Field &Leaf : P.Fields)
      Fields.push_back(B.list({B.string(Leaf.Name), dtype(Leaf.Dtype), B.integer(Leaf.Offset), B.integer(Leaf.Count),
                               B.string(Leaf.Type)}));
    return array(Name + "_fields", "kernix_field", Fields);
  }

  static uint32_t flags(const Parameter &P) {
    uint32_t Flags = 0;
    if (P.Optional)
      Flags |= KERNIX_OPTIONAL;
    if (P.Default)
      Flags |= KERNIX_HAS_DEFAULT;
    if (P.HasUnknownDefault)
      Flags |= KERNIX_UNKNOWN_DEFAULT;
    if (P.ZeroInit)
      Flags |= KERNIX_ZERO_INIT;
    if (P.Written)
      Flags |= KERNIX_WRITTEN;
    if (P.Differentiable)
      Flags |= KERNIX_DIFF;
    if (P.NoDiff)
      Flags |= KERNIX_NO_DIFF;
    if (P.IsDiffView)
      Flags |= KERNIX_DIFF_VIEW;
    if (P.IsCarried)
      Flags |= KERNIX_CARRIED;
    return Flags | P.DerivativeFlags;
  }

  Expr *defaultText(const Parameter &P) {
    if (!P.Default)
      return B.null();
    if (!P.Default->Parts.empty())
      return B.string(structDefaultBytes(P));
    return P.Default->Text ? B.string(*P.Default->Text) : B.null();
  }

  Expr *parameter(const Parameter &P, const std::string &Name) {
    Expr *Hooks = viewHooks(B, F, P);
    if (!Hooks)
      return nullptr;
    DefaultValue Default = P.Default.value_or(DefaultValue());
    auto Axis = [&](size_t I) { return B.integer(I < P.Element.Shape.size() ? P.Element.Shape[I] : 0); };
    Members M = {B.string(P.Name),
                 B.string(P.Type),
                 B.integer(P.Role),
                 B.integer(P.Intent),
                 B.integer(P.Passing),
                 B.integer(flags(P)),
                 dtype(P.Element.Dtype),
                 B.integer(P.Rank),
                 B.integer(static_cast<int64_t>(P.Element.Shape.size())),
                 B.list({Axis(0), Axis(1)}),
                 B.integer(P.Element.Alignment),
                 B.integer(P.Size),
                 B.integer(P.Alignment),
                 B.integer(static_cast<int64_t>(P.Fields.size())),
                 fields(P, Name),
                 B.integer(P.ArrayLength),
                 B.integer(Default.Integer),
                 B.list({B.real(Default.Real[0]), B.real(Default.Real[1])}),
                 defaultText(P),
                 shape(P, Name),
                 expression(P.Value, Name + "_value"),
                 B.integer(P.Access),
                 B.integer(P.ShadowOf),
                 B.integer(P.Shadow),
                 B.integer(P.PrimalParameter),
                 Hooks,
                 B.integer(P.Replicas),
                 B.integer(P.Notes)};
    return B.list(M);
  }

  Expr *launch() {
    if (F.DefaultLaunch.empty())
      return B.null();
    auto Axes = [&](const std::array<std::optional<Expression>, 3> &Sizes, const std::string &Name) {
      return B.list(
          {expression(Sizes[0], Name + "_x"), expression(Sizes[1], Name + "_y"), expression(Sizes[2], Name + "_z")});
    };
    return array("launch", "kernix_launch",
                 {B.list({Axes(F.DefaultLaunch.Grid, "grid"), Axes(F.DefaultLaunch.Block, "block"),
                          expression(F.DefaultLaunch.SharedBytes, "shared_bytes")})});
  }
};

} // namespace

Sharing kernix::sharingOf(const BoundFunction &F) {
  return F.Decl->isExternallyVisible() ? Sharing::Merged : Sharing::OneObject;
}

bool kernix::synthesizeDescriptor(AstBuilder &Builder, const BoundFunction &F) {
  return DescriptorWriter(Builder, F).write();
}
