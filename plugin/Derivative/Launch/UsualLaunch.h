//===- UsualLaunch.h - a version of a backward kernel for nearly all launches -----------------------------------===//
//
// A backward kernel looks at its launch: whether what its proofs assume holds, which gradients are wanted, whether they
// overlap. These questions stand where their answers count, in loops too, and there they keep LLVM from unrolling and
// from joining accesses. In the usual launch everything holds, all is wanted, and arrays begin at multiples of 16
// bytes. For this a copy of the body is written, in which none of these questions is left, and which is entered when
// all answers, asked for once, are yes. Kernels without loops whose threads have one element of each array gain nothing
// by it.
//
// What is collected here while the body is written is read at its entry.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_DERIVATIVE_LAUNCH_USUALLAUNCH_H
#define KERNIX_DERIVATIVE_LAUNCH_USUALLAUNCH_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/PassManager.h"
#include "llvm/IR/ValueHandle.h"

namespace kernix {

class UsualLaunch {
public:
  /// Test is true.
  void assumeTrue(llvm::Value *Test) { Tests.emplace_back(Test); }
  /// Address is Other, if what assumeTrue() was told is true.
  void assumeEqual(llvm::Value *Address, llvm::Value *Other) { Equal.emplace_back(Address, Other); }
  /// Address is not null: its memory is wanted.
  void assumeWanted(llvm::Value *Address) { Wanted.emplace_back(Address); }

  enum class Others {
    Apart,  ///< no other memory that is named here overlaps this
    MayMeet ///< others that may meet overlap this
  };
  /// Of tensors and gradients. IsArray: the address that the caller gave, aligned as allocations are.
  void addMemory(llvm::Value *Address, Others O, bool IsArray) { Memories.push_back({Address, O, IsArray}); }

  /// Adds the version to Body, which is otherwise complete and returns nothing. False: nothing would be gained.
  bool write(llvm::Function &Body, llvm::FunctionAnalysisManager &FAM);

private:
  struct Memory {
    llvm::WeakTrackingVH Address;
    Others Meeting;
    bool IsArray;
  };

  void forgetWhatIsNotIn(const llvm::BasicBlock &Entry);
  bool isWorthwhile(const llvm::Function &Body) const;
  llvm::Instruction *last() const;
  llvm::Value *allHold(llvm::Instruction *Where) const;
  void simplify(llvm::ArrayRef<llvm::BasicBlock *> Version) const;
  void separate(llvm::ArrayRef<llvm::BasicBlock *> Version) const;

  llvm::SmallVector<llvm::WeakTrackingVH, 4> Tests, Wanted;
  llvm::SmallVector<std::pair<llvm::WeakTrackingVH, llvm::WeakTrackingVH>, 4> Equal;
  llvm::SmallVector<Memory, 8> Memories;
};

} // namespace kernix

#endif // KERNIX_DERIVATIVE_LAUNCH_USUALLAUNCH_H
