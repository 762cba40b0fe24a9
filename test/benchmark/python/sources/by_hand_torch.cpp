// An operator as an author of one writes it: registered for autograd, with a Function in C++. With BY_HAND_CUDA also
// for tensors on CUDA, by the kernels of by_hand_torch.cu; with BY_HAND_PYBIND its function without gradient is one of
// an extension module too, as torch.utils.cpp_extension.load_inline makes them.
#ifdef BY_HAND_PYBIND
#include <torch/extension.h>
#else
#include <torch/torch.h>
#endif
#include <torch/library.h>
#ifdef BY_HAND_CUDA
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

extern "C" {
void by_hand_scaled_sine(const float *x, float *y, float a, float b, int n, cudaStream_t stream);
void by_hand_scaled_sine_backward(const float *x, const float *gy, float *gx, float a, int n, cudaStream_t stream);
}
#endif

#include <cmath>

namespace {

void check(const at::Tensor &x) {
  TORCH_CHECK(x.scalar_type() == at::kFloat, "x: expected float32");
  TORCH_CHECK(x.is_contiguous(), "x: is not contiguous");
}

at::Tensor scaled_sine(const at::Tensor &x, double a, double b) {
  check(x);
  at::Tensor y = at::empty_like(x);
#ifdef BY_HAND_CUDA
  if (x.is_cuda()) {
    const c10::cuda::CUDAGuard guard(x.device());
    by_hand_scaled_sine(x.data_ptr<float>(), y.data_ptr<float>(), static_cast<float>(a), static_cast<float>(b),
                        static_cast<int>(x.numel()), c10::cuda::getCurrentCUDAStream());
    return y;
  }
#endif
  const float *in = x.data_ptr<float>();
  float *out = y.data_ptr<float>();
  for (int64_t i = 0; i < x.numel(); ++i)
    out[i] = static_cast<float>(a) * std::sin(in[i]) + static_cast<float>(b);
  return y;
}

at::Tensor scaled_sine_backward(const at::Tensor &x, const at::Tensor &gradient, double a) {
  at::Tensor g = gradient.contiguous(), result = at::empty_like(x);
#ifdef BY_HAND_CUDA
  if (x.is_cuda()) {
    const c10::cuda::CUDAGuard guard(x.device());
    by_hand_scaled_sine_backward(x.data_ptr<float>(), g.data_ptr<float>(), result.data_ptr<float>(),
                                 static_cast<float>(a), static_cast<int>(x.numel()), c10::cuda::getCurrentCUDAStream());
    return result;
  }
#endif
  const float *in = x.data_ptr<float>(), *from = g.data_ptr<float>();
  float *out = result.data_ptr<float>();
  for (int64_t i = 0; i < x.numel(); ++i)
    out[i] = static_cast<float>(a) * std::cos(in[i]) * from[i];
  return result;
}

struct ScaledSine : torch::autograd::Function<ScaledSine> {
  static at::Tensor forward(torch::autograd::AutogradContext *ctx, const at::Tensor &x, double a, double b) {
    at::AutoDispatchBelowADInplaceOrView below;
    ctx->save_for_backward({x});
    ctx->saved_data["a"] = a;
    static auto op = c10::Dispatcher::singleton()
                         .findSchemaOrThrow("by_hand::scaled_sine", "")
                         .typed<at::Tensor(const at::Tensor &, double, double)>();
    return op.call(x, a, b);
  }
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext *ctx,
                                                 torch::autograd::variable_list gradients) {
    return {scaled_sine_backward(ctx->get_saved_variables()[0], gradients[0], ctx->saved_data["a"].toDouble()), {}, {}};
  }
};

at::Tensor scaled_sine_autograd(const at::Tensor &x, double a, double b) { return ScaledSine::apply(x, a, b); }

// Two results, and a tensor that is changed. On CUDA with the same kernels: these are launched, and that is what costs.

std::tuple<at::Tensor, at::Tensor> two(const at::Tensor &x) { return {scaled_sine(x, 3, 0), at::empty_like(x)}; }

at::Tensor &add_(at::Tensor &y, const at::Tensor &x) {
  check(x);
  check(y);
#ifdef BY_HAND_CUDA
  if (x.is_cuda()) {
    const c10::cuda::CUDAGuard guard(x.device());
    by_hand_scaled_sine(x.data_ptr<float>(), y.data_ptr<float>(), 1, 0, static_cast<int>(x.numel()),
                        c10::cuda::getCurrentCUDAStream());
    return y;
  }
#endif
  const float *in = x.data_ptr<float>();
  float *out = y.data_ptr<float>();
  for (int64_t i = 0; i < x.numel(); ++i)
    out[i] += in[i] * in[i];
  return y;
}

struct Two : torch::autograd::Function<Two> {
  static torch::autograd::variable_list forward(torch::autograd::AutogradContext *ctx, const at::Tensor &x) {
    at::AutoDispatchBelowADInplaceOrView below;
    ctx->save_for_backward({x});
    static auto op = c10::Dispatcher::singleton()
                         .findSchemaOrThrow("by_hand::two", "")
                         .typed<std::tuple<at::Tensor, at::Tensor>(const at::Tensor &)>();
    auto [left, right] = op.call(x);
    return {left, right};
  }
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext *ctx,
                                                 torch::autograd::variable_list gradients) {
    return {scaled_sine_backward(ctx->get_saved_variables()[0], gradients[0], 3)};
  }
};

struct Add : torch::autograd::Function<Add> {
  static at::Tensor forward(torch::autograd::AutogradContext *ctx, at::Tensor y, const at::Tensor &x) {
    at::AutoDispatchBelowADInplaceOrView below;
    ctx->save_for_backward({x});
    static auto op = c10::Dispatcher::singleton()
                         .findSchemaOrThrow("by_hand::add_", "")
                         .typed<at::Tensor &(at::Tensor &, const at::Tensor &)>();
    op.call(y, x);
    ctx->mark_dirty({y});
    return y;
  }
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext *ctx,
                                                 torch::autograd::variable_list gradients) {
    return {gradients[0], scaled_sine_backward(ctx->get_saved_variables()[0], gradients[0], 1)};
  }
};

std::tuple<at::Tensor, at::Tensor> two_autograd(const at::Tensor &x) {
  auto results = Two::apply(x);
  return {results[0], results[1]};
}

at::Tensor &add_autograd(at::Tensor &y, const at::Tensor &x) {
  Add::apply(y, x);
  return y;
}

} // namespace

TORCH_LIBRARY(by_hand, m) {
  m.def("scaled_sine(Tensor x, float a, float b) -> Tensor");
  m.def("two(Tensor x) -> (Tensor, Tensor)");
  m.def("add_(Tensor(a!) y, Tensor x) -> Tensor(a!)");
}
TORCH_LIBRARY_IMPL(by_hand, CompositeExplicitAutograd, m) {
  m.impl("scaled_sine", scaled_sine);
  m.impl("two", two);
  m.impl("add_", add_);
}
TORCH_LIBRARY_IMPL(by_hand, Autograd, m) {
  m.impl("scaled_sine", scaled_sine_autograd);
  m.impl("two", two_autograd);
  m.impl("add_", add_autograd);
}

#ifdef BY_HAND_PYBIND
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("scaled_sine", scaled_sine); }
#endif
