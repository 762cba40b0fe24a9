//===- IndexForms.h - addresses as polynomials of thread and block ids ------------------------------------------===//
//
// What an integer or a pointer of the prepared primal is in terms of ids, extents of the launch, counters of loops and
// values that are the same for all threads. Integers are taken as what they would be without wrapping around; what
// that assumes is collected, to be checked once when the kernel starts. What has no such form has no form at all.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_DERIVATIVE_ADDRESSES_INDEXFORMS_H
#define KERNIX_DERIVATIVE_ADDRESSES_INDEXFORMS_H

#include "Derivative/Addresses/Polynomial.h"
#include "Derivative/Analysis/Memory.h"
#include "llvm/ADT/ArrayRef.h"
#include <set>
#include <utility>

namespace llvm {
class DominatorTree;
class Loop;
class LoopInfo;
class ScalarEvolution;
} // namespace llvm

namespace kernix {

struct AtomMeaning {
  enum KindType {
    Id,      ///< threadIdx.xyz, blockIdx.xyz: atoms 0 to 5
    Extent,  ///< blockDim.xyz, gridDim.xyz: atoms 6 to 11; with a Unit, one of them divided by it, rounded up
    Uniform, ///< an integer that all threads have in common, taken not to be negative
    Stride,  ///< a stride of the view whose element is addressed, which its shadow has of its own
    Own,     ///< an integer that the thread computes before its loops; only where threads are not compared
    Counter, ///< how many iterations of a loop went before this one, or V, which is another number in each of them
    Digit    ///< `threadIdx.x % Unit`, or the quotient
  };
  KindType Kind = Uniform;
  const llvm::Value *V = nullptr; ///< of Uniform, Stride, Own, some counters
  const llvm::Loop *L = nullptr;  ///< of Counter
  uint64_t Bits = 0;              ///< of Own: only these bits of V, the lowest one the first; 0: all of V
  unsigned Of = 0;                ///< of Digit, Extent with a Unit: threadIdx.xyz
  int64_t Unit = 0;
  bool IsQuotient = false; ///< of Digit
  bool IsPart = false;     ///< of Counter: the part of a number that iterations share out (NumberOfParts)
};

constexpr unsigned NumIds = 6; ///< threadIdx.xyz, blockIdx.xyz
constexpr unsigned FirstExtent = NumIds, FirstOther = 12;

/// The atom of a canonical geometry function.
std::optional<unsigned> geometryAtom(const llvm::Value *V);
/// `number / Unit` or `number % Unit`. A Unit below one: neither.
struct Division {
  int64_t Unit = 0;
  bool IsQuotient = false;
};
/// What the instruction computes of its first operand, as a division or by bits.
Division divisionOf(const llvm::Instruction &I);
/// `~x`, which is -1 - x.
bool isNot(const llvm::Instruction &I);

/// Polynomials over extents and uniform values that must not be negative for a proof to hold.
using LaunchConditions = std::set<Polynomial>;

/// An inequality that holds where a block runs: Form >= 0, given that the assumptions hold.
struct Fact {
  Polynomial Form;
  LaunchConditions Assumed;
};

/// A number of which addresses take quotients and remainders. It is the sum of Units[K] * Parts[K].
struct NumberOfParts {
  Polynomial Number;
  const llvm::Loop *L = nullptr;          ///< the innermost one that counts it
  llvm::SmallVector<Polynomial, 4> Units; ///< each divides the next; the first is 1
  llvm::SmallVector<unsigned, 4> Parts;   ///< all but the last one are below Units[K + 1] / Units[K]
};

class IndexForms {
public:
  /// OfOneThread: addresses of one thread are compared with each other only.
  IndexForms(const Prepared &P, MemoryObjects &Objects, llvm::FunctionAnalysisManager &FAM, bool OfOneThread = false);

  /// From now on more has a form, for proofs that were not found otherwise, or less again: lanes and warps,
  /// `threadIdx.x % 32` and the quotient, have atoms, and loops in steps are bounded, if loosely. Ends what factsAt has
  /// returned.
  void splitIds(bool Whether);

  /// Before the first form: quotients and remainders in these addresses of what loops count have forms of their own.
  void takeApart(llvm::ArrayRef<const llvm::Value *> Addresses);
  llvm::ArrayRef<NumberOfParts> numbersOfParts() const { return Numbers; }

