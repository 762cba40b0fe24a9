"""Calls from many threads: results, and the GIL, which is free while a function runs."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import kernix


@pytest.fixture(scope="module")
def sleeper(tmp_path_factory):
    path = tmp_path_factory.mktemp("sources") / "sleeper.cu"
    path.write_text(
        """
        #include <chrono>
        #include <kernix/kernix.h>
        #include <thread>
        [[kernix::bind]] void rest(int milliseconds) {
          std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
        }
        """
    )
    return kernix.load(path, target="cpu")


def test_gil_is_released(sleeper):
    ticks = 0
    done = threading.Event()

    def count():
        nonlocal ticks
        while not done.is_set():
            ticks += 1
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    sleeper.rest(300)
    done.set()
    thread.join()
    assert ticks > 20


def test_many_threads(calls):
    def work(seed):
        x = np.full(1000, seed, "float32")
        for _ in range(50):
            assert (calls.scale_shift(x, 2.0, 1.0) == 2 * seed + 1).all()
            z = np.empty_like(x)
            calls.add(x, x, z)
            assert (z == 2 * seed).all()
        return True

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(16)))


def test_errors_belong_to_their_thread(results):
    def work(index):
        for _ in range(200):
            with pytest.raises(kernix.KernelValueError, match=f"{1000 + index}"):
                results.as_int8(1000 + index)
        return True

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(8)))


def test_loading_in_many_threads(tmp_path):
    path = tmp_path / "f.cu"
    path.write_text("#include <kernix/kernix.h>\n[[kernix::bind]] int f() { return 3; }\n")
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(lambda _: kernix.load(path, target="cpu").f(), range(8))) == [3] * 8
