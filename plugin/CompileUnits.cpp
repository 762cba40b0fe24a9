//===- CompileUnits.cpp - debug information that can be verified ------------------------------------------------===//

#include "CompileUnits.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Module.h"

using namespace llvm;

void kernix::nameCompileUnits(Module &M) {
  constexpr unsigned FileOperand = 0;
  // M.debug_compile_units() leaves out those of which there is no debug information but places.
  NamedMDNode *Units = M.getNamedMetadata("llvm.dbg.cu");
  if (!Units)
    return;
  for (MDNode *Node : Units->operands()) {
    auto *Unit = cast<DICompileUnit>(Node);
    const DIFile *File = Unit->getFile();
    if (File && File->getFilename().empty())
      Unit->replaceOperandWith(FileOperand, DIFile::get(M.getContext(), "<unnamed>", File->getDirectory(),
                                                        File->getChecksum(), File->getSource()));
  }
}
