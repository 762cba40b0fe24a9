"""What every example needs beside kernix: the device to run on, arrays there, and a comparison.

kernix runs a call where its arrays are. On the CPU these are NumPy arrays; on a GPU they are PyTorch tensors here, and
nothing else changes.
"""

import argparse
import importlib.util
import sys

import numpy as np


def parser(description: str) -> argparse.ArgumentParser:
    """A command line with --device cpu|cuda; by default CUDA where PyTorch finds a GPU."""
    result = argparse.ArgumentParser(description=description)
    result.add_argument("--device", choices=("cpu", "cuda"), default=_default_device())
    return result


def _default_device() -> str:
    if importlib.util.find_spec("torch") is None:
        return "cpu"
    import torch

    return "cuda" if torch.cuda.is_available() else "cpu"


def __getattr__(name: str):
    """`from example import torch`: PyTorch, or the end of the program with what to install."""
    if name != "torch":
        raise AttributeError(name)
    try:
        import torch
    except ModuleNotFoundError:
        sys.exit("this example needs PyTorch: pip install torch")
    return torch


def jax_device(name: str) -> None:
    """Makes JAX run there by default, or ends the program with what to install."""
    try:
        import jax
    except ModuleNotFoundError:
        sys.exit("this example needs JAX: pip install jax")
    try:
        jax.config.update("jax_default_device", jax.devices(name)[0])
    except RuntimeError:
        sys.exit(f"JAX has no {name} here: pip install 'jax[cuda13]'")


def put(array: np.ndarray, device: str):
    """The array where a call shall run."""
    if device == "cpu":
        return array
    try:
        import torch
    except ModuleNotFoundError:
        sys.exit("--device cuda needs PyTorch, which holds the arrays on the GPU: pip install torch")
    return torch.from_numpy(array.copy()).to(device)


def get(array) -> np.ndarray:
    """The array as NumPy's, from any device."""
    return array if isinstance(array, np.ndarray) else array.cpu().numpy()


def check(what: str, got, expected, *, rtol: float = 0.0, atol: float = 0.0) -> None:
    """Ends the program with status 1 if a result differs from the reference."""
    got, expected = np.asarray(got), np.asarray(expected)
    if got.shape != expected.shape:
        sys.exit(f"MISMATCH {what}: shape {got.shape}, expected {expected.shape}")
    difference = np.abs(got.astype(np.float64) - expected.astype(np.float64))
    # Written so that NaN fails.
    if not np.all(difference <= atol + rtol * np.abs(expected.astype(np.float64))):
        sys.exit(f"MISMATCH {what}: largest difference {difference.max():.3g}")
    print(f"{what}: equal to the reference (largest difference {difference.max():.3g})")
