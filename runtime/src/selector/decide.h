// runtime/src/selector/decide.h - the rules by which a kernel is chosen. No state, nothing is looked up here.

#ifndef KERNIX_SELECTOR_DECIDE_H
#define KERNIX_SELECTOR_DECIDE_H

#include "selector/operation_entry.h"

namespace kernix::selector {

struct Decision {
  int32_t dtype;
  int32_t reason;
};

/// `entry`: of the operation, for policy ranked; null if there is none. `preferred`: AUTO for none.
Decision decide(OperationEntry::State state, const OperationEntry *entry, const kernix_dtype *dtypes, int32_t count,
                int32_t preferred);

} // namespace kernix::selector

#endif // KERNIX_SELECTOR_DECIDE_H
