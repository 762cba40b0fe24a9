//===- ReverseWriter.h - the parts of a backward function that is being written ---------------------------------===//
//
// The primal is a tree of regions: the function, and its loops. For each region the backward function has a slice,
// which computes again what the region's adjoints need (of a loop: one iteration), and the reversed blocks, which run
// from the slice's end back to its start. Values of a slice are handed to the reversed blocks through variables on the
// stack, which become registers afterwards; so dominance never has to be thought about.
//
//   Slice.cpp     forward copies of a region
//   Tape.cpp      what an iteration starts from: counters, carried values, checkpoints, local memory
//   KeptValues.cpp  values that the source wants stored
//   RuleDerivatives.cpp  calls of functions with a derivative of their own
//   Adjoint.cpp   adjoints of single instructions, addresses of shadows
//   LateAdjoints.cpp   which instructions are reversed in other blocks than their own
//   GradientSums.cpp, AddToGradient.cpp   what goes to gradients in memory
//   TakeTurns.cpp, AddSharedSums.cpp, SumLanes.cpp   what goes to gradients in shared memory
//   ReverseCollectives.cpp  barriers, and adjoints of warp shuffles
//   SharedUndo.cpp  undoing stores to shared memory
//   Reverse.cpp   control flow of the reversed blocks
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_DERIVATIVE_REVERSE_REVERSEWRITER_H
#define KERNIX_DERIVATIVE_REVERSE_REVERSEWRITER_H

#include "Derivative/Accumulation/Accumulation.h"
#include "Derivative/Accumulation/BlockSums.h"
#include "Derivative/Accumulation/FloatGradients.h"
#include "Derivative/Accumulation/FloatShadows.h"
#include "Derivative/Accumulation/LaneSums.h"
#include "Derivative/Accumulation/ScratchGradients.h"
#include "Derivative/Accumulation/ShadowAddresses.h"
#include "Derivative/Accumulation/WarpSums.h"
#include "Derivative/Addresses/SingleStores.h"
#include "Derivative/Analysis/CollectivePaths.h"
#include "Derivative/Analysis/OwnReads.h"
#include "Derivative/CustomRules/RepeatedStores.h"
#include "Derivative/DerivativePlaces.h"
#include "Derivative/Launch/LaunchTests.h"
#include "Derivative/Loops/LoopPlan.h"
#include "Derivative/Reverse/ChosenParts.h"
#include "Derivative/Shared/SharedContents.h"
#include "Derivative/Shared/SharedSums.h"
#include "Derivative/Shared/SharedTurns.h"
#include "Derivative/Shared/SharedVariables.h"
#include "Derivative/Shared/SharedWriters.h"
#include "llvm/IR/IRBuilder.h"

namespace llvm {
class PostDominatorTree;
}

namespace kernix {

struct Slice;
struct Broadcast;
struct ShuffleOperands;

/// Where the contents of local variables are kept.
using MemoryCopies = llvm::DenseMap<const llvm::AllocaInst *, llvm::AllocaInst *>;

/// The function (L is null) or a loop.
struct Region {
  llvm::Loop *L = nullptr;
  Region *Parent = nullptr;
  llvm::SmallVector<Region *, 4> Children;
  llvm::SmallVector<llvm::BasicBlock *, 8> Blocks; ///< that belong to no child
  const LoopPlan *Plan = nullptr;
  Slice *Current = nullptr; ///< whose values the reversed blocks read

  // Of loops.
  llvm::SmallVector<llvm::Loop::Edge, 4> Exits; ///< exit number k + 1 is Exits[k]; 0 is the way back to the header
  llvm::BasicBlock *ReverseEntry = nullptr;
  llvm::AllocaInst *ExitNumber = nullptr;                    ///< by which the loop was left
  llvm::AllocaInst *Count = nullptr;                         ///< how often the header ran
  llvm::AllocaInst *Iteration = nullptr;                     ///< that is being reversed
  llvm::DenseMap<llvm::PHINode *, llvm::AllocaInst *> Start; ///< value of a header's phi in this iteration
  llvm::DenseMap<llvm::PHINode *, llvm::AllocaInst *> Tape;
  llvm::DenseMap<const llvm::Instruction *, llvm::AllocaInst *> KeptTape;
  MemoryCopies MemoryTape, EntryMemory, HandedOnMemory;

