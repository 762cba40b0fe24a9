// kernix/cpu/complex.h - the standard header, callable from device code (see standard_library.h).
#pragma clang force_cuda_host_device begin
#include_next <complex.h>
#pragma clang force_cuda_host_device end
