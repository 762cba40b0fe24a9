//===- Refusal.h - located errors, warnings and remarks of the derivative pass ----------------------------------===//
//
// What has no rule is an error at the line of the user's source that it comes from. Several refusals of one request are
// all reported; the body is then left as the front half made it.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_DERIVATIVE_REFUSAL_H
#define KERNIX_DERIVATIVE_REFUSAL_H

#include "Derivative/Requests.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/Twine.h"
#include "llvm/IR/Instruction.h"

namespace kernix {

class Refusals {
public:
  /// Quiet: it is only asked whether there would be any.
  explicit Refusals(const DerivativeRequest &Request, bool Quiet = false) : Request(Request), Quiet(Quiet) {}

  /// "cannot differentiate 'f': " and the message, at I's place in the user's source.
  void error(const llvm::Instruction &I, const llvm::Twine &Message);
  /// The same, at the attribute.
  void error(const llvm::Twine &Message);
  /// -Wkernix-lost-gradient, at I's place.
  void warnOfLostGradient(const llvm::Instruction &I, const llvm::Twine &Message, const llvm::Twine &Note);
  /// For -Rkernix and -Rpass=kernix. I: where in the source, or null for the attribute.
  void remark(const llvm::Instruction *I, const llvm::Twine &Message);
  bool wantsRemarks() const;
  bool any() const { return Failed; }
  const DerivativeRequest &request() const { return Request; }

private:
  const DerivativeRequest &Request;
  llvm::DenseSet<std::pair<const void *, size_t>> Said;
  bool Quiet = false;
  bool Failed = false;

  bool isNew(const llvm::DILocation *Place, llvm::StringRef Text);
  void say(Report::KindType Kind, const llvm::DILocation *Place, const llvm::Twine &Message, const llvm::Twine &Note);
};

/// The place in the user's source: out of the headers that were inlined there. L, if it has none.
const llvm::DILocation *userPlace(const llvm::DILocation *L);

} // namespace kernix

#endif // KERNIX_DERIVATIVE_REFUSAL_H
