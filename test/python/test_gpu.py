"""What is known of the GPUs, without asking the driver each time."""

import json

import pytest

from kernix import cache, gpu


@pytest.fixture
def machine(tmp_path, monkeypatch, fresh_cache):
    """A machine that looks as if it had GPUs, and counts how often its driver was asked."""
    asked = []
    (tmp_path / "gpus" / "0000:01:00.0").mkdir(parents=True)
    (tmp_path / "gpus" / "0000:01:00.0" / "information").write_text("Model: one\n")
    (tmp_path / "version").write_text("580\n")
    monkeypatch.setattr(gpu, "_PROC", str(tmp_path))
    answer = [gpu.Driver(13000, ((9, 0), (9, 0), (8, 0)))]
    monkeypatch.setattr(gpu, "ask_driver", lambda: asked.append(1) or answer[0])
    return Machine(tmp_path, asked, answer)


class Machine:
    def __init__(self, proc, asked, answer):
        self.proc, self.asked, self.answer = proc, asked, answer

    def driver(self):
        """As a new process sees it."""
        return gpu.driver.__wrapped__()


def test_architectures_once_each():
    assert gpu.Driver(13000, ((9, 0), (9, 0), (8, 0))).architectures == ("sm_90", "sm_80")


def test_answer_is_kept(machine):
    first = machine.driver()
    assert machine.driver() == first == machine.answer[0]
    assert len(machine.asked) == 1


@pytest.mark.parametrize("name", ["version", "gpus/0000:01:00.0/information"])
def test_another_driver_or_device(machine, name):
    machine.driver()
    (machine.proc / name).write_text("another\n")
    machine.answer[0] = gpu.Driver(13010, ((12, 0),))
    assert machine.driver().devices == ((12, 0),)


def test_visible_devices(machine, monkeypatch):
    machine.driver()
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    machine.answer[0] = gpu.Driver(13000, ())
    assert not machine.driver().usable
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES")
    assert machine.driver().usable


def test_failure_is_not_kept(machine):
    machine.answer[0] = gpu.Driver(0, (), "cuInit failed with error 999")
    assert not machine.driver().usable
    machine.answer[0] = gpu.Driver(13000, ((9, 0),))
    assert machine.driver().usable


def test_damaged_record_is_asked_again(machine):
    machine.driver()
    (record,) = (machine.proc / "kernix-cache" / "gpus").iterdir()
    assert json.loads(record.read_text())["version"] == 13000
    record.write_text("{")
    assert machine.driver().version == 13000
    assert len(machine.asked) == 2


def test_cache_that_cannot_be_written(machine, monkeypatch):
    def refuse(path, content):
        raise cache.KernelError("read-only")

    monkeypatch.setattr(cache, "write_atomically", refuse)
    assert machine.driver().usable


def test_without_a_state_the_driver_is_asked(machine):
    (machine.proc / "version").unlink()
    machine.driver()
    machine.driver()
    assert len(machine.asked) == 2
