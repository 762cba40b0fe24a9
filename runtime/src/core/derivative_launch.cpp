// runtime/src/core/derivative_launch.cpp - what the launch of a derivative has to agree with.
//
// The proofs behind a derivative kernel are made in the device pass, which tells the host by kernix_launch_facts.

#include "core/derivative.h"

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

int read_facts(const Frame &frame, void *stream, kernix_launch_facts *facts) {
  const kernix_function &function = frame.function();
  const kernix_cuda_api *cuda = function.cuda;
  FactsTable &table = FactsTable::instance();
  std::lock_guard lock(table.mutex);
  const FactsTable::Key key = {function.facts, frame.device_id() < 0 ? 0 : frame.device_id()};
  if (auto found = table.entries.find(key);
      found != table.entries.end() && found->second.record_hash == function.record_hash) {
    *facts = found->second.facts;
    return KERNIX_OK;
  }
  int capture = 0;
  if (cuda && cuda->stream_capture_status)
    if (cuda->stream_capture_status(stream, &capture) != 0 || capture != 0)
      return frame.fail(KERNIX_ERROR_RUNTIME, "the first call on a device must not be captured into a CUDA graph: "
                                              "call it once before");
  if (!cuda || !cuda->read_symbol || cuda->read_symbol(facts, function.facts, sizeof *facts) != 0) {
    if (cuda && cuda->get_last_error)
      cuda->get_last_error();
    return frame.fail(KERNIX_ERROR_RUNTIME, "the facts about its launch cannot be read from the device");
  }
  if (facts->record_hash != function.record_hash)
    return frame.fail(KERNIX_ERROR_RUNTIME, "its device code was compiled from another declaration than its host code: "
                                            "does the source differ by __CUDA_ARCH__?");
  table.entries[key] = {*facts, function.record_hash};
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

} // namespace

int check_derivative_launch(const Frame &frame, LaunchSizes *sizes, void *stream) {
  const kernix_function &function = frame.function();
  if (!function.facts || sizes->is_empty)
    return KERNIX_OK;
  kernix_launch_facts facts = {};
  if (int status = read_facts(frame, stream, &facts); status != KERNIX_OK)
    return status;
  if (facts.dynamic_shared_factor > 1)
    sizes->shared_bytes *= facts.dynamic_shared_factor;
  if (function.derivative != KERNIX_BACKWARD_DERIVATIVE)
    return KERNIX_OK;
  // Several threads that store the same element do no harm in f, and would count its gradient several times.
  if (std::string id = extent_outside(facts.store_ids, *sizes); !id.empty())
    return frame.fail(KERNIX_ERROR_VALUE, "what " + std::string(function.primal) + " stores does not depend on " + id +
                                              ": several threads would store the same element and its gradient would "
                                              "be counted as often; launch both with an extent of 1 there");
  if (facts.proof_ids == 0)
    return KERNIX_OK;
  if (std::string id = extent_outside(facts.proof_ids, *sizes); !id.empty())
    return frame.fail(KERNIX_ERROR_VALUE,
                      "its gradients are written without atomics, which is right only while nothing "
                      "else than the indices in use tells threads apart; they do not depend on " +
                          id);
  return KERNIX_OK;
}

} // namespace kernix::core
