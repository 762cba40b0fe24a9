//===- BoundFunction.cpp - the record of one bound function -----------------------------------------------------===//

#include "Binding/BoundFunction.h"
#include "Binding/RecordJson.h"
#include "llvm/Support/xxhash.h"

using namespace kernix;

std::string kernix::dtypeName(kernix_dtype Dtype) {
  const char *Kind = nullptr;
  switch (Dtype.code) {
  case KERNIX_INT:
    Kind = "int";
    break;
  case KERNIX_UINT:
    Kind = "uint";
    break;
  case KERNIX_FLOAT:
    Kind = "float";
    break;
  case KERNIX_BFLOAT:
    Kind = "bfloat";
    break;
  case KERNIX_COMPLEX:
    Kind = "complex";
    break;
  case KERNIX_BOOL:
    return "bool";
  default:
    return "any";
  }
  return Kind + std::to_string(Dtype.bits);
}

uint64_t BoundFunction::hash() const { return llvm::xxh3_64bits(recordJson(*this)); }
