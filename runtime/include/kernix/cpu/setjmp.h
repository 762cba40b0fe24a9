// kernix/cpu/setjmp.h - the system's header, declared alike with the standard headers that share it (see
// standard_library.h).
#pragma clang force_cuda_host_device begin
#include_next <setjmp.h>
#pragma clang force_cuda_host_device end
