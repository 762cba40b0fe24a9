// runtime/src/core/derivative.h - the checks that calls of f_fwd and f_bwd need beside those of every call.
//
// Shadows that are left out and shadows without their value are the frame's business (derivative.cpp holds these
// members); memory that overlaps, and what a launch has to agree with, is checked here.

#ifndef KERNIX_CORE_DERIVATIVE_H
#define KERNIX_CORE_DERIVATIVE_H

#include "core/frame.h"
#include "core/launch.h"

namespace kernix::core {

/// Refuses memory that is written and belongs to a second parameter, or to several elements of one. Only tensors that
/// the caller gave are looked at: allocated ones are new.
int check_overlap(Frame &frame);

/// Compares the launch with the facts that the device pass has left, and multiplies the dynamic shared memory by the
/// factor they say. Reads them on the kernel's first launch on a device, which `stream` must not capture.
/// With `in_fixed_order`, sums whose order threads decide are an error.
int check_derivative_launch(Frame &frame, LaunchSizes *sizes, void *stream, bool in_fixed_order = false);

} // namespace kernix::core

#endif // KERNIX_CORE_DERIVATIVE_H