  llvm::BasicBlock *header() const { return L ? L->getHeader() : nullptr; }
};

/// A forward copy of a region.
struct Slice {
  Region *R = nullptr;
  llvm::DenseMap<const llvm::Value *, llvm::Value *> Map;
  llvm::DenseMap<const llvm::BasicBlock *, llvm::BasicBlock *> First, Last; ///< a block may be copied in pieces
  llvm::DenseMap<const llvm::BasicBlock *, llvm::PHINode *> Paths;          ///< index of the predecessor that ran
  llvm::DenseMap<const llvm::Value *, llvm::AllocaInst *> Slots;
  llvm::DenseMap<const llvm::BasicBlock *, llvm::AllocaInst *> PathSlots;
  llvm::BasicBlock *Begin = nullptr, *End = nullptr;
  llvm::PHINode *Ended = nullptr; ///< of loops: the exit number by which the iteration ended
};

class ReverseWriter {
public:
  ReverseWriter(const DerivativeRequest &Request, const Prepared &P, MemoryObjects &Objects, Activity &Active,
                const Need &Needed, const SharedContents &Contents, const CollectivePaths &Paths,
                const UniformValues &Uniform, const LoopPlans &Plans, const SingleStores &Stores,
                const RepeatedStores &Repeated, const OwnReads &Own, Accumulation &Accumulations,
                const FloatGradients &Floats, const FloatShadows &ShadowsInFloat, const ScratchGradients &Scratch,
                const BlockSums &OverBlock, const SharedTurnPlans &Turns, const SharedSumPlans &Sums,
                const LaneSums &Lanes, SharedWriters &Writers, llvm::FunctionAnalysisManager &FAM, Refusals &Refused,
                UsualLaunch &Usual);
  void write(llvm::FunctionAnalysisManager &FAM);

private:
  // Reverse.cpp
  void makeRegions();
  void reverseRegion(Region &R, llvm::BasicBlock *Exit);
  void reverseBlock(Region &R, llvm::BasicBlock &Block, llvm::BasicBlock *Exit);
  void reverseEdge(Region &R, llvm::BasicBlock &From, llvm::BasicBlock &To);
  void goToReverseOf(Region &R, llvm::BasicBlock &From, llvm::BasicBlock &To);
  void reverseLoop(Region &R);
  void clearAdjoints(Region &R);
  void giveSumsOn(Region &R);
  void reverseForwards(Region &R);
  void reverseBackwards(Region &R);
  void dispatchEnd(Region &R, Slice &S);
  unsigned exitNumber(const Region &R, const llvm::BasicBlock *From, const llvm::BasicBlock *To) const;
  Region &regionOf(const llvm::BasicBlock *Block);

  // Slice.cpp
  enum SliceKind {
    WholeFunction,
    OwnControl,   ///< an iteration that decides itself how it goes on
    GivenControl, ///< an iteration that ends by the exit it is told
    NextIteration ///< an iteration after which there is another; values are read by no adjoint
  };
  Slice &copyForward(Region &R, SliceKind Kind, llvm::Value *Leave);
  void copyBlock(Slice &S, SliceKind Kind, llvm::BasicBlock &Block, llvm::Value *Leave);
  void copyTerminator(Slice &S, SliceKind Kind, llvm::BasicBlock &Block, llvm::Value *Leave);
  bool isComputedAgain(const Region &R, const llvm::Instruction &I);
  llvm::Value *copied(Slice &S, llvm::Value *V);
  /// The value of V where the builder stands, from the slice of the region it is defined in.
  llvm::Value *valueOf(llvm::Value *V);
  llvm::Value *readFrom(Slice &S, llvm::Value *V);
  llvm::Value *pathOf(const llvm::BasicBlock &Block);
  llvm::Value *argument(const llvm::Argument &A);
  /// Keeps the local variables that the rule of this call may read as they are before it.
  void saveRuleMemory(llvm::CallBase &Call, const CustomRule &Rule);
  void forgetValues(Slice &S);

