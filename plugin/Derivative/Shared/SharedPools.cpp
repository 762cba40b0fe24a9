//===- SharedPools.cpp - one shared variable that is cut into arrays of several types ---------------------------===//

#include "Derivative/Shared/SharedPools.h"
#include "Derivative/Canonical/Geometry.h"
#include "Derivative/Prepare/LocalLayout.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PatternMatch.h"
#include <map>
#include <numeric>

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace kernix;

namespace {

constexpr unsigned MostAccesses = 256;
/// Constant distances from here on are those of arrays, not of neighbours.
constexpr int64_t LeastArray = 64;

/// A distance from the beginning: what all threads of a launch agree on, and anything that is a multiple of Step.
struct Place {
  int64_t Constant = 0;
  std::map<const Value *, int64_t> Uniform;
  uint64_t Step = 0;
};

struct Access {
  const Instruction *I;
  Type *T;
  bool Reads, Writes;
  bool IsChosen; ///< or at another place
  Place At;
};

bool isUniform(const Value *V, unsigned Depth = 0) {
  if (isa<Constant, Argument>(V))
    return true;
  if (const auto *Load = dyn_cast<LoadInst>(V))
    return isa<Argument>(getUnderlyingObject(Load->getPointerOperand(), 0)) && Load->getType()->isIntegerTy() &&
           isa<Argument>(Load->getPointerOperand()->stripInBoundsConstantOffsets());
  const auto *I = dyn_cast<Instruction>(V);
  if (!I || Depth == 8)
    return false;
  if (const auto *Call = dyn_cast<CallInst>(I)) {
    const Function *Callee = Call->getCalledFunction();
    StringRef Name = Callee ? Callee->getName() : "";
    if (Name.consume_front("kernix.") && findGeometry(Name))
      return !Name.starts_with("thread_idx") && !Name.starts_with("lane");
    if (!isa<MinMaxIntrinsic>(Call))
      return false;
    return isUniform(Call->getArgOperand(0), Depth + 1) && isUniform(Call->getArgOperand(1), Depth + 1);
  }
  return isa<BinaryOperator, CastInst, SelectInst, ICmpInst>(I) &&
         all_of(I->operands(), [&](const Use &Operand) { return isUniform(Operand, Depth + 1); });
}

/// n - 1 - t: an index that counts down within an array, not one behind n elements.
bool countsDown(const Value *V) {
  const Value *A, *B;
  if (match(V, m_Sub(m_Value(A), m_Value(B))))
    return !isUniform(B) && (isUniform(A) || countsDown(A));
  if (match(V, m_Not(m_Value(A))))
    return !isUniform(A);
  return match(V, m_Add(m_Value(A), m_Value(B))) &&
         ((isUniform(A) && countsDown(B)) || (isUniform(B) && countsDown(A)));
}

void add(const Value *V, int64_t Factor, const DataLayout &DL, Place &At) {
  const Value *A, *B;
  uint64_t By;
  if (const auto *C = dyn_cast<ConstantInt>(V)) {
    At.Constant += C->getSExtValue() * Factor;
  } else if (match(V, m_SExt(m_Value(A))) || match(V, m_ZExt(m_Value(A)))) {
    add(A, Factor, DL, At);
  } else if (countsDown(V)) {
    At.Step = std::gcd(At.Step, static_cast<uint64_t>(std::abs(Factor)));
  } else if (match(V, m_Add(m_Value(A), m_Value(B))) || match(V, m_DisjointOr(m_Value(A), m_Value(B)))) {
    add(A, Factor, DL, At);
    add(B, Factor, DL, At);
  } else if (match(V, m_Sub(m_Value(A), m_Value(B)))) {
    add(A, Factor, DL, At);
    add(B, -Factor, DL, At);
  } else if (match(V, m_Shl(m_Value(A), m_ConstantInt(By))) && By < 32) {
    add(A, Factor << By, DL, At);
  } else if (match(V, m_Mul(m_Value(A), m_ConstantInt(By))) && By < (1U << 24)) {
    add(A, Factor * static_cast<int64_t>(By), DL, At);
  } else if (isUniform(V)) {
    if ((At.Uniform[V] += Factor) == 0)
      At.Uniform.erase(V);
  } else {
    unsigned Zeros = computeKnownBits(V, DL).countMinTrailingZeros();
    At.Step = std::gcd(At.Step, static_cast<uint64_t>(std::abs(Factor)) << std::min(Zeros, 16U));
  }
}

/// All places where Pointer may lead, as far as it is chosen among few: a member of one of two structs.
bool placesOf(const Value *Pointer, const GlobalVariable &Variable, const DataLayout &DL, Place At,
              SmallVectorImpl<Place> &Found, unsigned Choices = 0) {
  constexpr unsigned MostChoices = 4, MostPlaces = 16;
  while (Pointer != &Variable) {
    if (const auto *Gep = dyn_cast<GEPOperator>(Pointer)) {
      SmallMapVector<Value *, APInt, 4> Indices;
      unsigned Bits = DL.getIndexTypeSizeInBits(Pointer->getType());
      APInt Offset(Bits, 0);
      if (!Gep->collectOffset(DL, Bits, Indices, Offset))
        return false;
      At.Constant += Offset.getSExtValue();
      for (const auto &[Index, Scale] : Indices)
        add(Index, Scale.getSExtValue(), DL, At);
      Pointer = Gep->getPointerOperand();
    } else if (const auto *Cast = dyn_cast<AddrSpaceCastOperator>(Pointer)) {
      Pointer = Cast->getPointerOperand();
    } else {
      // Around a loop there is no end to the choices.
      if (!isa<SelectInst, PHINode>(Pointer) || Choices == MostChoices)
        return false;
      return all_of(cast<Instruction>(Pointer)->operands(), [&](const Use &Chosen) {
        return !Chosen->getType()->isPointerTy() ||
               (Found.size() < MostPlaces && placesOf(Chosen, Variable, DL, At, Found, Choices + 1));
      });
    }
  }
  Found.push_back(At);
  return true;
}

std::optional<Place> placeOf(const Value *Pointer, const GlobalVariable &Variable, const DataLayout &DL) {
  SmallVector<Place, 2> Found;
  return placesOf(Pointer, Variable, DL, {}, Found) && Found.size() == 1 ? std::optional(Found[0]) : std::nullopt;
}

/// All accesses of F; false where the address goes on to somewhere else.
bool collect(const GlobalVariable &Variable, const Function &F, SmallVectorImpl<Access> &Found) {
  const DataLayout &DL = F.getDataLayout();
  SmallVector<const Value *, 16> Work = {&Variable};
  SmallPtrSet<const Value *, 16> Seen;
  while (!Work.empty()) {
    const Value *Pointer = Work.pop_back_val();
    if (!Seen.insert(Pointer).second)
      continue;
    for (const User *U : Pointer->users()) {
      if (isa<GEPOperator, AddrSpaceCastOperator, SelectInst, PHINode>(U)) {
        if (const auto *I = dyn_cast<Instruction>(U); !I || I->getFunction() == &F)
          Work.push_back(U);
        continue;
      }
      const auto *I = dyn_cast<Instruction>(U);
      if (!I && isa<ConstantExpr>(U))
        return false;
      if (!I || I->getFunction() != &F || isa<ICmpInst>(I))
        continue;
      if (I->hasMetadata(ClearMark)) {
        if (!cast<StoreInst>(I)->getValueOperand()->getType()->isFloatingPointTy())
          return false; // derivatives take them for no numbers
        continue;
      }
      const auto *Store = dyn_cast<StoreInst>(I);
      const auto *Atomic = dyn_cast<AtomicRMWInst>(I);
      if ((Store && Store->getPointerOperand() != Pointer) || (Atomic && Atomic->getPointerOperand() != Pointer) ||
          !(Store || Atomic || isa<LoadInst>(I)) || Found.size() == MostAccesses)
        return false;
      SmallVector<Place, 2> All;
      if (!placesOf(Pointer, Variable, DL, {}, All))
        return false;
      Type *T = Store ? Store->getValueOperand()->getType() : I->getType();
      for (const Place &At : All)
        Found.push_back({I, T, !Store, Store || Atomic, All.size() > 1, At});
    }
  }
  return true;
}

/// Whether a number at A and one at B never overlap.
bool areApart(const Access &A, const Access &B, const DataLayout &DL) {
  if (A.At.Uniform != B.At.Uniform)
    return true; // arrays behind others of sizes that only the launch knows
  int64_t Distance = B.At.Constant - A.At.Constant;
  if (std::abs(Distance) >= LeastArray)
    return true;
  // The members of structs.
  uint64_t Step = std::gcd(A.At.Step, B.At.Step);
  int64_t SizeA = static_cast<int64_t>(DL.getTypeStoreSize(A.T)),
          SizeB = static_cast<int64_t>(DL.getTypeStoreSize(B.T));
  if (!Step)
    return Distance >= SizeA || -Distance >= SizeB;
  int64_t Period = static_cast<int64_t>(Step), Rest = (Distance % Period + Period) % Period;
  return Rest >= SizeA && Period - Rest >= SizeB;
}

/// Whether Read may come after Store without one of Others in between.
bool reaches(const Instruction &Store, const Instruction &Read, const SmallPtrSetImpl<const Instruction *> &Others) {
  SmallPtrSet<const BasicBlock *, 16> Seen;
  SmallVector<const Instruction *, 16> Work = {Store.getNextNode()};
  while (!Work.empty()) {
    const Instruction *I = Work.pop_back_val();
    while (I && I != &Read && !Others.contains(I)) {
      if (I->isTerminator())
        for (const BasicBlock *Next : successors(I->getParent()))
          if (Seen.insert(Next).second)
            Work.push_back(&Next->front());
      I = I->getNextNode();
    }
    if (I == &Read)
      return true;
  }
  return false;
}

/// As Clang calls them.
bool hasUnion(const Type *T) {
  if (const auto *Array = dyn_cast<ArrayType>(T))
    return hasUnion(Array->getElementType());
  const auto *Struct = dyn_cast<StructType>(T);
  return Struct && ((Struct->hasName() && Struct->getName().starts_with("union.")) ||
                    any_of(Struct->elements(), [](const Type *Member) { return hasUnion(Member); }));
}

} // namespace

