//===- Requests.cpp - reading what the front half asks for ------------------------------------------------------===//

#include "Derivative/Requests.h"
#include "HandOver.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DIBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace kernix;

namespace {

StringRef constantString(const Value *V) {
  const auto *Global = dyn_cast<GlobalVariable>(V->stripPointerCasts());
  const auto *Data =
      Global && Global->hasInitializer() ? dyn_cast<ConstantDataArray>(Global->getInitializer()) : nullptr;
  return Data && Data->isCString() ? Data->getAsCString() : StringRef();
}

unsigned constantInteger(const Constant *C) {
  const auto *Integer = dyn_cast<ConstantInt>(C);
  return Integer ? static_cast<unsigned>(Integer->getZExtValue()) : 0;
}

/// A location in a file that has no debug information: a scope of its own around it.
DebugLoc makeLocation(Module &M, StringRef File, unsigned Line, unsigned Column) {
  LLVMContext &Context = M.getContext();
  auto *Where = DIFile::get(Context, sys::path::filename(File), sys::path::parent_path(File));
  auto *Unit =
      DICompileUnit::getDistinct(Context, DISourceLanguageName(dwarf::DW_LANG_C_plus_plus), Where, "kernix", true, "",
                                 0, "", DICompileUnit::NoDebug, nullptr, nullptr, nullptr, nullptr, nullptr, 0, false,
                                 false, DICompileUnit::DebugNameTableKind::None, false, "", "");
  auto *Type = DISubroutineType::get(Context, DINode::FlagZero, 0, nullptr);
  auto *Scope = DISubprogram::getDistinct(Context, Where, "", "", Where, Line, Type, Line, nullptr, 0, 0,
                                          DINode::FlagZero, DISubprogram::SPFlagDefinition, Unit);
  return DILocation::get(Context, Line, Column, Scope);
}

} // namespace

std::vector<DerivativeRequest> kernix::readRequests(Module &M) {
  std::vector<DerivativeRequest> Requests;
  const GlobalVariable *Annotations = M.getGlobalVariable("llvm.global.annotations");
  const auto *List = Annotations ? dyn_cast<ConstantArray>(Annotations->getInitializer()) : nullptr;
  if (!List)
    return Requests;
  // Each entry: { annotated value, text, file, line, arguments }.
  for (const Use &Entry : List->operands()) {
    const auto *Fields = dyn_cast<ConstantStruct>(Entry);
    if (!Fields || Fields->getNumOperands() < 5 || constantString(Fields->getOperand(1)) != DeriveAnnotation)
      continue;
    const auto *ArgumentGlobal = dyn_cast<GlobalVariable>(Fields->getOperand(4)->stripPointerCasts());
    const auto *Arguments = ArgumentGlobal ? dyn_cast<ConstantStruct>(ArgumentGlobal->getInitializer()) : nullptr;
    auto *Placeholder = dyn_cast<Function>(Fields->getOperand(0)->stripPointerCasts());
    if (!Arguments || Arguments->getNumOperands() != 6 || !Placeholder)
      continue;
    auto *Primal = dyn_cast<Function>(Arguments->getOperand(0)->stripPointerCasts());
    if (!Primal)
      continue;
    Requests.push_back(
        {Placeholder, Primal,
         makeLocation(M, constantString(Arguments->getOperand(3)), constantInteger(Arguments->getOperand(4)),
                      constantInteger(Arguments->getOperand(5)))});
  }
  return Requests;
}
