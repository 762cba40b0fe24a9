//===- LaunchTests.cpp - tests, at a kernel's start, of what proofs assume --------------------------------------===//

#include "Derivative/Launch/LaunchTests.h"
#include "Derivative/Canonical/Geometry.h"
#include <cmath>

using namespace llvm;
using namespace kernix;

/// A value that all threads have in common, computed at the entry from what it is computed from.
Value *LaunchTests::copy(const Value *V) {
  if (const auto *A = dyn_cast<Argument>(V))
    return Arguments.primal(*A);
  const auto *I = dyn_cast<Instruction>(V);
  if (!I)
    return const_cast<Value *>(V);
  if (Value *Done = Copies.lookup(I))
    return Done;
  SmallVector<Value *, 3> Operands;
  for (const Use &Operand : I->operands())
    Operands.push_back(isa<Function>(Operand) ? Operand.get() : copy(Operand));
  Instruction *Copy = I->clone();
  Copy->setDebugLoc(DebugLoc());
  // What a guard keeps from being poison is computed here without the guard.
  Copy->dropPoisonGeneratingAnnotations();
  for (unsigned K = 0; K < Operands.size(); ++K)
    Copy->setOperand(K, Operands[K]);
  Entry.Insert(Copy);
  const bool MayBePoison = Copy->isShift() && !isa<ConstantInt>(Copy->getOperand(1));
  return Copies[I] = MayBePoison ? Entry.CreateFreeze(Copy) : Copy;
}

Value *LaunchTests::atom(unsigned Atom) {
  Value *&Known = Atoms[Atom];
  if (Known)
    return Known;
  const AtomMeaning &Meaning = Forms.meaning(Atom);
  if (Meaning.Kind == AtomMeaning::Extent && Meaning.Unit) {
    Value *Whole = Entry.CreateAdd(atom(FirstExtent + Meaning.Of), Entry.getInt64(Meaning.Unit - 1));
    return Atoms[Atom] = Entry.CreateUDiv(Whole, Entry.getInt64(Meaning.Unit));
  }
  if (Meaning.Kind == AtomMeaning::Extent) {
    constexpr const char *Names[] = {"block_dim.x", "block_dim.y", "block_dim.z",
                                     "grid_dim.x",  "grid_dim.y",  "grid_dim.z"};
    Module &M = *Entry.GetInsertBlock()->getModule();
    Value *Extent = Entry.CreateCall(declareGeometry(M, *findGeometry(Names[Atom - FirstExtent])));
    return Known = Entry.CreateZExt(Extent, Entry.getInt64Ty());
  }
  return Known = Entry.CreateSExt(copy(Meaning.V), Entry.getInt64Ty());
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
  for (const auto &[M, C] : Smallest.terms()) {
    std::optional<Number> Term;
    for (unsigned A : M) {
      const Number Factor = {atom(A), Fits};
      Term = Term ? combine(Instruction::Mul, *Term, Factor) : Factor;
    }
    const Number Factor = Constant(std::abs(C));
    Term = !Term ? Factor : std::abs(C) == 1 ? *Term : combine(Instruction::Mul, *Term, Factor);
    Number &Side = C > 0 ? Left : Right;
    Side = combine(Instruction::Add, Side, *Term);
  }
  Value *Holds = Entry.CreateICmpSLE(Right.V, Left.V);
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
