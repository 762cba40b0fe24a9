//===- Geometry.cpp - threadIdx, blockIdx, blockDim and gridDim --------------------------------------------------===//

#include "CpuTarget/Geometry.h"
#include "CpuTarget/CallGraph.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;

namespace kernix {

std::optional<GeometryItem> geometryItem(const Function &F) {
  StringRef Name = F.getName();
  if (!Name.consume_front("kernix_cpu_"))
    return std::nullopt;
  if (Name == "dynamic_shared_size")
    return GeometryItem{SF_DynamicSharedSize, 0};
  if (Name.size() < 2 || Name[Name.size() - 2] != '_')
    return std::nullopt;
  unsigned Axis = static_cast<unsigned char>(Name.back()) - 'x';
  std::optional<StateField> Field = StringSwitch<std::optional<StateField>>(Name.drop_back(2))
                                        .Case("thread_idx", SF_ThreadIdx)
                                        .Case("block_idx", SF_BlockIdx)
                                        .Case("block_dim", SF_BlockDim)
                                        .Case("grid_dim", SF_GridDim)
                                        .Default(std::nullopt);
  if (!Field || Axis > 2)
    return std::nullopt;
  return GeometryItem{*Field, Axis};
}

bool endsLaunch(const Function &F) {
  return is_contained({"kernix_cpu_assert_fail", "kernix_cpu_trap", "kernix_cpu_end"}, F.getName());
}

bool readsPlace(const Function &F) {
  for (const Instruction &I : instructions(F)) {
    const auto *Call = dyn_cast<CallBase>(&I);
    const Function *Callee = Call ? calledFunction(*Call) : nullptr;
    if (!Callee)
      continue;
    if (endsLaunch(*Callee))
      return true;
    std::optional<GeometryItem> Item = geometryItem(*Callee);
    if (Item && (Item->Field == SF_ThreadIdx || Item->Field == SF_BlockIdx))
      return true;
  }
  return false;
}

void replaceGeometry(Function &F, function_ref<Value *(GeometryItem)> Value) {
  for (Instruction &I : make_early_inc_range(instructions(F))) {
    auto *Call = dyn_cast<CallInst>(&I);
    Function *Callee = Call ? calledFunction(*Call) : nullptr;
    if (!Callee)
      continue;
    std::optional<GeometryItem> Item = geometryItem(*Callee);
    if (!Item)
      continue;
    Call->replaceAllUsesWith(Value(*Item));
    Call->eraseFromParent();
  }
}

void loadGeometry(Function &F, const ObjectLayout &Layout) {
  // All at the entry: nothing that F calls changes the thread it runs for.
  IRBuilder<> Builder(F.getContext());
  Value *State = nullptr;
  SmallVector<LoadInst *> Loaded(15, nullptr);
  replaceGeometry(F, [&](GeometryItem Item) -> Value * {
    Builder.SetInsertPointPastAllocas(&F);
    Builder.SetCurrentDebugLocation(DebugLoc());
    if (!State) {
      State = currentState(Builder);
    } else {
      auto *After = cast<Instruction>(State);
      Builder.SetInsertPoint(After->getParent(), std::next(After->getIterator()));
    }
    LoadInst *&Load = Loaded[Item.Field * 3 + Item.Axis];
    if (!Load) {
      Load = Builder.CreateLoad(Builder.getInt32Ty(), stateField(Builder, Layout, State, Item.Field, Item.Axis));
      if (Item.Field != SF_ThreadIdx && Item.Field != SF_BlockIdx)
        Load->setMetadata(LLVMContext::MD_invariant_load, MDNode::get(F.getContext(), {}));
    }
    return Load;
  });
}

} // namespace kernix
