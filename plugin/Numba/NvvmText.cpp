//===- NvvmText.cpp - device code as text for libNVVM -------------------------------------------------------------===//
//
// A pointer is `i8 *` wherever it is a value, and cast where it is used. Metadata and most attributes are left out:
// they only help the optimiser. What is not known to mean the same in LLVM 7 makes the whole text fail, never a guess.
//
//===------------------------------------------------------------------------------------------------------------===//

#include "Numba/NvvmText.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Support/FormatVariadic.h"
#include <set>

using namespace llvm;

namespace {

class Writer {
public:
  std::optional<std::string> write(const Function &Shim) {
    Functions.insert(&Shim);
    for (size_t I = 0; I < Functions.size() && !Failed; ++I)
      function(*Functions[I], Functions[I] == &Shim);
    std::string Variables;
    for (size_t I = 0; I < Globals.size() && !Failed; ++I)
      Variables += variable(*Globals[I]);
    if (Failed)
      return std::nullopt;
    return Variables + join(Declarations, "") + Text;
  }

private:
  std::string Text;
  bool Failed = false;
  SetVector<const Function *> Functions; ///< with bodies
  SetVector<const GlobalVariable *> Globals;
  std::set<std::string> Declarations;
  DenseMap<const Value *, unsigned> Numbers; ///< of the function that is written
  unsigned Next = 0;

  std::string fail() {
    Failed = true;
    return {};
  }
  void line(const Twine &Written) { Text += ("  " + Written + "\n").str(); }
  std::string fresh() { return "%x" + std::to_string(Next++); }

  // -- types ------------------------------------------------------------------------------------------------------

  std::string type(Type *T) {
    if (T->isIntegerTy() && T->getIntegerBitWidth() > 128)
      return fail();
    if (T->isVoidTy() || T->isIntegerTy() || T->isHalfTy() || T->isFloatTy() || T->isDoubleTy()) {
      std::string Name;
      raw_string_ostream(Name) << *T;
      return Name;
    }
    if (auto *Pointer = dyn_cast<PointerType>(T)) // generic, global, shared, constant or local
      return is_contained({0U, 1U, 3U, 4U, 5U}, Pointer->getAddressSpace()) ? pointer("i8", Pointer->getAddressSpace())
                                                                            : fail();
    if (auto *Array = dyn_cast<ArrayType>(T))
      return formatv("[{0} x {1}]", Array->getNumElements(), type(Array->getElementType()));
    if (auto *Vector = dyn_cast<FixedVectorType>(T); Vector && !Vector->getElementType()->isPointerTy())
      return formatv("<{0} x {1}>", Vector->getNumElements(), type(Vector->getElementType()));
    if (auto *Struct = dyn_cast<StructType>(T); Struct && !Struct->isOpaque()) {
      std::string Members;
      for (Type *Member : Struct->elements())
        Members += (Members.empty() ? "" : ", ") + type(Member);
      return Struct->isPacked() ? "<{" + Members + "}>" : "{" + Members + "}";
    }
    return fail();
  }

  static std::string pointer(const std::string &To, unsigned Space) {
    return Space ? To + " addrspace(" + std::to_string(Space) + ")*" : To + "*";
  }

  // -- constants --------------------------------------------------------------------------------------------------

  /// Functions of the text are apart from those of the same name that it only declares, of libdevice.
  std::string name(const GlobalValue &Global) {
    auto *Body = dyn_cast<Function>(&Global);
    std::string Name = Body && !Body->isDeclaration() && Body != Functions.front() ? "kernix." : "";
    for (char C : Global.getName())
      Name += isAlnum(C) || C == '_' || C == '.' || C == '$' ? std::string(1, C)
                                                             : "_x" + utohexstr(static_cast<uint8_t>(C));
    return "@" + (Name.empty() ? fail() : Name);
  }

  std::string real(const ConstantFP &Value) {
    APFloat Number = Value.getValueAPF();
    const APInt Bits = Number.bitcastToAPInt();
    if (Number.isSignaling()) // as double it would be quiet
      return formatv("bitcast (i{0} {1} to {2})", Bits.getBitWidth(), toString(Bits, 10, false), type(Value.getType()));
    if (Value.getType()->isHalfTy())
      return formatv("0xH{0:X-4}", Bits.getZExtValue());
    bool Loses = false;
    Number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &Loses);
    return formatv("0x{0:X-16}", Number.bitcastToAPInt().getZExtValue());
  }

