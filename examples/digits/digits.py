"""Trains a network of two layers on the handwritten digits that scikit-learn ships, with loss.backward()."""

import sys
import time
from pathlib import Path

import kernix
import numpy as np
from sklearn.datasets import load_digits

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))
from example import check, parser, torch  # noqa: E402

HIDDEN, STEPS, BATCH = 48, 400, 128

arguments = parser(__doc__)
arguments.add_argument("--steps", type=int, default=STEPS)
options = arguments.parse_args()
device = torch.device(options.device)
module = kernix.load(HERE / "digits.cu")

images, labels = load_digits(return_X_y=True)
order = np.random.default_rng(0).permutation(len(images))
images = torch.from_numpy((images[order] / 16).astype(np.float32)).to(device)
labels = torch.from_numpy(labels[order].astype(np.int64)).to(device)
train, test = slice(0, 1400), slice(1400, None)

torch.manual_seed(0)
sizes = [(HIDDEN, 64), (HIDDEN,), (10, HIDDEN), (10,)]
parameters = [(0.2 * torch.randn(each)).to(device).requires_grad_() for each in sizes]


def network(x: "torch.Tensor") -> "torch.Tensor":
    w1, b1, w2, b2 = parameters
    return module.dense(module.dense(x, w1, b1, rectify=True), w2, b2, rectify=False)


def reference(x: "torch.Tensor") -> "torch.Tensor":
    w1, b1, w2, b2 = parameters
    return torch.relu(x @ w1.t() + b1) @ w2.t() + b2


def gradients(model) -> list[np.ndarray]:
    loss = torch.nn.functional.cross_entropy(model(images[:50]), labels[:50])
    return [each.cpu().numpy() for each in torch.autograd.grad(loss, parameters)]


for name, got, expected in zip(("w1", "b1", "w2", "b2"), gradients(network), gradients(reference), strict=True):
    check(f"gradient of {name}", got, expected, rtol=1e-3, atol=1e-5)

optimizer = torch.optim.Adam(parameters, lr=5e-3)
generator = torch.Generator().manual_seed(0)
start = time.perf_counter()
for _ in range(options.steps):
    batch = torch.randint(0, 1400, (BATCH,), generator=generator).to(device)
    loss = torch.nn.functional.cross_entropy(network(images[batch]), labels[batch])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
with torch.no_grad():
    right = (network(images[test]).argmax(1) == labels[test]).float().mean().item()
print(f"{options.steps} steps on {options.device}: {time.perf_counter() - start:.1f} s, last loss {loss.item():.4f}, "
      f"{100 * right:.1f} % of the digits that it has not seen are recognised")
if not right > 0.9:
    sys.exit("MISMATCH: fewer than 90 % are recognised")
