// runtime/python/src/torch_state.h - whether torch does more with an operation now than compute it.
//
// A mode, a transform, a tracer, autocast, a profiler or who wants deterministic algorithms must see a call: it then
// goes through torch's dispatcher (kernix.torch.front). Asked at every torch tensor, hence of torch's libraries
// themselves; where these do not have a function that is asked here, the same is asked in Python. What a single tensor
// is (its type, its gradient, its tangent) is not asked here: arrays.cpp.

#ifndef KERNIX_PYTHON_TORCH_STATE_H
#define KERNIX_PYTHON_TORCH_STATE_H

namespace kernix::python {

/// 1: it does, 0: it does not, -1: an exception is set. To be asked when torch is imported.
int is_torch_watching();

/// Whether torch records what is computed of tensors that require a gradient; -1: an exception is set.
int is_torch_recording();

/// Whether a level of forward differentiation is entered; tensors may then have tangents, which an export loses. 1 also
/// where torch does not tell, -1 with an exception set.
int is_forward_ad_on();

} // namespace kernix::python

#endif // KERNIX_PYTHON_TORCH_STATE_H
