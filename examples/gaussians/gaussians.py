"""Fits a photograph with coloured ellipses by gradient descent: loss.backward() runs the derivative of the kernel.

Writes the photograph, the first picture, the fitted one and the loss curve as a PNG.
"""

import sys
import time
from pathlib import Path

import kernix
import numpy as np

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))
import fit  # noqa: E402
from example import check, parser, torch  # noqa: E402

arguments = parser(__doc__)
arguments.add_argument("--size", type=int, default=128, help="pixels along one side")
arguments.add_argument("--ellipses", type=int, default=1500)
arguments.add_argument("--steps", type=int, default=300)
arguments.add_argument("--output", type=Path, default=Path("gaussians.png"))
options = arguments.parse_args()
size = options.size

module = kernix.load(HERE / "gaussians.cu")
device = torch.device(options.device)


def tiles(ellipses: "torch.Tensor") -> list["torch.Tensor"]:
    return [torch.from_numpy(each).to(device) for each in fit.tiles(ellipses.detach().cpu().numpy(), size)]


def reference(ellipses: "torch.Tensor", colors: "torch.Tensor", height: int, width: int) -> "torch.Tensor":
    """The same picture in PyTorch, every ellipse at every pixel."""
    y, x = torch.meshgrid(torch.arange(height) + 0.5, torch.arange(width) + 0.5, indexing="ij")
    dx, dy = x[..., None] - ellipses[:, 0], y[..., None] - ellipses[:, 1]
    c, s = torch.cos(ellipses[:, 4]), torch.sin(ellipses[:, 4])
    u, v = (c * dx + s * dy) * torch.exp(-ellipses[:, 2]), (c * dy - s * dx) * torch.exp(-ellipses[:, 3])
    return torch.exp(-0.5 * (u * u + v * v)) @ colors


def compare_with_reference() -> None:
    """Values and gradients of a small picture."""
    torch.manual_seed(1)
    ellipses = torch.rand(12, 5) * torch.tensor([20.0, 20.0, 1.0, 1.0, 3.0])
    colors = torch.rand(12, 3)
    weight = torch.rand(20, 20, 3)
    first, members = torch.tensor([0, 12, 24, 36, 48]), torch.arange(12).repeat(4)
    mine = [each.clone().to(device).requires_grad_() for each in (ellipses, colors)]
    picture = module.draw(*mine, first.int().to(device), members.int().to(device), height=20, width=20)
    (picture * weight.to(device)).sum().backward()
    theirs = [each.clone().requires_grad_() for each in (ellipses, colors)]
    expected = reference(*theirs, 20, 20)
    (expected * weight).sum().backward()
    check("picture", picture.detach().cpu(), expected.detach(), rtol=1e-4, atol=1e-4)
    check("gradient of the ellipses", mine[0].grad.cpu(), theirs[0].grad, rtol=1e-3, atol=1e-2)
    check("gradient of the colours", mine[1].grad.cpu(), theirs[1].grad, rtol=1e-3, atol=1e-3)


compare_with_reference()

photograph = fit.photograph(size)
target = torch.from_numpy(photograph).to(device)
parameters = [
    torch.from_numpy(each).to(device).requires_grad_() for each in fit.first_ellipses(options.ellipses, photograph)
]
optimizer = torch.optim.Adam([{"params": [each], "lr": rate} for each, rate in zip(parameters, fit.RATES, strict=True)])

losses, start = [], time.perf_counter()
for step in range(options.steps):
    ellipses = torch.cat(parameters[:3], dim=1)
    if step % 10 == 0:
        first, members = tiles(ellipses)
    picture = module.draw(ellipses, parameters[3], first, members, height=size, width=size)
    if step == 0:
        before = picture.detach().cpu().numpy()
    loss = (picture - target).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
seconds = time.perf_counter() - start
psnr = -10 * np.log10(losses[-1])
print(f"{options.ellipses} ellipses, {size} x {size} pixels, {options.steps} steps on {options.device}: {seconds:.1f} s, "
      f"mean squared error {losses[0]:.5f} -> {losses[-1]:.5f} ({psnr:.1f} dB)")
if not losses[-1] < 0.5 * losses[0]:
    sys.exit("MISMATCH: the fit did not improve")

fit.save(options.output, photograph, before, picture.detach().cpu().numpy(), losses)
