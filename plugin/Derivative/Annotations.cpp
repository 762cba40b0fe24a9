//===- Annotations.cpp - what the front half writes into a module -------------------------------------------------===//

#include "Derivative/Annotations.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/DIBuilder.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Support/Path.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;
using namespace kernix;

static constexpr char ListName[] = "llvm.global.annotations";

StringRef kernix::constantString(const Value *V) {
  const auto *Global = dyn_cast<GlobalVariable>(V->stripPointerCasts());
  const auto *Data =
      Global && Global->hasInitializer() ? dyn_cast<ConstantDataArray>(Global->getInitializer()) : nullptr;
  return Data && Data->isCString() ? Data->getAsCString() : StringRef();
}

unsigned kernix::constantInteger(const Constant *C) {
  const auto *Integer = dyn_cast<ConstantInt>(C);
  return Integer ? static_cast<unsigned>(Integer->getZExtValue()) : 0;
}

Function *kernix::constantFunction(const Constant *C) {
  return dyn_cast<Function>(const_cast<Constant *>(C)->stripPointerCasts());
}

DebugLoc kernix::makeLocation(Module &M, StringRef File, unsigned Line, unsigned Column) {
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

/// Each entry: { annotated value, text, file, line, arguments }.
static void forEachEntry(Module &M, function_ref<void(GlobalObject &, StringRef, const ConstantStruct &)> Visit) {
  const GlobalVariable *Annotations = M.getGlobalVariable(ListName);
  const auto *List = Annotations ? dyn_cast<ConstantArray>(Annotations->getInitializer()) : nullptr;
  if (!List)
    return;
  for (const Use &Entry : List->operands()) {
    const auto *Fields = dyn_cast<ConstantStruct>(Entry);
    if (!Fields || Fields->getNumOperands() < 5)
      continue;
    if (auto *Annotated = dyn_cast<GlobalObject>(Fields->getOperand(0)->stripPointerCasts()))
      Visit(*Annotated, constantString(Fields->getOperand(1)), *Fields);
  }
}

void kernix::forEachAnnotation(Module &M, StringRef Text,
                               function_ref<void(GlobalObject &, const ConstantStruct *)> Visit) {
  forEachEntry(M, [&](GlobalObject &Annotated, StringRef Found, const ConstantStruct &Fields) {
    if (Found != Text)
      return;
    const auto *Global = dyn_cast<GlobalVariable>(Fields.getOperand(4)->stripPointerCasts());
    Visit(Annotated, Global ? dyn_cast<ConstantStruct>(Global->getInitializer()) : nullptr);
  });
}

void kernix::forEachAnnotationWith(Module &M, StringRef Prefix, function_ref<void(GlobalObject &, StringRef)> Visit) {
  forEachEntry(M, [&](GlobalObject &Annotated, StringRef Found, const ConstantStruct &) {
    if (Found.consume_front(Prefix))
      Visit(Annotated, Found);
  });
}

void kernix::forEachVariableAnnotation(Module &M, StringRef Text,
                                       function_ref<void(Value &, StringRef, const DILocation *)> Visit) {
  for (Function &Annotation : make_early_inc_range(M)) {
    if (Annotation.getIntrinsicID() != Intrinsic::var_annotation)
      continue;
    for (User *U : make_early_inc_range(Annotation.users())) {
      auto *Call = dyn_cast<CallInst>(U);
      StringRef Found = Call ? constantString(Call->getArgOperand(1)) : StringRef();
      if (!Found.consume_front(Text))
        continue;
      Visit(*Call->getArgOperand(0)->stripPointerCasts(), Found, Call->getDebugLoc().get());
      Call->eraseFromParent();
    }
    if (Annotation.use_empty())
      Annotation.eraseFromParent();
  }
}

static void removeEntries(Module &M, function_ref<bool(const ConstantStruct &)> IsGone) {
  GlobalVariable *Annotations = M.getGlobalVariable(ListName);
  if (!Annotations)
    return;
  SmallVector<Constant *, 8> Kept;
  SmallSetVector<GlobalVariable *, 8> Texts;
  auto *Old = cast<ConstantArray>(Annotations->getInitializer());
  for (const Use &Entry : Old->operands()) {
    if (!IsGone(*cast<ConstantStruct>(Entry))) {
      Kept.push_back(cast<Constant>(Entry));
      continue;
    }
    for (unsigned Text : {1U, 2U})
      if (auto *Global = dyn_cast<GlobalVariable>(cast<ConstantStruct>(Entry)->getOperand(Text)->stripPointerCasts()))
        Texts.insert(Global);
  }
  if (Kept.size() == Old->getNumOperands())
    return;
  std::string Section = Annotations->getSection().str();
  Type *EntryType = cast<ArrayType>(Annotations->getValueType())->getElementType();
  Annotations->eraseFromParent();
  if (!Kept.empty()) {
    auto *List = ConstantArray::get(ArrayType::get(EntryType, Kept.size()), Kept);
    auto *New = new GlobalVariable(M, List->getType(), false, GlobalValue::AppendingLinkage, List, ListName);
    New->setSection(Section);
  }
  for (GlobalVariable *Text : Texts) {
    Text->removeDeadConstantUsers();
    if (Text->use_empty() && Text->hasLocalLinkage())
      Text->eraseFromParent();
  }
}

void kernix::removeAnnotations(Module &M, function_ref<bool(Constant *)> IsGone) {
  removeFromUsedLists(M, IsGone);
  removeEntries(
      M, [&](const ConstantStruct &Entry) { return IsGone(cast<Constant>(Entry.getOperand(0)->stripPointerCasts())); });
}

void kernix::removeAnnotations(Module &M, StringRef Text) {
  removeEntries(M, [&](const ConstantStruct &Entry) { return constantString(Entry.getOperand(1)).starts_with(Text); });
}

void kernix::removeArgumentsOfAnnotations(Function &F) {
  F.removeDeadConstantUsers();
  for (User *U : make_early_inc_range(F.users()))
    if (auto *Struct = dyn_cast<ConstantStruct>(U))
      for (User *V : make_early_inc_range(Struct->users()))
        if (auto *Global = dyn_cast<GlobalVariable>(V)) {
          Global->removeDeadConstantUsers();
          if (Global->use_empty())
            Global->eraseFromParent();
        }
  F.removeDeadConstantUsers();
}

std::optional<json::Object> kernix::parseDescription(StringRef Text, function_ref<bool(const json::Object &)> Read) {
  Expected<json::Value> Parsed = json::parse(Text);
  if (!Parsed) {
    consumeError(Parsed.takeError());
    return std::nullopt;
  }
  json::Object *Object = Parsed->getAsObject();
  const json::Array *Parameters = Object ? Object->getArray("parameters") : nullptr;
  if (!Parameters)
    return std::nullopt;
  for (const json::Value &Item : *Parameters) {
    const json::Object *Parameter = Item.getAsObject();
    if (!Parameter || !Read(*Parameter))
      return std::nullopt;
  }
  return std::move(*Object);
}