  /// Conditions, the same for all threads, that choose between indices on the way to these addresses.
  llvm::SmallVector<const llvm::Value *, 2> sharedChoices(llvm::ArrayRef<const llvm::Value *> Addresses);
  /// From now on forms are those where the conditions are this. Ends what factsAt has returned.
  void choose(std::map<const llvm::Value *, bool> Given);
  /// Conditions, the same for all threads, without which no thread comes to the block.
  std::map<const llvm::Value *, bool> sharedConditionsAt(const llvm::BasicBlock *Block);

  /// What a proof may ask of the launch. Plain: only that numbers are large enough, or not too large.
  enum class Questions { Plain, Any };
  void limitQuestions(Questions To) { Allowed = To; }

  /// Split: `(16 * threadIdx.y + threadIdx.x) / 16` is taken for threadIdx.y, and the launch asked whether rows of the
  /// block are as narrow as that.
  enum class Digits { Joined, Split };
  /// Bytes from Base to Pointer. Where it fails, obstacle() says what stopped it. Of one thread, indices are taken not
  /// to wrap around: one that does would leave the tensor.
  std::optional<Polynomial> offset(const llvm::Value *Pointer, const llvm::Value *Base, LaunchConditions &Assumed,
                                   Digits OfIds = Digits::Joined);
  /// The same of an integer: the index of an element.
  std::optional<Polynomial> index(const llvm::Value *V, LaunchConditions &Assumed);
  /// What the branches above a block have found out.
  const std::vector<Fact> &factsAt(const llvm::BasicBlock *Block);
  const AtomMeaning &meaning(unsigned Atom) const { return Atoms[Atom]; }
  /// Whether threads, or iterations, may differ in it.
  bool isVariable(unsigned Atom) const {
    AtomMeaning::KindType Kind = Atoms[Atom].Kind;
    return Kind == AtomMeaning::Id || Kind == AtomMeaning::Counter || Kind == AtomMeaning::Digit;
  }
  /// The ids, and what they have been split to. Each has a bit in a set: an id that of its number.
  llvm::ArrayRef<unsigned> idsAndDigits() const { return IdsAndDigits; }
  /// With the ids of which both digits are in the set.
  unsigned withWholeIds(unsigned Set) const;
  bool isStride(unsigned Atom) const { return Atoms[Atom].Kind == AtomMeaning::Stride; }
  /// The limit of CUDA.
  int64_t mostOfExtent(unsigned Atom) const;
  /// A value between 0 and this, if there is a bound. Of ids and counters.
  std::vector<Polynomial> boundsOf(unsigned Atom);
  /// P in another execution of the code, in which only the counters in Same are what they are in the first: the others
  /// become atoms of their own, with bounds of their own.
  Polynomial inOtherExecution(const Polynomial &P, const std::set<unsigned> &Same);
  /// For people: "4 * gridDim.x * blockDim.x - 1".
  std::string text(const Polynomial &P) const;
  /// The value that was in the way of the last form that could not be made, or null.
  const llvm::Value *obstacle() const { return Obstacle; }

  /// A lower bound without ids and counters.
  std::optional<Polynomial> leastOf(const Polynomial &P);
  std::optional<Polynomial> mostOf(const Polynomial &P);
  /// Whether P, over extents and uniform values, is known not to be negative.
  bool isNeverNegative(const Polynomial &P) const;
  /// The same in the light of facts, of any P. With `Assumed`, a question that can be asked at the launch is.
  bool isNeverNegative(const Polynomial &P, llvm::ArrayRef<Fact> Facts, LaunchConditions &Assumed, bool MayAssume);

private:
  /// As long as it lives, forms are the numbers themselves. What divides or compares tells numbers apart that an
  /// address takes for one, since they are the same modulo a power of two.
  class ExactForms {
  public:
    explicit ExactForms(IndexForms &Forms)
        : Forms(Forms), MayWrap(std::exchange(Forms.MayWrap, false)), Object(std::exchange(Forms.Object, nullptr)) {}
    ExactForms(const ExactForms &) = delete;
    ExactForms &operator=(const ExactForms &) = delete;
    ~ExactForms() {
      Forms.MayWrap = MayWrap;
      Forms.Object = Object;
    }

  private:
    IndexForms &Forms;
    const bool MayWrap;
    const MemoryObject *const Object;
  };

