//===- FunctionsArgument.cpp - -fplugin-arg-kernix-functions=... ------------------------------------------------===//

#include "Binding/FunctionsArgument.h"
#include "Binding/BindByName.h"
#include "Binding/FunctionNames.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Sema/Sema.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace clang;
using namespace kernix;

bool kernix::bindFunctionsArgument(Sema &S, AttributeStore &Store, llvm::StringRef Text, bool Elsewhere) {
  // Under this name messages show it like a file.
  SourceManager &SM = S.getSourceManager();
  const FileID File = SM.createFileID(llvm::MemoryBuffer::getMemBufferCopy(Text, "functions"));
  const SourceLocation Start = SM.getLocForStartOfFile(File);
  const FunctionNames Names(S.getASTContext());
  auto TextOf = [&](llvm::StringRef Part) {
    return textAt(Start.getLocWithOffset(static_cast<int>(Part.data() - Text.data())), Part);
  };
  bool Ok = true;
  llvm::SmallVector<llvm::StringRef, 8> Lines;
  Text.split(Lines, '\n', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (llvm::StringRef Line : Lines) {
    const size_t Equals = Line.find('=');
    NamedBinding Binding;
    Binding.Name = TextOf(Line.take_front(Equals).rtrim());
    Binding.Overrides = true;
    if (Equals != llvm::StringRef::npos)
      Binding.ArgSpec = TextOf(Line.drop_front(Equals + 1).ltrim());
    if (!Elsewhere || Names.declares(Binding.Name.Text))
      Ok &= bindByName(S, Store, Names, Binding);
  }
  return Ok;
}
