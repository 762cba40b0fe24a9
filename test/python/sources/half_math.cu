// The toolkit's header; on the CPU target kernix's of the same name. half_math.yaml binds some of its functions.
#include <cuda_fp16.h>
