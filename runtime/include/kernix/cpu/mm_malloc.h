// kernix/cpu/mm_malloc.h - clang's header behind <immintrin.h>. It declares a function of <stdlib.h> again, which has
// to be declared alike (see standard_library.h).
#pragma clang force_cuda_host_device begin
#include_next <mm_malloc.h>
#pragma clang force_cuda_host_device end
