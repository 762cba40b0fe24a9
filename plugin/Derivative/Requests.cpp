//===- Requests.cpp - reading what the front half asks for ------------------------------------------------------===//

#include "Derivative/Requests.h"
#include "Derivative/Annotations.h"
#include "FileHash.h"
#include "HandOver.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/Support/JSON.h"

using namespace llvm;
using namespace kernix;

namespace {

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
  Result.Numbers = Object.getInteger("numbers").value_or(1);
  Result.Scalar = scalarType(Context, Object.getString("type").value_or(""));
  Result.Active = Object.getBoolean("active").value_or(false) && Result.Scalar;
  Result.Diff = Object.getString("diff").value_or("").str();
  Result.DiffCount = Object.getInteger("diff_count").value_or(0);
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
                       Mark->size() > 2 ? (*Mark)[2].getAsInteger().value_or(0) : 0,
                       Mark->size() > 3 ? (*Mark)[3].getAsInteger().value_or(0) : 0});
}

bool readDescription(LLVMContext &Context, StringRef Text, DerivativeRequest &Request) {
  std::optional<json::Object> Object = parseDescription(Text, [&](const json::Object &Parameter) {
    RequestParameter &Added = Request.Parameters.emplace_back();
    Added.Name = Parameter.getString("name").value_or("").str();
    Added.Size = static_cast<uint64_t>(Parameter.getInteger("size").value_or(0));
    Added.Shadow = static_cast<int>(Parameter.getInteger("shadow").value_or(-1));
    Added.CarriesGradient = Parameter.getBoolean("carries_gradient").value_or(false);
    if (const json::Array *Leaves = Parameter.getArray("leaves"))
      for (const json::Value &Leaf : *Leaves)
        if (const json::Object *L = Leaf.getAsObject())
          Added.Leaves.push_back(readLeaf(Context, *L));
    return true;
  });
  if (!Object)
    return false;
  Request.Name = Object->getString("function").value_or("").str();
  Request.Mode = Object->getString("mode") == "forward" ? DerivativeRequest::Forward : DerivativeRequest::Reverse;
  StringRef Kind = Object->getString("kind").value_or("kernel");
  Request.Kind = Kind == "host"     ? DerivativeRequest::Host
                 : Kind == "device" ? DerivativeRequest::Device
                                    : DerivativeRequest::Kernel;
  if (const json::Array *Block = Object->getArray("block"); Block && Block->size() == Request.Block.size())
    for (auto [Extent, Given] : zip_equal(Request.Block, *Block))
      Extent = Given.getAsInteger().value_or(0);
  Request.MaxRegisters = Object->getInteger("max_registers").value_or(0);
  readMarks(*Object, "max_iters", Request.MaxIters);
  readMarks(*Object, "recompute", Request.Recompute);
  readMarks(*Object, "store", Request.Store);
  readMarks(*Object, "no_diff", Request.NoDiff);
  return true;
}

/// A body whose primal calls another body comes after it.
void sortByNeed(std::vector<DerivativeRequest> &Requests) {
  DenseMap<Function *, size_t> ByBody;
  for (size_t I = 0; I < Requests.size(); ++I)
    ByBody[Requests[I].Body] = I;
  std::vector<DerivativeRequest> Sorted;
  std::vector<char> State(Requests.size(), 0);
  SmallPtrSet<const Function *, 4> Differentiated;
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
        Differentiated.insert(F);
        Requests[I].Needs.push_back(F);
        if (GlobalVariable *Facts = Requests[Found->second].Facts)
          Requests[I].FactsOfPrimal = Facts;
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
  for (DerivativeRequest &Request : Requests)
    Request.IsDifferentiated = Differentiated.contains(Request.Body);
}

} // namespace

bool StatementMark::isAt(const DILocation &Place) const {
  return Line == Place.getLine() && Column == Place.getColumn() && (!File || File == hashOfFile(Place.getFilename()));
}

bool DerivativeRequest::isConstant(const CallBase &Call) const {
  const DILocation *Place = Call.getDebugLoc().get();
  return Place && any_of(NoDiff, [&](const StatementMark &Mark) { return Mark.isAt(*Place); });
}

std::vector<DerivativeRequest> kernix::readRequests(Module &M, const CustomRules &Rules) {
  std::vector<DerivativeRequest> Requests;
  forEachAnnotation(M, DeriveAnnotation, [&](GlobalObject &Annotated, const ConstantStruct *Found) {
    auto &Body = cast<Function>(Annotated);
    if (!Found || Found->getNumOperands() != 6)
      return;
    const ConstantStruct &Arguments = *Found;
    DerivativeRequest Request;
    Request.Body = &Body;
    Request.Rules = &Rules;
    Request.Primal = constantFunction(Arguments.getOperand(0));
    Request.Facts = dyn_cast<GlobalVariable>(Arguments.getOperand(1)->stripPointerCasts());
    Request.Location = makeLocation(M, constantString(Arguments.getOperand(3)),
                                    constantInteger(Arguments.getOperand(4)), constantInteger(Arguments.getOperand(5)));
    if (!Request.Primal || !readDescription(M.getContext(), constantString(Arguments.getOperand(2)), Request) ||
        Body.arg_size() != 2 * Request.Parameters.size() || Request.Primal->arg_size() != Request.Parameters.size()) {
      M.getContext().diagnose(DiagnosticInfoUnsupported(
          Body, "kernix: the description of this derivative cannot be read", Request.Location));
      return;
    }
    Requests.push_back(std::move(Request));
  });
  sortByNeed(Requests);
  return Requests;
}