  std::string elements(const Constant &C, unsigned Count, StringRef Open, StringRef Close) {
    std::string Result;
    for (unsigned I = 0; I < Count; ++I)
      Result += (I ? ", " : "") + typed(C.getAggregateElement(I));
    return (Open + Result + Close).str();
  }

  std::string constant(const Constant &C) {
    if (auto *Integer = dyn_cast<ConstantInt>(&C); Integer && !C.getType()->isVectorTy())
      return C.getType()->isIntegerTy(1) ? (Integer->isOne() ? "true" : "false")
                                         : toString(Integer->getValue(), 10, true);
    if (auto *Real = dyn_cast<ConstantFP>(&C); Real && !C.getType()->isVectorTy())
      return type(C.getType()).empty() ? fail() : real(*Real);
    if (isa<ConstantPointerNull>(C))
      return "null";
    if (isa<UndefValue>(C))
      return "undef";
    if (isa<ConstantAggregateZero>(C))
      return "zeroinitializer";
    if (auto *Array = dyn_cast<ArrayType>(C.getType()))
      return elements(C, static_cast<unsigned>(Array->getNumElements()), "[", "]");
    if (auto *Vector = dyn_cast<FixedVectorType>(C.getType()))
      return elements(C, Vector->getNumElements(), "<", ">");
    if (auto *Struct = dyn_cast<StructType>(C.getType()))
      return elements(C, Struct->getNumElements(), Struct->isPacked() ? "<{" : "{", Struct->isPacked() ? "}>" : "}");
    if (auto *Variable = dyn_cast<GlobalVariable>(&C)) {
      if (!Variable->isConstant() || !Variable->hasDefinitiveInitializer())
        return fail();
      Globals.insert(Variable);
      return formatv("bitcast ({0} {1} to {2})", pointer(type(Variable->getValueType()), Variable->getAddressSpace()),
                     name(*Variable), type(C.getType()));
    }
    if (auto *Expression = dyn_cast<ConstantExpr>(&C))
      return constantExpression(*Expression);
    return fail();
  }

  std::string constantExpression(const ConstantExpr &C) {
    const Constant *From = C.getOperand(0);
    switch (C.getOpcode()) {
    case Instruction::GetElementPtr: {
      APInt Offset(64, 0);
      const DataLayout &Layout = Functions.front()->getDataLayout();
      if (C.getType()->isVectorTy() || !cast<GEPOperator>(C).accumulateConstantOffset(Layout, Offset))
        return fail();
      return formatv("getelementptr (i8, {0}, i64 {1})", typed(From), toString(Offset, 10, true));
    }
    case Instruction::AddrSpaceCast:
    case Instruction::PtrToInt:
    case Instruction::IntToPtr:
      return formatv("{0} ({1} to {2})", C.getOpcodeName(), typed(From), type(C.getType()));
    default:
      return fail();
    }
  }

  std::string variable(const GlobalVariable &Variable) {
    std::string Space = Variable.getAddressSpace() ? formatv("addrspace({0}) ", Variable.getAddressSpace()).str() : "";
    std::string Value = constant(*Variable.getInitializer());
    return formatv("{0} = internal {1}constant {2} {3}, align {4}\n", name(Variable), Space,
                   type(Variable.getValueType()), Value,
                   Functions.front()
                       ->getDataLayout()
                       .getValueOrABITypeAlignment(Variable.getAlign(), Variable.getValueType())
                       .value());
  }

  // -- values -----------------------------------------------------------------------------------------------------

  std::string value(const Value *V) {
    if (auto *C = dyn_cast<Constant>(V))
      return constant(*C);
    if (!isa<Argument, Instruction, BasicBlock>(V))
      return fail();
    return (isa<BasicBlock>(V) ? "%b" : "%v") + std::to_string(Numbers.try_emplace(V, Numbers.size()).first->second);
  }
  std::string typed(const Value *V) { return type(V->getType()) + " " + value(V); }
  std::string label(const BasicBlock *Block) { return "label " + value(Block); }

