//===- AttributeStrings.cpp - shape, value, grid, block, shared_bytes of a record -------------------------------===//

#include "Binding/AttributeStrings.h"
#include "Binding/Expressions.h"
#include "Diagnostics/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"
#include <limits>

using namespace clang;
using namespace kernix;

namespace {

/// Longer texts would bury the message.
constexpr size_t MaxRepeated = 60;

/// Threads of a block where nothing else is said; the runtime's.
constexpr int64_t DefaultBlock = 256;

class StringReader {
public:
  StringReader(Sema &S, BoundFunction &F) : S(S), F(F) {}

  bool readParameter(size_t Index, const DeclAttributes &A) {
    Parameter &P = F.Parameters[Index];
    if (A.Optional && !readOptional(P, *A.Optional, A.Shape.has_value()))
      return false;
    if (A.Value && !readValue(P, *A.Value))
      return false;
    if (!A.Shape)
      return true;
    // A default of nullptr makes a tensor optional; an output with a shape is allocated instead.
    if (P.Role == KERNIX_RET && !A.Optional)
      P.Optional = false;
    return readShape(P, *A.Shape);
  }

  bool readLaunch(const DeclAttributes &A) {
    if (F.Kind != KERNIX_KERNEL)
      return true; // the attributes' own checks have refused it
    Launch &L = F.DefaultLaunch;
    if (A.Block && (!readExtents(A.Block->Extents, /*AllowBlock=*/false, L.Block) || !checkBlock(A.Block->Extents)))
      return false;
    if (A.Grid && (!readExtents(A.Grid->Extents, /*AllowBlock=*/true, L.Grid) || !checkGrid(A.Grid->Extents)))
      return false;
    if (A.SharedBytes) {
      L.SharedBytes = readExtent(A.SharedBytes->Bytes, /*AllowBlock=*/true);
      if (!L.SharedBytes || !isAtLeast(*L.SharedBytes, 0, A.SharedBytes->Bytes.location()))
        return false;
    }
    if (A.MaxRegisters) {
      std::optional<int64_t> Count = A.MaxRegisters->Count.valueIn(S, F.Decl);
      if (!Count || !checkRegisters(S, *A.MaxRegisters, *Count))
        return false;
      F.MaxRegisters = *Count;
    }
    return readLaunchBounds(A.Block ? &*A.Block : nullptr);
  }

  /// Values and shapes of outputs may refer to one another, but not in a circle.
  bool checkCycles(llvm::ArrayRef<const DeclAttributes *> Attributes) {
    State.assign(F.Parameters.size(), Unseen);
    for (size_t I = 0; I < F.Parameters.size(); ++I)
      if (State[I] == Unseen && !visit(I, Attributes))
        return false;
    return true;
  }

  bool checkHidden(llvm::ArrayRef<const DeclAttributes *> Attributes) {
    for (size_t I = 0; I < F.Parameters.size(); ++I) {
      const Parameter &P = F.Parameters[I];
      if (!P.isTensor() || P.Intent != KERNIX_INTENT_OUT_RETURN)
        continue;
      const bool HasDtype = P.Passing != KERNIX_PASS_TENSOR || (P.DeclaredShape && P.DeclaredShape->Like >= 0);
      if (P.DeclaredShape && HasDtype)
        continue;
      Diagnostics(S).error(Attributes[I]->Intent->location(),
                           "%0 is allocated by the binding: %select{it needs [[kernix::shape(...)]]|a kernix::Tensor "
                           "has the dtype of the tensor whose shape it has, and this shape is not that of a tensor; "
                           "use kernix::TensorView<T>}1")
          << P.Decl << P.DeclaredShape.has_value();
      return false;
    }
    return true;
  }

private:
  enum VisitState { Unseen, Active, Done };
  Sema &S;
  BoundFunction &F;
  std::vector<VisitState> State;

  std::optional<Expression> parse(const StringArgument &Argument, bool AllowBlock) {
    ExpressionError Error;
    std::optional<Expression> E = parseExpression(Argument.Text, {F.Parameters, AllowBlock}, Error);
    if (!E) {
      size_t Start = std::min(Error.Offset, Argument.Text.size());
      // The place is in the text; a short one is repeated for messages that are shown without the source.
      Diagnostics(S).error(Argument.locationOf(Start, S.getASTContext()), "%select{|in '%1': }0%2")
          << (Argument.Text.size() <= MaxRepeated) << Argument.Text << Error.Message;
    }
    return E;
  }

