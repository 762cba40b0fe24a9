//===- LaunchTests.cpp - tests, at a kernel's start, of what proofs assume --------------------------------------===//

#include "Derivative/Launch/LaunchTests.h"
#include "Derivative/Canonical/Geometry.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PatternMatch.h"
#include <cmath>

using namespace llvm;
using namespace kernix;

/// Both conditions, of which none may be asked for: null.
Value *LaunchTests::both(Value *A, Value *B) { return !A || !B ? (A ? A : B) : Entry.CreateAnd(A, B); }

/// A number that is read from a parameter, guarded or not in the kernel. Where it is not there, another one is read.
LaunchTests::Copy LaunchTests::copyLoad(const LoadInst &Load) {
  const DataLayout &DL = Load.getDataLayout();
  Value *Offset = Entry.getInt64(0), *IsThere = nullptr;
  const Value *Place = Load.getPointerOperand();
  while (const auto *Gep = dyn_cast<GEPOperator>(Place)) {
    SmallMapVector<Value *, APInt, 4> Variables;
    APInt Bytes(64, 0);
    [[maybe_unused]] const bool IsKnown = Gep->collectOffset(DL, 64, Variables, Bytes);
    assert(IsKnown && "a parameter has a size");
    Offset = Entry.CreateAdd(Offset, Entry.getInt(Bytes));
    for (auto &[Index, Scale] : Variables) {
      const Copy Factor = copy(Index);
      Value *Wide = Entry.CreateSExtOrTrunc(Factor.V, Entry.getInt64Ty());
      Offset = Entry.CreateAdd(Offset, Entry.CreateMul(Wide, Entry.getInt(Scale)));
      IsThere = both(IsThere, Factor.IsThere);
    }
    Place = Gep->getPointerOperand();
  }
  const auto &Storage = *cast<Argument>(Place);
  const uint64_t Size = Arguments.sizeOfStorage(Storage), Read = DL.getTypeStoreSize(Load.getType());
  assert(Size >= Read && "what is read is of a complete type");
  Value *IsWithin = Entry.CreateICmpULE(Offset, Entry.getInt64(Size - Read));
  if (!match(IsWithin, PatternMatch::m_One()))
    IsThere = both(IsThere, IsWithin);
  Value *At = Entry.CreatePtrAdd(Arguments.primal(Storage), Entry.CreateSelect(IsWithin, Offset, Entry.getInt64(0)));
  return {Entry.CreateAlignedLoad(Load.getType(), At, Load.getAlign()), IsThere};
}

/// A value that all threads have in common, computed at the entry from what it is computed from.
LaunchTests::Copy LaunchTests::copy(const Value *V) {
  const auto *I = dyn_cast<Instruction>(V);
  if (!I)
    return {const_cast<Value *>(V), nullptr};
  if (auto Done = Copies.find(I); Done != Copies.end())
    return Done->second;
  if (const auto *Load = dyn_cast<LoadInst>(I))
    return Copies[I] = copyLoad(*Load);
  Instruction *New = I->clone();
  New->setDebugLoc(DebugLoc());
  // What a guard keeps from being poison is computed here without the guard.
  New->dropPoisonGeneratingAnnotations();
  Value *IsThere = nullptr;
  for (Use &Operand : New->operands())
    if (!isa<Function>(Operand)) {
      const Copy Made = copy(Operand);
      Operand.set(Made.V);
      IsThere = both(IsThere, Made.IsThere);
    }
  Entry.Insert(New);
  const bool MayBePoison = New->isShift() && !isa<ConstantInt>(New->getOperand(1));
  return Copies[I] = {MayBePoison ? Entry.CreateFreeze(New) : New, IsThere};
}

LaunchTests::Copy LaunchTests::atom(unsigned Atom) {
  if (auto Found = Atoms.find(Atom); Found != Atoms.end())
    return Found->second;
  const AtomMeaning &Meaning = Forms.meaning(Atom);
  if (Meaning.Kind == AtomMeaning::Extent && Meaning.Unit) {
    Value *Whole = Entry.CreateAdd(atom(FirstExtent + Meaning.Of).V, Entry.getInt64(Meaning.Unit - 1));
    return Atoms[Atom] = {Entry.CreateUDiv(Whole, Entry.getInt64(Meaning.Unit)), nullptr};
  }
  if (Meaning.Kind == AtomMeaning::Extent) {
    constexpr const char *Names[] = {"block_dim.x", "block_dim.y", "block_dim.z",
                                     "grid_dim.x",  "grid_dim.y",  "grid_dim.z"};
    Module &M = *Entry.GetInsertBlock()->getModule();
    Value *Extent = Entry.CreateCall(declareGeometry(M, *findGeometry(Names[Atom - FirstExtent])));
    return Atoms[Atom] = {Entry.CreateZExt(Extent, Entry.getInt64Ty()), nullptr};
  }
  const Copy Made = copy(Meaning.V);
  return Atoms[Atom] = {Entry.CreateSExt(Made.V, Entry.getInt64Ty()), Made.IsThere};
}

