// test/benchmark/runtime/call_benchmark.cpp - what kernix_call costs beside the launch: three tensors, launch of
// nothing.
//
// Goal: well below 200 ns, a fifth of the budget of a Python call.

#include "../../runtime/core/record.h"

#include <benchmark/benchmark.h>

using namespace kernix::test;

namespace {

kernix_cuda_api launch_nothing() {
  kernix_cuda_api api = {};
  api.launch_kernel = [](const void *, kernix_dim3, kernix_dim3, void **args, size_t, void *) {
    benchmark::DoNotOptimize(args);
    return 0;
  };
  api.get_device = [](int *device) { return *device = 0; };
  return api;
}

void run(benchmark::State &state, const Record &record, const std::vector<kernix_value> &values) {
  const kernix_function *functions[] = {&record.function};
  const kernix_operation operation = {"f", 1, functions, nullptr};
  kernix_call_options options = {};
  kernix_output outputs[8];
  int32_t count;
  for (auto _ : state) {
    const kernix_function *function;
    int status = kernix_select(&operation, values.data(), static_cast<int32_t>(values.size()), &function);
    if (status == KERNIX_OK)
      status =
          kernix_call(function, values.data(), static_cast<int32_t>(values.size()), &options, nullptr, outputs, &count);
    if (status != KERNIX_OK) {
      state.SkipWithError(kernix_last_error());
      return;
    }
  }
}

void pointers(benchmark::State &state) {
  const kernix_cuda_api api = launch_nothing();
  Record record("f(const float *x, const float *y, float *z)", {input("x"), input("y"), output("z")});
  record.function.cuda = &api;
  Array x({100, 10}, float32, {10, 1}), y({100, 10}, float32, {10, 1}), z({100, 10}, float32, {10, 1});
  run(state, record, {value(x), value(y), value(z)});
}

void pointers_on_cuda(benchmark::State &state) {
  const kernix_cuda_api api = launch_nothing();
  Record record("f(const float *x, const float *y, float *z)", {input("x"), input("y"), output("z")});
  record.function.cuda = &api;
  record.function.flags |= KERNIX_FOR_CUDA;
  Array x({1000}), y({1000}), z({1000});
  run(state, record, {value(x.on(KERNIX_CUDA, 0)), value(y.on(KERNIX_CUDA, 0)), value(z.on(KERNIX_CUDA, 0))});
}

void views(benchmark::State &state) {
  const kernix_cuda_api api = launch_nothing();
  kernix_parameter z = view("z", float32, 2);
  z.flags = KERNIX_WRITTEN;
  Record record("f(view x, view y, view z)", {view("x", float32, 2), view("y", float32, 2), z});
  record.function.cuda = &api;
  Array a({100, 10}, float32, {1, 100}), b({100, 10}), c({100, 10});
  run(state, record, {value(a), value(b), value(c)});
}

/// Shape of the output declared, element count and grid computed, two scalars.
void expressions(benchmark::State &state) {
  const kernix_cuda_api api = launch_nothing();
  kernix_parameter z = output("z"), n = attribute("n", int32);
  z.shape = shape_like(0);
  n.value = expression("x.numel()", {numel(0)});
  Record record("f(const float *x, const float *y, float *z, float a, int n)",
                {input("x"), input("y"), z, attribute("a", float32), n});
  record.function.cuda = &api;
  record.launch.block[0] = expression("256", {constant(256)});
  record.launch.grid[0] = expression("ceil_div(n, block.x)", {scalar(4), block(0), op(KERNIX_OP_CEIL_DIV)});
  Array x({1000}), y({1000}), out({1000});
  run(state, record, {value(x), value(y), value(out), real(2), absent()});
}

} // namespace

int main(int argc, char **argv) {
  benchmark::RegisterBenchmark("pointers", pointers);
  benchmark::RegisterBenchmark("pointers_on_cuda", pointers_on_cuda);
  benchmark::RegisterBenchmark("views", views);
  benchmark::RegisterBenchmark("expressions", expressions);
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
