//===- Requests.cpp - reading what the front half asks for ------------------------------------------------------===//

#include "Derivative/Requests.h"
#include "HandOver.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DIBuilder.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/JSON.h"
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

Type *scalarType(LLVMContext &Context, StringRef Name) {
  if (Name == "f16")
    return Type::getHalfTy(Context);
  if (Name == "bf16")
    return Type::getBFloatTy(Context);
  if (Name == "f32")
    return Type::getFloatTy(Context);
  if (Name == "f64")
    return Type::getDoubleTy(Context);
  return nullptr;
}

Leaf readLeaf(LLVMContext &Context, const json::Object &Object) {
  Leaf Result;
  StringRef Kind = Object.getString("kind").value_or("value"), Access = Object.getString("access").value_or("in");
  Result.Kind = Kind == "pointer"  ? Leaf::Pointer
                : Kind == "memory" ? Leaf::Memory
                : Kind == "stride" ? Leaf::Stride
                                   : Leaf::Value;
  Result.Access = Access == "out" ? Leaf::Out : Access == "inout" ? Leaf::InOut : Leaf::In;
  Result.Offset = Object.getInteger("offset").value_or(0);
  Result.Count = Object.getInteger("count").value_or(1);
  Result.Scalar = scalarType(Context, Object.getString("type").value_or(""));
  Result.Active = Object.getBoolean("active").value_or(false) && Result.Scalar;
  Result.Diff = Object.getString("diff").value_or("").str();
  return Result;
}

void readMarks(const json::Object &Object, StringRef Key, std::vector<StatementMark> &Marks) {
  const json::Array *List = Object.getArray(Key);
  if (!List)
    return;
  for (const json::Value &Item : *List)
    if (const json::Array *Mark = Item.getAsArray(); Mark && Mark->size() >= 2)
      Marks.push_back({static_cast<unsigned>((*Mark)[0].getAsInteger().value_or(0)),
                       static_cast<unsigned>((*Mark)[1].getAsInteger().value_or(0)),
                       Mark->size() > 2 ? (*Mark)[2].getAsInteger().value_or(0) : 0});
}

bool readDescription(LLVMContext &Context, StringRef Text, DerivativeRequest &Request) {
  Expected<json::Value> Parsed = json::parse(Text);
  if (!Parsed) {
    consumeError(Parsed.takeError());
    return false;
  }
  const json::Object *Object = Parsed->getAsObject();
  const json::Array *Parameters = Object ? Object->getArray("parameters") : nullptr;
  if (!Parameters)
    return false;
  Request.Name = Object->getString("function").value_or("").str();
  Request.Mode = Object->getString("mode") == "forward" ? DerivativeRequest::Forward : DerivativeRequest::Reverse;
  StringRef Kind = Object->getString("kind").value_or("kernel");
  Request.Kind = Kind == "host"     ? DerivativeRequest::Host
                 : Kind == "device" ? DerivativeRequest::Device
                                    : DerivativeRequest::Kernel;
  for (const json::Value &Item : *Parameters) {
    const json::Object *Parameter = Item.getAsObject();
    if (!Parameter)
      return false;
    RequestParameter &Added = Request.Parameters.emplace_back();
    Added.Name = Parameter->getString("name").value_or("").str();
    Added.Shadow = static_cast<int>(Parameter->getInteger("shadow").value_or(-1));
    if (const json::Array *Leaves = Parameter->getArray("leaves"))
      for (const json::Value &Leaf : *Leaves)
        if (const json::Object *L = Leaf.getAsObject())
          Added.Leaves.push_back(readLeaf(Context, *L));
  }
  readMarks(*Object, "max_iters", Request.MaxIters);
  readMarks(*Object, "recompute", Request.Recompute);
  readMarks(*Object, "store", Request.Store);
  return true;
}

