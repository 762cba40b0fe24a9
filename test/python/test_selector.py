"""The classes of the kernel selector: every rule of it, from Python."""

import copy
import enum
import itertools
import pickle
import threading

import pytest

import kernix
from kernix import KernelCapability, KernelDtype, KernelPerformanceStats, KernelRegistry, KernelSelector

np = pytest.importorskip("numpy")

NAMES = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "bool", "float64", "complex64")


@pytest.fixture(autouse=True)
def empty_registry():
    KernelRegistry.clear()
    yield
    KernelRegistry.clear()


@pytest.fixture
def selector():
    return KernelSelector("cpu")


def test_kernel_dtypes_have_the_numbers_of_the_c_interface():
    assert [(each.name, int(each)) for each in KernelDtype] == [
        ("Float32", 0),
        ("Float16", 1),
        ("BFloat16", 2),
        ("Mixed", 3),
        ("Auto", 4),
    ]
    assert issubclass(KernelDtype, enum.IntEnum)


def test_kernel_dtype_of_a_tensor(selector):
    assert selector.get_kernel_dtype(np.zeros(2, np.float32)) is KernelDtype.Float32
    assert selector.get_kernel_dtype(np.zeros(2, np.float16)) is KernelDtype.Float16
    for name in NAMES:
        assert selector.get_kernel_dtype(np.zeros(2, name)) is KernelDtype.Float32


def test_kernel_dtype_of_torch_tensors(selector):
    torch = pytest.importorskip("torch")
    assert selector.get_kernel_dtype(torch.zeros(2, dtype=torch.bfloat16)) is KernelDtype.BFloat16
    assert selector.get_kernel_dtype("conv2d", [torch.float16]) is KernelDtype.Float16
    assert KernelSelector(torch.device("cuda", 1)).device == "cuda:1"


def test_kernel_dtype_of_tensors(selector):
    half, single, double = (np.zeros(2, dtype) for dtype in (np.float16, np.float32, np.float64))
    assert selector.get_kernel_dtype([]) is KernelDtype.Float32
    assert selector.get_kernel_dtype([half, half]) is KernelDtype.Float16
    assert selector.get_kernel_dtype([half, single]) is KernelDtype.Mixed
    assert selector.get_kernel_dtype((single, double)) is KernelDtype.Mixed


def test_kernel_dtype_of_an_operation(selector):
    selector.register_kernel_capability("blend", KernelCapability.create_float16())
    assert selector.get_kernel_dtype("blend", ["float16", "float16"]) is KernelDtype.Float16
    assert selector.get_kernel_dtype("blend", ["bfloat16", "float16"]) is KernelDtype.Float16
    assert selector.get_kernel_dtype("blend", ["bfloat16"]) is KernelDtype.Float32
    assert selector.get_kernel_dtype("blend", []) is KernelDtype.Float32
    selector.register_kernel_capability("blend", KernelCapability(KernelDtype.Mixed))
    assert selector.get_kernel_dtype("blend", ["bfloat16", "float16"]) is KernelDtype.Mixed


@pytest.mark.parametrize("dtype", ["float16", "half", "FP16", np.float16, np.dtype("f2"), KernelDtype.Float16])
def test_ways_to_write_a_dtype(selector, dtype):
    selector.register_kernel_capability("blend", KernelCapability.create_float16())
    assert selector.select_best_kernel("blend", [dtype]) is KernelDtype.Float16


def test_dtypes_of_jax(selector):
    jnp = pytest.importorskip("jax.numpy")
    selector.register_kernel_capability("blend", KernelCapability.create_bfloat16())
    assert selector.select_best_kernel("blend", [jnp.bfloat16]) is KernelDtype.BFloat16
    assert selector.get_kernel_dtype(jnp.zeros(2, jnp.bfloat16)) is KernelDtype.BFloat16


