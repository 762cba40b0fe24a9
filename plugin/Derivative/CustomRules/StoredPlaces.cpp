//===- StoredPlaces.cpp - where functions with a rule store -------------------------------------------------------===//

#include "Derivative/CustomRules/StoredPlaces.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace kernix;

namespace {

/// An address in the helper that stands for the call: its arguments are those of the call.
class AddressReader {
public:
  AddressReader(const CustomRule &Rule, ScalarEvolution &Evolution) : Evolution(Evolution) {
    forEachArgument(Rule, [&](const RuleArgument &A) { IsOfObject.push_back(A.Parameter->HoldsGradient); });
  }

  /// Null where it is something else. `Room`: no two elements are nearer.
  std::optional<StoredPlace> read(const SCEV *Address, uint64_t &Room) {
    const auto *Base = dyn_cast<SCEVUnknown>(Evolution.getPointerBase(Address));
    const auto *Pointer = Base ? dyn_cast<Argument>(Base->getValue()) : nullptr;
    if (!Pointer)
      return std::nullopt;
    StoredPlace Place;
    Place.Base = Pointer->getArgNo();
    const SCEV *Offset = Evolution.removePointerBase(Address);
    SmallVector<const SCEV *, 4> Terms = {Offset};
    if (const auto *Sum = dyn_cast<SCEVAddExpr>(Offset))
      Terms.assign(Sum->operands().begin(), Sum->operands().end());
    Room = UINT64_MAX;
    for (const SCEV *Term : Terms)
      if (!readTerm(Term, Place, Room))
        return std::nullopt;
    return Place;
  }

private:
  /// An index times a stride, times the size of an element.
  bool readTerm(const SCEV *Term, StoredPlace &Place, uint64_t &Room) {
    SmallVector<const SCEV *, 4> Factors = {Term};
    if (const auto *Product = dyn_cast<SCEVMulExpr>(Term))
      Factors.assign(Product->operands().begin(), Product->operands().end());
    uint64_t Size = 1;
    std::optional<unsigned> Index, Stride;
    for (const SCEV *Factor : Factors) {
      if (const auto *Constant = dyn_cast<SCEVConstant>(Factor)) {
        Size *= Constant->getAPInt().abs().getLimitedValue();
        continue;
      }
      std::optional<unsigned> Argument = argumentIn(Factor);
      if (!Argument)
        return false;
      std::optional<unsigned> &Slot = IsOfObject[*Argument] ? Stride : Index;
      if (Slot || is_contained(IsOfObject[*Argument] ? Place.Strides : Place.Indices, *Argument))
        return false;
      Slot = Argument;
    }
    // The same for all elements: a constant, or a stride of the object.
    if (!Index && !Stride)
      return true;
    if (Stride)
      Place.Strides.push_back(*Stride);
    if (!Index)
      return true;
    Place.Indices.push_back(*Index);
    Room = std::min(Room, Size);
    // Others could make up for one that is counted without a stride.
    HasPlainIndex |= !Stride;
    return !HasPlainIndex || Place.Indices.size() == 1;
  }

  /// Widened, or with a constant added: different arguments give different values.
  std::optional<unsigned> argumentIn(const SCEV *S) const {
    if (isa<SCEVSignExtendExpr, SCEVZeroExtendExpr>(S))
      return argumentIn(cast<SCEVIntegralCastExpr>(S)->getOperand());
    if (const auto *Sum = dyn_cast<SCEVAddExpr>(S);
        Sum && Sum->getNumOperands() == 2 && isa<SCEVConstant>(Sum->getOperand(0)))
      return argumentIn(Sum->getOperand(1));
    const auto *Unknown = dyn_cast<SCEVUnknown>(S);
    const auto *Given = Unknown ? dyn_cast<Argument>(Unknown->getValue()) : nullptr;
    return Given && Given->getType()->isIntegerTy() ? std::optional<unsigned>(Given->getArgNo()) : std::nullopt;
  }