/// A body whose primal calls another body comes after it.
void sortByNeed(std::vector<DerivativeRequest> &Requests) {
  DenseMap<Function *, size_t> ByBody;
  for (size_t I = 0; I < Requests.size(); ++I)
    ByBody[Requests[I].Body] = I;
  std::vector<DerivativeRequest> Sorted;
  std::vector<char> State(Requests.size(), 0);
  auto Visit = [&](auto &Self, size_t I) -> void {
    if (State[I])
      return;
    State[I] = 1;
    SmallPtrSet<Function *, 8> Seen;
    SmallVector<Function *, 8> Work = {Requests[I].Primal};
    while (!Work.empty()) {
      Function *F = Work.pop_back_val();
      if (!Seen.insert(F).second)
        continue;
      if (auto Found = ByBody.find(F); Found != ByBody.end() && Found->second != I) {
        Self(Self, Found->second);
        continue;
      }
      for (Instruction &I : instructions(F))
        if (auto *Call = dyn_cast<CallBase>(&I))
          if (Function *Callee = Call->getCalledFunction(); Callee && !Callee->isDeclaration())
            Work.push_back(Callee);
    }
    Sorted.push_back(std::move(Requests[I]));
  };
  for (size_t I = 0; I < Requests.size(); ++I)
    Visit(Visit, I);
  Requests = std::move(Sorted);
}

} // namespace

static const char *ruleAttribute(DerivativeRequest::ModeType Mode) {
  return Mode == DerivativeRequest::Forward ? "kernix.rule.forward" : "kernix.rule.backward";
}

bool kernix::hasRule(const Function &F, DerivativeRequest::ModeType Mode) {
  return F.hasFnAttribute(ruleAttribute(Mode));
}

/// `{ &f, &rule, "forward" | "backward", ... }`
static void readRule(const Constant *Arguments) {
  const auto *Global = dyn_cast<GlobalVariable>(Arguments->stripPointerCasts());
  const auto *Fields = Global ? dyn_cast<ConstantStruct>(Global->getInitializer()) : nullptr;
  auto *F = Fields ? dyn_cast<Function>(Fields->getOperand(0)->stripPointerCasts()) : nullptr;
  if (F)
    F->addFnAttr(ruleAttribute(constantString(Fields->getOperand(2)) == "forward" ? DerivativeRequest::Forward
                                                                                  : DerivativeRequest::Reverse));
}

std::vector<DerivativeRequest> kernix::readRequests(Module &M) {
  std::vector<DerivativeRequest> Requests;
  const GlobalVariable *Annotations = M.getGlobalVariable("llvm.global.annotations");
  const auto *List = Annotations ? dyn_cast<ConstantArray>(Annotations->getInitializer()) : nullptr;
  if (!List)
    return Requests;
  // Each entry: { annotated value, text, file, line, arguments }.
  for (const Use &Entry : List->operands()) {
    const auto *Fields = dyn_cast<ConstantStruct>(Entry);
    if (Fields && Fields->getNumOperands() >= 5 && constantString(Fields->getOperand(1)) == RuleAnnotation)
      readRule(Fields->getOperand(4));
    if (!Fields || Fields->getNumOperands() < 5 || constantString(Fields->getOperand(1)) != DeriveAnnotation)
      continue;
    const auto *ArgumentGlobal = dyn_cast<GlobalVariable>(Fields->getOperand(4)->stripPointerCasts());
    const auto *Arguments = ArgumentGlobal ? dyn_cast<ConstantStruct>(ArgumentGlobal->getInitializer()) : nullptr;
    DerivativeRequest Request;
    Request.Body = dyn_cast<Function>(Fields->getOperand(0)->stripPointerCasts());
    if (!Arguments || Arguments->getNumOperands() != 6 || !Request.Body)
      continue;
    Request.Primal = dyn_cast<Function>(Arguments->getOperand(0)->stripPointerCasts());
    Request.Facts = dyn_cast<GlobalVariable>(Arguments->getOperand(1)->stripPointerCasts());
    Request.Location =
        makeLocation(M, constantString(Arguments->getOperand(3)), constantInteger(Arguments->getOperand(4)),
                     constantInteger(Arguments->getOperand(5)));
    if (!Request.Primal || !readDescription(M.getContext(), constantString(Arguments->getOperand(2)), Request) ||
        Request.Body->arg_size() != 2 * Request.Parameters.size() ||
        Request.Primal->arg_size() != Request.Parameters.size()) {
      M.getContext().diagnose(DiagnosticInfoUnsupported(
          *Request.Body, "kernix: the description of this derivative cannot be read", Request.Location));
      continue;
    }
    Requests.push_back(std::move(Request));
  }
  sortByNeed(Requests);
  return Requests;
}