  std::optional<Expression> readExtent(const ExtentArgument &Extent, bool AllowBlock) {
    if (Extent.Expression)
      return parse(*Extent.Expression, AllowBlock);
    std::optional<int64_t> Value = Extent.Integer->valueIn(S, F.Decl);
    if (!Value)
      return std::nullopt;
    return Expression{std::to_string(*Value), {{KERNIX_OP_CONSTANT, -1, *Value}}, Value};
  }

  bool isAtLeast(const Expression &E, int64_t Least, SourceLocation Location) {
    if (!E.Constant || *E.Constant >= Least)
      return true;
    Diagnostics(S).error(Location, "'%0' is %1, and cannot be less than %2")
        << E.Text << std::to_string(*E.Constant) << std::to_string(Least);
    return false;
  }

  /// What no device can launch; only some of it is known when the attribute is read.
  bool checkBlock(llvm::ArrayRef<ExtentArgument> Extents) {
    int64_t Threads = 1;
    for (size_t I = 0; I < Extents.size(); ++I) {
      std::optional<int64_t> Size = F.DefaultLaunch.Block[I]->Constant;
      if (!Size || (*Size <= (I == 2 ? 64 : 1024) && (Threads *= *Size) <= 1024))
        continue;
      Diagnostics(S).error(Extents[I].location(), "a block has at most 1024 threads, and at most 64 in z");
      return false;
    }
    return true;
  }

  bool checkGrid(llvm::ArrayRef<ExtentArgument> Extents) {
    for (size_t I = 0; I < Extents.size(); ++I) {
      std::optional<int64_t> Size = F.DefaultLaunch.Grid[I]->Constant;
      if (!Size || *Size <= (I == 0 ? std::numeric_limits<int32_t>::max() : 65535))
        continue;
      Diagnostics(S).error(Extents[I].location(), "a grid has at most 2147483647 blocks in x, and 65535 in y and z");
      return false;
    }
    return true;
  }

  /// __launch_bounds__ limits the default launch too.
  bool readLaunchBounds(const BlockAttribute *Block) {
    const auto *Bounds = F.Decl->getAttr<CUDALaunchBoundsAttr>();
    Expr::EvalResult Result;
    if (!Bounds || Bounds->getMaxThreads()->isValueDependent() ||
        !Bounds->getMaxThreads()->EvaluateAsInt(Result, S.getASTContext()))
      return true;
    const int64_t Most = Result.Val.getInt().getExtValue();
    Launch &L = F.DefaultLaunch;
    if (!Block) {
      if (Most > 0 && Most < DefaultBlock && !L.Block[0])
        L.Block[0] = Expression{std::to_string(Most), {{KERNIX_OP_CONSTANT, -1, Most}}, Most};
      return true;
    }
    int64_t Threads = 1;
    for (const std::optional<Expression> &Size : L.Block)
      Threads *= Size && Size->Constant ? *Size->Constant : 1;
    if (Threads <= Most)
      return true;
    Diagnostics(S).error(Block->location(), "a block of %0 threads is more than the __launch_bounds__ of %1, %2")
        << std::to_string(Threads) << F.Decl << std::to_string(Most);
    Diagnostics(S).note(Bounds->getLocation(), "given here");
    return false;
  }

  bool readExtents(llvm::ArrayRef<ExtentArgument> Extents, bool AllowBlock,
                   std::array<std::optional<Expression>, 3> &Result) {
    for (size_t I = 0; I < Extents.size() && I < 3; ++I) {
      Result[I] = readExtent(Extents[I], AllowBlock);
      if (!Result[I] || !isAtLeast(*Result[I], 1, Extents[I].location()))
        return false;
    }
    return true;
  }

  bool readOptional(Parameter &P, const OptionalAttribute &A, bool HasShape) {
    if (!P.isTensor()) {
      Diagnostics(S).error(A.location(), "'optional' applies to tensors; %0 has type '%1'") << P.Decl << P.Type;
      return false;
    }
    if (P.Role == KERNIX_RET && HasShape) {
      Diagnostics(S).error(A.location(),
                           "%0 has a shape and is allocated when it is left out, so that it cannot be optional")
          << P.Decl;
      return false;
    }
    P.Optional = true;
    return true;
  }

