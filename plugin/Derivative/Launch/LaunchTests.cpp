//===- LaunchTests.cpp - tests, at a kernel's start, of what proofs assume --------------------------------------===//

#include "Derivative/Launch/LaunchTests.h"
#include "Derivative/Canonical/Geometry.h"
#include <numeric>

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
  return Copies[I] = Copy;
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

Value *LaunchTests::isNotNegative(const Polynomial &P) {
  Value *&Known = Tests[P];
  if (Known)
    return Known;
  int64_t Common = 0;
  for (const auto &[M, C] : P.terms())
    if (!M.empty())
      Common = std::gcd(Common, C);
  // What is positive on one side, what is negative on the other.
  Value *Left = nullptr, *Right = nullptr;
  int64_t Start =
      Common > 1 ? (P.constantTerm() >= 0 ? P.constantTerm() / Common : -((-P.constantTerm() + Common - 1) / Common))
                 : P.constantTerm();
  for (const auto &[M, C] : P.terms()) {
    if (M.empty())
      continue;
    Value *&Product = Products[M];
    if (!Product)
      for (unsigned A : M)
        Product = Product ? Entry.CreateMul(Product, atom(A)) : atom(A);
    int64_t Factor = std::abs(C) / std::max<int64_t>(Common, 1);
    Value *Term = Factor == 1 ? Product : Entry.CreateMul(Product, Entry.getInt64(static_cast<uint64_t>(Factor)));
    Value *&Side = C > 0 ? Left : Right;
    Side = Side ? Entry.CreateAdd(Side, Term) : Term;
  }
  if (!Left)
    Left = Entry.getInt64(0);
  if (!Right)
    Right = Entry.getInt64(0);
  Value *Bound = Entry.getInt64(static_cast<uint64_t>(Start < 0 ? -Start : Start));
  if (Start < 0)
    Right = Entry.CreateAdd(Right, Bound);
  else if (Start > 0)
    Left = Entry.CreateAdd(Left, Bound);
  return Known = Entry.CreateICmpSLE(Right, Left);
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
