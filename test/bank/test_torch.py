"""Kernels of the bank as operators of torch: opcheck, gradients through torch.func and the compiler, gradcheck.

Every eighth one; KERNIX_ALL=1 runs all, and gradcheck and gradgradcheck with them.
"""

import os
from typing import Any

import bank
import checks
import numpy as np
import pytest
import test_bank
import test_second

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.filterwarnings("ignore")

IS_ALL = bool(os.environ.get("KERNIX_ALL"))
KERNELS = [
    kernel
    for kernel in bank.kernels()
    if "f64" in kernel.types and not any(argument.kind in ("same", "realstruct") for argument in kernel.arguments.values())
][:: 1 if IS_ALL else 8]
each_kernel = pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: f"{kernel.file.stem}-{kernel.name}")


class Case:
    """A kernel with its arguments as tensors: what is differentiated, and what is not."""

    def __init__(self, kernel: bank.Kernel, module: Any = None) -> None:
        self.kernel = kernel
        self.function = (module or test_bank.module(kernel))[kernel.name]
        self.op = checks.Operation(self.function, kernel, "f64")
        self.made = self.op.make(3)
        self.varied = {name: self.tensor(self.made[name]) for name in kernel.inputs()}
        self.fixed = {
            name: self.tensor(value) if isinstance(value, np.ndarray) else value
            for name, value in self.made.items()
            if name not in self.varied
        }
        self.cotangents = self.op.random_like(self.made, kernel.outputs(), 5)
        self.weights = {name: self.tensor(value) for name, value in self.cotangents.items()}

    @staticmethod
    def tensor(value: Any) -> Any:
        if isinstance(value, np.ndarray):
            return torch.from_numpy(value.copy()) if value.flags.c_contiguous else strided(value)
        return torch.tensor(value, dtype=torch.float64)

    def call(self, varied: dict[str, Any]) -> dict[str, Any]:
        """The outputs, from inputs that stay what they are."""
        given = {**self.fixed, **varied}
        for name, argument in self.kernel.arguments.items():
            if argument.kind in ("inout", "out"):
                given[name] = given[name].clone()
        self.function(**given, **self.kernel.launch)
        return {name: given[name] for name in self.kernel.outputs()}

    def pull(self, outputs: dict[str, Any]) -> Any:
        """A number whose gradient is that of the cotangents."""
        return sum((outputs[name] * value).sum() for name, value in self.weights.items())

    def expected(self) -> dict[str, Any]:
        return self.op.backward(self.op.make(3), self.cotangents)

    def check(self, gradients: dict[str, Any]) -> None:
        for name, expected in self.expected().items():
            np.testing.assert_allclose(gradients[name].detach().numpy(), expected, rtol=1e-9, atol=1e-9, err_msg=name)


def strided(value: Any) -> Any:
    made = torch.empty_strided(value.shape, [stride // value.itemsize for stride in value.strides], dtype=torch.float64)
    return made.copy_(torch.from_numpy(np.ascontiguousarray(value)))


@each_kernel
def test_opcheck(kernel: bank.Kernel) -> None:
    from kernix.torch import operators

    case = Case(kernel)
    given = {**case.fixed, **case.varied}
    operator = operators.operator_for(case.function, case.function._details, given)
    row, keywords = operator.pack(given, kernel.launch)
    torch.library.opcheck(operator.op, row, keywords, rtol=1e-9, atol=1e-9)


@each_kernel
def test_transformed(kernel: bank.Kernel) -> None:
    case = Case(kernel)
    case.check(torch.func.grad(lambda varied: case.pull(case.call(varied)))(case.varied))


@each_kernel
def test_compiled(kernel: bank.Kernel) -> None:
    torch._dynamo.reset()
    case = Case(kernel)
    leaves = {name: tensor.detach().clone().requires_grad_() for name, tensor in case.varied.items()}
    torch.compile(lambda varied: case.pull(case.call(varied)), backend="aot_eager", fullgraph=True)(leaves).backward()
    case.check({name: leaf.grad for name, leaf in leaves.items()})


def check_numerically(check: Any, case: Case) -> None:
    names = [*case.varied]

    def call(*row: Any) -> Any:
        return tuple(case.call(dict(zip(names, row, strict=True))).values())

    leaves = [tensor.requires_grad_() for tensor in case.varied.values()]
    tolerance = max(case.kernel.tolerance, 1e-5)
    assert check(call, leaves, rtol=tolerance, atol=tolerance, fast_mode=True, nondet_tol=1e-10)


@pytest.mark.skipif(not IS_ALL, reason="KERNIX_ALL=1 runs it")
@each_kernel
def test_gradcheck(kernel: bank.Kernel) -> None:
    check_numerically(torch.autograd.gradcheck, Case(kernel))


@pytest.mark.skipif(not IS_ALL, reason="KERNIX_ALL=1 runs it")
@pytest.mark.parametrize("kernel", test_second.ALL, ids=lambda kernel: f"{kernel.file.stem}-{kernel.name}")
def test_gradgradcheck(kernel: bank.Kernel) -> None:
    check_numerically(torch.autograd.gradgradcheck, Case(kernel, test_second.module(kernel.file, "cpu")))