def test_capabilities():
    assert KernelCapability.create_float32() == KernelCapability(KernelDtype.Float32, True, False, 1.0, 1.0)
    assert KernelCapability.create_float16() == KernelCapability(KernelDtype.Float16, True, True, 1.0, 1.0)
    assert KernelCapability.create_bfloat16() == KernelCapability(KernelDtype.BFloat16, True, True, 1.0, 1.0)
    assert KernelCapability.create_float32(True).supports_tensor_cores
    assert not KernelCapability.create_float16(False).supports_tensor_cores
    assert not KernelCapability.create_bfloat16(supports_tensor_cores=False).supports_tensor_cores
    assert KernelCapability("mixed").dtype is KernelDtype.Mixed
    made = KernelCapability(KernelDtype.Float32)
    assert made.is_available and not made.supports_tensor_cores
    assert made.performance_factor == made.memory_efficiency == 1.0


def test_registration(selector):
    capability = KernelCapability(KernelDtype.Float16, True, True, 2.0, 0.5)
    assert selector.capability("blend", "float16") is None
    selector.register_kernel_capability("blend", capability)
    assert selector.capability("blend", KernelDtype.Float16) == capability
    assert selector.is_kernel_available("blend", KernelDtype.Float16)
    assert not selector.is_kernel_available("blend", KernelDtype.Float32)
    assert not selector.is_kernel_available("blend", KernelDtype.Auto)
    assert not selector.is_kernel_available("unknown", KernelDtype.Float32)
    selector.register_kernel_capability("blend", KernelCapability(KernelDtype.Float16, is_available=False))
    assert not selector.is_kernel_available("blend", KernelDtype.Float16)


def test_endings_of_names(selector):
    selector.register_kernel_capability("conv2d_bf16", KernelCapability.create_bfloat16())
    assert selector.is_kernel_available("conv2d", "bfloat16")
    assert selector.is_kernel_available("conv2d_bf16", "bfloat16")
    assert not selector.is_kernel_available("conv2d_bf16", "float16")


def test_select(selector):
    for dtype in ("Float32", "Float16", "BFloat16"):
        selector.register_kernel_capability("blend", KernelCapability(dtype))
    assert selector.select_best_kernel("blend", ["float32"], KernelDtype.BFloat16) is KernelDtype.BFloat16
    assert selector.select_best_kernel("blend", ["float32"], preferred_dtype="float16") is KernelDtype.Float16
    assert selector.select("blend", ["float32"], "bfloat16") == (KernelDtype.BFloat16, "preferred")
    assert selector.select("blend", ["float16", "float32"]) == (KernelDtype.Float16, "input")
    assert selector.select("blend", ["float16"], KernelDtype.Mixed) == (KernelDtype.Float16, "input")
    assert selector.select("blend", ["float16"], KernelDtype.Auto) == (KernelDtype.Float16, "input")
    assert selector.select("unknown", ["float16"]) == (KernelDtype.Float32, "fallback")
    assert selector.select("blend", []).reason == "fallback"


def test_policies(selector):
    selector.register_kernel_capability("blend", KernelCapability.create_float32())
    selector.register_kernel_capability("blend", KernelCapability("float16", performance_factor=2.0))
    assert selector.policy("blend") == "seed"
    selector.set_policy("blend", "promote")
    assert selector.policy("blend") == "promote"
    assert selector.select("blend", ["float16", "float32"]) == (KernelDtype.Float32, "promoted")
    selector.set_policy("blend", "ranked")
    assert selector.select("blend", ["float32"]) == (KernelDtype.Float16, "factor")
    for _ in range(10):
        selector.update_performance_stats("blend", "float16", 2.0)
        selector.update_performance_stats("blend", "float32", 1.0)
    assert selector.select("blend", ["float16"]) == (KernelDtype.Float32, "measured")


FLOATING = ("float16", "bfloat16", "float32", "float64")
KERNEL_DTYPE_OF = {"float16": KernelDtype.Float16, "bfloat16": KernelDtype.BFloat16}


def expected_selection(available, policy, dtypes, preferred, factors):
    """The rules of docs/selector.md once more."""
    if preferred in available:
        return preferred, "preferred"
    floating = [dtype for dtype in dtypes if dtype in FLOATING]
    if KernelDtype.Mixed in available and len(set(floating)) > 1:
        return KernelDtype.Mixed, "mixed"
    uniform = sorted(available - {KernelDtype.Mixed})
    kernels = [KERNEL_DTYPE_OF.get(dtype, KernelDtype.Float32) for dtype in dtypes]
    if policy == "ranked" and uniform:
        return max(uniform, key=lambda dtype: factors[dtype]), "factor"
    if policy == "promote":
        common = {KERNEL_DTYPE_OF.get(dtype, KernelDtype.Float32) for dtype in floating}
        dtype = common.pop() if len(common) == 1 else KernelDtype.Float32
        dtype = dtype if dtype in available else KernelDtype.Float32
        return dtype, "promoted" if dtype in available else "fallback"
    for dtype in kernels:
        if dtype in available:
            return dtype, "input"
    return KernelDtype.Float32, "fallback"


