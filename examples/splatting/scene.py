"""A photograph with the distance of each pixel, and what cameras beside it see of it.

scikit-image ships the two photographs of a stereo camera and the disparities between them ("motorcycle", of the Middlebury
stereo benchmark, 2014). The left one becomes a cloud of coloured points in metres; the right one is kept for a test.
"""

from dataclasses import dataclass

import numpy as np
import skimage.data
import skimage.transform
import torch

# Of the photographs as they are shipped, 741 x 500.
FOCAL, MIDDLE_X, MIDDLE_Y, SHIFT, BASELINE = 994.978, 311.193, 254.877, 31.086, 0.193001


@dataclass
class Camera:
    view: torch.Tensor  # [3, 4]
    focal: float
    middle: tuple[float, float]


@dataclass
class Scene:
    points: torch.Tensor  # [n, 3]
    colours: torch.Tensor  # [n, 3]
    height: int
    width: int
    scale: float  # pixels for one of the photographs
    right: torch.Tensor  # the right photograph

    def camera(self, place: tuple[float, float, float], shift: float = 0.0) -> Camera:
        """At `place`, turned to the middle of the scene; at the place of the left one it looks straight ahead."""
        to = np.array([0.0, 0.0, 3.0]) - np.array(place) * np.array([0.3, 0.3, 0.0])
        ahead = (to - np.array(place)) / np.linalg.norm(to - np.array(place))
        across = np.cross([0.0, 1.0, 0.0], ahead)
        across /= np.linalg.norm(across)
        turn = np.stack([across, np.cross(ahead, across), ahead])
        view = np.concatenate([turn, -turn @ np.array(place)[:, None]], axis=1).astype(np.float32)
        return self._camera(torch.from_numpy(view), shift)

    def right_camera(self) -> Camera:
        view = torch.tensor([[1, 0, 0, -BASELINE], [0, 1, 0, 0], [0, 0, 1, 0]], dtype=torch.float32)
        return self._camera(view, SHIFT)

    def _camera(self, view: torch.Tensor, shift: float) -> Camera:
        middle = ((MIDDLE_X + shift + 0.5) * self.scale, (MIDDLE_Y + 0.5) * self.scale)
        return Camera(view.to(self.points.device), FOCAL * self.scale, middle)

    def seen(self, camera: Camera) -> tuple[torch.Tensor, torch.Tensor]:
        """What a camera sees of the points: the mean colour of the nearest ones at each pixel, and which pixels have one."""
        x, y, z = (self.points @ camera.view[:, :3].T + camera.view[:, 3]).unbind(1)
        column = (camera.focal * x / z + camera.middle[0]).floor().long()
        row = (camera.focal * y / z + camera.middle[1]).floor().long()
        inside = (z > 0.2) & (column >= 0) & (column < self.width) & (row >= 0) & (row < self.height)
        pixel, z, colours = (row * self.width + column)[inside], z[inside], self.colours[inside]
        size = self.height * self.width
        nearest = torch.full((size,), 1e9, device=z.device).scatter_reduce(0, pixel, z, "amin")
        visible = z < 1.02 * nearest[pixel]
        count = torch.zeros(size, device=z.device).index_add(0, pixel, visible.float())
        total = torch.zeros(size, 3, device=z.device).index_add(0, pixel[visible], colours[visible])
        picture = (total / count.clamp_min(1)[:, None]).reshape(self.height, self.width, 3)
        return picture, (count > 0).reshape(self.height, self.width)


def motorcycle(width: int, device: str) -> Scene:
    left, right, disparity = skimage.data.stereo_motorcycle()
    scale = width / left.shape[1]
    height = round(left.shape[0] * scale)
    row, column = np.nonzero(np.isfinite(disparity) & (disparity > 0))
    z = FOCAL * BASELINE / (disparity[row, column] + SHIFT)
    points = np.stack([(column - MIDDLE_X) * z / FOCAL, (row - MIDDLE_Y) * z / FOCAL, z], axis=1).astype(np.float32)
    small = skimage.transform.resize(right, (height, width), anti_aliasing=True).astype(np.float32)
    colours = left[row, column].astype(np.float32) / 255
    tensors = [torch.from_numpy(each).to(device) for each in (points, colours, small)]
    return Scene(tensors[0], tensors[1], height, width, scale, tensors[2])
