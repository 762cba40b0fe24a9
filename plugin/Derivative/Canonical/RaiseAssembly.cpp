//===- RaiseAssembly.cpp - inline PTX as instructions -----------------------------------------------------------===//
//
// One instruction of arithmetic on numbers, halves of words, funnel shifts, barriers and lanes. What only computes is
// told from what has effects; all else is left alone.
//
//===------------------------------------------------------------------------------------------------------------===//

#include "Derivative/Canonical/Assembly.h"
#include "Derivative/Canonical/Collectives.h"
#include "Derivative/Canonical/MathFunctions.h"
#include "Derivative/Canonical/RaiseParts.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace kernix;

namespace {

using Parts = SmallVector<Value *, 2>;

/// The numbers that a type of PTX means: f16x2 is two of half.
struct NumberType {
  Type *Scalar = nullptr;
  unsigned Count = 1;
  unsigned bits() const { return Scalar->getScalarSizeInBits() * Count; }
};

NumberType numberType(LLVMContext &Context, StringRef Name) {
  NumberType T;
  if (Name.consume_back("x2"))
    T.Count = 2;
  T.Scalar = StringSwitch<Type *>(Name)
                 .Case("f16", Type::getHalfTy(Context))
                 .Case("bf16", Type::getBFloatTy(Context))
                 .Case("f32", Type::getFloatTy(Context))
                 .Case("f64", T.Count == 1 ? Type::getDoubleTy(Context) : nullptr)
                 .Default(nullptr);
  return T;
}

/// One call of one instruction.
class PtxInstruction {
public:
  PtxInstruction(CallBase &Call, const AssemblyStatement &S) : Call(Call), S(S), Builder(Call) {
    Builder.clearFastMathFlags();
    S.Operation.split(Words, '.');
    for (const InlineAsm::ConstraintInfo &C : cast<InlineAsm>(Call.getCalledOperand())->ParseConstraints()) {
      IsPlain &= C.Type != InlineAsm::isLabel && !C.isIndirect && !C.isMultipleAlternative;
      if (C.Type == InlineAsm::isOutput)
        ++Outputs;
      else if (C.Type == InlineAsm::isInput)
        Tied.push_back(tiedTo(C));
    }
  }

  bool raise() {
    if (!IsPlain)
      return false;
    return raiseWait() || raiseMove() || raiseFunnel() || raiseBytes() || raiseConversion() || raiseArithmetic();
  }

private:
  CallBase &Call;
  const AssemblyStatement &S;
  RaiseBuilder Builder;
  SmallVector<StringRef, 6> Words;
  SmallVector<int, 4> Tied; ///< of each input: the output whose register it is in, or -1
  unsigned Outputs = 0;
  bool IsPlain = true;

  static int tiedTo(const InlineAsm::ConstraintInfo &C) {
    int Output = -1;
    return C.Codes.size() == 1 && !StringRef(C.Codes[0]).getAsInteger(10, Output) ? Output : -1;
  }

  /// The argument that an operand names; null for anything but one that is read.
  Value *input(StringRef Operand) const {
    unsigned N;
    if (!Operand.consume_front("$") || Operand.getAsInteger(10, N))
      return nullptr;
    for (auto [I, Output] : enumerate(Tied))
      if (N < Outputs ? Output == static_cast<int>(N) : I == N - Outputs)
        return Call.getArgOperand(static_cast<unsigned>(I));
    return nullptr;
  }

  bool isResult(StringRef Operand) const { return Outputs == 1 && Operand == "$0"; }

  /// A number that is written in the text, or an argument that is constant.
  std::optional<uint64_t> constant(StringRef Operand) const {
    uint64_t Number;
    if (!Operand.getAsInteger(0, Number))
      return Number;
    const auto *C = dyn_cast_or_null<ConstantInt>(input(Operand));
    return C ? std::optional(C->getZExtValue()) : std::nullopt;
  }