  /// `Pointer` as one to T.
  std::string castTo(const Value *Pointer, Type *T) {
    std::string Wanted = pointer(type(T), Pointer->getType()->getPointerAddressSpace());
    std::string Cast = fresh();
    line(Cast + " = bitcast " + typed(Pointer) + " to " + Wanted);
    return Wanted + " " + Cast;
  }

  // -- functions --------------------------------------------------------------------------------------------------

  std::string parameters(const FunctionType &Type) {
    std::string Result;
    for (llvm::Type *Parameter : Type.params())
      Result += (Result.empty() ? "" : ", ") + type(Parameter);
    return Type.isVarArg() ? fail() : Result;
  }

  void function(const Function &F, bool IsShim) {
    Numbers.clear();
    Next = 0;
    std::string Parameters;
    for (const Argument &A : F.args()) {
      if (A.hasByValAttr() || A.hasStructRetAttr() || A.hasInAllocaAttr())
        Failed = true;
      Parameters += (Parameters.empty() ? "" : ", ") + typed(&A);
    }
    Text += formatv("define {0} {1} {2}({3}) {4}nounwind {{\n", IsShim ? "linkonce_odr" : "internal",
                    type(F.getReturnType()), name(F), Parameters,
                    std::string(IsShim ? "alwaysinline " : "") + (F.isConvergent() ? "convergent " : ""));
    if (F.isVarArg() || F.hasFnAttribute(Attribute::OptimizeNone))
      Failed = true;
    for (const BasicBlock &Block : F) {
      Text += StringRef(value(&Block)).drop_front().str() + ":\n";
      for (const Instruction &I : Block)
        if (!Failed)
          instruction(I);
    }
    Text += "}\n";
  }

  static std::string flags(const Instruction &I) {
    std::string Flags;
    if (auto *Wrapping = dyn_cast<OverflowingBinaryOperator>(&I))
      Flags += std::string(Wrapping->hasNoUnsignedWrap() ? " nuw" : "") + (Wrapping->hasNoSignedWrap() ? " nsw" : "");
    if (auto *Exact = dyn_cast<PossiblyExactOperator>(&I); Exact && Exact->isExact())
      Flags += " exact";
    if (auto *Real = dyn_cast<FPMathOperator>(&I)) {
      FastMathFlags Fast = Real->getFastMathFlags();
      if (Fast.noNaNs())
        Flags += " nnan";
      if (Fast.noInfs())
        Flags += " ninf";
      if (Fast.noSignedZeros())
        Flags += " nsz";
      if (Fast.allowReciprocal())
        Flags += " arcp";
      if (Fast.allowContract())
        Flags += " contract";
      if (Fast.approxFunc())
        Flags += " afn";
      if (Fast.allowReassoc())
        Flags += " reassoc";
    }
    return Flags;
  }

  void instruction(const Instruction &I) {
    std::string Result = I.getType()->isVoidTy() ? "" : value(&I) + " = ";
    if (isa<BinaryOperator>(I)) {
      line(Result + I.getOpcodeName() + flags(I) + " " + typed(I.getOperand(0)) + ", " + value(I.getOperand(1)));
    } else if (isa<CastInst>(I)) {
      convert(cast<CastInst>(I), Result);
    } else if (auto *Compare = dyn_cast<CmpInst>(&I)) {
      line(Result + I.getOpcodeName() + (isa<FCmpInst>(I) ? flags(I) : "") + " " +
           CmpInst::getPredicateName(Compare->getPredicate()) + " " + typed(I.getOperand(0)) + ", " +
           value(I.getOperand(1)));
    } else if (auto *Call = dyn_cast<CallInst>(&I)) {
      call(*Call, Result);
    } else if (isa<LoadInst, StoreInst, AllocaInst, GetElementPtrInst>(I)) {
      memory(I, Result);
    } else if (I.isTerminator()) {
      terminator(I);
    } else {
      other(I, Result);
    }
  }

  void convert(const CastInst &I, const std::string &Result) {
    if (I.getOpcode() == Instruction::PtrToAddr)
      Failed = true;
    line(Result + I.getOpcodeName() + " " + typed(I.getOperand(0)) + " to " + type(I.getType()));
  }

