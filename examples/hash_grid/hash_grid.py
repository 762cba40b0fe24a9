"""A photograph as a function of the place: tables of features, interpolated by kernix, and a small network by PyTorch.

The tables and the network are fitted to random pixels. Writes the photograph beside what they give for every pixel.
"""

import sys
import time
from pathlib import Path

import kernix
import numpy as np
import skimage.data
from PIL import Image

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))
from example import check, parser, torch  # noqa: E402

COARSEST, FINEST = 16, 0.7  # squares along a side: of the first level; of the last one, for each pixel

arguments = parser(__doc__)
arguments.add_argument("--size", type=int, help="pixels along one side; 512 with a GPU, else 192")
arguments.add_argument("--steps", type=int, help="4000 with a GPU, else 400")
arguments.add_argument("--levels", type=int, default=10)
arguments.add_argument("--slots", type=int, help="of each level, a power of two; 16384 with a GPU, else 4096")
arguments.add_argument("--output", type=Path, default=Path("hash_grid.png"))
options = arguments.parse_args()
large = options.device == "cuda"
size = options.size or (512 if large else 192)
steps = options.steps or (4000 if large else 400)
slots = options.slots or (16384 if large else 4096)
batch = 1 << 18 if large else 1 << 12

module = kernix.load(HERE / "hash_grid.cu")
device = torch.device(options.device)
growth = (FINEST * size / COARSEST) ** (1 / (options.levels - 1))


def reference(places: "torch.Tensor", table: "torch.Tensor") -> "torch.Tensor":
    """The same features in PyTorch."""
    levels = []
    for level, entries in enumerate(table):
        squares = int(COARSEST * torch.tensor(growth).pow(level))
        at = places * squares
        corner = at.long()
        inside = (at - corner).double()
        total = torch.zeros(len(places), 2, dtype=torch.float64)
        for right, below in ((0, 0), (1, 0), (0, 1), (1, 1)):
            column, row = corner[:, 0] + right, corner[:, 1] + below
            slot = column + row * (squares + 1)
            if (squares + 1) ** 2 > len(entries):
                slot = (column ^ (row * 2654435761)) & (len(entries) - 1)
            weight = (inside[:, 0] if right else 1 - inside[:, 0]) * (inside[:, 1] if below else 1 - inside[:, 1])
            total = total + weight[:, None] * entries[slot]
        levels.append(total)
    return torch.stack(levels, dim=1)


def compare_with_reference() -> None:
    torch.manual_seed(1)
    places, table, weight = torch.rand(200, 2), torch.rand(5, 512, 2), torch.rand(200, 5, 2)
    mine = table.clone().to(device).requires_grad_()
    features = module.encode(places.to(device), mine, coarsest=COARSEST, growth=growth)
    (features * weight.to(device)).sum().backward()
    theirs = table.double().requires_grad_()
    expected = reference(places, theirs)
    (expected * weight).sum().backward()
    check("features", features.detach().cpu(), expected.detach(), atol=1e-4)
    check("gradient of the table", mine.grad.cpu(), theirs.grad, rtol=1e-3, atol=1e-3)


compare_with_reference()

photo = Image.fromarray(skimage.data.astronaut()).resize((size, size), Image.Resampling.LANCZOS)
target = torch.from_numpy(np.asarray(photo, dtype=np.float32) / 255).to(device).reshape(-1, 3)
row, column = torch.meshgrid(torch.arange(size), torch.arange(size), indexing="ij")
pixels = ((torch.stack([column, row], dim=-1).reshape(-1, 2) + 0.5) / size).to(device)

torch.manual_seed(0)
table = (1e-3 * (2 * torch.rand(options.levels, slots, 2) - 1)).to(device).requires_grad_()
network = torch.nn.Sequential(
    torch.nn.Linear(2 * options.levels, 64), torch.nn.ReLU(), torch.nn.Linear(64, 3), torch.nn.Sigmoid()
).to(device)
optimizer = torch.optim.Adam([{"params": [table], "lr": 0.02}, {"params": network.parameters(), "lr": 0.005}], eps=1e-12)


def colours(places: "torch.Tensor") -> "torch.Tensor":
    return network(module.encode(places, table, coarsest=COARSEST, growth=growth).flatten(1))


losses, start = [], time.perf_counter()
for _ in range(steps):
    chosen = torch.randint(len(pixels), (batch,), device=device)
    loss = (colours(pixels[chosen]) - target[chosen]).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.detach())
losses = torch.stack(losses).tolist()
seconds = time.perf_counter() - start

with torch.no_grad():
    picture = colours(pixels)
psnr = -10 * np.log10(float((picture - target).square().mean()))
numbers = table.numel() + sum(each.numel() for each in network.parameters())
print(f"{size} x {size} pixels, {numbers} parameters, {steps} steps on {options.device}: {seconds:.1f} s, "
      f"mean squared error {losses[0]:.5f} -> {losses[-1]:.5f}, the whole picture {psnr:.1f} dB")
if not losses[-1] < 0.05 * losses[0]:
    sys.exit("MISMATCH: the fit did not improve")

fitted = (picture.clamp(0, 1) * 255).byte().cpu().numpy().reshape(size, size, 3)
Image.fromarray(np.concatenate([np.asarray(photo), fitted], axis=1)).save(options.output)
print(f"photograph, fit: {options.output.resolve()}")