@pytest.mark.parametrize("policy", ["seed", "promote", "ranked"])
def test_every_combination(policy):
    dtypes = (*FLOATING, "int32")
    lists = [row for size in range(4) for row in itertools.product(dtypes, repeat=size)]
    kernels = list(KernelDtype)[:4]
    for number, mask in enumerate(itertools.product((False, True), repeat=4)):
        available = {dtype for dtype, is_available in zip(kernels, mask, strict=True) if is_available}
        order = list(itertools.permutations((1.0, 2.0, 3.0, 4.0)))[number]
        factors = dict(zip(kernels, order, strict=True))
        selector = KernelSelector("cpu")
        for dtype in kernels:
            capability = KernelCapability(dtype, dtype in available, performance_factor=factors[dtype])
            selector.register_kernel_capability("blend", capability)
        selector.set_policy("blend", policy)
        for row in lists:
            for preferred in KernelDtype:
                found = selector.select("blend", row, preferred)
                assert found == expected_selection(available, policy, row, preferred, factors), (available, row, preferred)


@pytest.mark.parametrize("times", list(itertools.permutations((1.0, 2.0, 3.0))))
def test_ranked_takes_the_least_average_in_every_order(selector, times):
    for dtype in ("float32", "float16", "bfloat16"):
        selector.register_kernel_capability("blend", KernelCapability(dtype))
    selector.set_policy("blend", "ranked")
    for dtype, time in zip(("float32", "float16", "bfloat16"), times, strict=True):
        assert selector.select("blend", []).reason == "factor"
        for _ in range(10):
            selector.update_performance_stats("blend", dtype, time)
    fastest = list(KernelDtype)[times.index(1.0)]
    for row in ([], ["float16"], ["float32", "bfloat16"], ["int32"]):
        assert selector.select("blend", row) == (fastest, "measured")


def test_statistics(selector):
    assert selector.get_performance_stats("conv2d", KernelDtype.Float16) is None
    for time in (2.0, 4, 0.0):
        selector.update_performance_stats("conv2d", KernelDtype.Float16, time)
    stats = selector.get_performance_stats("conv2d", KernelDtype.Float16)
    assert stats == KernelPerformanceStats("conv2d", KernelDtype.Float16, 2.0, 0.0, 4.0, 3)
    assert stats.to_string() == str(stats)
    assert str(stats) == "conv2d (Float16): average 2.000 ms, min 0.000 ms, max 4.000 ms, 3 executions"
    assert selector.get_performance_stats("conv2d", KernelDtype.BFloat16) is None


def test_statistics_say_how_many_executions_were_timed():
    stats = KernelPerformanceStats("f", KernelDtype.Float32, 1.0, 1.0, 1.0, 100, 4)
    assert str(stats).endswith(", 100 executions, 4 timed")
    assert KernelPerformanceStats("f", KernelDtype.Float32, 1.0, 1.0, 1.0, 3).timed_count == 3


def test_numbers_of_numpy(selector):
    capability = KernelCapability(
        "float16", np.bool_(False), np.bool_(True), performance_factor=np.float32(2), memory_efficiency=np.int64(3)
    )
    assert capability == KernelCapability(KernelDtype.Float16, False, True, 2.0, 3.0)
    for time in (np.float32(1), np.int64(3), -0.0):
        selector.update_performance_stats("blend", "float16", time)
    stats = selector.get_performance_stats("blend", "float16")
    assert str(stats) == "blend (Float16): average 1.333 ms, min 0.000 ms, max 3.000 ms, 3 executions"


