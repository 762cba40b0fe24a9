// cpu/fibers.cpp - runs the threads of a block that wait for each other, each on a stack of its own.
//
// A fiber that must wait goes straight on to the next one that can run; the thread that called run_block only gets
// control back when the block has ended. The last lane or thread to arrive does the work of a warp function or barrier
// for all and runs on.
#include "cpu/fibers.h"
#include "cpu/device_api.h"
#include "cpu/executor.h"
#include "cpu/race_check.h"
#include <algorithm>
#include <bit>

namespace kernix::cpu {

using namespace boost::context::detail;

bool Scheduler::reserve(uint32_t threads) {
  if (!stacks_.reserve(threads))
    return false;
  if (fibers_.size() < threads) {
    fibers_.resize(threads);
    queue_.resize(threads);
    warps_.resize((threads + warp_size - 1) / warp_size);
  }
  return true;
}

void Scheduler::run_block(Launch &launch) {
  launch_ = &launch;
  count_ = live_ = launch.num_threads();
  next_start_ = arrived_ = 0;
  true_predicates_ = 0;
  queue_head_ = queue_size_ = 0;
  for (uint32_t first = 0, index = 0; first < count_; first += warp_size, ++index) {
    uint32_t lanes = std::min(count_ - first, warp_size);
    Warp &warp = warps_[index];
    warp.live = lanes == warp_size ? ~0u : (1u << lanes) - 1;
    warp.waiting = warp.active = 0;
    warp.ready = lanes;
    warp.order = new_order();
  }
  barrier_order_ = new_order();
  running_ = &main_;
  if (checks_races())
    begin_check();
  suspend(); // to thread 0
  if (checks_races())
    end_check();
  launch_ = nullptr;
}

/// The threads come after what the caller has done, and not after those of another block.
void Scheduler::begin_check() {
  main_.checked = __tsan_get_current_fiber();
  for (uint32_t i = 0; i != count_; ++i) {
    new_pages(static_cast<char *>(stacks_.top(i)) - stacks_.size(), stacks_.size());
    fibers_[i].checked = __tsan_create_fiber(0);
  }
}

void Scheduler::end_check() {
  for (uint32_t i = 0; i != count_; ++i)
    __tsan_destroy_fiber(fibers_[i].checked);
  main_.checked = nullptr;
}

void Scheduler::start(Fiber &fiber) {
  uint32_t linear = next_start_++;
  fiber.linear = linear;
  fiber.thread_idx[0] = linear % launch_->block.x;
  fiber.thread_idx[1] = linear / launch_->block.x % launch_->block.y;
  fiber.thread_idx[2] = linear / launch_->block.x / launch_->block.y;
  fiber.wait = Wait::none;
  fiber.context = make_fcontext(stacks_.top(linear), stacks_.size(), &Scheduler::enter);
}

void Scheduler::enter(transfer_t from) {
  static_cast<Fiber *>(from.data)->context = from.fctx;
  Scheduler &self = *Executor::current().scheduler();
  self.launch_->kernel->run_thread(self.launch_->params);
  self.finish();
}

void Scheduler::switch_to(Fiber &fiber) {
  Fiber *from = running_;
  running_ = &fiber;
  uint32_t *place = kernix_cpu_current_state.thread_idx;
  place[0] = fiber.thread_idx[0];
  place[1] = fiber.thread_idx[1];
  place[2] = fiber.thread_idx[2];
  switch_checked(fiber.checked);
  transfer_t back = jump_fcontext(fiber.context, from);
  static_cast<Fiber *>(back.data)->context = back.fctx;
}

/// Runs somebody else; returns when the running fiber has been woken.
void Scheduler::suspend() {
  if (queue_size_ != 0) {
    Fiber *next = queue_[queue_head_];
    queue_head_ = queue_head_ + 1 == queue_.size() ? 0 : queue_head_ + 1;
    --queue_size_;
    if (next != running_)
      switch_to(*next);
    return;
  }
  if (next_start_ != count_) {
    Fiber &next = fibers_[next_start_];
    start(next);
    switch_to(next);
    return;
  }
  if (live_ != 0)
    report_deadlock();
  switch_to(main_);
}

void Scheduler::abandon_block() {
  switch_to(main_);
  __builtin_unreachable();
}

void Scheduler::wake(Fiber &fiber) {
  if (fiber.wait != Wait::none)
    ++warps_[fiber.linear / warp_size].ready;
  fiber.wait = Wait::none;
  if (&fiber == running_)
    return;
  std::size_t tail = queue_head_ + queue_size_;
  queue_[tail < queue_.size() ? tail : tail - queue_.size()] = &fiber;
  ++queue_size_;
}

void Scheduler::yield() {
  Fiber &self = *running_;
  std::size_t tail = queue_head_ + queue_size_;
  queue_[tail < queue_.size() ? tail : tail - queue_.size()] = &self;
  ++queue_size_;
  // Threads that have not begun go first: they may be what this one waits for.
  if (next_start_ != count_) {
    Fiber &next = fibers_[next_start_];
    start(next);
    switch_to(next);
    return;
  }
  suspend();
}

/// One lane of a warp less can run.
void Scheduler::block_lane(Fiber &fiber) {
  uint32_t index = fiber.linear / warp_size;
  if (--warps_[index].ready == 0 && warps_[index].active != 0)
    resolve_active(index);
}

void Scheduler::finish() {
  Fiber &self = *running_;
  order_before(launch_);
  self.wait = Wait::finished;
  uint32_t index = self.linear / warp_size;
  Warp &warp = warps_[index];
  warp.live &= ~(1u << self.linear % warp_size);
  --live_;
  block_lane(self);
  if (warp.waiting != 0)
    recheck_warp(index);
  if (live_ != 0 && arrived_ == live_)
    release_barrier();
  suspend();
  __builtin_unreachable();
}

// ---- Barriers ----

void Scheduler::release_barrier() {
  barrier_order_ = new_order();
  barrier_total_ = true_predicates_;
  barrier_arrived_ = static_cast<int>(arrived_);
  arrived_ = 0;
  true_predicates_ = 0;
  for (uint32_t i = 0; i != next_start_; ++i)
    if (fibers_[i].wait == Wait::barrier)
      wake(fibers_[i]);
}

int Scheduler::barrier(int op, int predicate) {
  Fiber &self = *running_;
  void *const order = barrier_order_;
  order_before(order);
  ++arrived_;
  true_predicates_ += predicate != 0;
  if (arrived_ == live_) {
    release_barrier();
  } else {
    self.wait = Wait::barrier;
    block_lane(self);
    suspend();
  }
  order_after(order);
  // The next barrier cannot open before this thread has come to it: these are still the values of this one.
  switch (op) {
  case KERNIX_CPU_REDUCE_COUNT:
    return barrier_total_;
  case KERNIX_CPU_REDUCE_AND:
    return barrier_total_ == barrier_arrived_;
  default:
    return barrier_total_ != 0;
  }
}

// ---- Warps ----

/// Does the warp function that `any` waits in if every lane it names has come to it.
bool Scheduler::try_warp(Warp &warp, uint32_t first_thread, Fiber &any) {
  uint32_t lanes = any.mask & warp.live;
  if ((lanes & ~warp.waiting) != 0)
    return false;
  Fiber *fibers = &fibers_[first_thread];
  for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const Fiber &other = fibers[std::countr_zero(rest)];
    if (other.wait != any.wait || other.mask != any.mask)
      return false;
  }
  uint32_t ballot = 0;
  if (any.wait == Wait::warp_ballot)
    for (uint32_t rest = lanes; rest != 0; rest &= rest - 1)
      if (fibers[std::countr_zero(rest)].value != 0)
        ballot |= rest & -rest;
  for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    Fiber &fiber = fibers[std::countr_zero(rest)];
    if (any.wait == Wait::warp_shuffle) {
      uint32_t source = static_cast<uint32_t>(fiber.source_lane);
      fiber.result = source < warp_size && (lanes >> source & 1) != 0 ? fibers[source].value : fiber.value;
    } else if (any.wait == Wait::warp_match) {
      fiber.result = 0;
      for (uint32_t others = lanes; others != 0; others &= others - 1)
        if (fibers[std::countr_zero(others)].value == fiber.value)
          fiber.result |= others & -others;
    } else {
      fiber.result = ballot;
    }
  }
  if (any.wait == Wait::warp_sync)
    warp.order = new_order();
  warp.waiting &= ~lanes;
  for (uint32_t rest = lanes; rest != 0; rest &= rest - 1)
    wake(fibers[std::countr_zero(rest)]);
  return true;
}