  // Tape.cpp
  void makeTape(Region &R);
  void countIterations(Slice &S, Region &Child, llvm::BasicBlock &Header);
  void saveState(Region &R, llvm::Value *Iteration, llvm::function_ref<llvm::Value *(llvm::PHINode *)> Value);
  llvm::Value *placeOnTape(llvm::AllocaInst *Tape, unsigned Level, llvm::Value *Slot);
  void storeState(Region &R, unsigned Level, llvm::Value *Slot,
                  llvm::function_ref<llvm::Value *(llvm::PHINode *)> Value);
  void loadState(Region &R, unsigned Level, llvm::Value *Slot);
  llvm::Value *affineAt(Region &R, llvm::PHINode &Phi, llvm::Value *Iteration);
  void computeAffine(Region &R, llvm::Value *Iteration);
  void restoreState(Region &R);
  void rerunSegment(Region &R, llvm::AllocaInst *From, llvm::Value *Until);
  void copyMemory(Region &R, llvm::ArrayRef<CarriedMemory> Memory, const MemoryCopies &Copies, bool Back);
  bool hasState(const Region &R) const;

  // KeptValues.cpp
  void makeKeptTapes(Region &R);
  void keepValue(const Slice &S, SliceKind Kind, llvm::Instruction &I, llvm::Value *Copy);
  bool isRead(const Slice &S, const llvm::Instruction &I);
  llvm::Value *readKept(Region &R, const llvm::Instruction &I);
  void restoreFromKept(Region &R, llvm::Value *Iteration);

  // Adjoint.cpp
  void reverseInstruction(llvm::Instruction &I);
  llvm::Value *whereChosen(const llvm::Instruction &I, llvm::Value *Given);
  void reverseAccess(llvm::Instruction &I);
  void reverseCall(llvm::CallBase &Call, llvm::Value *Adjoint);
  void reverseRuleCall(llvm::CallBase &Call, const CustomRule &Rule);
  llvm::AllocaInst *adjointSlot(const llvm::Value *V);
  bool isInSum(const llvm::Value *V) const;
  void addToAdjoint(llvm::Value *V, llvm::Value *Added);
  llvm::Value *takeAdjoint(const llvm::Value *V);
  /// As the type that it is summed in.
  llvm::Value *takeSummedAdjoint(const llvm::Value *V);
  llvm::Value *readCotangent(llvm::Instruction &I, bool Clear);
  llvm::Value *readShadow(llvm::Type *T, llvm::Value *Place, bool Clear);
  /// Whether no other thread stores there, so that there is nothing to share: no adjoint, nothing to undo.
  bool isStoredAlone(const llvm::StoreInst &Store);
  void checkUndone();
  void checkSharedStores();
  llvm::Value *takeFromShared(const llvm::StoreInst &Store, llvm::Type *T, llvm::Value *Place);
  /// What the adjoint of the number that Access reads or writes is in memory of the kernel's own.
  llvm::Type *typeInShadow(const llvm::Instruction &Access);
  /// Ends the launch if other threads may write what is taken for the thread's own.
  void checkOwnReads();
  /// WaysOut: what can be done about it, for the message.
  void checkAssumptions(const llvm::Instruction &Store, llvm::StringRef Tensor, const Assumptions &Assumed,
                        const LaunchConditions &Conditions, LaunchTests &Tests, llvm::StringRef WaysOut = "");
  llvm::AllocaInst *lastStoreSeen(const StoreGroup &Group);

  // LateAdjoints.cpp
  void planLateAdjoints(llvm::FunctionAnalysisManager &FAM);
  bool canBeLate(const llvm::Instruction &I) const;
  bool givesOnlyBehindBranches(const llvm::Instruction &Load, const llvm::PostDominatorTree &PostDominators);

  // GradientSums.cpp
  /// What a thread adds to one address, summed in a register.
  struct GradientSum {
    llvm::Instruction *Access = nullptr; ///< one of those that add to it
    llvm::AllocaInst *Variable = nullptr;
    bool MayBeNothing = false;          ///< none of them need have run
    llvm::AllocaInst *HasRun = nullptr; ///< where a sum of zero does not tell
  };
  void planGradientSums(llvm::FunctionAnalysisManager &FAM);
  void addToMemory(llvm::Instruction &I, llvm::Value *Added);
  /// At the end of a reversed block: what has been summed goes to memory.
  void finishGradientSums(llvm::BasicBlock &Block);

