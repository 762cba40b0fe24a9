//===- RaiseNative.cpp - functions that are an LLVM instruction or intrinsic on every target --------------------===//

#include "Derivative/MathFunctions.h"
#include "Derivative/RaiseParts.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace kernix;

namespace {

struct NativeFunction {
  StringRef Name; ///< double precision; single precision appends an f
  unsigned Arity;
  Intrinsic::ID ID;
};
const NativeFunction Table[] = {
    {"ceil", 1, Intrinsic::ceil},
    {"copysign", 2, Intrinsic::copysign},
    {"fabs", 1, Intrinsic::fabs},
    {"floor", 1, Intrinsic::floor},
    {"fma", 3, Intrinsic::fma},
    {"fmax", 2, Intrinsic::maxnum},
    {"fmin", 2, Intrinsic::minnum},
    {"nearbyint", 1, Intrinsic::nearbyint},
    {"rint", 1, Intrinsic::rint},
    {"round", 1, Intrinsic::round},
    {"roundeven", 1, Intrinsic::roundeven},
    {"trunc", 1, Intrinsic::trunc},
};

} // namespace

bool kernix::raiseNative(CallBase &Call, StringRef Name) {
  Type *Type = Call.getType();
  if (!Type->isFloatTy() && !Type->isDoubleTy())
    return false;
  if (Type->isFloatTy() && !Name.consume_back("f"))
    return false;
  for (const NativeFunction &Native : Table) {
    if (Native.Name != Name)
      continue;
    if (Call.arg_size() != Native.Arity ||
        any_of(Call.args(), [&](const Use &Argument) { return Argument->getType() != Type; }))
      return false;
    RaiseBuilder Builder(Call);
    replaceCall(Call, Builder.CreateIntrinsic(Native.ID, {Type}, SmallVector<Value *>(Call.args())));
    return true;
  }
  return false;
}
