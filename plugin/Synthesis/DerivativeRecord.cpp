//===- DerivativeRecord.cpp - the records of f_fwd and f_bwd ----------------------------------------------------===//

#include "Synthesis/DerivativeRecord.h"
#include "Binding/BindFunctions.h"
#include "Binding/Types.h"

using namespace clang;
using namespace kernix;

namespace {

/// An expression of one constant.
Expression constant(int64_t Value) {
  return {std::to_string(Value), {kernix_instruction{KERNIX_OP_CONSTANT, 0, Value}}};
}

/// f_bwd<float> of f<float>.
std::string withSuffix(llvm::StringRef Name, kernix_derivative Mode) {
  size_t End = Name.size(), Arguments = End;
  int Depth = 0;
  for (size_t I = Name.ends_with(">") ? End : 0; I-- > 0 && Arguments == End;) {
    Depth += Name[I] == '>' ? 1 : Name[I] == '<' ? -1 : 0;
    if (Depth == 0)
      Arguments = I;
  }
  return (Name.take_front(Arguments) + suffix(Mode) + Name.drop_front(Arguments)).str();
}

class RecordBuilder {
public:
  RecordBuilder(const BoundFunction &F, kernix_derivative Mode, FunctionDecl *Decl,
                llvm::ArrayRef<DerivativeParameter> Parameters)
      : F(F), Context(Decl->getASTContext()), IsForward(Mode == KERNIX_FORWARD_DERIVATIVE), Parameters(Parameters) {
    Record.Decl = Decl;
    Record.Location = F.Location;
    Record.Kind = F.Kind;
    Record.Name = F.Name + suffix(Mode).str();
    Record.Doc = "The " + modeName(Mode).str() + " derivative of " + F.Name + ".";
    Record.Derivative = Mode;
    Record.Primal = F.Name;
    Record.UsesOnlyX = F.UsesOnlyX;
    Record.SingleThread = F.SingleThread;
    Record.SharedOutput = F.SharedOutput;
    Record.IgnoresBlocks = F.IgnoresBlocks;
  }

  BoundFunction build() {
    NewIndex.assign(F.Parameters.size(), 0);
    for (size_t I = 0; I < Parameters.size(); ++I)
      if (!Parameters[I].IsShadow)
        NewIndex[static_cast<size_t>(Parameters[I].Primal)] = static_cast<int>(I);
    for (size_t I = 0; I < Parameters.size(); ++I)
      Record.Parameters.push_back(make(Parameters[I], static_cast<int>(I)));
    Record.DefaultLaunch = F.DefaultLaunch;
    for (auto *Sizes : {&Record.DefaultLaunch.Grid, &Record.DefaultLaunch.Block})
      for (std::optional<Expression> &Size : *Sizes)
        renumber(Size);
    renumber(Record.DefaultLaunch.SharedBytes);
    const std::string Declared = F.Decl->getNameAsString() + suffix(Record.Derivative).str();
    bool IsSynthesized = llvm::StringRef(Record.Decl->getNameAsString()).starts_with(Declared); // not written by hand
    nameFunction(Record, IsSynthesized ? withSuffix(F.ShownName, Record.Derivative) : std::string());
    return std::move(Record);
  }

private:
  const BoundFunction &F;
  ASTContext &Context;
  bool IsForward;
  llvm::ArrayRef<DerivativeParameter> Parameters;
  BoundFunction Record;
  std::vector<int> NewIndex; ///< of f's parameters
  unsigned Declared = 0;     ///< parameters of Record.Decl that have been taken

  void renumber(std::optional<Expression> &E) {
    if (!E)
      return;
    for (kernix_instruction &I : E->Code)
      if (I.opcode >= KERNIX_OP_SCALAR && I.opcode <= KERNIX_OP_NUMEL)
        I.parameter = NewIndex[static_cast<size_t>(I.parameter)];
  }

  void renumber(std::optional<Shape> &Declared) {
    if (!Declared)
      return;
    if (Declared->Like >= 0)
      Declared->Like = NewIndex[static_cast<size_t>(Declared->Like)];
    for (Expression &Axis : Declared->Axes) {
      std::optional<Expression> Renumbered = std::move(Axis);
      renumber(Renumbered);
      Axis = std::move(*Renumbered);
    }
  }