/// A lane has returned: others may have waited for it only.
void Scheduler::recheck_warp(uint32_t index) {
  Warp &warp = warps_[index];
  uint32_t first = index * warp_size;
  for (uint32_t rest = warp.waiting; rest != 0; rest &= rest - 1) {
    uint32_t lane = static_cast<uint32_t>(std::countr_zero(rest));
    if ((warp.waiting >> lane & 1) != 0) // not done together with an earlier one
      try_warp(warp, first, fibers_[first + lane]);
  }
}

uint64_t Scheduler::warp(Wait kind, uint32_t mask, uint64_t value, int source_lane) {
  Fiber &self = *running_;
  uint32_t lane = self.linear % warp_size;
  if ((mask >> lane & 1) == 0)
    Executor::current().fail(cudaErrorLaunchFailure, wrong_mask_message(lane, mask));
  Warp &warp = warps_[self.linear / warp_size];
  self.wait = kind;
  self.mask = mask;
  self.value = value;
  self.source_lane = source_lane;
  warp.waiting |= 1u << lane;
  void *const order = kind == Wait::warp_sync ? warp.order : nullptr;
  if (order)
    order_before(order);
  --warp.ready;
  if (!try_warp(warp, self.linear - lane, self)) {
    if (warp.ready == 0 && warp.active != 0)
      resolve_active(self.linear / warp_size);
    suspend();
  }
  if (order)
    order_after(order);
  return self.result;
}

