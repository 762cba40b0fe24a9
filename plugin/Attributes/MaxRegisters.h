//===- MaxRegisters.h - [[kernix::max_registers(N)]] --------------------------------------------------------------===//
//
// The record; checks and diagnostics are in MaxRegisters.cpp.
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_ATTRIBUTES_MAX_REGISTERS_H
#define KERNIX_ATTRIBUTES_MAX_REGISTERS_H

#include "Attributes/Arguments.h"

namespace kernix {

/// What a thread can have on any of NVIDIA's GPUs, and what a kernel can be compiled for.
constexpr int64_t MostRegisters = 255, LeastRegisters = 16;

struct MaxRegistersAttribute : AttributeBase {
  IntegerArgument Count;

  bool sameAs(const MaxRegistersAttribute &Other, const clang::ASTContext &Context) const {
    return same(Count, Other.Count, Context);
  }
};

/// Count, which is at least LeastRegisters, is not too large; false after an error.
bool checkRegisters(clang::Sema &S, const MaxRegistersAttribute &A, int64_t Count);

} // namespace kernix

#endif