  void other(const Instruction &I, const std::string &Result) {
    switch (I.getOpcode()) {
    case Instruction::FNeg: // -0.0 - x
      line(Result + "fsub" + flags(I) + " " + type(I.getType()) + " " +
           constant(*ConstantFP::getNegativeZero(I.getType())) + ", " + value(I.getOperand(0)));
      return;
    case Instruction::Select:
      line(Result + "select " + typed(I.getOperand(0)) + ", " + typed(I.getOperand(1)) + ", " + typed(I.getOperand(2)));
      return;
    case Instruction::PHI: {
      const auto &Phi = cast<PHINode>(I);
      std::string Incoming;
      for (unsigned K = 0; K < Phi.getNumIncomingValues(); ++K)
        Incoming +=
            formatv("{0}[ {1}, {2} ]", K ? ", " : "", value(Phi.getIncomingValue(K)), value(Phi.getIncomingBlock(K)));
      line(Result + "phi " + type(I.getType()) + " " + Incoming);
      return;
    }
    case Instruction::ExtractElement:
      line(Result + "extractelement " + typed(I.getOperand(0)) + ", " + typed(I.getOperand(1)));
      return;
    case Instruction::InsertElement:
      line(Result + "insertelement " + typed(I.getOperand(0)) + ", " + typed(I.getOperand(1)) + ", " +
           typed(I.getOperand(2)));
      return;
    case Instruction::ShuffleVector: {
      std::string Mask;
      for (int Element : cast<ShuffleVectorInst>(I).getShuffleMask())
        Mask += (Mask.empty() ? "i32 " : ", i32 ") + (Element < 0 ? "undef" : std::to_string(Element));
      Failed |= isa<ScalableVectorType>(I.getType());
      line(Result + "shufflevector " + typed(I.getOperand(0)) + ", " + typed(I.getOperand(1)) + ", <" +
           std::to_string(cast<ShuffleVectorInst>(I).getShuffleMask().size()) + " x i32> <" + Mask + ">");
      return;
    }
    case Instruction::ExtractValue:
    case Instruction::InsertValue: {
      bool Inserts = isa<InsertValueInst>(I);
      std::string Indices;
      for (unsigned Index : Inserts ? cast<InsertValueInst>(I).indices() : cast<ExtractValueInst>(I).indices())
        Indices += ", " + std::to_string(Index);
      line(Result + I.getOpcodeName() + " " + typed(I.getOperand(0)) + (Inserts ? ", " + typed(I.getOperand(1)) : "") +
           Indices);
      return;
    }
    case Instruction::Freeze:
      return freeze(I, Result);
    default:
      Failed = true;
    }
  }

  /// One value, whatever it is: what the optimiser cannot look into.
  void freeze(const Instruction &I, const std::string &Result) {
    Type *T = I.getType();
    const unsigned Bits = T->isPointerTy() ? 64 : T->getScalarSizeInBits();
    Failed |= T->isAggregateType() || T->isVectorTy() || T->isHalfTy() || Bits > 64;
    const bool IsWide = Bits > 32, IsWhole = Bits == 32 || Bits == 64;
    std::string Register = IsWide ? "i64" : "i32", Given = value(I.getOperand(0)), Moved = fresh();
    StringRef Move = IsWide ? "mov.b64 $0, $1;\", \"=l,l" : "mov.b32 $0, $1;\", \"=r,r";
    StringRef In = T->isPointerTy() ? "ptrtoint" : T->isFloatingPointTy() ? "bitcast" : IsWhole ? "" : "zext";
    StringRef Out = T->isPointerTy() ? "inttoptr" : T->isFloatingPointTy() ? "bitcast" : IsWhole ? "" : "trunc";
    if (!In.empty()) {
      std::string Widened = fresh();
      line(Widened + " = " + In + " " + type(T) + " " + Given + " to " + Register);
      Given = Widened;
    }
    line((Out.empty() ? Result : Moved + " = ") + "call " + Register + " asm \"" + Move + "\"(" + Register + " " +
         Given + ")");
    if (!Out.empty())
      line(Result + Out + " " + Register + " " + Moved + " to " + type(T));
  }