/// No lane of the warp can run: those that ask who runs with them go on together. Lanes at different calls are in
/// different branches; the group with the lowest lane goes first.
void Scheduler::resolve_active(uint32_t index) {
  Warp &warp = warps_[index];
  Fiber *fibers = &fibers_[index * warp_size];
  const void *site = fibers[std::countr_zero(warp.active)].site;
  uint32_t group = 0;
  for (uint32_t rest = warp.active; rest != 0; rest &= rest - 1)
    if (fibers[std::countr_zero(rest)].site == site)
      group |= rest & -rest;
  warp.active &= ~group;
  for (uint32_t rest = group; rest != 0; rest &= rest - 1) {
    Fiber &fiber = fibers[std::countr_zero(rest)];
    fiber.result = group;
    wake(fiber);
  }
}

uint32_t Scheduler::active_mask(const void *site) {
  Fiber &self = *running_;
  self.wait = Wait::active_mask;
  self.site = site;
  warps_[self.linear / warp_size].active |= 1u << self.linear % warp_size;
  block_lane(self);
  if (self.wait != Wait::none)
    suspend();
  return static_cast<uint32_t>(self.result);
}

// ---- Deadlock ----

void Scheduler::report_deadlock() {
  uint32_t at_barrier = 0, in_warp = 0;
  for (uint32_t i = 0; i != count_; ++i) {
    at_barrier += fibers_[i].wait == Wait::barrier;
    in_warp += fibers_[i].wait > Wait::barrier && fibers_[i].wait < Wait::active_mask;
  }
  launch_->fail(cudaErrorLaunchFailure, deadlock_message(at_barrier, in_warp, count_ - live_));
}

} // namespace kernix::cpu
