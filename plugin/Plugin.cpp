//===- Plugin.cpp - registration of kernix.so
//------------------------------------------------------------------------===//
//
// kernix.so is the LLVM half. Inside clang it also loads kernix-front.so, the Clang half, from its own folder; inside
// opt there is no clang and the LLVM half stands alone. (A library with Clang's vtables cannot be loaded into opt.)
//
//===----------------------------------------------------------------------------------------------------------------===//

#include "CpuTarget/Passes.h"
#include "Derivative/Derive.h"
#include "Derivative/TestPasses.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Plugins/PassPlugin.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <dlfcn.h>

namespace {

bool runsInsideClang() { return dlsym(RTLD_DEFAULT, "_ZTVN5clang17ASTFrontendActionE") != nullptr; }

/// Loads the Clang half when the library is loaded.
struct FrontLoader {
  FrontLoader() {
    if (!runsInsideClang())
      return;
    Dl_info Self;
    if (!dladdr(reinterpret_cast<void *>(&runsInsideClang), &Self))
      llvm::report_fatal_error("kernix: cannot find the folder of kernix.so");
    // Our symbols become visible to the Clang half only after our constructors have run, unless we ask for it.
    if (!dlopen(Self.dli_fname, RTLD_NOLOAD | RTLD_LAZY | RTLD_GLOBAL))
      llvm::report_fatal_error(llvm::Twine("kernix: ") + dlerror());
    llvm::SmallString<256> Path(Self.dli_fname);
    llvm::sys::path::remove_filename(Path);
    llvm::sys::path::append(Path, "kernix-front.so");
    if (!dlopen(Path.c_str(), RTLD_NOW | RTLD_GLOBAL))
      llvm::report_fatal_error(llvm::Twine("kernix: ") + dlerror());
  }
};
FrontLoader Loader;

} // namespace

extern "C" LLVM_ATTRIBUTE_VISIBILITY_DEFAULT llvm::PassPluginLibraryInfo llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "kernix", "0.1", [](llvm::PassBuilder &Builder) {
            kernix::registerCpuPasses(Builder);
            kernix::registerDerivativePasses(Builder);
            kernix::registerTestPasses(Builder);
          }};
}
