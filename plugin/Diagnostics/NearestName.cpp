//===- NearestName.cpp - "did you mean" ---------------------------------------------------------------------------===//
//
// Finds the known word that a misspelt one probably stands for.
//
//===--------------------------------------------------------------------------------------------------------------===//

#include "Diagnostics/NearestName.h"
#include "llvm/ADT/Twine.h"

using namespace llvm;

namespace kernix {

StringRef nearestName(StringRef Written, ArrayRef<StringRef> Candidates) {
  StringRef Best;
  unsigned BestDistance = 0;
  for (StringRef Candidate : Candidates) {
    // A third, rounded up: a swap in a word of four letters is two edits.
    unsigned Limit = (std::max(Written.size(), Candidate.size()) + 2) / 3;
    unsigned Distance = Written.edit_distance_insensitive(Candidate, /*AllowReplacements=*/true, Limit);
    if (Distance > Limit || (!Best.empty() && Distance >= BestDistance))
      continue;
    Best = Candidate;
    BestDistance = Distance;
  }
  return Best;
}

std::string quotedList(ArrayRef<StringRef> Names) {
  std::string Text;
  for (size_t I = 0; I != Names.size(); ++I) {
    if (I)
      Text += I + 1 == Names.size() ? " or " : ", ";
    Text += (llvm::Twine("'") + Names[I] + "'").str();
  }
  return Text;
}

} // namespace kernix
