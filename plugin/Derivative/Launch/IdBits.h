//===- IdBits.h - the bits of thread and block ids that an access depends on ------------------------------------===//
//
// Threads that differ in other bits make the same access: all lanes of a warp by `y[i / 32] = sum`, the first lanes of
// all warps by `if (threadIdx.x % 32 == 0) y[blockIdx.x] = sum`.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_DERIVATIVE_LAUNCH_IDBITS_H
#define KERNIX_DERIVATIVE_LAUNCH_IDBITS_H

#include "Derivative/Addresses/IndexForms.h"
#include "Derivative/Analysis/ControlDependence.h"
#include "Derivative/Analysis/Memory.h"
#include "Derivative/CustomRules/CustomRules.h"
#include "llvm/IR/Instructions.h"
#include <array>

namespace llvm {
class LoopInfo;
} // namespace llvm

namespace kernix {

/// A set of bits for each id.
class IdBits {
public:
  static constexpr unsigned width(unsigned Id) { return Id < 3 ? 10 : 31; }
  void add(unsigned Id, unsigned Low, unsigned High) { Of[Id] |= (1U << High) - (1U << Low); }
  void addAll();
  /// A bit for each id of which there are any.
  unsigned ids() const;
  /// The lowest bit of the id that neither has.
  static std::optional<unsigned> missing(unsigned Id, const IdBits &A, const IdBits &B);

private:
  std::array<uint32_t, NumIds> Of = {};
};

/// What whether and where an access is made depends on.
struct AccessIds {
  IdBits Surely;
  IdBits Perhaps; ///< by guards that may let one thread through or many

  unsigned ids() const { return Surely.ids(); }
  /// The lowest bit of an id that makes no difference, though others of its bits do.
  std::optional<unsigned> missing(unsigned Id) const;
};

class IdDependence {
public:
  IdDependence(llvm::Function &F, MemoryObjects &Objects, llvm::FunctionAnalysisManager &FAM);

  /// Of a load or a store.
  AccessIds of(const llvm::Instruction &Access);
  /// Of a call that stores: where, is said by what is no number with a derivative.
  AccessIds of(const llvm::CallBase &Call, const CustomRule &Rule);

private:
  /// An integer `(id + rest) >> Low`, of which as many bits are left as are between Low and High, times 2^Up.
  struct Digit {
    unsigned Id, Low, High;
    llvm::SmallVector<const llvm::Value *, 2> Rest; ///< without that id
    unsigned Up = 0;
    bool IsExact = true; ///< no bits of it are cleared in front, and the unit is a power of two

    bool isWhole() const { return IsExact && High == IdBits::width(Id) && Up == 0; }
    bool keep(uint64_t Mask);
    bool divideBy(uint64_t Unit);
    bool shiftUp(uint64_t By);
  };
  std::optional<Digit> digitOf(const llvm::Value *V, unsigned Depth = 0) const;
  bool isFreeOf(unsigned Id, const llvm::Value *V, unsigned Depth = 0) const;

  void begin(const llvm::Instruction &Access);
  void follow(const llvm::Value *V, bool Surely);
  void followBlock(const llvm::BasicBlock *Block, bool Surely);
  void followGuard(const llvm::Value *Condition, std::optional<bool> Holds);
  void followBound(const llvm::ICmpInst &Compare, std::optional<bool> Holds);
  std::optional<bool> leadsTo(const llvm::BasicBlock &Control, const llvm::BasicBlock &Block) const;

  MemoryObjects &Objects;
  llvm::PostDominatorTree &PostDominators;
  llvm::LoopInfo &Loops;
  ControlDependence Controls;
  llvm::DenseMap<const MemoryObject *, llvm::SmallVector<const llvm::Instruction *, 2>> Writers;
  llvm::SmallPtrSet<const llvm::Value *, 32> Seen[2];
  AccessIds Found;
};

} // namespace kernix

#endif // KERNIX_DERIVATIVE_LAUNCH_IDBITS_H