  bool readValue(Parameter &P, const ValueAttribute &A) {
    kernix_dtype D = P.Element.Dtype;
    if (P.Passing != KERNIX_PASS_SCALAR || (D.code != KERNIX_INT && D.code != KERNIX_UINT)) {
      Diagnostics(S).error(A.location(), "'value' computes integers; %0 has type '%1'") << P.Decl << P.Type;
      return false;
    }
    P.Value = parse(A.Expression, /*AllowBlock=*/false);
    if (!P.Value || !P.Value->Constant || fits(*P.Value->Constant, D))
      return P.Value.has_value();
    Diagnostics(S).error(A.Expression.location(), "'%0' is %1, which does not fit %2 of type '%3'")
        << P.Value->Text << std::to_string(*P.Value->Constant) << P.Decl << P.Type;
    return false;
  }

  static bool fits(int64_t Value, kernix_dtype D) {
    if (D.code == KERNIX_UINT)
      return Value >= 0 && (D.bits >= 63 || Value >> D.bits == 0);
    return D.bits >= 64 || (Value >> (D.bits - 1) == 0 || Value >> (D.bits - 1) == -1);
  }

  bool readShape(Parameter &P, const ShapeAttribute &A) {
    if (!P.isTensor()) {
      Diagnostics(S).error(A.location(), "'shape' applies to tensors; %0 has type '%1'") << P.Decl << P.Type;
      return false;
    }
    Shape Result;
    if (A.Axes.size() == 1) {
      llvm::StringRef Text = llvm::StringRef(A.Axes[0].Text).trim();
      int Index = findParameter(F.Parameters, Text);
      if (Index >= 0 && F.Parameters[static_cast<size_t>(Index)].isTensor()) {
        Result.Like = Index;
        if (&F.Parameters[static_cast<size_t>(Result.Like)] == &P) {
          Diagnostics(S).error(A.Axes[0].location(), "the shape of %0 refers to itself") << P.Decl;
          return false;
        }
        Result.Axes.push_back({F.Parameters[static_cast<size_t>(Index)].Name, {}});
        P.DeclaredShape = std::move(Result);
        return true;
      }
    }
    if (A.Axes.size() > KERNIX_MAX_RANK) {
      Diagnostics(S).error(A.location(), "a tensor has at most %0 axes") << KERNIX_MAX_RANK;
      return false;
    }
    for (const StringArgument &Axis : A.Axes) {
      std::optional<Expression> E = parse(Axis, /*AllowBlock=*/false);
      if (!E || !isAtLeast(*E, 0, Axis.location()))
        return false;
      Result.Axes.push_back(std::move(*E));
    }
    P.DeclaredShape = std::move(Result);
    return true;
  }

  llvm::SmallVector<int, 4> dependencies(const Parameter &P) const {
    if (P.Value)
      return referencedParameters(*P.Value);
    if (P.Role != KERNIX_RET || !P.DeclaredShape)
      return {};
    if (P.DeclaredShape->Like >= 0)
      return {P.DeclaredShape->Like};
    llvm::SmallVector<int, 4> Result;
    for (const Expression &Axis : P.DeclaredShape->Axes)
      Result.append(referencedParameters(Axis));
    return Result;
  }

  bool visit(size_t Index, llvm::ArrayRef<const DeclAttributes *> Attributes) {
    State[Index] = Active;
    const Parameter &P = F.Parameters[Index];
    for (int Next : dependencies(P)) {
      auto N = static_cast<size_t>(Next);
      if (State[N] == Active) {
        SourceLocation Loc = P.Value ? Attributes[Index]->Value->location() : Attributes[Index]->Shape->location();
        Diagnostics(S).error(Loc, "the %select{shape|value}0 of '%1' depends on itself%select{ through '%3'|}2")
            << P.Value.has_value() << P.Name << (N == Index) << F.Parameters[N].Name;
        return false;
      }
      if (State[N] == Unseen && !visit(N, Attributes))
        return false;
    }
    State[Index] = Done;
    return true;
  }
};

} // namespace

bool kernix::readAttributeStrings(Sema &S, const DeclAttributes *Function,
                                  llvm::ArrayRef<const DeclAttributes *> Parameters, BoundFunction &F) {
  StringReader Reader(S, F);
  bool Ok = true;
  for (size_t I = 0; I < Parameters.size(); ++I)
    if (Parameters[I])
      Ok &= Reader.readParameter(I, *Parameters[I]);
  if (Function)
    Ok &= Reader.readLaunch(*Function);
  return Ok && Reader.checkHidden(Parameters) && Reader.checkCycles(Parameters);
}

bool kernix::readLaunchAttributes(Sema &S, const DeclAttributes &Kernel, BoundFunction &F) {
  return StringReader(S, F).readLaunch(Kernel);
}
