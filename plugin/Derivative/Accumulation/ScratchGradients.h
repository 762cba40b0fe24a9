//===- ScratchGradients.h - gradients that a kernel keeps in scratch memory until it is done --------------------===//
//
// Where many threads add to few elements, they wait for each other. The source may say what they do instead:
//
// [[kernix::diff(replicated, N)]]: there are N copies of each element, and a warp adds to one of them.
// [[kernix::diff(scatter, N)]]: each thread notes elements and what is to be added to them, N times at most; what it
// has beyond that is added at once.
//
// The runtime gives the memory, and adds what is in it to the gradient when the kernel is done
// (runtime/src/core/scratch_gradients.h). Where that memory is, an odd pointer to the gradient says (kernix_parameter
// in abi.h); a launch by hand gives an even one, and everything is added to the gradient itself.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_DERIVATIVE_ACCUMULATION_SCRATCHGRADIENTS_H
#define KERNIX_DERIVATIVE_ACCUMULATION_SCRATCHGRADIENTS_H

#include "Derivative/Accumulation/FloatGradients.h"
#include "llvm/ADT/MapVector.h"

namespace kernix {

class ScratchGradients {
public:
  struct Way {
    enum KindType { Replicated, Noted } Kind = Replicated;
    uint64_t Count = 0; ///< copies of an element, or notes of a thread
  };

  /// Reports what is in the way of those that the source asks for.
  ScratchGradients(const DerivativeRequest &Request, const Prepared &P, MemoryObjects &Objects, Activity &Active,
                   const Accumulation &Accumulations, const FloatGradients &Floats, Refusals &Refused);

  bool empty() const { return All.empty(); }
  /// Null: it is not kept.
  const Way *of(const MemoryObject &O) const {
    auto Found = All.find(&O);
    return Found == All.end() ? nullptr : &Found->second;
  }
  const llvm::MapVector<const MemoryObject *, Way> &all() const { return All; }

private:
  llvm::MapVector<const MemoryObject *, Way> All;
};

} // namespace kernix

#endif // KERNIX_DERIVATIVE_ACCUMULATION_SCRATCHGRADIENTS_H
