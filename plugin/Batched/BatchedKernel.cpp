//===- BatchedKernel.cpp
//-------------------------------------------------------------------------------------------===//

#include "Batched/BatchedKernel.h"
#include "Batched/PointersOfParameters.h"
#include "Batched/SeparateBlocks.h"
#include "HandOver.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;
using namespace kernix;

namespace {

Function *cloneWithMoreParameters(Function &Kernel, ArrayRef<Type *> More) {
  SmallVector<Type *> Types(Kernel.getFunctionType()->params());
  append_range(Types, More);
  auto *T = FunctionType::get(Kernel.getReturnType(), Types, false);
  Function *Clone = Function::Create(T, GlobalValue::ExternalLinkage, Kernel.getAddressSpace(), "", Kernel.getParent());
  ValueToValueMapTy Map;
  for (auto [Old, New] : zip(Kernel.args(), Clone->args())) {
    New.setName(Old.getName());
    Map[&Old] = &New;
  }
  SmallVector<ReturnInst *> Returns;
  CloneFunctionInto(Clone, &Kernel, Map, CloneFunctionChangeType::LocalChangesOnly, Returns);
  Clone->setLinkage(GlobalValue::ExternalLinkage);
  Clone->setVisibility(GlobalValue::DefaultVisibility);
  Clone->setComdat(nullptr);
  return Clone;
}

void replaceAll(ArrayRef<Instruction *> Calls, Value &With) {
  for (Instruction *Call : Calls) {
    Call->replaceAllUsesWith(&With);
    Call->eraseFromParent();
  }
}

SmallVector<Instruction *> callsOf(Function &F, Intrinsic::ID ID) {
  SmallVector<Instruction *> Found;
  for (Instruction &I : instructions(F))
    if (auto *Call = dyn_cast<IntrinsicInst>(&I); Call && Call->getIntrinsicID() == ID)
      Found.push_back(Call);
  return Found;
}

/// Where it is computed, and for a parameter where Builder stands.
void movePointer(Value &Pointer, Value &Offset, IRBuilder<> &Builder) {
  IRBuilderBase::InsertPointGuard Guard(Builder);
  if (auto *Loaded = dyn_cast<Instruction>(&Pointer))
    Builder.SetInsertPoint(std::next(Loaded->getIterator()));
  Value *Moved = Builder.CreatePtrAdd(&Pointer, &Offset, "of.element");
  Pointer.replaceUsesWithIf(Moved, [Moved](const Use &U) { return U.getUser() != Moved; });
}

} // namespace

void kernix::addBatchedKernel(Function &Kernel) {
  std::optional<SmallVector<ParameterPointer>> OfKernel = pointersOfParameters(Kernel);
  if (!OfKernel || !hasSeparateBlocks(Kernel))
    return;
  Type *I32 = Type::getInt32Ty(Kernel.getContext()), *I64 = Type::getInt64Ty(Kernel.getContext());
  SmallVector<Type *> More = {I32, I32};
  More.append(OfKernel->size(), I64);
  Function &Clone = *cloneWithMoreParameters(Kernel, More);
  Clone.setName(Twine(BatchedKernelPrefix) + Twine(OfKernel->size()) + "_" + Kernel.getName());
  SmallVector<ParameterPointer> Pointers = *pointersOfParameters(Clone);
  // Those that were added are no pointers, so the lists agree.
  Argument *GridZ = Clone.getArg(static_cast<unsigned>(Kernel.arg_size()));
  Argument *First = Clone.getArg(GridZ->getArgNo() + 1);
  GridZ->setName("kernix.grid_z");
  First->setName("kernix.first");

  SmallVector<Instruction *> BlocksZ = callsOf(Clone, Intrinsic::nvvm_read_ptx_sreg_ctaid_z);
  SmallVector<Instruction *> GridsZ = callsOf(Clone, Intrinsic::nvvm_read_ptx_sreg_nctaid_z);
  BasicBlock &Entry = Clone.getEntryBlock();
  IRBuilder<> Builder(&Entry, Entry.getFirstNonPHIOrDbgOrAlloca());
  Value *Z = Builder.CreateIntrinsic(I32, Intrinsic::nvvm_read_ptx_sreg_ctaid_z, {});
  Value *OfLaunch = Builder.CreateUDiv(Z, GridZ);
  Value *Element = Builder.CreateZExt(Builder.CreateAdd(OfLaunch, First), I64, "element");
  Value *BlockZ = Builder.CreateSub(Z, Builder.CreateMul(OfLaunch, GridZ));
  for (auto [K, Pointer] : enumerate(Pointers)) {
    Argument *Stride = Clone.getArg(First->getArgNo() + 1 + static_cast<unsigned>(K));
    Value *Offset = Builder.CreateMul(Element, Stride, "offset");
    for (Value *Place : Pointer.Values)
      movePointer(*Place, *Offset, Builder);
  }
  replaceAll(BlocksZ, *BlockZ);
  replaceAll(GridsZ, *GridZ);
}