  void memory(const Instruction &I, const std::string &Result) {
    if (auto *Load = dyn_cast<LoadInst>(&I)) {
      Failed |= Load->isAtomic();
      std::string From = castTo(Load->getPointerOperand(), I.getType());
      line(Result + "load " + (Load->isVolatile() ? "volatile " : "") + type(I.getType()) + ", " + From + ", align " +
           std::to_string(Load->getAlign().value()));
    } else if (auto *Store = dyn_cast<StoreInst>(&I)) {
      Failed |= Store->isAtomic();
      std::string To = castTo(Store->getPointerOperand(), Store->getValueOperand()->getType());
      line(Twine("store ") + (Store->isVolatile() ? "volatile " : "") + typed(Store->getValueOperand()) + ", " + To +
           ", align " + std::to_string(Store->getAlign().value()));
    } else if (auto *Alloca = dyn_cast<AllocaInst>(&I)) {
      Failed |= Alloca->getAddressSpace() != 0 || !Alloca->isStaticAlloca() || Alloca->isArrayAllocation();
      std::string Place = fresh(), Of = type(Alloca->getAllocatedType());
      line(Place + " = alloca " + Of + ", align " + std::to_string(Alloca->getAlign().value()));
      line(Result + "bitcast " + Of + "* " + Place + " to i8*");
    } else {
      element(cast<GetElementPtrInst>(I), Result);
    }
  }

  void element(const GetElementPtrInst &I, const std::string &Result) {
    if (I.getType()->isVectorTy())
      Failed = true;
    std::string Base = castTo(I.getPointerOperand(), I.getSourceElementType()), Place = fresh();
    std::string Text = Place + " = getelementptr " + (I.isInBounds() ? "inbounds " : "") +
                       type(I.getSourceElementType()) + ", " + Base;
    for (const Value *Index : I.indices())
      Text += ", " + typed(Index);
    line(Text);
    line(Result + "bitcast " + pointer(type(I.getResultElementType()), I.getAddressSpace()) + " " + Place + " to " +
         type(I.getType()));
  }

  void terminator(const Instruction &I) {
    if (auto *Return = dyn_cast<ReturnInst>(&I)) {
      line(Return->getReturnValue() ? "ret " + typed(Return->getReturnValue()) : "ret void");
    } else if (auto *Branch = dyn_cast<BranchInst>(&I)) {
      line(Branch->isConditional() ? "br " + typed(Branch->getCondition()) + ", " + label(Branch->getSuccessor(0)) +
                                         ", " + label(Branch->getSuccessor(1))
                                   : "br " + label(Branch->getSuccessor(0)));
    } else if (auto *Switch = dyn_cast<SwitchInst>(&I)) {
      std::string Cases;
      for (const auto &Case : Switch->cases())
        Cases += " " + typed(Case.getCaseValue()) + ", " + label(Case.getCaseSuccessor());
      line("switch " + typed(Switch->getCondition()) + ", " + label(Switch->getDefaultDest()) + " [" + Cases + " ]");
    } else if (isa<UnreachableInst>(I)) {
      line("unreachable");
    } else {
      Failed = true;
    }
  }

  // -- calls ------------------------------------------------------------------------------------------------------

  std::string arguments(const CallInst &Call) {
    std::string Result;
    for (const Use &Argument : Call.args())
      Result += (Result.empty() ? "" : ", ") + typed(Argument);
    return Result;
  }

  void call(const CallInst &Call, const std::string &Result) {
    if (auto *Asm = dyn_cast<InlineAsm>(Call.getCalledOperand())) {
      std::string Code, Constraints;
      raw_string_ostream CodeText(Code), ConstraintText(Constraints);
      printEscapedString(Asm->getAsmString(), CodeText);
      printEscapedString(Asm->getConstraintString(), ConstraintText);
      auto IsWide = [](const Use &Argument) { return Argument->getType()->isIntegerTy(128); };
      // An indirect operand has a type of its own, and 128 bits have a constraint that LLVM 7 does not know.
      Failed |= Asm->getDialect() != InlineAsm::AD_ATT || Asm->canThrow() || StringRef(Constraints).contains('*') ||
                StringRef(Constraints).contains('q') || any_of(Call.args(), IsWide);
      line(Result + "call " + type(Call.getType()) + " asm " + (Asm->hasSideEffects() ? "sideeffect \"" : "\"") + Code +
           "\", \"" + Constraints + "\"(" + arguments(Call) + ")" + (Call.isConvergent() ? " convergent" : ""));
      return;
    }
    const Function *Callee = Call.getCalledFunction();
    for (unsigned I = 0; I < Call.arg_size(); ++I)
      Failed |= Call.isByValArgument(I);
    if (!Callee || Call.getFunctionType() != Callee->getFunctionType() ||
        (Call.isConvergent() && Callee->isDeclaration())) {
      Failed = true;
    } else if (Callee->isIntrinsic()) {
      intrinsic(cast<IntrinsicInst>(Call), Result);
    } else if (Callee->isDeclaration()) {
      external(name(*Callee), Call, Result);
    } else {
      Functions.insert(Callee);
      line(Result + "call " + type(Call.getType()) + " " + name(*Callee) + "(" + arguments(Call) + ")" +
           (Call.isConvergent() ? " convergent" : ""));
    }
  }