  /// As long as it lives, of no loop it is known that it runs.
  class NoneRunning {
  public:
    explicit NoneRunning(IndexForms &Forms) : Forms(Forms) { Kept.swap(Forms.Running); }
    NoneRunning(const NoneRunning &) = delete;
    NoneRunning &operator=(const NoneRunning &) = delete;
    ~NoneRunning() { Kept.swap(Forms.Running); }

  private:
    IndexForms &Forms;
    std::set<const llvm::Loop *> Kept;
  };

  // IndexForms.cpp
  std::optional<Polynomial> form(const llvm::Value *V, LaunchConditions &Assumed);
  std::optional<Polynomial> formOfPhi(const llvm::PHINode &Phi, LaunchConditions &Assumed);
  std::optional<Polynomial> fail(const llvm::Value *V);
  bool fitsInto(const Polynomial &Low, const Polynomial &High);
  const llvm::PHINode *narrowPhi(const llvm::PHINode &Phi, const llvm::Loop &L) const;
  bool isUniform(const llvm::Value *V, unsigned Depth = 0);
  bool isOwn(const llvm::Value *V) const;
  bool isOwnEverywhere(const llvm::Value *V, unsigned Depth = 0) const;
  bool mayBeNegative(unsigned Atom) const;
  unsigned ownAtom(const llvm::Value *V);
  std::optional<unsigned> atomOf(const llvm::Value *V, LaunchConditions &Assumed);
  unsigned counterOf(const llvm::Loop *L);
  // IndexChoices.cpp
  const llvm::Value *chosenWay(const llvm::Value *V) const;
  // IndexNests.cpp
  struct Nest {
    LaunchConditions Assumed;
    bool IsOfInts = false; ///< numbers of 64 bits are taken to fit into 32
  };
  bool countsIn(const Polynomial &P, const llvm::Loop &L) const;
  bool runsAlways(const llvm::Loop &Inner, const llvm::Loop &L);
  bool isNeverTaken(const llvm::BasicBlock *Block, const llvm::BasicBlock *Next, const llvm::Loop &L);
  std::optional<Polynomial> distance(const llvm::Value *V, const llvm::PHINode &Phi, const llvm::Loop &L, Nest &N,
                                     unsigned Depth);
  std::optional<Polynomial> distanceBehind(const llvm::Instruction &I, const llvm::Loop &Inner,
                                           const llvm::PHINode &Phi, const llvm::Loop &L, Nest &N, unsigned Depth);
  std::optional<Polynomial> stepInNest(const llvm::PHINode &Phi, const llvm::Loop &L, Nest &N);
  std::optional<Polynomial> formInNest(const llvm::PHINode &Phi, const llvm::Loop &L, LaunchConditions &Assumed);
  // IndexBits.cpp
  unsigned bitsAtom(const llvm::Value *V, uint64_t Mask);
  std::optional<Polynomial> formOfFlippedBits(const llvm::Instruction &I, LaunchConditions &Assumed);
  std::optional<Polynomial> formOfLowHalf(const llvm::Instruction &Shift, LaunchConditions &Assumed);
  std::optional<Polynomial> formOfBits(const llvm::Value *V, uint64_t Mask, int Up, LaunchConditions &Assumed,
                                       unsigned Depth = 0);
  // IndexDigits.cpp
  std::optional<Polynomial> formOfDigit(const llvm::Instruction &I, LaunchConditions &Assumed);
  std::optional<Polynomial> formOfIdDigit(const llvm::Instruction &I, LaunchConditions &Assumed);
  std::optional<unsigned> remainderOfId(unsigned Id, int64_t Unit);
  Polynomial withJoinedDigits(const Polynomial &P) const;
  // IndexParts.cpp
  struct PartOfNumber {
    Polynomial Number, Low;         ///< Number / Low
    std::optional<Polynomial> High; ///< of Number % High
  };
  std::optional<PartOfNumber> partOf(const llvm::Instruction &I, LaunchConditions &Assumed);
  static void addUnit(NumberOfParts &Number, const Polynomial &Unit);
  std::optional<Polynomial> formOfPart(const llvm::Instruction &I, LaunchConditions &Assumed);
  bool isPartBelow(const Polynomial &P, llvm::ArrayRef<Fact> Facts, LaunchConditions &Assumed);
  // IndexRanges.cpp
  bool assumeExact(const llvm::Value *V, const Polynomial &P, LaunchConditions &Assumed);
  bool assumeExactPhi(const llvm::PHINode &Phi, LaunchConditions &Assumed, bool AndNext = false);
  struct BoundedCounter {
    const llvm::Value *First = nullptr;
    Polynomial By, End;
  };
  std::optional<BoundedCounter> boundedCounter(const llvm::PHINode &Phi, LaunchConditions &Assumed);
  bool isOfInts(const llvm::Value *V, unsigned Depth = 0) const;
  std::optional<Polynomial> formOfLowBits(const llvm::Instruction &I, unsigned Bits, LaunchConditions &Assumed);
  std::optional<Polynomial> mostOfValue(const llvm::Value *V, LaunchConditions &Assumed);
  bool assumeExactUnsigned(const llvm::Value *V, unsigned Bits, LaunchConditions &Assumed);
  bool assume(const Polynomial &P, LaunchConditions &Assumed);
  /// That no ids and counters make P negative, and what bounds these: the answer may keep nothing of a counter.
  bool assumeNeverNegative(const Polynomial &P, LaunchConditions &Assumed);
  bool assumeInRange(const Polynomial &P, unsigned Bits, LaunchConditions &Assumed);
  // IndexBounds.cpp
  enum class Count { Most, MostWithoutWrapping, Exact };
  std::optional<Polynomial> countOf(const llvm::Loop &L, Count Wanted, LaunchConditions &Assumed);
  std::optional<Polynomial> timesRepeated(const llvm::Loop &L, LaunchConditions &Assumed);
  bool ask(const Polynomial &P, LaunchConditions &Assumed);
  bool isNeverNegative(const Polynomial &P, llvm::function_ref<bool(unsigned)> IsPositive) const;
  unsigned otherCounter(unsigned Atom, const std::set<unsigned> &Same);
  void assumeBounds(const Polynomial &P, LaunchConditions &Assumed, unsigned Depth = 0);
  // IndexFacts.cpp
  void addFacts(const llvm::Value *Condition, bool Holds, std::vector<Fact> &Facts);
  struct Order {
    const llvm::Value *Small, *Large;
    bool IsStrict, IsUnsigned;
  };
  void addFactsOfOrder(const Order &O, std::vector<Fact> &Into);
  void addFactsOfPhi(const llvm::PHINode &Phi, bool WhatHolds, std::vector<Fact> &Into);