  // AddToGradient.cpp
  /// An addition to the gradient of what Access reads, that is still to be written.
  struct Addition {
    llvm::Instruction *Access = nullptr;
    llvm::Value *Added = nullptr; ///< of the type in which the numbers there are summed
    bool MayBeNothing = false;
    llvm::Value *IsSomething = nullptr; ///< null: numbers other than zero are
  };
  void planAdditions();
  void writeAdditions(bool AllThreadsAreHere);
  void writeTogether(llvm::ArrayRef<Addition> All);
  void addPlainly(llvm::ArrayRef<Addition> All);
  void emitCheck(llvm::StringRef Name, const MemoryObject &O, const llvm::Value *Pointer,
                 llvm::ArrayRef<llvm::Value *> Words = {});
  void sortByAddress(llvm::MutableArrayRef<Addition> All);
  void addByAtomics(llvm::ArrayRef<Addition> All);
  void addVector(llvm::Value *Place, unsigned Width, llvm::ArrayRef<Addition> All);
  void addInAnyOrder(llvm::ArrayRef<Addition> All);
  const MemoryObject &objectOf(const Addition &A);
  llvm::StringRef wordOf(const Addition &A);
  /// Of a number in memory.
  llvm::Type *storedType(const Addition &A) const;
  /// In scratch memory if the gradient is kept there. Odd where there is a float instead: see FloatGradients.h.
  llvm::Value *placeOf(const Addition &A);
  void addPlainlyInFloat(const Addition &A);
  void addRounds(llvm::ArrayRef<Addition> All);
  llvm::Value *isWanted(const Addition &A);
  bool isSameForWarp(const llvm::Instruction &Access) const;
  void addOverWarp(const llvm::Instruction &Access, llvm::Value *Place, llvm::Value *Added, bool MayBeFloat);
  llvm::Align alignmentOf(const Addition &A) const;
  int64_t wordsBetween(const Addition &A, const Addition &Later);
  std::pair<unsigned, unsigned> vectorAt(llvm::ArrayRef<Addition> All);

  // ScratchAdditions.cpp
  void planScratch();
  llvm::Value *placeInScratch(const Addition &A, llvm::Value *Place);
  void note(const Addition &A);

  // TakeTurns.cpp
  void planTurns();
  /// The turns that are taken before I (null: the beginning of the block) and all before it is reversed.
  void takeTurns(const llvm::BasicBlock &Block, const llvm::Instruction *I);
  void takeTurn(const SharedTurns &Plan, const SharedTurns::Turn &Turn, bool Atomically);
  void addInTurn(llvm::ArrayRef<SharedTurns::Item> Items, bool Atomically);

  // AddSharedSums.cpp
  void planSharedSums();
  /// The sums that are taken before I (null: the beginning of the block) and all before it is reversed.
  void addSharedSums(const llvm::BasicBlock &Block, const llvm::Instruction *I);
  void addRound(llvm::ArrayRef<SharedSums::Group> Groups);
  void addStaged(llvm::ArrayRef<LaneTotal> Totals, const ReadersOfElement &Readers, unsigned FirstSlot);
  llvm::Value *placeOnStage(llvm::Type *T, llvm::Value *Slot, llvm::Value *Thread);

  // SumLanes.cpp
  void planLaneSums(llvm::FunctionAnalysisManager &FAM);
  void clearLaneSums(Region &R);
  llvm::AllocaInst *lastStepOf(const Region &R);
  llvm::Value *valueForLanes(llvm::Value *V);
  void sumLanes(Region &R, llvm::Value *Step);

  // WorkingBlocks.cpp
  bool canRepeatBlocks();
  void keepBlockSums(llvm::ArrayRef<UniformAddition> Additions);
  void repeatBlocks(llvm::BasicBlock &First, llvm::BasicBlock &Start, llvm::BasicBlock &Turn, llvm::BasicBlock &Return);

  // ReverseCollectives.cpp
  void separate(Region &R);
  void emitOrdering(const llvm::CallInst &Ordering);
  void reverseOrdering(const llvm::CallInst &Ordering);
  bool writesNvidiaCode() const;
  void reverseShuffle(llvm::CallInst &Call, llvm::Value *Adjoint);
  llvm::Value *sumOverLanes(const ShuffleOperands &Operands, llvm::Value *Adjoint, llvm::Value *Source);
  llvm::Value *sumOfReaders(const ShuffleOperands &Operands, llvm::Value *Adjoint, llvm::Value *Source);
  llvm::Value *sumOfSegment(const ShuffleOperands &Operands, llvm::Value *Adjoint, llvm::Value *Source,
                            const llvm::ConstantInt &Width);

