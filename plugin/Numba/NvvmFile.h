//===- NvvmFile.h - the pass that writes what libNVVM can read ----------------------------------------*- C++ -*-===//
//
// Handed over from the LLVM half to the Clang half like what HandOver.h declares.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_NUMBA_NVVMFILE_H
#define KERNIX_NUMBA_NVVMFILE_H

namespace llvm {
class PassBuilder;
}

/// Writes the texts of shims for Numba (NvvmText.h) to a file, as JSON by their names, at the end of the pipelines that
/// Builder makes.
extern "C" __attribute__((visibility("default"))) void kernixAddNvvmFilePasses(llvm::PassBuilder &Builder,
                                                                               const char *File);

#endif // KERNIX_NUMBA_NVVMFILE_H
