// kernix/cpu/math.h - the standard header, callable from device code (see standard_library.h).
//
// glibc declares each function a second time with two underscores in front. CUDA has fast intrinsics under some of
// those names, so glibc's are given others while they are declared.
#pragma push_macro("__sinf")
#pragma push_macro("__cosf")
#pragma push_macro("__tanf")
#pragma push_macro("__tanhf")
#pragma push_macro("__sincosf")
#pragma push_macro("__expf")
#pragma push_macro("__exp10f")
#pragma push_macro("__logf")
#pragma push_macro("__log2f")
#pragma push_macro("__log10f")
#pragma push_macro("__powf")
#define __sinf kernix_cpu_glibc_sinf
#define __cosf kernix_cpu_glibc_cosf
#define __tanf kernix_cpu_glibc_tanf
#define __tanhf kernix_cpu_glibc_tanhf
#define __sincosf kernix_cpu_glibc_sincosf
#define __expf kernix_cpu_glibc_expf
#define __exp10f kernix_cpu_glibc_exp10f
#define __logf kernix_cpu_glibc_logf
#define __log2f kernix_cpu_glibc_log2f
#define __log10f kernix_cpu_glibc_log10f
#define __powf kernix_cpu_glibc_powf
#pragma clang force_cuda_host_device begin
#include_next <math.h>
#pragma clang force_cuda_host_device end
#pragma pop_macro("__sinf")
#pragma pop_macro("__cosf")
#pragma pop_macro("__tanf")
#pragma pop_macro("__tanhf")
#pragma pop_macro("__sincosf")
#pragma pop_macro("__expf")
#pragma pop_macro("__exp10f")
#pragma pop_macro("__logf")
#pragma pop_macro("__log2f")
#pragma pop_macro("__log10f")
#pragma pop_macro("__powf")