  // ReverseBroadcasts.cpp
  bool isBroadcast(const llvm::CallInst &Call) const;
  llvm::ArrayRef<llvm::CallInst *> broadcastsWith(llvm::CallInst &Call);
  void reverseBroadcast(llvm::CallInst &Call, llvm::Value *Adjoint);
  void sumBroadcasts(llvm::ArrayRef<Broadcast> All, llvm::Value *Own,
                     llvm::function_ref<void(const Broadcast &Each, llvm::Value *Part)> AddTo);

  // SharedUndo.cpp
  void keepOverwritten(const llvm::StoreInst &Store, llvm::StoreInst &Copy);
  void keepOrdering(llvm::CallInst &Copy);
  void beginUndo(const Region &R);
  void undoStore(const llvm::StoreInst &Store);
  void undoIteration(const Region &R);
  void pushUndo(llvm::Value *Kind, llvm::Value *Place, llvm::Value *Old, const llvm::Instruction &Where);
  void pushMark(uint32_t Kind, llvm::Value *Mask, const llvm::Instruction &Where);
  llvm::Value *popUndo();
  llvm::Value *popMark();
  llvm::Type *placeInUndo() const;
  llvm::Type *valueInUndo() const;
  llvm::Constant *nowhereInUndo() const;
  void restore(llvm::Value *Old, llvm::Value *Depth, llvm::Align Alignment, bool MayBeNowhere);
  llvm::Value *undoEntry(llvm::AllocaInst *List, llvm::Value *Depth);
  int undoMark(const Region &R) const;

  llvm::AllocaInst *newVariable(llvm::Type *T, const llvm::Twine &Name, llvm::Constant *Initial = nullptr);
  llvm::BasicBlock *newBlock(const llvm::Twine &Name);
  /// Ends the launch with a message; the block is finished.
  void fail(const llvm::Instruction &Where, llvm::StringRef Message);

