"""Trains a network of kernels in two processes, each with half of every batch: torch's DistributedDataParallel.

The processes exchange gradients through gloo, on the CPU; with two GPUs (--device cuda) through NCCL. The parameters are
compared with those of one process that sees whole batches.
"""

import os
import socket
import sys
from pathlib import Path

import kernix

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))
from example import parser, torch  # noqa: E402

PROCESSES, STEPS, BATCH, INPUTS, HIDDEN, OUTPUTS = 2, 20, 32, 8, 16, 3


class Network(torch.nn.Module):
    """Two layers, each one kernel."""

    def __init__(self, module, device) -> None:
        super().__init__()
        self.module = module
        generator = torch.Generator().manual_seed(0)
        sizes = [(HIDDEN, INPUTS), (HIDDEN,), (OUTPUTS, HIDDEN), (OUTPUTS,)]
        self.weights = torch.nn.ParameterList(
            [torch.nn.Parameter(0.3 * torch.randn(each, generator=generator).to(device)) for each in sizes]
        )

    def forward(self, x):
        w1, b1, w2, b2 = self.weights
        # The hidden layer is computed again in the backward pass, instead of being kept.
        hidden = torch.utils.checkpoint.checkpoint(
            lambda x: self.module.dense(x, w1, b1, rectify=True), x, use_reentrant=False
        )
        return self.module.dense(hidden, w2, b2, rectify=False)


def batches(device):
    generator = torch.Generator().manual_seed(1)
    for _ in range(STEPS):
        x = torch.randn(BATCH, INPUTS, generator=generator)
        yield x.to(device), torch.stack([x[:, 0], x[:, 1] * x[:, 2], x.sum(1)], 1).to(device)


def train(network, device, part=slice(None)) -> float:
    optimizer = torch.optim.SGD(network.parameters(), lr=0.05)
    for x, target in batches(device):
        loss = torch.nn.functional.mse_loss(network(x[part]), target[part])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return loss.item()


def run(rank: int, kind: str, port: int) -> None:
    """One of the processes."""
    device = torch.device(kind, rank) if kind == "cuda" else torch.device("cpu")
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port))
    torch.distributed.init_process_group("nccl" if kind == "cuda" else "gloo", rank=rank, world_size=PROCESSES)
    module = kernix.load(HERE.parent / "digits" / "digits.cu")
    network = Network(module, device)
    parallel = torch.nn.parallel.DistributedDataParallel(network, device_ids=[rank] if kind == "cuda" else None)
    count = BATCH // PROCESSES
    loss = train(parallel, device, slice(rank * count, (rank + 1) * count))
    alone = Network(module, device)
    train(alone, device)
    for mine, expected in zip(network.weights, alone.weights, strict=True):
        torch.testing.assert_close(mine, expected, rtol=1e-4, atol=1e-5)
    print(f"process {rank} of {PROCESSES} on {device}: loss {loss:.4f}, parameters equal to the reference", flush=True)
    torch.distributed.destroy_process_group()


if __name__ == "__main__":
    options = parser(__doc__).parse_args()
    if options.device == "cuda" and torch.cuda.device_count() < PROCESSES:
        print(f"fewer than {PROCESSES} devices for cuda: on the CPU")
        options.device = "cpu"
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    kernix.load(HERE.parent / "digits" / "digits.cu")  # built once, before the processes need it
    torch.multiprocessing.spawn(run, (options.device, port), nprocs=PROCESSES)