@pytest.mark.parametrize("name", ["ñ≤核", "x" * 100_000, "a\0b", " ", "conv2d_fp16_fp16"])
def test_unusual_names(selector, name):
    selector.register_kernel_capability(name, KernelCapability.create_float16())
    assert selector.is_kernel_available(name, "float16")
    assert not selector.is_kernel_available(name[:-1] or "y", "float16")
    selector.update_performance_stats(name, "float16", 1.0)
    assert selector.get_performance_stats(name, "float16").operation_name == name


def test_what_can_be_pickled(selector):
    selector.update_performance_stats("blend", "float16", 1.0)
    stats = selector.get_performance_stats("blend", "float16")
    for each in (KernelCapability.create_float16(), stats, KernelDtype.Mixed):
        assert pickle.loads(pickle.dumps(each)) == each
    with pytest.raises(kernix.KernelError, match="cannot be pickled: ask kernix.KernelRegistry"):
        pickle.dumps(selector)
    with pytest.raises(kernix.KernelError, match="cannot be pickled"):
        copy.copy(selector)


def test_registry():
    assert not KernelRegistry.get_all_selectors()
    cpu, first = (KernelRegistry.get_or_create_selector(device) for device in ("cpu", "cuda"))
    assert KernelRegistry.get_or_create_selector("cpu") is cpu
    assert KernelRegistry.get_or_create_selector("cuda:0") is first
    assert first.device == "cuda:0"
    everything = KernelRegistry.get_all_selectors()
    assert dict(everything) == {"cpu": cpu, "cuda:0": first}
    with pytest.raises(TypeError):
        everything["cpu"] = first
    cpu.register_kernel_capability("not bound", KernelCapability.create_float32())
    KernelRegistry.clear()
    assert not KernelRegistry.get_all_selectors()
    assert cpu.is_kernel_available("not bound", "float32")
    assert not KernelRegistry.get_or_create_selector("cpu").is_kernel_available("not bound", "float32")
    assert KernelRegistry.get_or_create_selector("cpu") is not cpu


@pytest.mark.parametrize("device", ["cpu", "cuda:0"])
def test_defaults_hold_until_something_is_registered(device):
    selector = KernelSelector(device)
    assert selector.select_best_kernel("conv2d", ["float16"], preferred_dtype=None) is KernelDtype.Float16
    selector.register_kernel_capability("conv2d", KernelCapability.create_float32())
    assert selector.select_best_kernel("conv2d", ["float16"], preferred_dtype=None) is KernelDtype.Float32
    assert selector.capability("conv2d", "bfloat16") is None
    assert selector.is_kernel_available("matmul", "bfloat16")


def test_default_capabilities():
    on_cpu = KernelSelector("cpu")  # of its own: that of the registry knows the variants of what other tests have loaded
    KernelRegistry.register_default_capabilities("cpu", on_cpu)
    assert on_cpu.is_kernel_available("conv2d", "float16")
    assert on_cpu.is_kernel_available("matmul_bf16", "bfloat16")
    assert on_cpu.is_kernel_available("relu", "float32") and not on_cpu.is_kernel_available("gelu", "float16")
    assert not on_cpu.capability("conv2d", "float16").supports_tensor_cores
    turing, ampere = KernelSelector("cuda:0"), KernelSelector("cuda:0")
    KernelRegistry.register_default_capabilities("cuda:0", turing, compute_capability=75)
    KernelRegistry.register_default_capabilities("cuda:0", ampere, compute_capability=80)
    assert turing.capability("matmul", "float16").supports_tensor_cores
    assert not turing.capability("matmul", "bfloat16").supports_tensor_cores
    assert ampere.capability("matmul", "bfloat16").supports_tensor_cores
    assert not ampere.capability("matmul", "float32").supports_tensor_cores


