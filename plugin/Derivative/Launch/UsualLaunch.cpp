//===- UsualLaunch.cpp - a version of a backward kernel for nearly all launches ---------------------------------===//

#include "Derivative/Launch/UsualLaunch.h"
#include "Derivative/Loops/UnrollLoops.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

using namespace llvm;
using namespace kernix;

static constexpr uint64_t ArrayAlignment = 16; ///< bytes that one thread can read or write at once

/// Simplification may have found what a value is, or that nobody asks for it.
void UsualLaunch::forgetWhatIsNotIn(const BasicBlock &Entry) {
  auto IsGone = [&](const Value *V) {
    const auto *I = dyn_cast_or_null<Instruction>(V);
    return !I || I->getParent() != &Entry;
  };
  erase_if(Tests, IsGone);
  erase_if(Wanted, IsGone);
  erase_if(Equal, [&](const auto &Pair) { return IsGone(Pair.first) || IsGone(Pair.second); });
  erase_if(Memories, [&](const Memory &M) { return IsGone(M.Address); });
}

/// Whether there is something to unroll or to join.
bool UsualLaunch::isWorthwhile(const Function &Body) const {
  if (Tests.empty())
    return false;
  SmallVector<std::pair<const BasicBlock *, const BasicBlock *>, 1> BackEdges;
  FindFunctionBackedges(Body, BackEdges);
  // By one block: each way of adding to a gradient reads it once.
  SmallSet<std::pair<const BasicBlock *, const Value *>, 8> Read;
  return !BackEdges.empty() || any_of(instructions(Body), [&](const Instruction &I) {
    const auto *Load = dyn_cast<LoadInst>(&I);
    const Value *From = Load ? getUnderlyingObject(Load->getPointerOperand(), /*MaxLookup=*/0) : nullptr;
    return From && any_of(Memories, [&](const Memory &M) { return M.IsArray && M.Address == From; }) &&
           !Read.insert({I.getParent(), From}).second;
  });
}

/// The last that has to be known before it can be said whether all holds.
Instruction *UsualLaunch::last() const {
  Instruction *Last = nullptr;
  auto Include = [&](Value *V) {
    if (auto *I = cast<Instruction>(V); !Last || Last->comesBefore(I))
      Last = I;
  };
  for (const WeakTrackingVH &Test : Tests)
    Include(Test);
  for (const WeakTrackingVH &Address : Wanted)
    Include(Address);
  for (const auto &[Address, Other] : Equal)
    Include(Address);
  for (const Memory &M : Memories)
    Include(M.Address);
  return Last;
}

Value *UsualLaunch::allHold(Instruction *Where) const {
  IRBuilder<> B(Where);
  Value *All = B.getTrue(), *Bits = B.getInt64(0);
  for (const WeakTrackingVH &Test : Tests)
    All = B.CreateAnd(All, Test);
  for (const WeakTrackingVH &Address : Wanted)
    All = B.CreateAnd(All, B.CreateIsNotNull(Address));
  for (const Memory &M : Memories)
    if (M.IsArray)
      Bits = B.CreateOr(Bits, B.CreatePtrToInt(M.Address, B.getInt64Ty()));
  return B.CreateAnd(All, B.CreateICmpEQ(B.CreateAnd(Bits, ArrayAlignment - 1), B.getInt64(0)));
}

void UsualLaunch::simplify(ArrayRef<BasicBlock *> Version) const {
  SmallPtrSet<const BasicBlock *, 16> Blocks(llvm::from_range, Version);
  auto ReplaceHere = [&](Value *Old, Value *New) {
    Old->replaceUsesWithIf(New,
                           [&](const Use &U) { return Blocks.contains(cast<Instruction>(U.getUser())->getParent()); });
  };
  for (const WeakTrackingVH &Test : Tests)
    ReplaceHere(Test, ConstantInt::getTrue(Test->getContext()));
  for (const WeakTrackingVH &Address : Wanted)
    for (User *U : Address->users())
      if (auto *Test = dyn_cast<ICmpInst>(U);
          Test && Test->isEquality() && is_contained(Test->operands(), Constant::getNullValue(Address->getType())))
        ReplaceHere(Test, ConstantInt::getBool(Test->getType(), Test->getPredicate() == ICmpInst::ICMP_NE));
  for (const auto &[Address, Other] : Equal)
    ReplaceHere(Address, Other);
}