  Value *integer(StringRef Operand) {
    if (Value *V = input(Operand))
      return V->getType()->isIntegerTy(32) ? V : nullptr;
    std::optional<uint64_t> Number = constant(Operand);
    return Number ? Builder.getInt32(static_cast<uint32_t>(*Number)) : nullptr;
  }

  Value *bits(Value *V) {
    unsigned Width = V->getType()->getPrimitiveSizeInBits().getFixedValue();
    return Width ? Builder.CreateBitCast(V, Builder.getIntNTy(Width)) : nullptr;
  }

  /// The numbers of a register; none where it holds something else.
  Parts unpack(Value *V, NumberType T) {
    if (!V || V->getType()->getPrimitiveSizeInBits() != T.bits())
      return {};
    if (V->getType() == T.Scalar)
      return {V};
    if (!V->getType()->isIntegerTy())
      return {};
    Parts Numbers;
    unsigned Width = T.Scalar->getScalarSizeInBits();
    for (unsigned I = 0; I < T.Count; ++I)
      Numbers.push_back(Builder.CreateBitCast(
          Builder.CreateTrunc(I ? Builder.CreateLShr(V, Width * I) : V, Builder.getIntNTy(Width)), T.Scalar));
    return Numbers;
  }

  /// Pieces of any type, the lowest first, as one integer.
  Value *pack(ArrayRef<Value *> Pieces) {
    unsigned Width = 0;
    for (Value *Piece : Pieces)
      Width += Piece->getType()->getPrimitiveSizeInBits().getFixedValue();
    Value *Word = nullptr;
    unsigned At = 0;
    for (Value *Piece : Pieces) {
      Value *Wide = Builder.CreateZExt(bits(Piece), Builder.getIntNTy(Width));
      Wide = At ? Builder.CreateShl(Wide, At) : Wide;
      Word = Word ? Builder.CreateOr(Word, Wide) : Wide;
      At += Piece->getType()->getPrimitiveSizeInBits().getFixedValue();
    }
    return Word;
  }

  bool finish(ArrayRef<Value *> Numbers) {
    Value *Result = Numbers.size() == 1 && Numbers[0]->getType() == Call.getType() ? Numbers[0] : pack(Numbers);
    if (Result->getType()->getPrimitiveSizeInBits() != Call.getType()->getPrimitiveSizeInBits())
      return false;
    replaceCall(Call, Builder.CreateBitCast(Result, Call.getType()));
    return true;
  }

  /// The barrier of a block and that of a warp.
  bool raiseWait() {
    bool IsBarrier = StringSwitch<bool>(S.Operation)
                         .Cases({"bar.sync", "bar.cta.sync", "barrier.sync", "barrier.sync.aligned"}, true)
                         .Cases({"barrier.cta.sync", "barrier.cta.sync.aligned"}, true)
                         .Default(false);
    if (Outputs || S.Operands.size() != 1 || !(IsBarrier || S.Operation == "bar.warp.sync"))
      return false;
    if (IsBarrier && constant(S.Operands[0]) != 0)
      return false;
    if (IsBarrier) {
      createBarrier(Builder);
    } else {
      Value *Mask = integer(S.Operands[0]);
      if (!Mask)
        return false;
      Builder.CreateCall(declareCollective(Builder.module(), "kernix.syncwarp",
                                           FunctionType::get(Builder.getVoidTy(), {Builder.getInt32Ty()}, false),
                                           "llvm.nvvm.bar.warp.sync"),
                         {Mask});
    }
    replaceCall(Call, nullptr);
    return true;
  }

