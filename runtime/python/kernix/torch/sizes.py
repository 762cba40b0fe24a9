"""What is kept of a tensor for a backward that does not read its elements."""

from dataclasses import dataclass

import torch


@dataclass(slots=True)
class Sizes:
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: torch.dtype
    device: torch.device

    @staticmethod
    def of(tensor: torch.Tensor) -> "Sizes":
        return Sizes(tensor.shape, tensor.stride(), tensor.dtype, tensor.device)

    def tensor(self) -> torch.Tensor:
        return torch.empty_strided(self.shape, self.strides, dtype=self.dtype, device=self.device)

    def zeros(self) -> torch.Tensor:
        return torch.zeros(self.shape, dtype=self.dtype, device=self.device)
