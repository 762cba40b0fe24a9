"""Backward kernels with ThreadSanitizer: races.py tells known races from order, and finds none in a part of the bank."""

import races


def test_known_races_are_found():
    found, names = races.examine(["known.cu"])
    assert set(names) == {f"{kind}_{name}" for kind in ("race", "order") for name in ("in_a_block", "of_blocks")} | {
        "race_behind_a_barrier",
        "order_by_a_barrier",
    }
    assert set(found) == {name for name in names if name.startswith("race")}


def test_a_part_of_the_bank_is_free_of_them():
    found, names = races.examine(list(races.SELECTION))
    assert len(names) > 8
    assert not found, "\n".join(found.values())