/// As the source calls it, or empty.
std::string LaunchTests::nameOf(unsigned Atom) const {
  const AtomMeaning &Meaning = Forms.meaning(Atom);
  if (Meaning.Kind == AtomMeaning::Extent)
    return Meaning.Unit ? "" : Forms.text(Polynomial::atom(Atom));
  const auto *Load = dyn_cast_or_null<LoadInst>(Meaning.V);
  const auto *Storage = Load ? dyn_cast<Argument>(Load->getPointerOperand()) : nullptr;
  if (!Storage || Arguments.sizeOfStorage(*Storage) != Load->getDataLayout().getTypeStoreSize(Load->getType()))
    return "";
  return Arguments.nameOfStorage(*Storage).str();
}

std::string LaunchTests::text(const LaunchConditions &Assumed) const {
  std::string Text;
  for (const Polynomial &P : Assumed) {
    std::string Less, More;
    bool HasNames = true;
    for (const auto &[M, C] : reverse(P.terms())) {
      std::string Term = std::abs(C) == 1 && !M.empty() ? "" : std::to_string(std::abs(C));
      for (unsigned A : M) {
        const std::string Name = nameOf(A);
        HasNames &= !Name.empty();
        Term += (Term.empty() ? "" : " * ") + Name;
      }
      std::string &Side = C > 0 ? More : Less;
      Side += (Side.empty() ? "" : " + ") + Term;
    }
    if (HasNames)
      Text += (Text.empty() ? "" : ", ") + (Less.empty() ? "0" : Less) + " <= " + (More.empty() ? "0" : More);
  }
  return Text;
}

/// Neither what this adds and multiplies nor what is computed on the way can be more.
double LaunchTests::mostOf(const Polynomial &P) const {
  double Sum = 0;
  for (const auto &[M, C] : P.terms()) {
    double Product = std::abs(static_cast<double>(C));
    for (unsigned A : M)
      Product *= Forms.meaning(A).Kind == AtomMeaning::Extent
                     ? static_cast<double>(Forms.mostOfExtent(A))
                     : std::ldexp(1.0, static_cast<int>(Forms.meaning(A).V->getType()->getIntegerBitWidth()) - 1);
    Sum += Product;
  }
  return Sum;
}

/// The sum or product of numbers of 64 bits. What is larger is larger than any memory.
LaunchTests::Number LaunchTests::combine(Instruction::BinaryOps Operation, const Number &A, const Number &B) {
  if (!A.Fits)
    return {Entry.CreateBinOp(Operation, A.V, B.V), nullptr};
  const bool IsSum = Operation == Instruction::Add;
  Value *Both =
      Entry.CreateBinaryIntrinsic(IsSum ? Intrinsic::sadd_with_overflow : Intrinsic::smul_with_overflow, A.V, B.V);
  Value *Fits = Entry.CreateAnd(Entry.CreateAnd(A.Fits, B.Fits), Entry.CreateNot(Entry.CreateExtractValue(Both, 1)));
  return {Entry.CreateExtractValue(Both, 0), Fits};
}

Value *LaunchTests::isNotNegative(const Polynomial &P) {
  Value *&Known = Tests[P];
  if (Known)
    return Known;
  const Polynomial Smallest = P.withoutCommonFactor();
  Value *Fits = mostOf(Smallest) < std::ldexp(1.0, 62) ? nullptr : Entry.getTrue();
  auto Constant = [&](int64_t C) { return Number{Entry.getInt64(static_cast<uint64_t>(C)), Fits}; };
  // What is positive on one side, what is negative on the other.
  Number Left = Constant(0), Right = Constant(0);
  Value *AreThere = nullptr;
  for (const auto &[M, C] : Smallest.terms()) {
    std::optional<Number> Term;
    for (unsigned A : M) {
      const Copy Made = atom(A);
      AreThere = both(AreThere, Made.IsThere);
      const Number Factor = {Made.V, Fits};
      Term = Term ? combine(Instruction::Mul, *Term, Factor) : Factor;
    }
    const Number Factor = Constant(std::abs(C));
    Term = !Term ? Factor : std::abs(C) == 1 ? *Term : combine(Instruction::Mul, *Term, Factor);
    Number &Side = C > 0 ? Left : Right;
    Side = combine(Instruction::Add, Side, *Term);
  }
  Value *Holds = both(Entry.CreateICmpSLE(Right.V, Left.V), AreThere);
  return Known = Fits ? Entry.CreateAnd(Holds, Entry.CreateAnd(Left.Fits, Right.Fits)) : Holds;
}

Value *LaunchTests::hold(const LaunchConditions &Assumed) {
  Value *&All = Known[Assumed];
  if (All)
    return All;
  All = Entry.getTrue();
  for (const Polynomial &P : Assumed)
    All = Entry.CreateAnd(All, isNotNegative(P));
  return All;
}
