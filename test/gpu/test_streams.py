"""Calls run on the caller's current stream, and return before the kernel is done."""

import threading

import pytest
import torch

import kernix

LIMIT = 10_000_000_000  # cycles, some seconds: a kernel that nobody lets go on ends too


@pytest.fixture(scope="module")
def m():
    return kernix.load_cuda_inline(
        "streams",
        """
        #include <kernix/kernix.h>

        // Waits until go[0] is not zero, then writes.
        [[kernix::bind, kernix::grid("1"), kernix::block(1)]]
        __global__ void wait_and_write([[kernix::intent(inout_ptr)]] int *x, [[kernix::intent(inout_ptr)]] int *go,
                                       int value, int64_t limit) {
          long long start = clock64();
          while (*static_cast<volatile int *>(go) == 0 && clock64() - start < limit) {
          }
          x[0] = value;
        }
        """,
    )


def gates():
    """One that is shut until somebody fills it, one that is open."""
    return torch.zeros(1, dtype=torch.int32, device="cuda"), torch.ones(1, dtype=torch.int32, device="cuda")


def test_call_returns_before_the_kernel_is_done(m):
    x = torch.zeros(1, dtype=torch.int32, device="cuda")
    shut, is_open = gates()
    m.wait_and_write(x, is_open, 1, LIMIT)  # loads the kernel
    torch.cuda.synchronize()
    event = torch.cuda.Event()
    m.wait_and_write(x, shut, 2, LIMIT)
    event.record()
    assert not event.query()
    with torch.cuda.stream(torch.cuda.Stream()):
        shut.fill_(1)
    event.synchronize()
    assert x.item() == 2


def test_current_stream_of_torch(m):
    """On another stream the order is that of the stream: the copy waits for the kernel, the default stream does not."""
    x = torch.zeros(1, dtype=torch.int32, device="cuda")
    side = torch.cuda.Stream()
    shut, is_open = gates()
    m.wait_and_write(x, is_open, 1, LIMIT)  # loads the kernel
    torch.cuda.synchronize()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        m.wait_and_write(x, shut, 7, LIMIT)
        on_side = torch.cuda.Event()
        on_side.record()
        copy = x.clone()
    on_default = torch.cuda.Event()
    on_default.record()
    on_default.synchronize()
    assert not on_side.query(), "the kernel ran on the default stream"
    shut.fill_(1)
    side.synchronize()
    assert copy.item() == 7


def test_stream_of_a_host_function(host):
    x = torch.ones(1 << 20, device="cuda")
    side = torch.cuda.Stream()
    host.add(x, x)
    torch.cuda.synchronize()
    with torch.cuda.stream(side):
        y = x
        for _ in range(10):
            y = host.add(y, y)
        total = y.sum()
    side.synchronize()
    assert total.item() == 1024 * x.numel()
    assert host.sum(x[:10000]) == 10000


def test_stream_of_cupy(m):
    cupy = pytest.importorskip("cupy")
    x, shut, is_open = cupy.zeros(1, dtype=cupy.int32), cupy.zeros(1, dtype=cupy.int32), cupy.ones(1, dtype=cupy.int32)
    side = cupy.cuda.Stream(non_blocking=True)
    m.wait_and_write(x, is_open, 1, LIMIT)
    cupy.cuda.Device().synchronize()
    with side:
        m.wait_and_write(x, shut, 5, LIMIT)
        done = cupy.cuda.Event()
        done.record()
    default = cupy.cuda.Event()
    default.record(cupy.cuda.Stream.null)
    default.synchronize()
    assert not done.done, "the kernel ran on the default stream"
    shut.fill(1)
    side.synchronize()
    assert x.get().tolist() == [5]


def test_host_threads_on_streams_of_their_own(maps):
    errors = []

    def work(seed):
        try:
            stream = torch.cuda.Stream()
            with torch.cuda.stream(stream):
                x = torch.full((1 << 16,), float(seed), device="cuda")
                for _ in range(200):
                    y = maps.scale_shift(x, 0.0, float(seed))
                    if seed % 2:
                        maps.axpy(x, y, 0.0)
            stream.synchronize()
            assert y.unique().tolist() == [seed]
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