Type *kernix::numberIn(const GlobalVariable &Variable, const Function &F, bool &IsOnly) {
  const DataLayout &DL = F.getDataLayout();
  Type *Found = nullptr;
  IsOnly = true;
  for (const Instruction &I : instructions(F)) {
    const Value *Pointer = getLoadStorePointerOperand(&I);
    Type *T = Pointer ? getLoadStoreType(&I) : nullptr;
    if (const auto *Atomic = dyn_cast<AtomicRMWInst>(&I)) {
      Pointer = Atomic->getPointerOperand();
      T = Atomic->getType();
    }
    if (!T || !T->isFloatingPointTy() || getUnderlyingObject(Pointer, 0) != &Variable)
      continue;
    IsOnly &= !Found || Found == T;
    if (!Found || DL.getTypeStoreSize(T) < DL.getTypeStoreSize(Found))
      Found = T;
  }
  return Found;
}

bool kernix::membersInShared(const Value &Pointer, const GlobalVariable &Variable, uint64_t Bytes,
                             SmallVectorImpl<std::pair<Type *, uint64_t>> &Members) {
  const DataLayout &DL = Variable.getDataLayout();
  Type *Element = Variable.getValueType();
  while (auto *Array = dyn_cast<ArrayType>(Element))
    Element = Array->getElementType();
  uint64_t Size = isa<StructType>(Element) ? DL.getTypeAllocSize(Element).getFixedValue() : 0;
  std::optional<Place> At = Size ? placeOf(&Pointer, Variable, DL) : std::nullopt;
  if (!At || At->Constant < 0 || At->Step % Size ||
      any_of(At->Uniform, [&](const auto &Term) { return static_cast<uint64_t>(std::abs(Term.second)) % Size != 0; }))
    return false;
  uint64_t Begin = static_cast<uint64_t>(At->Constant) % Size;
  if (Begin + Bytes > Size || !scalarsIn(Element, Begin, Begin + Bytes, DL, Members))
    return false;
  if (hasUnion(Element)) // padding costs time here
    addGaps(Bytes, Variable.getContext(), DL, Members);
  return true;
}

bool kernix::isSharedPool(const GlobalVariable &Variable, const Function &F) {
  const DataLayout &DL = F.getDataLayout();
  SmallVector<Access, 16> All;
  if (!collect(Variable, F, All) || all_of(All, [&](const Access &A) { return A.T == All[0].T; }))
    return false;
  for (const Access &Read : All) {
    if (!Read.Reads)
      continue;
    SmallPtrSet<const Instruction *, 8> Own;
    bool IsStored = Read.Writes;
    for (const Access &Write : All)
      if (Write.Writes && Write.T == Read.T && Write.At.Uniform == Read.At.Uniform) {
        IsStored = true;
        if (!Write.IsChosen && std::abs(Write.At.Constant - Read.At.Constant) < LeastArray)
          Own.insert(Write.I);
      }
    if (!IsStored)
      return false; // it can only find what another type left
    for (const Access &Write : All)
      if (Write.Writes && Write.T != Read.T && !areApart(Write, Read, DL) && reaches(*Write.I, *Read.I, Own))
        return false;
  }
  return true;
}
