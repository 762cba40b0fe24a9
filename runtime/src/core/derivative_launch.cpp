// runtime/src/core/derivative_launch.cpp - what the launch of a derivative has to agree with.
//
// The proofs behind a derivative kernel are made in the device pass, which tells the host by kernix_launch_facts.

#include "core/derivative.h"
#include "core/scratch_gradients.h"
#include "cuda/scratch_kernels.h"

#include <mutex>
#include <unordered_map>

namespace kernix::core {

namespace {

/// The facts of each derivative kernel on each device, guarded by `mutex`.
struct FactsTable {
  struct Key {
    const void *symbol;
    int device;
    bool operator==(const Key &) const = default;
  };
  struct Hash {
    size_t operator()(const Key &key) const {
      return std::hash<const void *>()(key.symbol) ^ (static_cast<size_t>(key.device) << 56);
    }
  };
  struct Entry {
    kernix_launch_facts facts;
    uint64_t record_hash; ///< of the function that asked: another object may come to lie at the same address
  };
  std::mutex mutex;
  std::unordered_map<Key, Entry, Hash> entries;

  static FactsTable &instance() {
    static auto *const table = new FactsTable; // outlives threads that still launch at exit
    return *table;
  }
};

int read_facts(const kernix_function &function, int device, void *stream, kernix_launch_facts *facts) {
  const auto fail = [&](const char *message) {
    return kernix_set_error(KERNIX_ERROR_RUNTIME, "%s: %s", function.signature, message);
  };
  const kernix_cuda_api *cuda = function.cuda;
  FactsTable &table = FactsTable::instance();
  std::lock_guard lock(table.mutex);
  const FactsTable::Key key = {function.facts, device};
  if (auto found = table.entries.find(key);
      found != table.entries.end() && found->second.record_hash == function.record_hash) {
    *facts = found->second.facts;
    return KERNIX_OK;
  }
  int capture = 0;
  if (cuda && cuda->stream_capture_status)
    if (cuda->stream_capture_status(stream, &capture) != 0 || capture != 0)
      return fail("the first call on a device must not be captured into a CUDA graph: call it once before");
  if (!cuda || !cuda->read_symbol || cuda->read_symbol(facts, function.facts, sizeof *facts) != 0) {
    if (cuda && cuda->get_last_error)
      cuda->get_last_error();
    return fail("the facts about its launch cannot be read from the device: does the source differ by __CUDA_ARCH__ "
                "between host and device?");
  }
  if (facts->record_hash != function.record_hash)
    return fail("its device code was compiled from another declaration than its host code: does the source differ by "
                "__CUDA_ARCH__?");
  table.entries[key] = {*facts, function.record_hash};
  return KERNIX_OK;
}

bool is_read(const kernix_launch_facts &facts, const kernix_parameter &parameter) {
  const int32_t index = parameter.primal_parameter;
  return index < 0 || index >= 32 || !(facts.unread_values & (1u << index));
}

/// What is not given is not read either. (Of outputs that are only written nothing ever is.)
int check_values(const Frame &frame, const kernix_launch_facts &facts) {
  constexpr uint32_t only_written = KERNIX_PRIMAL_OUTPUT | KERNIX_OPTIONAL;
  for (int32_t i = 0; i < frame.function().num_parameters; ++i) {
    const kernix_parameter &parameter = frame.parameter(i);
    if ((parameter.flags & only_written) != only_written && frame.stand_in(i) && is_read(facts, parameter))
      return frame.fail(KERNIX_ERROR_TYPE, i,
                        parameter.flags & KERNIX_PRIMAL_OUTPUT
                            ? "a tensor with the elements from before the call, which the derivative reads"
                            : "a tensor, whose elements the derivative reads",
                        "None");
  }
  return KERNIX_OK;
}

/// The first id with an extent above one that `ids` has not; empty if there is none.
std::string extent_outside(uint32_t ids, const LaunchSizes &sizes) {
  for (int axis = 0; axis < 3; ++axis) {
    const char name = "xyz"[axis];
    if (sizes.block[axis] > 1 && !(ids & (1u << axis)))
      return "threadIdx." + std::string(1, name) + ", and the block has " + std::to_string(sizes.block[axis]);
    if (sizes.grid[axis] > 1 && !(ids & (8u << axis)))
      return "blockIdx." + std::string(1, name) + ", and the grid has " + std::to_string(sizes.grid[axis]);
  }
  return "";
}

/// The first id with an extent above what `bits` says; empty if there is none.
std::string extent_above(uint32_t bits, const LaunchSizes &sizes) {
  for (int id = 0; id < 6; ++id) {
    const uint32_t bit = bits >> 5 * id & 31;
    const bool is_thread = id < 3;
    const uint32_t extent = is_thread ? sizes.block[id] : sizes.grid[id - 3];
    if (bit == 0 || extent <= 1u << bit)
      continue;
    std::string text = is_thread ? "threadIdx." : "blockIdx.";
    const std::string most = std::to_string(1u << bit);
    text.append(1, "xyz"[id % 3]).append(" % ").append(most).append(", and the ").append(is_thread ? "block" : "grid");
    text.append(" has ")
        .append(std::to_string(extent))
        .append(": several threads would store the same element and its ");
    return text.append("gradient would be counted as often; launch both with an extent of ").append(most);
  }
  return "";
}

int fail_order(const Frame &frame, const std::string &reason) {
  return frame.fail(KERNIX_ERROR_RUNTIME, "deterministic sums are asked for, and " + reason);
}

bool is_usual(int64_t number, int64_t least) { return number >= least && number < KERNIX_USUAL_LIMIT; }

/// Of a parameter that a proof assumes something of.
bool is_usual(const Frame &frame, int32_t index) {
  const kernix_parameter &parameter = frame.parameter(index);
  const Argument &argument = frame.argument(index);
  if (is_shadow(parameter) && parameter.passing != KERNIX_PASS_TENSOR_VIEW)
    return true;
  if (parameter.passing == KERNIX_PASS_SCALAR)
    return argument.fits_int64 && is_usual(argument.integer, 0);
  if (parameter.passing != KERNIX_PASS_TENSOR_VIEW)
    return false;
  for (int32_t d = 0; argument.has_only_sizes && d < argument.ndim; ++d)
    if (!is_usual(argument.shape[d], 0))
      return false;
  // What the call allocates has no gaps, and the sizes of another parameter.
  const kernix_dltensor *tensor = argument.tensor ? argument.tensor : frame.sizes_of(index).tensor;
  for (int32_t d = 0; tensor && d < tensor->ndim; ++d)
    if (!is_usual(tensor->shape[d], 0) || (tensor->strides && !is_usual(tensor->strides[d], 1)))
      return false;
  return true;
}

/// Whether a gradient is added to without atomic operations, unless it overlaps another.
bool is_plain(const Frame &frame, const kernix_launch_facts &facts, int32_t i) {
  const int32_t primal = frame.parameter(i).primal_parameter;
  return primal >= 0 && primal < 32 && (facts.plain_gradients >> primal & 1);
}

/// Whether threads decide the order of a sum.
int check_order(const Frame &frame, const kernix_launch_facts &facts, const LaunchSizes &sizes) {
  const std::string advice = " may be added in any order; load the source with kernix.load(..., deterministic=True), "
                             "which refuses what cannot be added in one order";
  if (!(facts.fixed_order & (KERNIX_FIXED_ORDER | KERNIX_FIXED_ORDER_ALWAYS)))
    return fail_order(frame, "gradients of this build" + advice);
  for (int32_t i = 0; i < frame.function().num_parameters; ++i) {
    const kernix_parameter &parameter = frame.parameter(i);
    const int32_t primal = parameter.primal_parameter;
    if (is_shadow(parameter) && primal >= 0 && primal < 32 && (facts.unordered_gradients >> primal & 1) &&
        frame.argument(i).state != Argument::State::Null)
      return fail_order(frame, "sums to '" + std::string(parameter.name) + "' in this build" + advice);
  }
  for (int32_t i = 0; i < frame.function().num_parameters; ++i)
    if (frame.argument(i).is_marked && is_plain(frame, facts, i))
      return fail_order(frame, "gradients that overlap each other are added to in any order");
  if (facts.fixed_order & KERNIX_FIXED_ORDER_ALWAYS)
    return KERNIX_OK;
  int64_t threads = 1;
  for (int axis = 0; axis < 3; ++axis)
    for (const int64_t extent : {int64_t{sizes.block[axis]}, int64_t{sizes.grid[axis]}})
      threads = threads >= KERNIX_USUAL_LIMIT ? threads : threads * extent;
  bool are_usual = threads < KERNIX_USUAL_LIMIT && extent_outside(facts.proof_ids, sizes).empty();
  for (int32_t i = 0; are_usual && i < frame.function().num_parameters; ++i) {
    const int32_t primal = frame.parameter(i).primal_parameter;
    const bool is_asked = primal >= 0 && primal < 30 && (facts.fixed_order >> primal & 1);
    are_usual = !is_asked || is_usual(frame, i);
  }
  return are_usual ? KERNIX_OK
                   : fail_order(frame, "with these sizes threads may add to an element of a gradient in any order");
}

} // namespace

int check_derivative_launch(Frame &frame, LaunchSizes *sizes, void *stream, bool in_fixed_order) {
  const kernix_function &function = frame.function();
  if (sizes->is_empty)
    return KERNIX_OK;
  if (!function.facts)
    return in_fixed_order && function.derivative == KERNIX_BACKWARD_DERIVATIVE
               ? fail_order(frame, "it is written by hand, and nothing is known of how it adds to gradients")
               : KERNIX_OK;
  kernix_launch_facts facts = {};
  const int device = frame.device_id() < 0 ? 0 : frame.device_id();
  if (int status = read_facts(function, device, stream, &facts); status != KERNIX_OK)
    return status;
  // What belongs to the derivative begins where any number may lie.
  if (facts.dynamic_shared_factor > 1)
    sizes->shared_bytes = (sizes->shared_bytes + 7) / 8 * 8 * facts.dynamic_shared_factor;
  if (function.derivative != KERNIX_BACKWARD_DERIVATIVE)
    return KERNIX_OK;
  if (int status = check_values(frame, facts); status != KERNIX_OK)
    return status;
  // Several threads that store the same element do no harm in f, and would count its gradient several times.
  if (std::string id = extent_outside(facts.store_ids, *sizes); !id.empty())
    return frame.fail(KERNIX_ERROR_VALUE, "what " + std::string(function.primal) + " stores does not depend on " + id +
                                              ": several threads would store the same element and its gradient would "
                                              "be counted as often; launch both with an extent of 1 there");
  if (std::string id = extent_above(facts.store_bits, *sizes); !id.empty())
    return frame.fail(KERNIX_ERROR_VALUE, "what " + std::string(function.primal) + " stores depends on no more than " +
                                              id + " at most there, or guard the store so that one thread does it");
  if (in_fixed_order)
    if (int status = check_order(frame, facts, *sizes); status != KERNIX_OK)
      return status;
  // The others add by atomic operations in any case.
  for (int32_t i = 0; i < function.num_parameters; ++i) {
    const int32_t primal = frame.parameter(i).primal_parameter;
    if (!is_plain(frame, facts, i))
      frame.argument(i).is_marked = false;
    if (primal >= 0 && primal < 32 && (facts.float_gradients >> primal & 1))
      frame.argument(i).is_in_float = can_be_in_float(frame, i);
    if (primal >= 0 && primal < 32 && (facts.scratch_gradients >> primal & 1))
      frame.argument(i).is_in_scratch = frame.parameter(i).replicas || frame.parameter(i).notes;
  }
  const bool uses_scratch = facts.float_gradients || facts.scratch_gradients;
  return uses_scratch && frame.is_cuda() ? cuda::load_scratch_kernels(function, device) : KERNIX_OK;
}

} // namespace kernix::core

int kernix_read_values(const kernix_function *function, int32_t device, void *stream, uint8_t *is_read) {
  using namespace kernix::core;
  for (int32_t i = 0; i < function->num_parameters; ++i)
    is_read[i] = 1;
  if (function->derivative != KERNIX_BACKWARD_DERIVATIVE || !function->facts)
    return KERNIX_OK;
  DeviceGuard guard;
  if (int status = guard.enter(*function, &device); status != KERNIX_OK)
    return status;
  kernix_launch_facts facts = {};
  if (int status = read_facts(*function, device, stream, &facts); status != KERNIX_OK)
    return status;
  for (int32_t i = 0; i < function->num_parameters; ++i)
    if (const kernix_parameter &parameter = function->parameters[i]; is_tensor(treatment(*function, parameter)))
      is_read[i] = is_shadow(parameter) || kernix::core::is_read(facts, parameter);
  return KERNIX_OK;
}