  void external(const std::string &Name, const CallInst &Call, const std::string &Result) {
    std::string Types = parameters(*Call.getFunctionType());
    Declarations.insert("declare " + type(Call.getType()) + " " + Name + "(" + Types + ")\n");
    line(Result + "call " + type(Call.getType()) + " " + Name + "(" + arguments(Call) + ")");
  }

  /// Of libdevice, which libNVVM is given too.
  static StringRef libdeviceName(Intrinsic::ID Which) {
    switch (Which) {
    case Intrinsic::fabs:
    case Intrinsic::nvvm_fabs:
      return "fabs";
    case Intrinsic::sqrt:
      return "sqrt";
    case Intrinsic::fma:
      return "fma";
    case Intrinsic::floor:
      return "floor";
    case Intrinsic::ceil:
      return "ceil";
    case Intrinsic::trunc:
      return "trunc";
    case Intrinsic::rint:
      return "rint";
    case Intrinsic::nearbyint:
      return "nearbyint";
    case Intrinsic::round:
      return "round";
    case Intrinsic::copysign:
      return "copysign";
    case Intrinsic::minnum:
      return "fmin";
    case Intrinsic::maxnum:
      return "fmax";
    default:
      return "";
    }
  }

  void choose(const IntrinsicInst &Call, CmpInst::Predicate Predicate, const std::string &Result) {
    std::string First = fresh();
    line(First + " = icmp " + CmpInst::getPredicateName(Predicate).str() + " " + typed(Call.getArgOperand(0)) + ", " +
         value(Call.getArgOperand(1)));
    line(Result + "select i1 " + First + ", " + typed(Call.getArgOperand(0)) + ", " + typed(Call.getArgOperand(1)));
  }

