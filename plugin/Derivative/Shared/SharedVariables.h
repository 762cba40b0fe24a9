//===- SharedVariables.h - __shared__ variables and their shadows -----------------------------------------------===//
//
// The shadow of a shared variable is another shared variable of its type, or of floats (FloatShadows.h); that of
// dynamic shared memory is the rest of the launch's bytes, which the runtime multiplies (dynamic_shared_factor). Which
// threads read and write what when is not looked at here.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_DERIVATIVE_SHARED_SHAREDVARIABLES_H
#define KERNIX_DERIVATIVE_SHARED_SHAREDVARIABLES_H

#include "Derivative/Accumulation/FloatShadows.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/IRBuilder.h"

namespace kernix {

/// With which the names of shadows begin; those of the variables follow.
constexpr char ShadowName[] = "kernix_shadow.";
/// What a kernel may declare.
constexpr uint64_t MostStaticBytes = 48 * 1024;
/// Address space of __shared__ on NVIDIA's GPUs; addresses there have 32 bits.
constexpr unsigned SharedSpace = 3;

/// What __shared__ declares; on the CPU target it is a global without a value.
bool isSharedVariable(const llvm::GlobalVariable &Global);
/// `extern __shared__ T name[]`.
bool isDynamicShared(const llvm::GlobalVariable &Global);

/// `extern __shared__ int a[]; extern __shared__ double b[];`: F, into which all has been inlined, has one name left,
/// since all begin at the same address.
void joinDynamicShared(llvm::Function &F);

/// *Place += Added, where other threads of the block may do the same.
void addToShared(llvm::IRBuilder<> &B, llvm::Value *Place, llvm::Value *Added);

/// The shadows of one derivative.
class SharedShadows {
public:
  SharedShadows(const DerivativeRequest &Request, const FloatShadows &Floats, llvm::IRBuilder<> &Entry)
      : Request(Request), Floats(Floats), Body(*Request.Body), Entry(Entry) {}

  /// The address of the shadow's first byte, in the address space of the variable.
  llvm::Value *of(const MemoryObject &O);
  /// Lets the threads of the block clear all shadows and wait for each other, at the end of the block First. No shadow
  /// may be asked for any more.
  void clearAll(llvm::BasicBlock &First);
  /// What the primal is told of the size of the dynamic shared memory is what belongs to it; the launch is told what
  /// both need. When everything is written.
  void divideDynamic();

private:
  const DerivativeRequest &Request;
  const FloatShadows &Floats;
  llvm::Function &Body;
  llvm::IRBuilder<> &Entry;
  llvm::MapVector<const MemoryObject *, llvm::Value *> Shadows;
  llvm::Value *Part = nullptr; ///< bytes of dynamic shared memory that belong to the primal
  unsigned Parts = 1;          ///< of this size, with the shadow's
};

/// Reports shadows that do not fit.
void checkSharedSizes(const Prepared &P, MemoryObjects &Objects, Activity &Active, const FloatShadows &Floats,
                      Refusals &Refused);

/// Bytes that a derivative of P may still declare when its static shared variables all have shadows.
uint64_t roomForShared(const Prepared &P, MemoryObjects &Objects, const FloatShadows &Floats);

} // namespace kernix

#endif // KERNIX_DERIVATIVE_SHARED_SHAREDVARIABLES_H
