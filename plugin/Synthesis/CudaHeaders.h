//===- CudaHeaders.h - which files are headers of CUDA's ---------------------------------------------*- C++ -*--===//
//
// The toolkit's headers may lie in a folder of their own, among other libraries' (in /usr/include, /usr/local/include
// or conda's folder, themselves or links to them) or, where a source was preprocessed elsewhere, nowhere.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_SYNTHESIS_CUDAHEADERS_H
#define KERNIX_SYNTHESIS_CUDAHEADERS_H

#include "llvm/ADT/StringMap.h"

namespace clang {
class FileManager;
} // namespace clang

namespace kernix {

class CudaHeaders {
public:
  explicit CudaHeaders(clang::FileManager &Files) : Files(Files) {}

  /// True for the toolkit's, the CPU target's and clang's own headers. A file that is nowhere to be found is one if it
  /// is a system header and has the name.
  bool contain(llvm::StringRef File, bool IsSystem);

private:
  enum class Kind {
    Other,
    Cuda,
    Missing ///< there is no such folder
  };

  clang::FileManager &Files;
  llvm::StringMap<Kind> Known;

  Kind kindOf(llvm::StringRef File) const;
  bool isAmongCudas(llvm::StringRef File) const;
  bool holds(llvm::StringRef Folder, llvm::StringRef Header) const;
};

} // namespace kernix

#endif // KERNIX_SYNTHESIS_CUDAHEADERS_H
