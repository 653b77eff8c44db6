"""A made-up table to try things on: messages of senders, and two spam filters."""

from __future__ import annotations

import random

SENDERS, MESSAGES, SEED = 40, 15, 5


def table(seed: int = SEED) -> str:
    """Make the data: the new filter is better, most of all on a few of the senders."""
    rng = random.Random(seed)
    lines = ["sender,label,old,new"]
    for sender in range(SENDERS):
        new_is_right = 0.97 if sender % 10 == 0 else 0.82
        old_is_right = 0.55 if sender % 10 == 0 else 0.82
        for _ in range(MESSAGES):
            label = "spam" if rng.random() < 0.4 else "ham"
            luck = rng.random()
            old = label if luck < old_is_right else _other(label)
            new = label if (luck if rng.random() < 0.7 else rng.random()) < new_is_right else _other(label)
            lines.append(f"sender-{sender + 1:02},{label},{old},{new}")
    return "\n".join(lines) + "\n"


def _other(label: str) -> str:
    return "ham" if label == "spam" else "spam"
