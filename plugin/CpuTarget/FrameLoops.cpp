//===- FrameLoops.cpp - loops over what all threads have in one slot of their frames -----------------------------===//

#include "CpuTarget/FrameLoops.h"
#include "CpuTarget/GridLoop.h"
#include "llvm/IR/IRBuilder.h"

using namespace llvm;

namespace kernix {

namespace {

/// A function of pointers to the first thread's slots, and a loop over the threads in it, under construction.
struct FrameLoop {
  Function *Made;
  IRBuilder<> Builder; ///< in the loop
  PHINode *Thread = nullptr;

  FrameLoop(Function &Kernel, FunctionType *Type, StringRef Name)
      : Made(makeFunction(Kernel, Type, Name)), Builder(Kernel.getContext()) {
    Made->setName(Name);
    Made->addFnAttr(Attribute::NoInline);
    Made->setMemoryEffects(MemoryEffects::argMemOnly());
    for (Argument &Parameter : Made->args())
      if (Parameter.getType()->isPointerTy()) {
        Parameter.addAttr(Attribute::NoAlias);
        Parameter.addAttr(Attribute::getWithCaptureInfo(Kernel.getContext(), CaptureInfo::none()));
      }
    BasicBlock *Entry = BasicBlock::Create(Kernel.getContext(), "entry", Made);
    BasicBlock *Loop = BasicBlock::Create(Kernel.getContext(), "thread", Made);
    Builder.SetInsertPoint(Entry);
    Builder.CreateBr(Loop);
    Builder.SetInsertPoint(Loop);
    Thread = Builder.CreatePHI(Builder.getInt64Ty(), 2);
    Thread->addIncoming(Builder.getInt64(0), Entry);
  }

  Value *load(Type *Element, unsigned Slot, Value *Of) {
    return Builder.CreateLoad(Element, Builder.CreateInBoundsGEP(Element, Made->getArg(Slot), Of));
  }

  /// Continues behind the loop over so many threads, at least one.
  void close(Value *Threads) {
    BasicBlock *After = BasicBlock::Create(Made->getContext(), "after", Made);
    Value *Next = Builder.CreateNUWAdd(Thread, Builder.getInt64(1));
    Thread->addIncoming(Next, Builder.GetInsertBlock());
    Builder.CreateCondBr(Builder.CreateICmpULT(Next, Threads), Builder.GetInsertBlock(), After);
    Builder.SetInsertPoint(After);
  }
};

/// The function of that name, which Write completes if it is a new one.
Function *madeOnce(Function &Kernel, StringRef Name, FunctionType *Type, function_ref<void(FrameLoop &)> Write) {
  if (Function *Known = Kernel.getParent()->getFunction(Name))
    return Known;
  FrameLoop Loop(Kernel, Type, Name);
  Write(Loop);
  return Loop.Made;
}

} // namespace

Function *lanesFunction(Function &Kernel) {
  LLVMContext &Context = Kernel.getContext();
  Type *Pointer = PointerType::getUnqual(Context), *Int64 = Type::getInt64Ty(Context);
  auto *OfPointers = FunctionType::get(Type::getVoidTy(Context), {Pointer, Pointer, Pointer, Int64}, false);
  return madeOnce(Kernel, "kernix.frames.read", OfPointers, [&](FrameLoop &Loop) {
    IRBuilder<> &Builder = Loop.Builder;
    Value *Threads = Loop.Made->getArg(3);
    Value *Source = Loop.load(Builder.getInt32Ty(), 0, Loop.Thread);
    Value *Lane = Builder.CreateAdd(Builder.CreateAnd(Loop.Thread, ~uint64_t{31}), Builder.CreateZExt(Source, Int64));
    Value *Exists =
        Builder.CreateAnd(Builder.CreateICmpULT(Source, Builder.getInt32(32)), Builder.CreateICmpULT(Lane, Threads));
    Value *Read = Loop.load(Int64, 1, Builder.CreateSelect(Exists, Lane, Loop.Thread));
    Builder.CreateStore(Read, Builder.CreateInBoundsGEP(Int64, Loop.Made->getArg(2), Loop.Thread));
    Loop.close(Threads);
    Builder.CreateRetVoid();
  });
}

Function *commonCutFunction(Function &Kernel) {
  LLVMContext &Context = Kernel.getContext();
  Type *Int32 = Type::getInt32Ty(Context), *Int64 = Type::getInt64Ty(Context);
  auto *OfCuts = FunctionType::get(Int32, {PointerType::getUnqual(Context), Int64}, false);
  return madeOnce(Kernel, "kernix.frames.cut", OfCuts, [&](FrameLoop &Loop) {
    IRBuilder<> &Builder = Loop.Builder;
    PHINode *Differences = Builder.CreatePHI(Int32, 2);
    Value *First = Loop.load(Int32, 0, Builder.getInt64(0)), *Cut = Loop.load(Int32, 0, Loop.Thread);
    Value *Next = Builder.CreateOr(Differences, Builder.CreateXor(First, Cut));
    Differences->addIncoming(Builder.getInt32(0), &Loop.Made->getEntryBlock());
    Differences->addIncoming(Next, Builder.GetInsertBlock());
    Loop.close(Loop.Made->getArg(1));
    Value *AreSame = Builder.CreateICmpEQ(Next, Builder.getInt32(0));
    Builder.CreateRet(Builder.CreateSelect(AreSame, First, Builder.getInt32(0)));
  });
}

} // namespace kernix
