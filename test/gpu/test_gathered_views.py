"""Views with scratch memory: gradients are those of the CPU target, on any stream, with little memory, in graphs."""

from pathlib import Path
from typing import Any

import pytest
import torch

import kernix

SOURCE = Path(__file__).parents[1] / "python" / "sources" / "gathered_views.cu"
COUNT = 20000


def uniform(*shape: int, dtype: torch.dtype = torch.float64, seed: int = 0) -> torch.Tensor:
    generator = torch.Generator().manual_seed(seed)
    return (torch.rand(*shape, generator=generator, dtype=torch.float64) * 2 - 1).to(dtype)


def blend_arguments(dtype: torch.dtype = torch.float64) -> tuple[torch.Tensor, ...]:
    index = torch.randint(0, 7, (COUNT,), generator=torch.Generator().manual_seed(2), dtype=torch.int32)
    return uniform(3, dtype=dtype), index, uniform(COUNT, seed=1), uniform(COUNT, seed=3)


def on_gpu(*tensors: torch.Tensor) -> list[torch.Tensor]:
    return [tensor.cuda() for tensor in tensors]


def blend(module: Any, name: str, table: Any, index: Any, x: Any, cotangent: Any) -> Any:
    return module[f"blend_{name}"].bwd(table, index, x, (None, cotangent))


@pytest.mark.parametrize("name", ["r1", "r3", "r32", "asr1", "asr4", "asr16", "rfloat", "asrfloat", "rhalf", "rbfloat"])
def test_many_threads_read_few_elements(cpu: Any, gpu: Any, name: str) -> None:
    words = {"bfloat": torch.bfloat16, "float": torch.float32, "half": torch.float16}
    dtype = next((words[word] for word in words if name.endswith(word)), torch.float64)
    arguments = blend_arguments(dtype)
    expected = blend(cpu, name, *arguments)
    found = blend(gpu, name, *on_gpu(*arguments))
    tolerance = {torch.float64: 1e-9, torch.float32: 2e-3}.get(dtype, 2e-2)
    torch.testing.assert_close(found.table.cpu(), expected.table, rtol=tolerance, atol=tolerance * COUNT / 100)
    torch.testing.assert_close(found.x.cpu(), expected.x)


@pytest.mark.parametrize("name", ["int2", "uint3", "int4"])
def test_indices_and_strides(gpu: Any, name: str) -> None:
    shape = (4, 3, 2, 5)[: int(name[-1])]
    r, s, cotangent = uniform(*shape), uniform(*shape, seed=1), uniform(*shape, seed=2)
    exact = [each.clone().requires_grad_() for each in (r, s)]
    first = (0,) * len(shape)
    (exact[0].sin() * exact[1] + exact[0][first] * exact[1][first]).backward(cotangent)
    axes = tuple(reversed(range(len(shape))))
    gradients = [torch.zeros(*reversed(shape), dtype=torch.float64, device="cuda").permute(axes) for _ in range(2)]
    gpu[f"by_{name}"].bwd(
        (r.cuda(), gradients[0]),
        (s.cuda(), gradients[1]),
        (None, cotangent.cuda()),
        block=shape[:3],
        grid=shape[3] if len(shape) == 4 else 1,
    )
    for gradient, each in zip(gradients, exact, strict=True):
        torch.testing.assert_close(gradient.cpu(), each.grad)


def test_vectors(cpu: Any, gpu: Any) -> None:
    arguments = [uniform(*shape, dtype=torch.float32, seed=k) for k, shape in enumerate([(2, 3), (999, 4), (1, 2)])]
    cotangent = uniform(999, 2, dtype=torch.float32, seed=4)
    expected = cpu.vectors.bwd(*arguments, y=(None, cotangent))
    found = gpu.vectors.bwd(*on_gpu(*arguments), y=(None, cotangent.cuda()))
    for name in ("a", "b", "c"):
        torch.testing.assert_close(getattr(found, name).cpu(), getattr(expected, name), rtol=1e-4, atol=1e-3)


@pytest.mark.parametrize("name", ["r32", "asr4"])
def test_another_stream(gpu: Any, name: str) -> None:
    """after() and the memory belong to the stream of the call: nothing may run before the kernel is done."""
    arguments = on_gpu(*blend_arguments())
    expected = blend(gpu, name, *arguments).table
    torch.cuda.synchronize()
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for _ in range(20):
            found = blend(gpu, name, *arguments).table
            noise = torch.full((1 << 20,), float("nan"), device="cuda")  # where the memory is used again
            del noise
    stream.synchronize()
    torch.testing.assert_close(found, expected, rtol=1e-9, atol=1e-6)


@pytest.mark.parametrize("name", ["r32", "asr4"])
def test_graphs(gpu: Any, name: str) -> None:
    table, index, x, cotangent = on_gpu(*blend_arguments())
    gradient = torch.zeros_like(table)

    def work() -> None:
        gpu[f"blend_{name}"].bwd((table, gradient), index, (x, None), (None, cotangent))

    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        work()
    torch.cuda.current_stream().wait_stream(side)
    expected = gradient.clone()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        work()
    for _ in range(3):
        gradient.zero_()
        graph.replay()
        torch.cuda.synchronize()
        torch.testing.assert_close(gradient, expected, rtol=1e-9, atol=1e-6)


def test_no_memory_is_kept(gpu: Any) -> None:
    arguments = on_gpu(*blend_arguments())
    blend(gpu, "asr16", *arguments)
    before = torch.cuda.memory_allocated()
    for _ in range(3):
        blend(gpu, "asr16", *arguments)
    torch.cuda.synchronize()
    assert torch.cuda.memory_allocated() == before


def test_after_of_the_users(cpu: Any, gpu: Any) -> None:
    x, w, ones = uniform(4), uniform(COUNT, seed=1), torch.ones(COUNT, dtype=torch.float64)
    for name in ("scaled", "rows"):
        expected = cpu[name].bwd(x, (w, None), (None, ones)).x
        found = gpu[name].bwd(x.cuda(), (w.cuda(), None), (None, ones.cuda())).x
        torch.testing.assert_close(found.cpu(), expected, rtol=1e-9, atol=1e-8)


def test_outputs_and_autograd(gpu: Any) -> None:
    x = uniform(30).cuda().requires_grad_()
    y, z = gpu.stored(x)
    ones = torch.ones(1, dtype=torch.float64, device="cuda").expand(30)
    torch.autograd.backward([y, z], [ones, ones])
    torch.testing.assert_close(x.grad, 2 * x.detach() + 3)


def test_more_scratch_memory_than_there_is(gpu: Any) -> None:
    x = torch.ones(1024, dtype=torch.float64, device="cuda")
    with pytest.raises((kernix.KernelError, torch.OutOfMemoryError)):
        gpu.greedy.bwd(x, (None, x), block=1024, grid=1)
    torch.cuda.synchronize()
    blend(gpu, "r3", *on_gpu(*blend_arguments()))  # and nothing is broken afterwards
