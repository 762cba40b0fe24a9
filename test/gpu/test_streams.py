"""Calls run on the caller's current stream, and return before the kernel is done."""

import threading

import pytest
import torch

import kernix

LONG = 200_000_000  # cycles, about a tenth of a second: far above what a launch costs


@pytest.fixture(scope="module")
def m():
    return kernix.load_cuda_inline(
        "streams",
        """
        #include <kernix/kernix.h>

        // Waits, then writes.
        [[kernix::bind, kernix::grid("1"), kernix::block(1)]]
        __global__ void slow([[kernix::intent(inout_ptr)]] int *x, int value, int64_t cycles) {
          long long start = clock64();
          while (clock64() - start < cycles) {
          }
          x[0] = value;
        }
        """,
    )


def wait_and_write(m, x, value):
    m.slow(x, value, LONG)


def test_call_returns_before_the_kernel_is_done(m):
    x = torch.zeros(1, dtype=torch.int32, device="cuda")
    wait_and_write(m, x, 1)
    torch.cuda.synchronize()
    event = torch.cuda.Event()
    wait_and_write(m, x, 2)
    event.record()
    assert not event.query()
    event.synchronize()
    assert x.item() == 2


def test_current_stream_of_torch(m):
    """On another stream the order is that of the stream: the copy waits for the kernel, the default stream does not."""
    x = torch.zeros(1, dtype=torch.int32, device="cuda")
    side = torch.cuda.Stream()
    wait_and_write(m, x, 1)  # loads the kernel
    torch.cuda.synchronize()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        wait_and_write(m, x, 7)
        on_side = torch.cuda.Event()
        on_side.record()
        copy = x.clone()
    on_default = torch.cuda.Event()
    on_default.record()
    on_default.synchronize()
    assert not on_side.query(), "the kernel ran on the default stream"
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
    x = cupy.zeros(1, dtype=cupy.int32)
    side = cupy.cuda.Stream(non_blocking=True)
    m.slow(x, 1, LONG)
    cupy.cuda.Device().synchronize()
    with side:
        m.slow(x, 5, LONG)
        done = cupy.cuda.Event()
        done.record()
    default = cupy.cuda.Event()
    default.record(cupy.cuda.Stream.null)
    default.synchronize()
    assert not done.done, "the kernel ran on the default stream"
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