  Parameter make(const DerivativeParameter &New, int Index) {
    Parameter P = New.Primal >= 0 ? F.Parameters[static_cast<size_t>(New.Primal)] : F.Result;
    renumber(P.DeclaredShape);
    renumber(P.Value);
    if (!New.IsCarried)
      P.Decl = Record.Decl->getParamDecl(Declared++);
    else
      P.Decl = Record.Parameters.back().Decl;
    P.IsCarried = New.IsCarried;
    P.IsDiffView &= !New.IsCarried;
    P.Name = New.Name;
    P.Type = typeName(Context, New.Type.getUnqualifiedType());
    P.PrimalParameter = New.Primal;
    uint32_t Inner = P.DerivativeFlags;
    int InnerShadow = P.Shadow;
    P.DerivativeFlags = 0;
    P.Replicas = P.Notes = 0;
    P.Differentiable = false;
    P.Shadow = P.ShadowOf = -1;
    if (New.IsShadow)
      makeShadow(P, New);
    else
      makeValue(P, Index);
    if (New.IsShadow || New.Primal < 0)
      return P;
    bool IsOutputOfF = F.Derivative == KERNIX_NO_DERIVATIVE
                           ? P.isTensor() && F.Parameters[static_cast<size_t>(New.Primal)].Role == KERNIX_RET
                           : (Inner & KERNIX_LAUNCH_OUTPUT) != 0;
    if (IsOutputOfF)
      P.DerivativeFlags |= KERNIX_LAUNCH_OUTPUT;
    // What f_bwd may be called without although f has it, its own derivatives may.
    if (Inner & KERNIX_PRIMAL_OUTPUT)
      P.DerivativeFlags |= Inner & KERNIX_NEVER_NULL;
    // What f_bwd knows only the sizes of, its own derivatives know no more of.
    if ((Inner & KERNIX_PRIMAL_OUTPUT) && P.Shadow < 0 && InnerShadow >= 0) {
      P.DerivativeFlags |= KERNIX_PRIMAL_OUTPUT;
      P.Shadow = NewIndex[static_cast<size_t>(InnerShadow)];
    }
    return P;
  }

  void makeValue(Parameter &P, int Index) {
    const Parameter &Primal = F.Parameters[static_cast<size_t>(P.PrimalParameter)];
    if (Primal.Differentiable)
      P.Shadow = Index + 1;
    if (IsForward || Primal.Role != KERNIX_RET)
      return;
    // f_bwd reads at most what f has read or written.
    P.Role = P.Passing == KERNIX_PASS_REFERENCE ? KERNIX_ATTR : KERNIX_ARG;
    P.Intent = P.Passing == KERNIX_PASS_REFERENCE ? KERNIX_INTENT_IN : KERNIX_INTENT_DEFAULT;
    P.Written = P.ZeroInit = false;
    P.DerivativeFlags = KERNIX_PRIMAL_OUTPUT | (isOnlyGradient(Primal) ? KERNIX_ONLY_TESTED : 0);
    if (P.Passing == KERNIX_PASS_REFERENCE && P.Fields.empty() && Primal.Access == KERNIX_ACCESS_OUT)
      P.Default = DefaultValue(); // nobody reads it
    if (P.Passing == KERNIX_PASS_ARRAY)
      P.Optional = true; // memory of the call's own
    // Its sizes are those of the cotangent; the value from before the call is another matter.
    bool IsRead = Primal.Differentiable ? Primal.Access != KERNIX_ACCESS_OUT
                                        : Primal.ZeroInit || Primal.Intent == KERNIX_INTENT_INOUT_PTR;
    if (P.isTensor() && !IsRead) {
      P.DerivativeFlags |= P.Optional ? 0 : KERNIX_NEVER_NULL;
      P.Optional = true;
    }
  }

  /// What an f_bwd adds to and does not read.
  static bool isOnlyGradient(const Parameter &P) {
    return (P.DerivativeFlags & (KERNIX_GRADIENT | KERNIX_COTANGENT)) == KERNIX_GRADIENT;
  }

  void makeShadow(Parameter &P, const DerivativeParameter &New) {
    bool IsResult = New.Primal < 0;
    P.ShadowOf = IsResult ? -1 : NewIndex[static_cast<size_t>(New.Primal)];
    P.Value.reset();
    P.Default.reset();
    P.Size = Context.getTypeSizeInChars(New.Type).getQuantity();
    P.Alignment = Context.getTypeAlignInChars(New.Type).getQuantity();
    if (IsForward)
      P.DerivativeFlags = KERNIX_TANGENT;
    else if (P.Access == KERNIX_ACCESS_INOUT)
      P.DerivativeFlags = KERNIX_COTANGENT | KERNIX_GRADIENT;
    else
      P.DerivativeFlags = P.Access == KERNIX_ACCESS_OUT ? KERNIX_COTANGENT : KERNIX_GRADIENT;
    if (P.DerivativeFlags == KERNIX_GRADIENT && New.IsActive) {
      P.Replicas = P.Accumulation == spelling(Accumulation::Replicated) ? P.AccumulationCount : 0;
      P.Notes = P.Accumulation == spelling(Accumulation::Scatter) ? P.AccumulationCount : 0;
    }
    // What f_bwd leaves away when it is told so, its derivative has to leave away too.
    if (!IsForward && !IsResult && isOnlyGradient(F.Parameters[static_cast<size_t>(New.Primal)]))
      P.Optional = true;
    bool IsWritten = IsForward ? P.Access != KERNIX_ACCESS_IN : P.Access != KERNIX_ACCESS_OUT;
    if (P.isTensor())
      makeTensorShadow(P, IsWritten);
    else if (New.Type->isPointerType())
      makeCell(P, New.Type->getPointeeType(), IsWritten);
    else
      makeValueShadow(P);
    if (!New.IsActive)
      makeUnused(P);
  }

