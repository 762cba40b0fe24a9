//===- BackendReports.h - warnings and remarks of the LLVM half ---------------------------------------------------===//
//
// The LLVM half knows files, lines and columns; here they become clang's places, to which pragmas and groups apply.
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_DIAGNOSTICS_BACKENDREPORTS_H
#define KERNIX_DIAGNOSTICS_BACKENDREPORTS_H

#include "HandOver.h"
#include "clang/Basic/SourceLocation.h"
#include <set>
#include <string>

namespace clang {
class CompilerInstance;
}

namespace kernix {

class BackendReports {
public:
  BackendReports(clang::CompilerInstance &CI, bool WantsRemarks) : CI(CI), WantsRemarks(WantsRemarks) {}
  Reporter reporter() { return {say, this, WantsRemarks}; }

private:
  clang::CompilerInstance &CI;
  bool WantsRemarks;
  /// The forward and the backward derivative of one function find the same.
  std::set<std::pair<clang::SourceLocation, std::string>> Said;

  static void say(void *Self, const Report &Each);
  void print(const Report &Each);
  clang::SourceLocation place(const Report &Each);
};

} // namespace kernix

#endif