  /// Between a register and another, or its parts: mov.b64 {$0, $1}, $2.
  bool raiseMove() {
    if (Words.size() != 2 || Words[0] != "mov" || S.Operands.size() != 2)
      return false;
    auto Split = [](StringRef Operand) {
      SmallVector<StringRef, 4> Names;
      if (Operand.consume_front("{"))
        Operand.consume_back("}");
      Operand.split(Names, ',');
      for (StringRef &Name : Names)
        Name = Name.trim();
      return Names;
    };
    Parts From;
    for (StringRef Name : Split(S.Operands[1])) {
      From.push_back(input(Name));
      if (!From.back() || !From.back()->getType()->getPrimitiveSizeInBits())
        return false;
    }
    auto To = Split(S.Operands[0]);
    for (auto [I, Name] : enumerate(To))
      if (Name != "$" + std::to_string(I))
        return false;
    if (To.size() != Outputs)
      return false;
    Value *Word = pack(From);
    unsigned Width = Word->getType()->getIntegerBitWidth(), At = 0;
    auto *Several = dyn_cast<StructType>(Call.getType());
    if (!Several)
      return finish({Word});
    for (Type *T : Several->elements())
      At += T->getPrimitiveSizeInBits().getFixedValue();
    if (At != Width)
      return false;
    Value *Result = PoisonValue::get(Several);
    At = 0;
    for (auto [I, T] : enumerate(Several->elements())) {
      unsigned Bits = T->getPrimitiveSizeInBits().getFixedValue();
      Value *Part = Builder.CreateTrunc(At ? Builder.CreateLShr(Word, At) : Word, Builder.getIntNTy(Bits));
      Result = Builder.CreateInsertValue(Result, Builder.CreateBitCast(Part, T), static_cast<unsigned>(I));
      At += Bits;
    }
    replaceCall(Call, Result);
    return true;
  }

  /// Two words side by side, shifted: shf.l.wrap.b32 d, low, high, by.
  bool raiseFunnel() {
    bool IsLeft = S.Operation.starts_with("shf.l.");
    if (S.Operands.size() != 4 || Words.size() != 4 || Words[0] != "shf" || Words[3] != "b32" ||
        !isResult(S.Operands[0]) || (Words[2] != "wrap" && Words[2] != "clamp"))
      return false;
    Value *Low = integer(S.Operands[1]), *High = integer(S.Operands[2]), *By = integer(S.Operands[3]);
    if (!Low || !High || !By)
      return false;
    if (Words[2] == "wrap")
      return finish({Builder.CreateIntrinsic(IsLeft ? Intrinsic::fshl : Intrinsic::fshr, {Builder.getInt32Ty()},
                                             {High, Low, By})});
    Type *Int64 = Builder.getInt64Ty();
    By = Builder.CreateZExt(Builder.CreateBinaryIntrinsic(Intrinsic::umin, By, Builder.getInt32(32)), Int64);
    Value *Both =
        Builder.CreateOr(Builder.CreateZExt(Low, Int64), Builder.CreateShl(Builder.CreateZExt(High, Int64), 32));
    Both = IsLeft ? Builder.CreateLShr(Builder.CreateShl(Both, By), 32) : Builder.CreateLShr(Both, By);
    return finish({Builder.CreateTrunc(Both, Builder.getInt32Ty())});
  }

  /// prmt.b32 d, a, b, selector, which __byte_perm is too.
  bool raiseBytes() {
    if (S.Operation != "prmt.b32" || S.Operands.size() != 4 || !isResult(S.Operands[0]))
      return false;
    Value *A = integer(S.Operands[1]), *B = integer(S.Operands[2]), *Selector = integer(S.Operands[3]);
    return A && B && Selector &&
           finish({Builder.CreateIntrinsic(Intrinsic::nvvm_prmt, ArrayRef<Type *>(), {A, B, Selector})});
  }

