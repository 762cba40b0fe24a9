//===- PhasePlan.h - cuts a kernel where its threads wait --------------------------------------------------------===//
//
// The code of one thread between two waits is a phase, and all threads of a block can run a phase one after the other
// in a loop: no stack per thread is needed, and the loop vectorises. What a thread has to remember from one phase to
// the next lies in its frame. Loops that go over data in steps of many threads (`i += gridDim.x * blockDim.x`) are cut
// too: all threads take one step before any takes the next, which is the order that the data lie in.
//
//===----------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_PLUGIN_CPUTARGET_PHASEPLAN_H
#define KERNIX_PLUGIN_CPUTARGET_PHASEPLAN_H

#include "CpuTarget/CallGraph.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PassManager.h"
#include <optional>

namespace kernix {

/// What a thread waits for. The numbers are those of kernix_cpu_wait in kernix/cpu/object.h.
enum class WaitKind : unsigned char { Always, Barrier, BarrierReduce, WarpSync, WarpShuffle, WarpBallot, WarpMatch };

/// A loop whose threads take their steps together: `for (i = start; i < bound; i += step)`.
struct StepLoop {
  llvm::BasicBlock *Enter;  // before the header: sets the loop's variables up
  llvm::BasicBlock *Header; // its only instruction with an effect is the branch to First or Exit
  llvm::BasicBlock *First;
  llvm::BasicBlock *Latch;
  llvm::BasicBlock *Exit;
  llvm::PHINode *Index;
  llvm::Value *Start; // in Enter's terms
  llvm::Value *Step;  // computable per block
  llvm::Value *Bound; // likewise
  bool IsSigned;
  bool IncludesBound;
};

/// A place where a thread stops; it goes on at the beginning of Block.
struct Cut {
  llvm::BasicBlock *Block;
  WaitKind Kind;
  bool IsFullWarp = false;                                        // warp functions: the mask names all lanes
  int Loop = -1;                                                  // index into Loops: Block is its Enter block
  std::optional<llvm::SmallVector<int, 32>> Lanes = std::nullopt; // of a shuffle: which lane each reads, if known
};

/// What a thread keeps between phases, in order at the beginning of its frame; allocas until the phases are made.
struct FrameSlots {
  llvm::AllocaInst *Result, *Value, *Next, *Ready, *Mask, *Source;
};

class PhasePlan {
public:
  /// Body is one thread's code: a function that the plan may change. It fails, and leaves Body useless, if Body waits
  /// in a way that has no phases, or has nothing to cut.
  static std::optional<PhasePlan> make(llvm::Function &Body, const DeviceCallGraph &Graph, const FunctionSet &Waiting,
                                       llvm::FunctionAnalysisManager &FAM);

  llvm::BasicBlock *Start;     // where a thread begins; allocas stand before it
  llvm::SmallVector<Cut> Cuts; // the number of a cut is its index plus 1; 0 is Start
  llvm::SmallVector<StepLoop> Loops;
  FrameSlots Slots;

private:
  explicit PhasePlan(llvm::Function &Body) : Body(&Body) {}
  bool checkBody(const DeviceCallGraph &Graph, const FunctionSet &Waiting) const;
  void simplify(llvm::FunctionAnalysisManager &FAM);
  void clean(llvm::FunctionAnalysisManager &FAM);
  bool unrollShortLoops(llvm::FunctionAnalysisManager &FAM);
  void makeSlots();
  bool cutAtWaits();
  void findStepLoops(llvm::FunctionAnalysisManager &FAM);
  bool matchStepLoop(llvm::Loop &L, StepLoop &Result);
  void isolate(StepLoop &Loop, llvm::BasicBlock *Preheader);
  void keepValues();
  bool livesAcrossCut(llvm::Instruction &I) const;

  llvm::Function *Body;
};

/// True for calls of waiting functions that phases know.
std::optional<WaitKind> waitKind(const llvm::Function &F);

} // namespace kernix

#endif