  /// A slot that is there because signatures depend on types alone, of a parameter that has no gradient.
  static void makeUnused(Parameter &P) {
    P.ShadowOf = -1;
    P.DerivativeFlags &= KERNIX_TANGENT; // may be left out: zeros
    if (!P.isTensor())
      return;
    P.DerivativeFlags = 0;
    P.DeclaredShape.reset();
    P.Role = KERNIX_ARG;
    P.Intent = KERNIX_INTENT_DEFAULT;
    P.Written = P.ZeroInit = false;
    P.Optional = true;
  }

  /// The shadow of a tensor: a tensor of its shape.
  void makeTensorShadow(Parameter &P, bool IsWritten) {
    P.IsConst = !IsWritten;
    P.Written = IsWritten;
    P.Role = IsWritten ? KERNIX_RET : KERNIX_ARG;
    // What f adds to, gradients that f_bwd adds to included, has a tangent that is added to.
    P.ZeroInit = IsForward ? P.Access != KERNIX_ACCESS_OUT || P.ZeroInit : P.Access == KERNIX_ACCESS_IN;
    // A cotangent may come without the value: then it is held against what f declares.
    if (IsForward || P.Access != KERNIX_ACCESS_OUT || !P.DeclaredShape)
      P.DeclaredShape = Shape{P.ShadowOf, {}};
    if (IsForward && P.Access == KERNIX_ACCESS_IN)
      P.Optional = true; // zeros
    if (!IsForward)
      P.Intent = P.Access == KERNIX_ACCESS_INOUT ? KERNIX_INTENT_INOUT_PTR : KERNIX_INTENT_DEFAULT;
    else if (P.Intent == KERNIX_INTENT_INOUT_PTR)
      P.Intent = KERNIX_INTENT_DEFAULT; // may be left out: zeros
  }

  /// The shadow of a scalar or struct in memory: a tensor of one element.
  void makeCell(Parameter &P, QualType Value, bool IsWritten) {
    std::string Why;
    std::optional<ElementType> Element = elementType(Context, Value.getUnqualifiedType(), Why);
    if (!Element) {
      // A struct of several types: its bytes.
      Element = ElementType();
      Element->Dtype = {KERNIX_UINT, 8, 1};
      Element->Shape.push_back(Context.getTypeSizeInChars(Value).getQuantity());
      Element->Alignment = static_cast<unsigned>(Context.getTypeAlignInChars(Value).getQuantity());
    }
    P.Element = *Element;
    keepFloats(P);
    P.Passing = KERNIX_PASS_POINTER;
    P.Role = IsWritten ? KERNIX_RET : KERNIX_ARG;
    P.Written = IsWritten;
    P.IsConst = !IsWritten;
    P.ZeroInit = true;
    P.Intent = KERNIX_INTENT_DEFAULT;
    P.ArrayLength = 0;
    P.DeclaredShape = Shape{-1, {constant(1)}};
    if (Record.Kind != KERNIX_KERNEL)
      P.DerivativeFlags |= KERNIX_HOST_MEMORY;
  }

  /// A tangent by value, or the cotangent of a result.
  void makeValueShadow(Parameter &P) {
    P.Role = KERNIX_ATTR;
    P.Intent = KERNIX_INTENT_DEFAULT;
    P.Passing = P.Fields.empty() ? KERNIX_PASS_SCALAR : KERNIX_PASS_STRUCT;
    P.Written = P.ZeroInit = false;
    keepFloats(P);
    if (IsForward && P.Fields.empty())
      P.Default = DefaultValue();
  }

  static void keepFloats(Parameter &P) {
    llvm::erase_if(P.Fields, [](const Field &Leaf) {
      return Leaf.Dtype.code != KERNIX_FLOAT && Leaf.Dtype.code != KERNIX_BFLOAT && Leaf.Dtype.code != KERNIX_COMPLEX;
    });
    for (Field &Leaf : P.Fields) { // which are those of the value
      Leaf.Default.clear();
      Leaf.HasUnknownDefault = false;
    }
  }
};

} // namespace

BoundFunction kernix::asPrimal(const BoundFunction &Backward) {
  BoundFunction F = Backward;
  for (Parameter &P : F.Parameters) {
    bool IsGradient = P.DerivativeFlags & KERNIX_GRADIENT, IsCotangent = P.DerivativeFlags & KERNIX_COTANGENT;
    bool IsValue = !IsGradient && !IsCotangent;
    // The values of pure outputs are never read.
    P.Differentiable = IsValue ? P.Shadow >= 0 && P.Access != KERNIX_ACCESS_OUT : true;
    if (IsValue)
      P.Access = P.Differentiable ? KERNIX_ACCESS_IN : KERNIX_ACCESS_NONE;
    else
      P.Access = !IsGradient ? KERNIX_ACCESS_IN : IsCotangent ? KERNIX_ACCESS_INOUT : KERNIX_ACCESS_OUT;
    P.Accumulation.clear();
  }
  return F;
}

BoundFunction kernix::derivativeRecord(const BoundFunction &F, kernix_derivative Mode, FunctionDecl *Decl,
                                       llvm::ArrayRef<DerivativeParameter> Parameters) {
  return RecordBuilder(F, Mode, Decl, Parameters).build();
}
