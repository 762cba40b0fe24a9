//===- FileHash.h - places in the source that have the same line and column ---------------------------------------===//
//
// Both halves of the plugin name a file in the places that pass between them by a hash of its name.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_PLUGIN_FILEHASH_H
#define KERNIX_PLUGIN_FILEHASH_H

#include "llvm/Support/Path.h"
#include "llvm/Support/xxhash.h"

namespace kernix {

inline int64_t hashOfFile(llvm::StringRef Name) {
  return static_cast<int64_t>(llvm::xxh3_64bits(llvm::sys::path::filename(Name)) >> 16);
}

} // namespace kernix

#endif // KERNIX_PLUGIN_FILEHASH_H
