//===- Collectives.h - barriers, shuffles and votes under canonical names ---------------------------------------===//
//
//   void @kernix.barrier()
//   i32  @kernix.barrier_count(i32), @kernix.barrier_and(i32), @kernix.barrier_or(i32)
//   T    @kernix.shfl.{idx,up,down,bfly}.T(i32 mask, T value, i32 lane, i32 width)
//   i32  @kernix.ballot(i32 mask, i32), @kernix.any(...), @kernix.all(...), @kernix.match_any(i32, i32), ...
//   i32  @kernix.match_any64(i32 mask, i64); on the GPU {i32, i1} @kernix.match_all(i32 mask, i32), match_all64
//   void @kernix.syncwarp(i32 mask)
//   i32  @kernix.activemask()
//   i32  @kernix.lanes(i32 mask)              those of the mask that have not returned
//
// All are convergent. A shuffle's T is one of i32 i64 f16 bf16 f32 f64.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_DERIVATIVE_CANONICAL_COLLECTIVES_H
#define KERNIX_DERIVATIVE_CANONICAL_COLLECTIVES_H

#include "llvm/ADT/StringRef.h"

namespace llvm {
class CallBase;
class CallInst;
class Function;
class Instruction;
class FunctionType;
class IRBuilderBase;
class Module;
class Twine;
class Type;
class Value;
} // namespace llvm

namespace kernix {

/// Attribute of a canonical function: the function of this module that it was raised from, and is lowered to.
inline constexpr char SourceAttribute[] = "kernix.source";

/// Source: the symbol for SourceAttribute, may be empty.
llvm::Function *declareCollective(llvm::Module &M, const llvm::Twine &Name, llvm::FunctionType *Type,
                                  llvm::StringRef Source);

/// Kind: idx, up, down or bfly. nullptr for a type that is not shuffled.
llvm::Function *declareShuffle(llvm::Module &M, llvm::StringRef Kind, llvm::Type *Type);

/// A call of kernix.barrier, where the builder stands.
llvm::CallInst *createBarrier(llvm::IRBuilderBase &Builder);

llvm::Function *declareLanes(llvm::Module &M);

/// Anything of the list above but activemask, which tells what happened to run together.
bool isCollective(const llvm::Function &F);
/// Of barriers between which no thread touches memory, the last is enough.
void mergeBarriers(llvm::Function &F);
/// Of exchanges of one block in which the lanes give the same, the first is enough.
void mergeExchanges(llvm::Function &F);
/// kernix.barrier and the barriers that count.
bool isBarrier(const llvm::Function &F);
bool isWarpSync(const llvm::Function &F);
bool isShuffle(const llvm::Function &F);
/// Whether the mask of a warp function is a constant, of all lanes.
bool namesAllLanes(const llvm::CallBase &Call);
/// The collective that I calls; null: it calls none.
const llvm::CallInst *collectiveCall(const llvm::Instruction &I);
/// A collective that orders accesses to memory: those before it come before those after it.
const llvm::CallInst *orderingCall(const llvm::Instruction &I);

/// What stands for the call of a canonical collective; nullptr: it is none.
llvm::Value *lowerCollective(llvm::IRBuilderBase &Builder, llvm::CallInst &Call, bool IsGpu);

} // namespace kernix

#endif // KERNIX_DERIVATIVE_CANONICAL_COLLECTIVES_H
