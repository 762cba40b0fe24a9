//===- DropOthers.h - device code of which a few symbols are wanted
//-------------------------------------------------===//

#ifndef KERNIX_PLUGIN_DROPOTHERS_H
#define KERNIX_PLUGIN_DROPOTHERS_H

#include "llvm/ADT/StringRef.h"

namespace llvm {
class Module;
}

namespace kernix {

/// Makes all but the definitions whose names begin with Prefix internal, so that what these do not need can go. There
/// is no host code that belongs to the module.
void dropOthers(llvm::Module &M, llvm::StringRef Prefix);

} // namespace kernix

#endif // KERNIX_PLUGIN_DROPOTHERS_H