  MemoryObjects &Objects;
  llvm::LoopInfo &Loops;
  llvm::DominatorTree &Dominators;
  llvm::ScalarEvolution &Evolution;
  std::vector<AtomMeaning> Atoms;
  llvm::SmallVector<unsigned, 16> IdsAndDigits; ///< remainders, each before its quotient, behind the ids
  llvm::DenseMap<const void *, unsigned> AtomOf, StrideAtomOf;
  std::map<std::pair<const llvm::Value *, uint64_t>, unsigned> AtomOfBits;
  std::map<std::pair<Polynomial, int64_t>, unsigned> AtomOfFlipped;
  std::map<const llvm::BasicBlock *, std::vector<Fact>> Facts; // references stay valid
  llvm::DenseMap<const llvm::Loop *, std::optional<Polynomial>> Counts;
  std::map<const llvm::Loop *, LaunchConditions> CountAssumptions;
  std::map<std::pair<unsigned, std::set<unsigned>>, unsigned> OtherCounters; ///< see inOtherExecution
  std::map<unsigned, std::vector<Polynomial>> GivenBounds; ///< of counters that are not counted from zero
  std::vector<NumberOfParts> Numbers;
  llvm::SmallPtrSet<const llvm::PHINode *, 4> Open;
  std::set<const llvm::Loop *> Running; ///< loops without which the value has not come about
  std::map<const llvm::Value *, bool> Chosen;
  Questions Allowed = Questions::Any;
  const llvm::Value *Obstacle = nullptr;
  const MemoryObject *Object = nullptr; ///< into which the pointer leads whose offset is being computed
  const bool OfOneThread;
  bool SplitsIds = false;
  bool SplitsDigits = false;
  bool MayWrap = false; ///< no form of few bits has to be shown to be exact
};

} // namespace kernix

#endif // KERNIX_DERIVATIVE_ADDRESSES_INDEXFORMS_H
