"""A motorcycle as a cloud of Gaussians, fitted to views of it; loss.backward() runs the derivatives of both kernels.

The views are made from a photograph with measured distances. Writes the photograph of a second camera, which is not among
them, beside what the Gaussians look like from there.
"""

import sys
import time
from pathlib import Path

import kernix
import numpy as np
from PIL import Image

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parent), str(HERE)]
from example import check, parser, torch  # noqa: E402

import plain  # noqa: E402
from scene import Camera, motorcycle  # noqa: E402
from tiles import tiles  # noqa: E402

arguments = parser(__doc__)
arguments.add_argument("--width", type=int, help="pixels; 741 with a GPU, else 120")
arguments.add_argument("--gaussians", type=int, help="60000 with a GPU, else 1500")
arguments.add_argument("--steps", type=int, help="3000 with a GPU, else 150")
arguments.add_argument("--output", type=Path, default=Path("splatting.png"))
options = arguments.parse_args()
large = options.device == "cuda"
width = options.width or (741 if large else 120)
count = options.gaussians or (60000 if large else 1500)
steps = options.steps or (3000 if large else 150)

module = kernix.load(HERE / "splatting.cu")
device = torch.device(options.device)


def render(gaussians: "list[torch.Tensor]", camera: Camera, height: int, width: int) -> "torch.Tensor":
    places, sizes, turns, logits, colours = gaussians
    seen = module.project(places, sizes, turns, logits, camera.view, focal=camera.focal, middle_x=camera.middle[0],
                          middle_y=camera.middle[1])  # fmt: skip
    with torch.no_grad():
        depths = places @ camera.view[2, :3] + camera.view[2, 3]
        lists = tiles(*seen, depths, height, width)
    return module.composite(*seen, torch.sigmoid(colours), *lists, height=height, width=width)


def compare_with_reference() -> None:
    """Values and gradients of a small picture, also of Gaussians that reach beyond its border."""
    torch.manual_seed(1)
    inputs = [torch.rand(40, 3) * 2 - 1, torch.rand(40, 3) - 3, torch.randn(40, 4), torch.randn(40), torch.randn(40, 3)]
    inputs[0][:, 2] += 3
    view = torch.tensor([[0.995, 0, 0.0999, 0.1], [0, 1, 0, -0.1], [-0.0999, 0, 0.995, 0.2]])
    weight = torch.rand(36, 40, 3)
    mine = [each.clone().to(device).requires_grad_() for each in inputs]
    picture = render(mine, Camera(view.to(device), 45.0, (20.0, 18.0)), 36, 40)
    (picture * weight.to(device)).sum().backward()
    theirs = [each.double().requires_grad_() for each in inputs]
    *seen, depths = plain.project(*theirs[:4], view.double(), 45.0, (20.0, 18.0))
    order = torch.argsort(depths.detach())
    sorted_by_depth = [each[order] for each in (*seen, torch.sigmoid(theirs[4]))]
    expected = plain.composite(*sorted_by_depth, 36, 40)
    (expected * weight).sum().backward()
    check("picture", picture.detach().cpu(), expected.detach(), atol=1e-4)
    for name, got, wanted in zip(("places", "sizes", "turns", "logits", "colours"), mine, theirs, strict=True):
        check(f"gradient of the {name}", got.grad.cpu(), wanted.grad, rtol=1e-3, atol=2e-4 * float(wanted.grad.abs().max()))


compare_with_reference()

scene = motorcycle(width, options.device)
random = np.random.default_rng(0)
spread = np.array([0.25, 0.12, 0.25])
cameras = [scene.camera(tuple(each)) for each in (random.uniform(-1, 1, (24, 3)) * spread)]
views = [scene.seen(camera) for camera in cameras]

# Grey spheres where the photograph has points, as large as the gaps between them.
chosen = torch.from_numpy(random.choice(len(scene.points), count, replace=False)).to(device)
places = scene.points[chosen].clone()
gap = places[:, 2:] * width / scene.camera((0, 0, 0)).focal / count**0.5
gaussians = [places, torch.log(0.5 * gap).repeat(1, 3), torch.tensor([1.0, 0, 0, 0], device=device).repeat(count, 1),
             torch.full((count,), 0.0, device=device), torch.zeros(count, 3, device=device)]  # fmt: skip
for each in gaussians:
    each.requires_grad_()
rates = (0.002, 0.02, 0.02, 0.05, 0.05)
optimizer = torch.optim.Adam([{"params": [each], "lr": rate} for each, rate in zip(gaussians, rates, strict=True)])
shrinking = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.1 ** (1 / steps))

losses, start = [], time.perf_counter()
for step in range(steps):
    which = int(random.integers(len(views)))
    target, known = views[which]
    picture = render(gaussians, cameras[which], scene.height, scene.width)
    loss = (picture - target)[known].abs().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    shrinking.step()
    losses.append(loss.detach())
losses = torch.stack(losses).tolist()
seconds = time.perf_counter() - start

with torch.no_grad():
    camera = scene.right_camera()
    _, known = scene.seen(camera)
    picture = render(gaussians, camera, scene.height, scene.width)
    psnr = -10 * np.log10(float((picture - scene.right)[known].square().mean()))
first, last = (float(np.mean(part)) for part in (losses[:10], losses[-10:]))
print(f"{count} Gaussians, {len(views)} views of {scene.width} x {scene.height} pixels, {steps} steps on {options.device}: "
      f"{seconds:.1f} s, mean error {first:.4f} -> {last:.4f}; against the photograph of the other camera {psnr:.1f} dB")
if not last < 0.6 * first:
    sys.exit("MISMATCH: the fit did not improve")

row = np.concatenate([scene.right.cpu().numpy(), picture.cpu().numpy()], axis=1)
Image.fromarray((np.clip(row, 0, 1) * 255).astype(np.uint8)).save(options.output)
print(f"photograph of the other camera, Gaussians from there: {options.output.resolve()}")
