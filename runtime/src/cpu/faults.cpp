// cpu/faults.cpp - turns faults of kernels (stack overflow, bad address, division by zero) into errors of their launch.
//
// Only where the faulting instruction belongs to the object that the kernel is in: such code holds no lock of the
// process, so that it may be left for good. Faults in libraries that a kernel calls, and all others in the process, go
// to the handler that was there before.
#include "cpu/faults.h"
#include "cpu/executor.h"
#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <mutex>
#include <sys/mman.h>
#include <ucontext.h>

namespace kernix::cpu {
namespace {

constexpr std::size_t signal_stack_size = 64 * 1024;
constexpr std::array signals = {SIGSEGV, SIGBUS, SIGFPE};
struct sigaction previous[signals.size()];

const void *object_of(const void *code) {
  Dl_info info;
  return dladdr(code, &info) != 0 ? info.dli_fbase : nullptr;
}

/// Within a frame's reach of the stack pointer, or in the guard below a fiber's stack.
bool is_stack_overflow(const Executor &executor, uintptr_t address, uintptr_t stack_pointer) {
  constexpr uintptr_t reach = 64 * 1024;
  return executor.is_guard(reinterpret_cast<const void *>(address)) ||
         (address <= stack_pointer + reach && address + reach >= stack_pointer);
}

void describe(char *text, std::size_t size, int signal, const siginfo_t &info, const ucontext_t &context,
              const Executor &executor) {
  if (signal == SIGFPE) {
    std::snprintf(text, size, "integer division by zero, or of the smallest number by -1");
    return;
  }
  auto address = reinterpret_cast<uintptr_t>(info.si_addr);
  if (is_stack_overflow(executor, address, static_cast<uintptr_t>(context.uc_mcontext.gregs[REG_RSP])))
    std::snprintf(text, size,
                  "stack overflow; threads that wait for others have %zu bytes each, which KERNIX_STACK_SIZE or "
                  "cudaDeviceSetLimit(cudaLimitStackSize, ...) changes",
                  stack_size());
  else
    std::snprintf(text, size, "no access to the memory at %p", info.si_addr);
}

void pass_on(int signal, siginfo_t *info, void *context) {
  for (std::size_t i = 0; i != signals.size(); ++i) {
    if (signals[i] != signal)
      continue;
    const struct sigaction &old = previous[i];
    if (old.sa_flags & SA_SIGINFO) {
      old.sa_sigaction(signal, info, context);
    } else if (old.sa_handler != SIG_DFL && old.sa_handler != SIG_IGN) {
      old.sa_handler(signal);
    } else {
      // The instruction runs again, and the process ends as it would have.
      sigaction(signal, &old, nullptr);
    }
  }
}

void handle(int signal, siginfo_t *info, void *context) {
  Executor *executor = Executor::running();
  const auto &machine = *static_cast<const ucontext_t *>(context);
  auto code = reinterpret_cast<const void *>(machine.uc_mcontext.gregs[REG_RIP]);
  // A signal that somebody sent has no code to blame.
  if (executor && info->si_code > 0 && object_of(code) && object_of(code) == object_of(executor->kernel_code())) {
    char text[256];
    describe(text, sizeof text, signal, *info, machine, *executor);
    executor->fail_from_signal(signal == SIGFPE ? cudaErrorLaunchFailure : cudaErrorIllegalAddress, text);
  }
  pass_on(signal, info, context);
}

bool enabled() {
  const char *text = std::getenv("KERNIX_CATCH_FAULTS");
  return !text || std::strcmp(text, "0") != 0;
}

void install() {
  struct sigaction action = {};
  action.sa_sigaction = handle;
  // Not deferred: fail() leaves the handler by a jump, and the next fault must come through.
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  sigemptyset(&action.sa_mask);
  for (std::size_t i = 0; i != signals.size(); ++i)
    sigaction(signals[i], &action, &previous[i]);
}

} // namespace

FaultStack::FaultStack() {
  static const bool wanted = enabled();
  if (!wanted)
    return;
  static std::once_flag once;
  std::call_once(once, install);
  stack_t present;
  if (sigaltstack(nullptr, &present) != 0 || !(present.ss_flags & SS_DISABLE))
    return;
  void *memory = mmap(nullptr, signal_stack_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    return;
  stack_t own = {};
  own.ss_sp = memory;
  own.ss_size = signal_stack_size;
  if (sigaltstack(&own, nullptr) == 0)
    memory_ = memory;
  else
    munmap(memory, signal_stack_size);
}

FaultStack::~FaultStack() {
  if (!memory_)
    return;
  stack_t present;
  if (sigaltstack(nullptr, &present) == 0 && present.ss_sp == memory_) {
    stack_t none = {};
    none.ss_flags = SS_DISABLE;
    sigaltstack(&none, nullptr);
  }
  munmap(memory_, signal_stack_size);
}

} // namespace kernix::cpu
