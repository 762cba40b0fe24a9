"""Rows of a table of 100 000 words by 64 columns, asked for as often as words of a language are (Zipf's law)."""

from typing import Any

import torch

from . import SOURCES, Case, uniform

FILES = (SOURCES / "embedding.cu",)


def cases(device: str, small: bool, m: Any) -> list[Case]:
    words, n = (50, 321) if small else (100_000, 1 << 20)
    frequency = 1 / torch.arange(1, words + 1, device=device, dtype=torch.float64)
    cumulated = torch.cumsum(frequency, 0) / frequency.sum()
    ids = torch.searchsorted(cumulated, torch.rand(n, device=device, dtype=torch.float64)).clamp_max(words - 1).int()
    table, y = uniform(words, 16, 4, device=device), torch.empty(n, 16, 4, device=device)
    g = uniform(n, 16, 4, device=device)
    return [
        Case(
            "embedding",
            [table],
            [g],
            lambda: (m.embedding(table, ids, y=y),),
            lambda: (m.embedding_forward_by_hand(table, ids, y), y)[1:],
            lambda gtable: m.embedding.bwd((table, gtable), ids, (None, g)),
            lambda gtable: m.embedding_by_hand(gtable, ids, g),
            lambda table: (table[ids.long()],),
        )
    ]
