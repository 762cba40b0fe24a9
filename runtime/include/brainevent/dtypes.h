// brainevent/dtypes.h - in brainevent the conversion of XLA's element types, for its generated code. Kernels that
// include it find BE::DType here; nothing of XLA is needed for them.

#ifndef BRAINEVENT_DTYPES_H
#define BRAINEVENT_DTYPES_H

#include "brainevent/tensor.h"

#endif // BRAINEVENT_DTYPES_H
