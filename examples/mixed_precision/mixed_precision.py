"""Trains a network in float32, float16 and bfloat16 under torch.autocast, beside the same of PyTorch's own layers.

Its layers are kernels in three dtypes; autocast takes the variant, GradScaler keeps small gradients of float16 alive, and
the parameters stay in float32. The two losses are printed, and have to go the same way.
"""

import sys
import time
from pathlib import Path

import kernix

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))
from example import parser, torch  # noqa: E402

SIZES, STEPS, BATCH = (16, 32, 4), 60, 64
# By how much the losses may differ: what sums in another order do to numbers of so many bits.
TOLERANCES = {"float32": 1e-3, "float16": 0.03, "bfloat16": 0.1}

arguments = parser(__doc__)
arguments.add_argument("--steps", type=int, default=STEPS)
options = arguments.parse_args()
device = torch.device(options.device)
kernels = kernix.load(HERE / "mixed_precision.cu")


class Ours:
    linear, gelu, layer_norm = kernels.linear, kernels.gelu, kernels.layer_norm


class Theirs:
    linear, gelu = torch.nn.functional.linear, torch.nn.functional.gelu

    @staticmethod
    def layer_norm(x, scale, shift, epsilon):
        return torch.nn.functional.layer_norm(x, x.shape[1:], scale, shift, epsilon)


class Network(torch.nn.Module):
    def __init__(self, layers) -> None:
        super().__init__()
        self.layers = layers
        inputs, hidden, outputs = SIZES
        generator = torch.Generator().manual_seed(0)

        def parameter(*sizes):
            return torch.nn.Parameter((torch.randn(sizes, generator=generator) / sizes[-1] ** 0.5).to(device))

        self.first, self.first_bias = parameter(hidden, inputs), parameter(hidden)
        self.second, self.second_bias = parameter(outputs, hidden), parameter(outputs)
        self.scale = torch.nn.Parameter(torch.ones(hidden, device=device))
        self.shift = torch.nn.Parameter(torch.zeros(hidden, device=device))

    def forward(self, x):
        hidden = self.layers.gelu(self.layers.linear(x, self.first, self.first_bias))
        return self.layers.linear(self.layers.layer_norm(hidden, self.scale, self.shift, 1e-5), self.second, self.second_bias)


def train(layers, dtype) -> list[float]:
    network = Network(layers)
    optimizer = torch.optim.SGD(network.parameters(), lr=0.1)
    scaler = torch.amp.GradScaler(device.type, enabled=dtype is torch.float16)
    generator = torch.Generator().manual_seed(1)
    losses = []
    for _ in range(options.steps):
        x = torch.randn(BATCH, SIZES[0], generator=generator).to(device)
        target = (x[:, : SIZES[2]].abs() + x[:, SIZES[2] : 2 * SIZES[2]]).detach()
        with torch.autocast(device.type, dtype, enabled=dtype is not torch.float32):
            output = network(x)
        assert output.dtype is dtype
        loss = torch.nn.functional.mse_loss(output.float(), target)
        optimizer.zero_grad()
        scaler.scale(loss).backward()
        assert all(each.grad.dtype is torch.float32 for each in network.parameters())
        scaler.step(optimizer)
        scaler.update()
        losses.append(loss.item())
    return losses


for name, tolerance in TOLERANCES.items():
    start = time.perf_counter()
    ours = train(Ours, getattr(torch, name))
    seconds = time.perf_counter() - start
    theirs = train(Theirs, getattr(torch, name))
    worst = max(abs(a - b) / max(a, b) for a, b in zip(ours, theirs, strict=True))
    print(f"{name:8} on {options.device}: loss {ours[0]:.4f} to {ours[-1]:.4f} in {seconds:.1f} s, the reference of "
          f"PyTorch's own layers to {theirs[-1]:.4f}; they differ by {100 * worst:.2f} % at most")
    if worst > tolerance:
        sys.exit(f"MISMATCH: at most {100 * tolerance:.1f} % were expected")
    if not ours[-1] < 0.7 * ours[0]:
        sys.exit("MISMATCH: the network has not learnt")
