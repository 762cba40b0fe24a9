//===- CustomRules.cpp - derivatives that users write -------------------------------------------------------------===//

#include "Derivative/CustomRules/CustomRules.h"
#include "Derivative/Analysis/Constants.h"
#include "Derivative/Annotations.h"
#include "HandOver.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/Support/JSON.h"

using namespace llvm;
using namespace kernix;

namespace {

RuleLeaf readLeaf(LLVMContext &Context, const json::Array &Item) {
  RuleLeaf Leaf;
  Leaf.Offset = Item[0].getAsInteger().value_or(0);
  StringRef Type = Item[1].getAsString().value_or("");
  unsigned Bits = 0;
  if (Type == "f16")
    Leaf.Type = Type::getHalfTy(Context);
  else if (Type == "bf16")
    Leaf.Type = Type::getBFloatTy(Context);
  else if (Type == "f32")
    Leaf.Type = Type::getFloatTy(Context);
  else if (Type == "f64")
    Leaf.Type = Type::getDoubleTy(Context);
  else if (Type == "pointer" || Type == "const pointer")
    Leaf.Type = PointerType::getUnqual(Context);
  else if (Type == "stride")
    Leaf.Type = Type::getInt64Ty(Context);
  else if (Type.consume_front("i") && !Type.getAsInteger(10, Bits) && Bits)
    Leaf.Type = IntegerType::get(Context, Bits);
  Leaf.ToConst = Type == "const pointer";
  Leaf.IsStride = Type == "stride";
  return Leaf;
}

bool readParameter(LLVMContext &Context, const json::Object &Object, RuleParameter &P) {
  P.Name = Object.getString("name").value_or("").str();
  StringRef Slot = Object.getString("slot").value_or("none");
  P.Slot = Slot == "value"     ? RuleParameter::Value
           : Slot == "memory"  ? RuleParameter::Memory
           : Slot == "pointer" ? RuleParameter::Pointer
           : Slot == "view"    ? RuleParameter::View
                               : RuleParameter::None;
  P.IsActive = Object.getBoolean("active").value_or(false);
  P.IsNoDiff = Object.getBoolean("no_diff").value_or(false);
  P.HoldsGradient = Object.getBoolean("holds_gradient").value_or(false);
  P.Size = static_cast<uint64_t>(Object.getInteger("size").value_or(0));
  P.Alignment = Align(static_cast<uint64_t>(Object.getInteger("align").value_or(1)));
  const json::Array *Leaves = Object.getArray("leaves");
  if (!Leaves)
    return false;
  for (const json::Value &Item : *Leaves) {
    const json::Array *Leaf = Item.getAsArray();
    if (!Leaf || Leaf->size() != 2)
      return false;
    P.Leaves.push_back(readLeaf(Context, *Leaf));
    if (!P.Leaves.back().Type)
      return false;
  }
  return true;
}

bool readDescription(LLVMContext &Context, StringRef Text, CustomRule &Rule) {
  std::optional<json::Object> Object = parseDescription(
      Text, [&](const json::Object &P) { return readParameter(Context, P, Rule.Parameters.emplace_back()); });
  if (!Object)
    return false;
  Rule.Name = Object->getString("function").value_or("").str();
  Rule.IsForward = Object->getString("mode") == "forward";
  Rule.HasDual = Object->getBoolean("dual").value_or(false);
  Rule.Refused = Object->getString("refused").value_or("").str();
  const json::Object *Result = Object->getObject("result");
  return !Result || readParameter(Context, *Result, Rule.Result.emplace());
}

} // namespace

bool CustomRule::holdsGradient() const {
  return any_of(Parameters, [](const RuleParameter &P) { return P.HoldsGradient; });
}

CustomRules::CustomRules(Module &M) : Constants(readConstantMarks(M)) {
  forEachAnnotation(M, RuleAnnotation, [&](GlobalObject &Annotated, const ConstantStruct *Found) {
    auto &Holder = cast<Function>(Annotated);
    if (!Found)
      return;
    const ConstantStruct &Arguments = *Found;
    auto Rule = std::make_unique<CustomRule>();
    Rule->Holder = &Holder;
    bool Ok = Arguments.getNumOperands() == 6;
    if (Ok) {
      Function **Helpers[] = {&Rule->F, &Rule->Stub, &Rule->Marker, &Rule->Primal, &Rule->Thunk};
      for (unsigned K = 0; K < std::size(Helpers); ++K) {
        *Helpers[K] = constantFunction(Arguments.getOperand(K));
        Ok &= *Helpers[K] != nullptr;
      }
    }
    Ok = Ok && readDescription(M.getContext(), constantString(Arguments.getOperand(5)), *Rule);
    size_t Count = Rule->Parameters.size(), Results = Rule->Result ? 1 : 0;
    Ok = Ok && Rule->Marker->arg_size() == Count && Rule->Primal->arg_size() == Count + Results &&
         Rule->Thunk->arg_size() >= 2 * Count && Rule->Stub->getFunctionType() == Rule->F->getFunctionType();
    if (!Ok) {
      M.getContext().diagnose(DiagnosticInfoUnsupported(Holder, "kernix: the description of this rule cannot be read"));
      return;
    }
    // Nothing is known of what has no body, but it is never called.
    Rule->Marker->setDoesNotThrow();
    ByFunction[{Rule->F, Rule->IsForward}] = Rule.get();
    ByMarker[{Rule->Marker, Rule->IsForward}] = Rule.get();
    Helpers.insert(Rule->Primal);
    Helpers.insert(Rule->Thunk);
    Rules.push_back(std::move(Rule));
  });
  forEachAnnotation(M, AssignsAnnotation, [&](GlobalObject &Annotated, const ConstantStruct *) {
    if (CustomRule *Rule = ByFunction.lookup({dyn_cast<Function>(&Annotated), /*IsForward=*/false}))
      Rule->Assigns = true;
  });
  removeAnnotations(M, AssignsAnnotation);
}

