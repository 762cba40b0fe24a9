//===- CudaHeaders.cpp - which files are headers of CUDA's ------------------------------------------------------===//

#include "Synthesis/CudaHeaders.h"
#include "clang/Basic/FileManager.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

using namespace clang;
using namespace kernix;
using llvm::StringRef;
namespace path = llvm::sys::path;

static constexpr char ClangWrapper[] = "__clang_cuda_runtime_wrapper.h";

/// "sm_90_rt" begins with "sm_" and a number.
static bool isNumbered(StringRef Name, StringRef Prefix) {
  return Name.consume_front(Prefix) && !Name.empty() && llvm::isDigit(Name.front());
}

/// The headers of all toolkits that declare functions, except those of folders that are CUDA's alone.
static constexpr StringRef ToolkitNames[] = {"builtin_types",
                                             "channel_descriptor",
                                             "common_functions",
                                             "cooperative_groups",
                                             "cuComplex",
                                             "cublasLt",
                                             "cublas_api",
                                             "cuda",
                                             "cuda_awbarrier",
                                             "cuda_awbarrier_helpers",
                                             "cuda_awbarrier_primitives",
                                             "cuda_device_runtime_api",
                                             "cuda_occupancy",
                                             "cuda_pipeline",
                                             "cuda_pipeline_helpers",
                                             "cuda_pipeline_primitives",
                                             "cuda_runtime",
                                             "cuda_runtime_api",
                                             "cuda_surface_types",
                                             "cuda_texture_types",
                                             "curand_discrete",
                                             "curand_discrete2",
                                             "curand_kernel",
                                             "curand_lognormal",
                                             "curand_mrg32k3a",
                                             "curand_mtgp32",
                                             "curand_mtgp32_host",
                                             "curand_mtgp32_kernel",
                                             "curand_normal",
                                             "curand_normal_static",
                                             "curand_philox4x32_x",
                                             "curand_poisson",
                                             "curand_precalc",
                                             "curand_uniform",
                                             "device_atomic_functions",
                                             "device_double_functions",
                                             "device_functions",
                                             "device_launch_parameters",
                                             "device_types",
                                             "driver_functions",
                                             "driver_types",
                                             "host_config",
                                             "host_defines",
                                             "math_constants",
                                             "math_functions",
                                             "math_functions_dbl_ptx3",
                                             "mma",
                                             "nvJitLink",
                                             "surface_functions",
                                             "surface_indirect_functions",
                                             "surface_types",
                                             "texture_fetch_functions",
                                             "texture_indirect_functions",
                                             "texture_types",
                                             "vector_functions",
                                             "vector_types"};

static bool hasNameOfToolkit(StringRef File) {
  StringRef Extension = path::extension(File), Name = path::stem(File);
  return (Extension == ".h" || Extension == ".hpp") &&
         (isNumbered(Name, "sm_") || isNumbered(Name, "cuda_fp") || isNumbered(Name, "cuda_bf") ||
          llvm::is_contained(ToolkitNames, Name));
}

static bool isOfCpuTarget(StringRef Folder) {
  return path::filename(Folder) == "cpu" && path::filename(path::parent_path(Folder)) == "kernix";
}

/// By its name alone.
static bool isNamedLikeCudas(StringRef File) {
  StringRef Folder = path::parent_path(File), Name = path::filename(Folder);
  return Name == "crt" || Name == "cuda_wrappers" || isOfCpuTarget(Folder) ||
         path::filename(File).starts_with("__clang_cuda_") || hasNameOfToolkit(File);
}

bool CudaHeaders::contain(StringRef File, bool IsSystem) {
  auto [It, IsNew] = Known.try_emplace(File, Kind::Other);
  if (IsNew)
    It->second = kindOf(File);
  return It->second == Kind::Cuda || (It->second == Kind::Missing && IsSystem && isNamedLikeCudas(File));
}

CudaHeaders::Kind CudaHeaders::kindOf(StringRef File) const {
  if (isAmongCudas(File))
    return Kind::Cuda;
  // A link to the toolkit, which lies somewhere else and may call it otherwise.
  llvm::SmallString<256> Real;
  if (!Files.getVirtualFileSystem().getRealPath(File, Real) && isAmongCudas(Real))
    return Kind::Cuda;
  StringRef Folder = path::parent_path(File);
  return Folder.empty() || Files.getOptionalDirectoryRef(Folder) ? Kind::Other : Kind::Missing;
}

/// The folder is told by a header that it cannot be without. In the toolkit's, there may be others beside CUDA's.
bool CudaHeaders::isAmongCudas(StringRef File) const {
  StringRef Folder = path::parent_path(File), Name = path::filename(Folder);
  if (holds(Folder, ClangWrapper) || (Name == "cuda_wrappers" && holds(path::parent_path(Folder), ClangWrapper)) ||
      (Name == "crt" && holds(Folder, "device_functions.h")))
    return true;
  return (isOfCpuTarget(Folder) || hasNameOfToolkit(File)) && holds(Folder, "cuda_fp16.h");
}

bool CudaHeaders::holds(StringRef Folder, StringRef Header) const {
  llvm::SmallString<256> File(Folder);
  path::append(File, Header);
  return Files.getOptionalFileRef(File).has_value();
}
