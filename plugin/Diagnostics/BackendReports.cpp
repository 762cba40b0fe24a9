//===- BackendReports.cpp - warnings and remarks of the LLVM half -------------------------------------------------===//

#include "Diagnostics/BackendReports.h"
#include "Diagnostics/Diagnostics.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Frontend/CompilerInstance.h"
#include "llvm/Support/Path.h"

using namespace clang;

namespace kernix {

void BackendReports::say(void *Self, const Report &Each) { static_cast<BackendReports *>(Self)->print(Each); }

SourceLocation BackendReports::place(const Report &Each) {
  if (!Each.File[0] || !Each.Line)
    return {};
  OptionalFileEntryRef File = CI.getFileManager().getOptionalFileRef(Each.File);
  if (!File) {
    llvm::SmallString<256> Path(Each.Directory);
    llvm::sys::path::append(Path, Each.File);
    File = CI.getFileManager().getOptionalFileRef(Path);
  }
  if (!File)
    return {};
  return CI.getSourceManager().translateFileLineCol(*File, Each.Line, Each.Column ? Each.Column : 1);
}

void BackendReports::print(const Report &Each) {
  SourceLocation Place = place(Each);
  if (Each.Kind == Report::ErrorNote) {
    Diagnostics(CI.getDiagnostics()).note(Place, "%0") << Each.Message;
    return;
  }
  if (!Said.insert({Place, Each.Message}).second)
    return;
  Diagnostics Diag(CI.getDiagnostics());
  if (Each.Kind == Report::Remark) {
    Diag.remark(Place, "%0") << Each.Message;
    return;
  }
  Diag.warning(WarningGroup::LostGradient, Place, "%0") << Each.Message;
  if (Each.Note[0] && warningLevel(CI.getDiagnostics(), WarningGroup::LostGradient, Place) != DiagnosticIDs::Ignored)
    Diag.note(Place, "%0") << Each.Note;
}

} // namespace kernix
