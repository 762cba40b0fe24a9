//===- ArgSpec.cpp - the tokens of a record ---------------------------------------------------------------------===//

#include "Binding/ArgSpec.h"

using namespace kernix;

std::string kernix::argSpecToken(const Parameter &P) {
  switch (P.Role) {
  case KERNIX_ARG:
    return "arg";
  case KERNIX_RET:
    return "ret";
  case KERNIX_STREAM:
    return "stream";
  case KERNIX_ATTR:
    break;
  }
  std::string Token = "attr." + P.Name;
  switch (P.Passing) {
  case KERNIX_PASS_STRUCT:
    return Token + ":struct";
  case KERNIX_PASS_C_STRING:
  case KERNIX_PASS_STRING_VIEW:
    return Token + ":string";
  default:
    return Token + ":" + dtypeName(P.Element.Dtype);
  }
}

std::vector<std::string> kernix::argSpec(const BoundFunction &F) {
  std::vector<std::string> Tokens;
  for (const Parameter &P : F.Parameters)
    Tokens.push_back(argSpecToken(P));
  return Tokens;
}