  ScalarEvolution &Evolution;
  SmallVector<bool, 24> IsOfObject;
  bool HasPlainIndex = false;
};

bool isOwn(const Value *Pointer) { return isa<AllocaInst>(getUnderlyingObject(Pointer, 0)); }

} // namespace

const StoredPlace *StoredPlaces::find(const CustomRule &Rule, const Constants &Known) {
  auto [Slot, New] = Found.insert({{&Rule, Known}, std::nullopt});
  if (New)
    Slot->second = look(Rule, Known);
  return Slot->second ? &*Slot->second : nullptr;
}

std::optional<StoredPlace> StoredPlaces::look(const CustomRule &Rule, const Constants &Known) {
  if (Rule.F->isDeclaration() || !Rule.Canonical)
    return std::nullopt;
  // A function that does nothing but this call.
  Function *Helper = Function::Create(
      FunctionType::get(Type::getVoidTy(Rule.F->getContext()), Rule.Canonical->getFunctionType()->params(), false),
      GlobalValue::InternalLinkage, "kernix.stored_place", Rule.F->getParent());
  Helper->copyAttributesFrom(Rule.F);
  Helper->setComdat(nullptr);
  Helper->setAttributes(Helper->getAttributes().removeFnAttribute(Helper->getContext(), Attribute::OptimizeNone));
  Helper->removeFnAttr(Attribute::NoInline);
  IRBuilder<> B(BasicBlock::Create(Helper->getContext(), "", Helper));
  SmallVector<Value *, 24> Arguments;
  for (Argument &A : Helper->args()) {
    auto Constant = Known.find(A.getArgNo());
    Arguments.push_back(Constant == Known.end() ? cast<Value>(&A)
                                                : ConstantInt::getSigned(A.getType(), Constant->second));
  }
  B.CreateCall(Rule.Canonical, Arguments);
  B.CreateRetVoid();
  lowerRuleCalls(*Helper, Rules);
  simplifyWhole(*Helper, FAM);

  AddressReader Reader(Rule, FAM.getResult<ScalarEvolutionAnalysis>(*Helper));
  ScalarEvolution &Evolution = FAM.getResult<ScalarEvolutionAnalysis>(*Helper);
  std::optional<StoredPlace> Place;
  const SCEV *First = nullptr;
  int64_t Begin = 0, End = 0;
  uint64_t Room = 0;
  bool Ok = true;
  for (const Instruction &I : instructions(*Helper)) {
    if (!I.mayWriteToMemory() || isa<UnreachableInst>(I.getParent()->getTerminator()))
      continue;
    if (const auto *Intrinsic = dyn_cast<IntrinsicInst>(&I); Intrinsic && Intrinsic->isAssumeLikeIntrinsic())
      continue;
    const auto *Store = dyn_cast<StoreInst>(&I);
    if (Store && isOwn(Store->getPointerOperand()))
      continue;
    if (!Store || !Store->isSimple()) {
      Ok = false;
      break;
    }
    // Parts of one element, as those of a float3, have constant distances.
    const SCEV *Address = Evolution.getSCEV(const_cast<Value *>(Store->getPointerOperand()));
    const auto *Distance = First ? dyn_cast<SCEVConstant>(Evolution.getMinusSCEV(Address, First)) : nullptr;
    if (!First)
      Place = Reader.read(First = Address, Room);
    else if (!Distance)
      Place.reset();
    if (!Place) {
      Ok = false;
      break;
    }
    int64_t At = Distance ? Distance->getAPInt().getSExtValue() : 0;
    TypeSize Size = Helper->getDataLayout().getTypeStoreSize(Store->getValueOperand()->getType());
    Begin = std::min(Begin, At);
    End = std::max(End, At + static_cast<int64_t>(Size.getFixedValue()));
  }
  Ok = Ok && Place && static_cast<uint64_t>(End - Begin) <= Room;
  FAM.clear(*Helper, Helper->getName());
  Helper->eraseFromParent();
  return Ok ? Place : std::nullopt;
}