  void intrinsic(const IntrinsicInst &Call, const std::string &Result) {
    Type *T = Call.getType();
    if (StringRef Math = libdeviceName(Call.getIntrinsicID()); !Math.empty()) {
      Failed |= !T->isFloatTy() && !T->isDoubleTy();
      return external(("@__nv_" + Math + (T->isFloatTy() ? "f" : "")).str(), Call, Result);
    }
    Failed |= T->isVectorTy();
    switch (Call.getIntrinsicID()) {
    case Intrinsic::assume:
    case Intrinsic::lifetime_start:
    case Intrinsic::lifetime_end:
    case Intrinsic::experimental_noalias_scope_decl:
      return;
    case Intrinsic::umin:
      return choose(Call, CmpInst::ICMP_ULT, Result);
    case Intrinsic::umax:
      return choose(Call, CmpInst::ICMP_UGT, Result);
    case Intrinsic::smin:
      return choose(Call, CmpInst::ICMP_SLT, Result);
    case Intrinsic::smax:
      return choose(Call, CmpInst::ICMP_SGT, Result);
    case Intrinsic::abs: {
      std::string Negative = fresh(), Other = fresh(), X = typed(Call.getArgOperand(0));
      line(Negative + " = icmp slt " + X + ", 0");
      line(Other + " = sub " + type(T) + " 0, " + value(Call.getArgOperand(0)));
      return line(Result + "select i1 " + Negative + ", " + type(T) + " " + Other + ", " + X);
    }
    case Intrinsic::fmuladd: {
      std::string Product = fresh();
      line(Product + " = fmul contract " + typed(Call.getArgOperand(0)) + ", " + value(Call.getArgOperand(1)));
      return line(Result + "fadd contract " + type(T) + " " + Product + ", " + value(Call.getArgOperand(2)));
    }
    case Intrinsic::ctpop:
    case Intrinsic::ctlz:
    case Intrinsic::cttz:
    case Intrinsic::bswap:
      return external(name(*Call.getCalledFunction()), Call, Result);
    case Intrinsic::uadd_with_overflow:
    case Intrinsic::usub_with_overflow:
    case Intrinsic::umul_with_overflow:
    case Intrinsic::sadd_with_overflow:
    case Intrinsic::ssub_with_overflow:
    case Intrinsic::smul_with_overflow:
      Failed |=
          !Call.getArgOperand(0)->getType()->isIntegerTy(32) && !Call.getArgOperand(0)->getType()->isIntegerTy(64);
      return external(name(*Call.getCalledFunction()), Call, Result);
    case Intrinsic::bitreverse:
      Failed |= !T->isIntegerTy(32) && !T->isIntegerTy(64);
      return external(T->isIntegerTy(32) ? "@__nv_brev" : "@__nv_brevll", Call, Result);
    case Intrinsic::fshl:
    case Intrinsic::fshr:
      return funnel(Call, Result);
    case Intrinsic::usub_sat:
    case Intrinsic::uadd_sat:
      return saturating(Call, Result);
    case Intrinsic::ucmp:
    case Intrinsic::scmp:
      return threeWay(Call, Result);
    case Intrinsic::is_fpclass:
      Failed |= !match(Call.getArgOperand(1), PatternMatch::m_SpecificInt(static_cast<unsigned>(fcNan)));
      return line(Result + "fcmp uno " + typed(Call.getArgOperand(0)) + ", " + value(Call.getArgOperand(0)));
    case Intrinsic::nvvm_ex2_approx:
      Failed |= !T->isFloatTy();
      return external("@llvm.nvvm.ex2.approx.f", Call, Result);
    case Intrinsic::nvvm_ex2_approx_ftz:
      Failed |= !T->isFloatTy();
      return external("@llvm.nvvm.ex2.approx.ftz.f", Call, Result);
    case Intrinsic::memcpy:
    case Intrinsic::memmove:
    case Intrinsic::memset:
      return copy(cast<MemIntrinsic>(Call));
    default:
      if (!isKnownToNvvm(Call.getCalledFunction()->getName()))
        Failed = true;
      return external(name(*Call.getCalledFunction()), Call, Result);
    }
  }

  /// Those that read special registers, and the arithmetic of single instructions as the toolkit's own libdevice calls
  /// it: families, of which each name is made of these parts.
  static bool isKnownToNvvm(StringRef Name) {
    if (!Name.consume_front("llvm.nvvm."))
      return false;
    if (Name.consume_front("read.ptx.sreg."))
      return is_contained({"tid", "ntid", "ctaid", "nctaid", "laneid", "warpsize"}, Name.split('.').first);
    SmallVector<StringRef, 4> Parts;
    Name.split(Parts, '.');
    constexpr StringLiteral Families[] = {"add",  "mul",   "div",   "fma",   "rcp",      "sqrt",  "rsqrt", "sin",
                                          "cos",  "lg2",   "ceil",  "floor", "trunc",    "round", "fmin",  "fmax",
                                          "sad",  "mulhi", "d2f",   "d2i",   "d2ll",     "d2ui",  "d2ull", "f2i",
                                          "f2ll", "f2ui",  "f2ull", "i2d",   "i2f",      "ll2d",  "ll2f",  "ui2d",
                                          "ui2f", "ull2d", "ull2f", "lohi",  "saturate", "prmt"};
    constexpr StringLiteral Kinds[] = {"rn", "rm", "rp", "rz", "ftz", "approx", "f",  "d",
                                       "hi", "lo", "i",  "ui", "ll",  "ull",    "i2d"};
    return is_contained(Families, Parts.front()) &&
           all_of(drop_begin(Parts), [&](StringRef Part) { return is_contained(Kinds, Part); });
  }

