//===- LoopIds.cpp - what the source says of loops, while passes change their latches ---------------------------===//

#include "Derivative/Prepare/LoopIds.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;
using namespace kernix;

namespace {

/// Nothing removes, copies or moves a call of it, and it touches nothing that the function has.
constexpr char HolderName[] = "kernix.loop.id";

Function *declareHolder(Module &M) {
  LLVMContext &Context = M.getContext();
  auto *Type = FunctionType::get(Type::getVoidTy(Context), {Type::getInt32Ty(Context)}, false);
  auto *Holder = cast<Function>(M.getOrInsertFunction(HolderName, Type).getCallee());
  Holder->setMemoryEffects(MemoryEffects::inaccessibleMemOnly());
  for (Attribute::AttrKind Kind : {Attribute::NoUnwind, Attribute::WillReturn, Attribute::NoSync, Attribute::NoFree,
                                   Attribute::NoCallback, Attribute::NoDuplicate})
    Holder->addFnAttr(Kind);
  return Holder;
}

/// The first call in Block, if any: blocks of what was another loop may have been joined behind it.
CallInst *holderIn(BasicBlock &Block, const Function &Holder) {
  for (Instruction &I : Block)
    if (auto *Call = dyn_cast<CallInst>(&I); Call && Call->getCalledFunction() == &Holder)
      return Call;
  return nullptr;
}

/// Whether a branch leads back to another header, too.
bool isLatchOfOther(const BasicBlock &Latch, const BasicBlock &Header, const LoopInfo &Loops) {
  return any_of(successors(&Latch), [&](const BasicBlock *Next) {
    const Loop *L = Loops.getLoopFor(Next);
    return Next != &Header && L && L->getHeader() == Next && L->contains(&Latch);
  });
}

/// Whether the same is said of a loop: inlining gives each branch back a node of its own.
bool sayTheSame(const MDNode &A, const MDNode &B) { return equal(drop_begin(A.operands()), drop_begin(B.operands())); }

/// clang leaves it out where `continue` ends the lives of variables.
MDNode *idOf(const Loop &L, const LoopInfo &Loops) {
  SmallVector<BasicBlock *, 4> Latches;
  L.getLoopLatches(Latches);
  MDNode *Found = nullptr;
  for (const BasicBlock *Latch : Latches) {
    MDNode *Id = Latch->getTerminator()->getMetadata(LLVMContext::MD_loop);
    if (!Id || isLatchOfOther(*Latch, *L.getHeader(), Loops))
      continue;
    if (Found && !sayTheSame(*Found, *Id))
      return nullptr;
    Found = Id;
  }
  return Found;
}

/// Puts it where it is that of this loop alone.
void setId(Loop &L, MDNode *Id, DominatorTree &Dominators, LoopInfo &Loops) {
  BasicBlock &Header = *L.getHeader();
  SmallVector<BasicBlock *, 4> Latches;
  L.getLoopLatches(Latches);
  for (BasicBlock *Latch : Latches)
    while (isLatchOfOther(*Latch, Header, Loops) && is_contained(successors(Latch), &Header))
      SplitEdge(Latch, &Header, &Dominators, &Loops);
  L.setLoopID(Id);
}

} // namespace

HeldLoopIds::HeldLoopIds(Function &F) : F(F) {
  DominatorTree Dominators(F);
  LoopInfo Loops(Dominators);
  Function *Holder = declareHolder(*F.getParent());
  for (Loop *L : Loops.getLoopsInPreorder()) {
    BasicBlock *Header = L->getHeader();
    IRBuilder<> B(Header, Header->getFirstInsertionPt());
    B.CreateCall(Holder, B.getInt32(static_cast<uint32_t>(Ids.size())));
    Ids.emplace_back(idOf(*L, Loops));
  }
  // What is left of loops would be taken for that of another one.
  for (BasicBlock &Block : F)
    Block.getTerminator()->setMetadata(LLVMContext::MD_loop, nullptr);
}

HeldLoopIds::~HeldLoopIds() {
  Function *Holder = declareHolder(*F.getParent());
  DominatorTree Dominators(F);
  LoopInfo Loops(Dominators);
  for (Loop *L : Loops.getLoopsInPreorder())
    if (const CallInst *Call = holderIn(*L->getHeader(), *Holder))
      if (MDNode *Id = Ids[cast<ConstantInt>(Call->getArgOperand(0))->getZExtValue()].get())
        setId(*L, Id, Dominators, Loops);
  for (User *Call : make_early_inc_range(Holder->users()))
    if (cast<Instruction>(Call)->getFunction() == &F)
      cast<Instruction>(Call)->eraseFromParent();
  if (Holder->use_empty())
    Holder->eraseFromParent();
}