void UsualLaunch::separate(ArrayRef<BasicBlock *> Version) const {
  LLVMContext &Context = Version.front()->getContext();
  MDBuilder Builder(Context);
  MDNode *Domain = Builder.createAnonymousAliasScopeDomain();
  MDNode *Meeting = Builder.createAnonymousAliasScope(Domain);
  MapVector<const Value *, Metadata *> ScopeOf;
  SetVector<Metadata *> Scopes;
  for (const Memory &M : Memories) {
    Metadata *&Scope = ScopeOf[M.Address];
    if (!Scope || M.Meeting == Others::MayMeet)
      Scope = M.Meeting == Others::Apart ? Builder.createAnonymousAliasScope(Domain) : Meeting;
  }
  for (auto &[Address, Scope] : ScopeOf)
    Scopes.insert(Scope);
  auto Mark = [&](Instruction &I, const Value *Pointer) {
    SmallVector<const Value *, 2> Objects;
    getUnderlyingObjects(Pointer, Objects, /*LI=*/nullptr, /*MaxLookup=*/0);
    SetVector<Metadata *> Own;
    for (const Value *O : Objects) {
      Metadata *Scope = ScopeOf.lookup(O);
      if (!Scope)
        return;
      Own.insert(Scope);
    }
    SmallVector<Metadata *, 8> Rest;
    copy_if(Scopes, std::back_inserter(Rest), [&](Metadata *Scope) { return !Own.contains(Scope); });
    auto Add = [&](unsigned Kind, ArrayRef<Metadata *> More) {
      I.setMetadata(Kind, MDNode::concatenate(I.getMetadata(Kind), MDNode::get(Context, More)));
    };
    Add(LLVMContext::MD_alias_scope, Own.getArrayRef());
    Add(LLVMContext::MD_noalias, Rest);
  };
  for (BasicBlock *Block : Version)
    for (Instruction &I : *Block)
      if (const Value *Pointer = getLoadStorePointerOperand(&I))
        Mark(I, Pointer);
      else if (const auto *Atomic = dyn_cast<AtomicRMWInst>(&I))
        Mark(I, Atomic->getPointerOperand());
}

bool UsualLaunch::write(Function &Body, FunctionAnalysisManager &FAM) {
  BasicBlock *Entry = &Body.getEntryBlock();
  forgetWhatIsNotIn(*Entry);
  if (!isWorthwhile(Body))
    return false;
  FAM.clear(Body, Body.getName());
  // Variables belong to both versions.
  for (Instruction &I : make_early_inc_range(*Entry))
    if (isa<AllocaInst>(I))
      I.moveBefore(Entry->getFirstInsertionPt());
  BasicBlock *Unusual = SplitBlock(Entry, last()->getNextNode());
  SmallVector<BasicBlock *, 16> Old, Version;
  for (BasicBlock &Block : drop_begin(Body))
    Old.push_back(&Block);
  ValueToValueMapTy Copies;
  for (BasicBlock *Block : Old) {
    Version.push_back(CloneBasicBlock(Block, Copies, ".usual", &Body));
    Copies[Block] = Version.back();
  }
  remapInstructionsInBlocks(Version, Copies);
  // What is known of a loop is a node of its own.
  for (BasicBlock *Block : Version)
    if (MDNode *Known = Block->getTerminator()->getMetadata(LLVMContext::MD_loop)) {
      MDNode *Own = MDNode::getDistinct(Body.getContext(), SmallVector<Metadata *, 4>(Known->operands()));
      Own->replaceOperandWith(0, Own);
      Block->getTerminator()->setMetadata(LLVMContext::MD_loop, Own);
    }
  simplify(Version);
  separate(Version);

  BasicBlock *Usual = BasicBlock::Create(Body.getContext(), "usual", &Body, Unusual);
  IRBuilder<> B(Usual);
  for (const Memory &M : Memories)
    if (M.IsArray)
      B.CreateAlignmentAssumption(Body.getDataLayout(), M.Address, ArrayAlignment);
  B.CreateBr(cast<BasicBlock>(Copies.lookup(Unusual)));
  Instruction *End = Entry->getTerminator();
  B.SetInsertPoint(End);
  B.CreateCondBr(allHold(End), Usual, Unusual, MDBuilder(Body.getContext()).createLikelyBranchWeights());
  End->eraseFromParent();
  unrollLoops(Body, Version, FAM);
  return true;
}