  /// One of two values shifted by the count, beside what the other one shifts in.
  void funnel(const IntrinsicInst &Call, const std::string &Result) {
    const bool IsLeft = Call.getIntrinsicID() == Intrinsic::fshl;
    const unsigned Bits = Call.getType()->getIntegerBitWidth();
    const Value *Whole = Call.getArgOperand(IsLeft ? 0 : 1), *Other = Call.getArgOperand(IsLeft ? 1 : 0);
    std::string T = type(Call.getType()), Count = fresh(), Rest = fresh(), Shifted = fresh(), Half = fresh(),
                In = fresh(), Shift = IsLeft ? "shl" : "lshr", Back = IsLeft ? "lshr" : "shl";
    line(Count + " = and " + typed(Call.getArgOperand(2)) + ", " + std::to_string(Bits - 1));
    line(Shifted + " = " + Shift + " " + typed(Whole) + ", " + Count);
    line(Half + " = " + Back + " " + typed(Other) + ", 1"); // a count of all bits would be undefined
    line(Rest + " = sub " + T + " " + std::to_string(Bits - 1) + ", " + Count);
    line(In + " = " + Back + " " + T + " " + Half + ", " + Rest);
    line(Result + "or " + T + " " + Shifted + ", " + In);
    Failed |= !isPowerOf2_32(Bits);
  }

  void saturating(const IntrinsicInst &Call, const std::string &Result) {
    const bool Adds = Call.getIntrinsicID() == Intrinsic::uadd_sat;
    std::string T = type(Call.getType()), Wrapped = fresh(), Fits = fresh(), X = typed(Call.getArgOperand(0));
    line(Wrapped + (Adds ? " = add " : " = sub ") + X + ", " + value(Call.getArgOperand(1)));
    line(Fits + (Adds ? " = icmp uge " + T + " " + Wrapped : " = icmp ule " + T + " " + Wrapped) + ", " +
         value(Call.getArgOperand(0)));
    line(Result + "select i1 " + Fits + ", " + T + " " + Wrapped + ", " + T + (Adds ? " -1" : " 0"));
  }

  /// -1, 0 or 1.
  void threeWay(const IntrinsicInst &Call, const std::string &Result) {
    std::string Sign = Call.getIntrinsicID() == Intrinsic::scmp ? "s" : "u", Above = fresh(), Below = fresh(),
                One = fresh(), T = type(Call.getType()), X = typed(Call.getArgOperand(0)),
                Y = value(Call.getArgOperand(1));
    line(Above + " = icmp " + Sign + "gt " + X + ", " + Y);
    line(Below + " = icmp " + Sign + "lt " + X + ", " + Y);
    line(One + " = zext i1 " + Above + " to " + T);
    line(Result + "select i1 " + Below + ", " + T + " -1, " + T + " " + One);
  }

  void copy(const MemIntrinsic &Call) {
    const Value *Length = Call.getLength();
    const bool Sets = isa<MemSetInst>(Call);
    auto Space = [](const Value *Pointer) {
      return "p" + std::to_string(Pointer->getType()->getPointerAddressSpace()) + "i8";
    };
    const Value *Source = Sets ? nullptr : cast<MemTransferInst>(Call).getRawSource();
    std::string Name = (Sets ? "@llvm.memset." : isa<MemMoveInst>(Call) ? "@llvm.memmove." : "@llvm.memcpy.");
    Name += Space(Call.getRawDest()) + "." + (Sets ? "" : Space(Source) + ".") + type(Length->getType());
    auto Aligned = [this](const Value *Pointer, MaybeAlign Align) {
      return type(Pointer->getType()) + " align " + std::to_string(Align.valueOrOne().value()) + " " + value(Pointer);
    };
    std::string From =
        Sets ? typed(cast<MemSetInst>(Call).getValue()) : Aligned(Source, cast<MemTransferInst>(Call).getSourceAlign());
    Type *FromType = Sets ? cast<MemSetInst>(Call).getValue()->getType() : Source->getType();
    Declarations.insert("declare void " + Name + "(" + type(Call.getRawDest()->getType()) + ", " + type(FromType) +
                        ", " + type(Length->getType()) + ", i1)\n");
    line("call void " + Name + "(" + Aligned(Call.getRawDest(), Call.getDestAlign()) + ", " + From + ", " +
         typed(Length) + (Call.isVolatile() ? ", i1 true)" : ", i1 false)"));
  }
};

} // namespace

std::optional<std::string> kernix::nvvmText(const Function &Shim) { return Writer().write(Shim); }