CustomRules::~CustomRules() = default;

/// sinf for `std::sin(float)`, whose body need not call it by this name; null: F is no such function, or C's is unused.
static const Function *functionOfC(const Function &F) {
  StringRef Rest = F.getName();
  size_t Length;
  if (!Rest.consume_front("_ZSt") || Rest.consumeInteger(10, Length) || Length >= Rest.size())
    return nullptr;
  StringRef Name = Rest.take_front(Length);
  const bool IsSingle = Rest[Length] == 'f';
  if (!IsSingle && Rest[Length] != 'd')
    return nullptr;
  const Function *OfC = F.getParent()->getFunction(((Name == "abs" ? "fabs" : Name) + (IsSingle ? "f" : "")).str());
  return OfC && OfC->getFunctionType() == F.getFunctionType() ? OfC : nullptr;
}

const CustomRule *CustomRules::find(const Function &F, bool IsForward) const {
  if (const CustomRule *Rule = ByFunction.lookup({&F, IsForward}))
    return Rule;
  const Function *OfC = ByFunction.empty() ? nullptr : functionOfC(F);
  return OfC ? ByFunction.lookup({OfC, IsForward}) : nullptr;
}

const CustomRule *CustomRules::ofMarker(const Function &Marker, bool IsForward) const {
  return ByMarker.lookup({&Marker, IsForward});
}

const CustomRule *CustomRules::ofCanonical(const Function *Canonical) const { return ByCanonical.lookup(Canonical); }

Function &CustomRules::canonical(const CustomRule &Given, FunctionAnalysisManager &FAM) const {
  auto &Rule = const_cast<CustomRule &>(Given);
  if (Rule.Canonical)
    return *Rule.Canonical;
  LLVMContext &Context = Rule.F->getContext();
  SmallVector<Type *, 16> Types, Results;
  bool HasPointer = false, HasMutablePointer = false;
  for (const RuleParameter &P : Rule.Parameters)
    for (const RuleLeaf &Leaf : P.Leaves) {
      Types.push_back(Leaf.Type);
      HasPointer |= Leaf.Type->isPointerTy();
      HasMutablePointer |= Leaf.Type->isPointerTy() && !Leaf.ToConst;
    }
  if (Rule.Result)
    for (const RuleLeaf &Leaf : Rule.Result->Leaves)
      Results.push_back(Leaf.Type);
  for (const RuleParameter &P : Rule.Parameters)
    if (P.Slot == RuleParameter::Memory)
      for (const RuleLeaf &Leaf : P.Leaves)
        Results.push_back(Leaf.Type);
  // Of what is defined elsewhere the types are believed.
  Rule.ReadsMemory = HasPointer;
  Rule.WritesMemory = Rule.StoresMemory = HasMutablePointer;
  if (!Rule.F->isDeclaration())
    findMemoryEffects(Rule, FAM);
  Type *Returned = Results.empty() ? Type::getVoidTy(Context) : StructType::get(Context, Results);
  Rule.Canonical = Function::Create(FunctionType::get(Returned, Types, false), GlobalValue::ExternalLinkage,
                                    "kernix.rule." + Rule.F->getName(), Rule.F->getParent());
  // Two calls are never made one: a rule need not be linear in the cotangent.
  MemoryEffects Effects = MemoryEffects::inaccessibleMemOnly();
  if (Rule.ReadsMemory)
    Effects |= MemoryEffects::readOnly();
  Rule.Canonical->setMemoryEffects(Rule.WritesMemory ? MemoryEffects::unknown() : Effects);
  Rule.Canonical->setDoesNotThrow();
  Rule.Canonical->addFnAttr(Attribute::WillReturn);
  for (Argument &A : Rule.Canonical->args())
    if (A.getType()->isPointerTy())
      A.addAttr(Attribute::getWithCaptureInfo(Context, CaptureInfo::none()));
  ByCanonical[Rule.Canonical] = &Rule;
  return *Rule.Canonical;
}

void CustomRules::remove(Module &M, FunctionAnalysisManager &FAM) {
  SmallPtrSet<Constant *, 8> Holders;
  for (auto &Rule : Rules)
    Holders.insert(Rule->Holder);
  removeAnnotations(M, [&](Constant *C) { return Holders.contains(C); });
  auto Erase = [&](Function *&F) {
    if (!F)
      return;
    removeArgumentsOfAnnotations(*F);
    if (!F->use_empty() || !(F->hasLocalLinkage() || F->isDeclaration()))
      return;
    FAM.clear(*F, F->getName());
    F->eraseFromParent();
    F = nullptr;
  };
  // One stub serves both modes: the first to be erased leaves the other's pointer behind.
  SmallPtrSet<Function *, 16> Left;
  for (auto &Rule : Rules) {
    Erase(Rule->Holder);
    for (Function *F : {Rule->Thunk, Rule->Stub, Rule->Primal, Rule->Marker, Rule->Canonical})
      if (F)
        Left.insert(F);
  }
  Helpers.clear();
  ByFunction.clear();
  ByMarker.clear();
  ByCanonical.clear();
  Rules.clear();
  // A stub calls its marker: what is used by another goes after it.
  for (unsigned Round = 0; Round < 2; ++Round)
    for (Function *F : SmallVector<Function *, 16>(Left.begin(), Left.end())) {
      Function *Erased = F;
      Erase(Erased);
      if (!Erased)
        Left.erase(F);
    }
}