  const DerivativeRequest &Request;
  const Prepared &P;
  MemoryObjects &Objects;
  Activity &Active;
  const Need &Needed;
  const SharedContents &Contents;
  const CollectivePaths &Paths;
  const UniformValues &Uniform;
  const LoopPlans &Plans;
  const SingleStores &Stores;
  const RepeatedStores &Repeated;
  const OwnReads &Own;
  Accumulation &Accumulations;
  const FloatGradients &Floats;
  const FloatShadows &ShadowsInFloat;
  const ScratchGradients &Scratch;
  const BlockSums &OverBlock;
  const SharedTurnPlans &Turns;
  const SharedSumPlans &Sums;
  const LaneSums &Lanes;
  SharedWriters &Writers;
  const ChosenParts Chosen;
  llvm::LoopInfo &Loops;
  Refusals &Refused;
  UsualLaunch &Usual;
  llvm::Function &Body;
  llvm::LLVMContext &Context;
  const llvm::DataLayout &DL;
  llvm::Type *CountType;
  DerivativePlaces Places;
  llvm::IRBuilder<> B;     ///< where the reversed blocks are being written
  llvm::IRBuilder<> Entry; ///< the entry block: variables, parameters
  ShadowArguments Arguments;
  LaunchTests TurnTests;  ///< of what keeps threads apart that take turns
  LaunchTests StoreTests; ///< of what shows that stores are to different elements
  LaunchTests ViewTests;  ///< the same of stores to views that carry their gradients
  LaunchTests OwnTests;   ///< of what shows that reads behind barriers are of the thread's own elements
  SharedShadows Shared;
  ShadowAddresses Addresses;
  std::vector<std::unique_ptr<Region>> Regions;
  std::vector<std::unique_ptr<Slice>> Slices;
  llvm::DenseMap<const llvm::Loop *, Region *> RegionOfLoop;
  llvm::DenseMap<const llvm::BasicBlock *, llvm::BasicBlock *> Reversed;
  llvm::DenseMap<const llvm::Value *, llvm::AllocaInst *> Adjoints;
  /// Of each block, those of other blocks that are reversed after its own, in this order.
  llvm::DenseMap<const llvm::BasicBlock *, llvm::SmallVector<llvm::Instruction *, 4>> LateAdjoints;
  llvm::SmallPtrSet<const llvm::Instruction *, 16> IsLate;
  llvm::DenseMap<const llvm::Value *, llvm::AllocaInst *> LocalCopies;
  llvm::DenseMap<std::pair<const llvm::CallBase *, const llvm::Value *>, llvm::AllocaInst *> RuleMemory;
  std::vector<std::unique_ptr<GradientSum>> GradientSums;
  /// Reads of which nothing is asked in threads that go past the branches behind them. None in what is differentiated
  /// again: there is a derivative of nothing.
  llvm::SmallPtrSet<const llvm::Instruction *, 8> GivesSeldom;
  llvm::DenseMap<const llvm::Instruction *, GradientSum *> SumOf;
  llvm::DenseMap<const llvm::BasicBlock *, llvm::SmallVector<GradientSum *, 2>> SumsAt;
  llvm::SmallVector<Addition, 8> Additions; ///< of the block that is being reversed
  /// Whether the proof for a tensor holds in this launch.
  llvm::DenseMap<const MemoryObject *, llvm::Value *> PlainTests;
  /// What this thread has to give by a load when its turn comes, or the sum over those that read the element.
  llvm::DenseMap<const llvm::Instruction *, llvm::AllocaInst *> VariableOfTurn;
  /// The load whose variable has the product's adjoint.
  llvm::DenseMap<const llvm::Instruction *, const llvm::LoadInst *> LoadOfProduct;
  /// Whether this thread has come to the block since the turns were taken the last time; null: all threads have.
  llvm::DenseMap<std::pair<const SharedTurns *, const llvm::BasicBlock *>, llvm::AllocaInst *> CameTo;
  llvm::DenseMap<const llvm::BasicBlock *, llvm::SmallVector<llvm::AllocaInst *, 1>> MarksOf;
  /// Of SharedSums: whether the block is as large as the source says, and this thread's number in it.
  llvm::Value *HasDeclaredSize = nullptr, *NumberInBlock = nullptr;
  llvm::GlobalVariable *Stage = nullptr; ///< where sums of warps wait to be summed
  /// What this thread gives in an iteration by a load whose lanes are summed.
  llvm::DenseMap<const llvm::Instruction *, llvm::AllocaInst *> VariableOfLanes;
  /// Whether something has been given since then, by any of the loads that give behind branches only.
  llvm::DenseMap<const llvm::Value *, llvm::AllocaInst *> HasGivenToLanes;
  llvm::Value *WarpsAreWhole = nullptr, *LanesOfRow = nullptr;
  /// While addresses are computed for all lanes: of this loop, in this iteration.
  Region *SummedRegion = nullptr;
  llvm::Value *SummedStep = nullptr;
  llvm::DenseMap<const llvm::Value *, llvm::Value *> ValuesForLanes;
  /// Whether each block takes the places of several, and what it adds in the end: where, and a sum.
  bool RepeatsBlocks = false;
  llvm::SmallVector<std::pair<UniformAddition, llvm::AllocaInst *>, 4> BlockSumsKept;
  /// Of the whole launch, as kernix_notes numbers them.
  llvm::Value *NumberOfThread = nullptr, *NumberOfThreads = nullptr;
  /// Which copy of each element of an object's gradient this thread adds to.
  llvm::DenseMap<const MemoryObject *, llvm::Value *> CopyOfThread;
  struct NoteList {
    llvm::Value *Notes = nullptr;     ///< a kernix_notes, or null at run time
    llvm::AllocaInst *Used = nullptr; ///< notes that this thread has made
  };
  llvm::DenseMap<const MemoryObject *, NoteList> NotesOn;
  /// Of each block, those that are reversed together, and the adjoints of what they have given.
  llvm::DenseMap<const llvm::BasicBlock *, std::vector<llvm::SmallVector<llvm::CallInst *, 8>>> Broadcasts;
  llvm::DenseMap<const llvm::CallInst *, llvm::Value *> AdjointOfBroadcast;
  bool PromisesAlignment = false, HasVectorAtomics = false;
  uint64_t RoomForSums = 0; ///< bytes of shared memory that are left for sums over the block
  /// What has to be undone: where, what was there, and how many bytes or what else the entry says.
  llvm::AllocaInst *UndoDepth = nullptr, *UndoPlaces = nullptr, *UndoValues = nullptr, *UndoKinds = nullptr;
  llvm::AllocaInst *LastMark = nullptr;
  /// Whether the last store of a group has been reversed already.
  llvm::DenseMap<const StoreGroup *, llvm::AllocaInst *> LastStores;
};

} // namespace kernix

#endif // KERNIX_DERIVATIVE_REVERSE_REVERSEWRITER_H
