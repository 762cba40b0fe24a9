"""Times of real calls: kernix.stats."""

import threading

import pytest

import kernix
from kernix import KernelDtype, KernelRegistry

np = pytest.importorskip("numpy")

CODE = """
#include <kernix/kernix.h>
#include <cuda_fp16.h>
template <class T>
[[kernix::bind, kernix::differentiable, kernix::instantiate("float", "double", "__half")]]
__global__ void timed(const T *x, [[kernix::shape("x")]] T *y, [[kernix::value("x.numel()")]] int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = x[i] * x[i];
}
[[kernix::bind]] int host(int n) { return n; }
[[kernix::bind]] void failing(int n) { throw n; }
"""

X = np.ones(10, np.float32)


@pytest.fixture(scope="module")
def m():
    return kernix.load_cuda_inline("statistics", CODE)


@pytest.fixture(autouse=True)
def nothing_measured():
    KernelRegistry.clear()
    yield
    kernix.stats(enable=False)
    KernelRegistry.clear()


def counts():
    return {(row.stats.operation_name, row.stats.dtype): row.stats.execution_count for row in kernix.stats()}


def test_off_unless_asked_for(m):
    m.timed(X)
    assert len(kernix.stats()) == 0


def test_calls_are_counted_by_operation_and_dtype(m):
    kernix.stats(enable=True)
    for _ in range(3):
        m.timed(X)
    m.timed(X.astype(np.float16))
    m.timed(X.astype(np.float64))
    m.host(3)
    kernix.stats(enable=False)
    m.timed(X)
    assert counts() == {
        ("timed", KernelDtype.Float32): 3,
        ("timed", KernelDtype.Float16): 1,
        ("timed", KernelDtype.Auto): 1,
        ("host", KernelDtype.Auto): 1,
    }
    stats = KernelRegistry.get_or_create_selector("cpu").get_performance_stats(m.timed, "float32")
    assert stats.execution_count == 3
    assert 0 <= stats.min_execution_time <= stats.average_execution_time <= stats.max_execution_time < 1000


def test_derivatives_count_as_operations_of_their_own(m):
    kernix.stats(enable=True)
    m.timed.bwd(x=X, y=(None, X))
    assert counts() == {("timed_bwd", KernelDtype.Float32): 1}


def test_failed_and_empty_calls_do_not_count(m):
    kernix.stats(enable=True)
    with pytest.raises(kernix.KernelError):
        m.failing(1)
    with pytest.raises(TypeError):
        m.timed(X.astype(np.int8))
    m.timed(X[:0])
    assert counts() == {}


def test_measured_times_rank_kernels(m):
    kernix.stats(enable=True)
    for _ in range(10):
        m.timed(X)
        m.timed(X.astype(np.float16))
    selector = KernelRegistry.get_or_create_selector("cpu")
    selector.set_policy(m.timed, "ranked")
    assert selector.select(m.timed, ["float32"]).reason == "measured"


def test_clear_while_calls_are_timed(m):
    kernix.stats(enable=True)
    m.timed(X)
    KernelRegistry.clear()
    m.timed(X)
    m.timed(X)
    assert counts() == {("timed", KernelDtype.Float32): 2}


def test_table(m):
    kernix.stats(enable=True)
    m.timed(X)
    m.timed(X.astype(np.float64))
    table = kernix.stats()
    assert table[0].device == "cpu" and len(table) == 2 and len(table[:1]) == 1
    lines = repr(table).splitlines()
    assert lines[0].split() == ["operation", "device", "dtype", "calls", "timed", "average", "min", "max", "(ms)"]
    assert lines[1].split()[:5] == ["timed", "cpu", "Float32", "1", "1"]
    assert lines[2].split()[:5] == ["timed", "cpu", "other", "1", "1"]


def only_row(name):
    (row,) = (row.stats for row in kernix.stats() if row.stats.operation_name == name)
    return row


def test_all_calls_are_counted_and_a_share_is_timed(m):
    """The first ten are timed, and paid for by the calls that follow."""
    kernix.stats(enable=True)
    for _ in range(10):
        m.host(3)
    assert only_row("host").timed_count == 10
    for _ in range(20000):
        m.host(3)
    found = only_row("host")
    assert found.execution_count == 20010
    # A call takes some 50 ns here, and its timing as long again.
    assert 10 <= found.timed_count < 2000
    assert repr(kernix.stats()).splitlines()[1].split()[3:5] == ["20010", str(found.timed_count)]


def test_long_calls_are_all_timed():
    module = kernix.load_cpp_inline(
        "long_calls",
        """
#include <kernix/kernix.h>
#include <chrono>
#include <thread>
[[kernix::bind]] void rest(double seconds) { std::this_thread::sleep_for(std::chrono::duration<double>(seconds)); }
""",
    )
    kernix.stats(enable=True)
    for _ in range(30):
        module.rest(2e-3)
    found = only_row("rest")
    assert found.execution_count == found.timed_count == 30
    assert found.min_execution_time >= 2.0


def test_every_call_may_be_timed(m):
    kernix.stats(enable=True, every_call=True)
    for _ in range(1000):
        m.host(3)
    assert only_row("host").timed_count == 1000
    kernix.stats(enable=True)
    for _ in range(1000):
        m.host(3)
    assert only_row("host").execution_count == 2000
    assert only_row("host").timed_count < 2000


def test_functions_that_call_functions_and_clear(m):
    """What a call records belongs to the registry that there is when it ends."""
    module = kernix.load_cuda_inline(
        "calls_back",
        """
#include <kernix/kernel_selector.h>
#include <kernix/kernix.h>
[[kernix::bind]] void clear_within(int n) { kernix::KernelRegistry::clear(); }
""",
    )
    kernix.stats(enable=True)
    for _ in range(20):
        module.clear_within(1)
        m.host(1)
    assert counts()[("clear_within", KernelDtype.Auto)] == 1
    assert counts()[("host", KernelDtype.Auto)] == 1


def test_many_threads(m):
    kernix.stats(enable=True)

    def work():
        for _ in range(2000):
            m.host(1)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert only_row("host").execution_count == 8000


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"enable": 2}, "enable: expected True, False or None, got 2"),
        ({"enable": True, "every_call": 1}, "every_call: expected True or False, got 1"),
        ({"every_call": True}, "every_call: calls are timed with enable=True only"),
        ({"enable": False, "every_call": True}, "every_call: calls are timed with enable=True only"),
    ],
)
def test_wrong_arguments(keywords, message):
    with pytest.raises(ValueError, match=message):
        kernix.stats(**keywords)