WRONG = {
    "device": lambda s: KernelSelector("tpu"),
    "number of a device": lambda s: KernelSelector("cuda:x"),
    "no device": lambda s: KernelSelector(None),
    "device of the registry": lambda s: KernelRegistry.get_or_create_selector("cpu:1"),
    "dtype": lambda s: s.select_best_kernel("blend", ["float17"]),
    "dtype without width": lambda s: s.select_best_kernel("blend", [float]),
    "no dtypes": lambda s: s.select_best_kernel("blend", None),
    "a name as list": lambda s: s.select_best_kernel("blend", "float16"),
    "preferred dtype": lambda s: s.select_best_kernel("blend", ["float16"], "float64"),
    "kernel dtype": lambda s: s.is_kernel_available("blend", "int8"),
    "number": lambda s: s.is_kernel_available("blend", 7),
    "no operation": lambda s: s.is_kernel_available(None, "float16"),
    "empty operation": lambda s: s.is_kernel_available("", "float16"),
    "capability": lambda s: s.register_kernel_capability("blend", None),
    "automatic capability": lambda s: KernelCapability(KernelDtype.Auto),
    "factor": lambda s: KernelCapability("float16", performance_factor=0.0),
    "efficiency": lambda s: KernelCapability("float16", memory_efficiency=float("nan")),
    "huge factor": lambda s: KernelCapability("float16", performance_factor=1e300),
    "text as factor": lambda s: KernelCapability("float16", performance_factor="2"),
    "huge number as factor": lambda s: KernelCapability("float16", performance_factor=10**400),
    "text as availability": lambda s: KernelCapability("float16", is_available="no"),
    "number as tensor cores": lambda s: KernelCapability("float16", supports_tensor_cores=2),
    "surrogates": lambda s: s.is_kernel_available("a\ud800", "float16"),
    "negative time": lambda s: s.update_performance_stats("blend", "float16", -1.0),
    "no time": lambda s: s.update_performance_stats("blend", "float16", None),
    "huge time": lambda s: s.update_performance_stats("blend", "float16", 10**400),
    "truth as time": lambda s: s.update_performance_stats("blend", "float16", True),
    "nan": lambda s: s.update_performance_stats("blend", "float16", float("nan")),
    "infinity": lambda s: s.update_performance_stats("blend", "float16", float("inf")),
    "time of auto": lambda s: s.update_performance_stats("blend", "auto", 1.0),
    "statistics of auto": lambda s: s.get_performance_stats("blend", KernelDtype.Auto),
    "policy": lambda s: s.set_policy("blend", "best"),
    "policy of an unknown operation": lambda s: s.set_policy("unknown", "ranked"),
    "not a tensor": lambda s: s.get_kernel_dtype(3),
    "not tensors": lambda s: s.get_kernel_dtype(["float16"]),
    "operation without dtypes": lambda s: s.get_kernel_dtype("blend"),
    "compute capability": lambda s: KernelRegistry.register_default_capabilities("cuda", s, compute_capability=8.0),
    "huge compute capability": lambda s: KernelRegistry.register_default_capabilities("cuda", s, compute_capability=10**12),
    "negative compute capability": lambda s: KernelRegistry.register_default_capabilities("cuda", s, compute_capability=-1),
    "defaults of nothing": lambda s: KernelRegistry.register_default_capabilities("cpu", None),
}


@pytest.mark.parametrize("what", WRONG)
def test_wrong_values(selector, what):
    selector.register_kernel_capability("blend", KernelCapability.create_float32())
    with pytest.raises(ValueError) as error:
        WRONG[what](selector)
    assert isinstance(error.value, kernix.KernelError)


def test_messages(selector):
    with pytest.raises(ValueError, match="device: expected 'cpu', 'cuda' or 'cuda:N', got 'tpu'"):
        KernelSelector("tpu")
    with pytest.raises(ValueError, match="expected a finite number that is not negative, got -1"):
        selector.update_performance_stats("blend", "float16", -1)
    with pytest.raises(ValueError, match="no capability of 'unknown' is registered"):
        selector.set_policy("unknown", "ranked")


def test_many_threads():
    """Readers, a writer and clear() at once; the one under ThreadSanitizer is test/runtime/selector/stress_test.cpp."""
    wrong = []
    done = threading.Event()

    def read():
        while not done.is_set():
            selector = KernelRegistry.get_or_create_selector("cpu")
            if selector.select_best_kernel("conv2d", ["bfloat16"]) is not KernelDtype.BFloat16:
                wrong.append("conv2d")
            selector.update_performance_stats("conv2d", "float16", 1.0)

    readers = [threading.Thread(target=read) for _ in range(8)]
    for reader in readers:
        reader.start()
    for i in range(200):
        KernelRegistry.get_or_create_selector("cpu").register_kernel_capability(f"f{i}", KernelCapability.create_float16())
        KernelRegistry.clear()
    done.set()
    for reader in readers:
        reader.join()
    assert not wrong