  /// Between float and the types of 16 bits, to nearest.
  bool raiseConversion() {
    SmallVector<StringRef, 4> Rest(drop_begin(Words));
    if (Words[0] != "cvt" || S.Operands.size() < 2 || !isResult(S.Operands[0]))
      return false;
    bool IsRounded = !Rest.empty() && Rest.front() == "rn";
    if (IsRounded)
      Rest.erase(Rest.begin());
    if (!Rest.empty() && Rest.front() == "ftz")
      Rest.erase(Rest.begin());
    if (Rest.size() != 2)
      return false;
    NumberType To = numberType(Call.getContext(), Rest[0]), From = numberType(Call.getContext(), Rest[1]);
    if (!To.Scalar || !From.Scalar || From.Count != 1 || S.Operands.size() != To.Count + 1)
      return false;
    bool Narrows = To.Scalar->getScalarSizeInBits() < From.Scalar->getScalarSizeInBits();
    if (To.Scalar == From.Scalar || Narrows != IsRounded)
      return false;
    Parts Numbers;
    for (StringRef Operand : reverse(ArrayRef(S.Operands).drop_front())) { // the upper one is written first
      Parts Number = unpack(input(Operand), From);
      if (Number.empty())
        return false;
      Numbers.push_back(Builder.CreateFPCast(Number[0], To.Scalar));
    }
    return finish(Numbers);
  }

  Value *math(StringRef Name, bool IsFast, ArrayRef<Value *> X) {
    Type *T = X[0]->getType();
    if (T->isFloatTy() || T->isDoubleTy())
      return Builder.CreateCall(declareMath(Builder.module(), *findMathFunction(Name), T, IsFast && T->isFloatTy()), X);
    Parts Wide;
    for (Value *V : X)
      Wide.push_back(Builder.CreateFPExt(V, Builder.getFloatTy()));
    return Builder.CreateFPTrunc(math(Name, IsFast, Wide), T);
  }

  /// Null for an operation that is not known.
  Value *compute(StringRef Root, ArrayRef<Value *> X) {
    bool IsApproximate = is_contained(Words, "approx") || is_contained(Words, "full");
    Value *One = ConstantFP::get(X[0]->getType(), 1.0);
    if (X.size() == 1) {
      StringRef Name = StringSwitch<StringRef>(Root)
                           .Case("ex2", "exp2")
                           .Case("lg2", "log2")
                           .Cases({"sin", "cos", "tanh", "sqrt", "rsqrt"}, Root)
                           .Default({});
      if (!Name.empty() && (IsApproximate || Root == "sqrt"))
        return math(Name, Root != "sqrt" && Root != "rsqrt" && Root != "ex2", X);
      if (Root == "rcp")
        return IsApproximate ? math("fdivide", true, {One, X[0]}) : Builder.CreateFDiv(One, X[0]);
      if (Root == "neg")
        return Builder.CreateFNeg(X[0]);
      return Root == "abs" ? Builder.CreateUnaryIntrinsic(Intrinsic::fabs, X[0]) : nullptr;
    }
    if (X.size() == 3)
      return Root == "fma" || Root == "mad" ? Builder.CreateIntrinsic(Intrinsic::fma, {X[0]->getType()}, X) : nullptr;
    if (X.size() != 2)
      return nullptr;
    if (Root == "div")
      return IsApproximate ? math("fdivide", true, X) : Builder.CreateFDiv(X[0], X[1]);
    if (Root == "min" || Root == "max")
      return Builder.CreateBinaryIntrinsic(Root == "min" ? Intrinsic::minnum : Intrinsic::maxnum, X[0], X[1]);
    auto Operation = StringSwitch<Instruction::BinaryOps>(Root)
                         .Case("add", Instruction::FAdd)
                         .Case("sub", Instruction::FSub)
                         .Case("mul", Instruction::FMul)
                         .Default(Instruction::BinaryOpsEnd);
    return Operation == Instruction::BinaryOpsEnd ? nullptr : Builder.CreateBinOp(Operation, X[0], X[1]);
  }

