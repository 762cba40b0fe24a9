//===- ObjectLayout.cpp - the structures of kernix/cpu/object.h in LLVM's types ----------------------------------===//

#include "CpuTarget/ObjectLayout.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/GlobalVariable.h"

using namespace llvm;

namespace kernix {

ObjectLayout::ObjectLayout(Module &M) {
  LLVMContext &Context = M.getContext();
  Type *Int32 = Type::getInt32Ty(Context);
  Type *Int64 = Type::getInt64Ty(Context);
  Type *Pointer = PointerType::getUnqual(Context);
  Type *Axes = ArrayType::get(Int32, 3);
  State = StructType::get(Context, {Axes, Axes, Axes, Axes, Int32, Int32, Pointer, Pointer, Pointer});
  Kernel = StructType::get(
      Context, {Int32, Int32, Pointer, Int32, Int32, Int32, Int32, Int32, Int32, Pointer, Pointer, Pointer});
  Param = StructType::get(Context, {Int32, Int32});
  KernelEntry = StructType::get(Context, {Pointer, Pointer, Pointer, Int64, Pointer});
  Variable = StructType::get(Context, {Pointer, Int64, Int64});
  VariableEntry = StructType::get(Context, {Pointer, Pointer, Pointer});
  Unit = StructType::get(Context, {Int64, Int64, Pointer, Int64, Pointer});
}

Value *currentState(IRBuilder<> &Builder) {
  Module &M = *Builder.GetInsertBlock()->getModule();
  GlobalVariable *State = M.getNamedGlobal(CurrentStateName);
  if (!State)
    State = new GlobalVariable(M, ObjectLayout(M).State, false, GlobalValue::ExternalLinkage, nullptr, CurrentStateName,
                               nullptr, GlobalValue::InitialExecTLSModel);
  return Builder.CreateThreadLocalAddress(State);
}

Value *stateField(IRBuilder<> &Builder, const ObjectLayout &Layout, Value *State, StateField Field, unsigned Axis) {
  if (Field > SF_GridDim)
    return Builder.CreateStructGEP(Layout.State, State, Field);
  return Builder.CreateInBoundsGEP(Layout.State, State,
                                   {Builder.getInt32(0), Builder.getInt32(Field), Builder.getInt32(Axis)});
}

std::string kernelSymbol(StringRef Unit, StringRef Mangled) {
  return ("__kernix_cpu_kernel." + Unit + "." + Mangled).str();
}

std::string variableSymbol(StringRef Unit, StringRef Mangled) {
  return ("__kernix_cpu_variable." + Unit + "." + Mangled).str();
}

Constant *stringConstant(Module &M, StringRef Text) {
  Constant *Data = ConstantDataArray::getString(M.getContext(), Text);
  auto *Global = new GlobalVariable(M, Data->getType(), true, GlobalValue::PrivateLinkage, Data, ".kernix.str");
  Global->setUnnamedAddr(GlobalValue::UnnamedAddr::Global);
  Global->setAlignment(Align(1));
  return Global;
}

bool isKernel(const Function &F) { return F.hasFnAttribute("uniform-work-group-size"); }

} // namespace kernix