  /// Each number of its operands, to nearest: ex2.approx.ftz.f32, fma.rn.f16x2.
  bool raiseArithmetic() {
    NumberType T = Words.size() < 2 ? NumberType() : numberType(Call.getContext(), Words.back());
    if (!T.Scalar || S.Operands.size() < 2 || !isResult(S.Operands[0]))
      return false;
    for (StringRef Word : ArrayRef(Words).drop_front().drop_back())
      if (Word != "rn" && Word != "ftz" && Word != "approx" && Word != "full")
        return false;
    SmallVector<Parts, 3> Arguments;
    for (StringRef Operand : drop_begin(S.Operands)) {
      Arguments.push_back(unpack(input(Operand), T));
      if (Arguments.back().empty())
        return false;
    }
    Parts Results;
    for (unsigned I = 0; I < T.Count; ++I) {
      Parts X;
      for (const Parts &Argument : Arguments)
        X.push_back(Argument[I]);
      Results.push_back(compute(S.root(), X));
      if (!Results.back())
        return false;
    }
    return finish(Results);
  }
};

/// CUDA's cooperative groups read the lane by assembly.
bool raiseLane(CallBase &Call, const AssemblyStatement &S) {
  if (S.Operation != "mov.u32" || S.Operands.size() != 2 || !Call.arg_empty() || !Call.getType()->isIntegerTy(32))
    return false;
  Intrinsic::ID ID = StringSwitch<Intrinsic::ID>(S.Operands[1])
                         .Case("%laneid", Intrinsic::nvvm_read_ptx_sreg_laneid)
                         .Case("%lanemask_eq", Intrinsic::nvvm_read_ptx_sreg_lanemask_eq)
                         .Case("%lanemask_ge", Intrinsic::nvvm_read_ptx_sreg_lanemask_ge)
                         .Case("%lanemask_gt", Intrinsic::nvvm_read_ptx_sreg_lanemask_gt)
                         .Case("%lanemask_le", Intrinsic::nvvm_read_ptx_sreg_lanemask_le)
                         .Case("%lanemask_lt", Intrinsic::nvvm_read_ptx_sreg_lanemask_lt)
                         .Default(Intrinsic::not_intrinsic);
  if (ID == Intrinsic::not_intrinsic)
    return false;
  RaiseBuilder Builder(Call);
  replaceCall(Call, Builder.CreateIntrinsic(ID, ArrayRef<Type *>(), {}));
  return true;
}

/// Such a call may be repeated and left out, whatever its `volatile` says.
void forgetEffects(CallBase &Call) {
  const auto *Text = cast<InlineAsm>(Call.getCalledOperand());
  std::string Constraints = Text->getConstraintString().str();
  if (Call.getType()->isVoidTy() || StringRef(Constraints).contains("~{memory}"))
    return;
  Call.setCalledOperand(InlineAsm::get(Text->getFunctionType(), Text->getAsmString(), Constraints, false,
                                       Text->isAlignStack(), Text->getDialect(), Text->canThrow()));
  Call.removeFnAttr(Attribute::Convergent);
  Call.setDoesNotAccessMemory();
}

} // namespace

bool kernix::raiseAssembly(CallBase &Call) {
  if (!Call.getModule()->getTargetTriple().isNVPTX() || !isa<CallInst>(Call))
    return false;
  std::string Text = cast<InlineAsm>(Call.getCalledOperand())->getAsmString().str();
  auto Statements = statementsOf(Text);
  // A predicate is no part of a statement.
  if (Statements.size() == 1 && !StringRef(Text).contains('@') &&
      (raiseLane(Call, Statements[0]) || PtxInstruction(Call, Statements[0]).raise()))
    return true;
  AssemblyEffect Effect = effectOf(Call);
  if (Effect == AssemblyEffect::Computes)
    forgetEffects(Call);
  bool Prefetches = !Statements.empty() &&
                    all_of(Statements, [](const AssemblyStatement &S) { return S.root().starts_with("prefetch"); });
  if (!Prefetches || !Call.getType()->isVoidTy())
    return false;
  replaceCall(Call, nullptr);
  return true;
}
