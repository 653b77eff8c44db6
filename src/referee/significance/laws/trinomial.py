"""The bootstrap of wins and losses: on which side of 0 the difference of a trinomial's two counts falls, exactly."""

from __future__ import annotations

import numpy as np

from referee.data.columns import Floats, Ints
from referee.significance.tally import chunks

DEVIATIONS, STEPS = 9.0, 25.0
"""A sum of n terms of -1, 0 and 1 is beyond 9 sd + 25 with a probability below 1e-15 (Bernstein's inequality)."""
SMALLEST = -45.0
"""Logarithms of what is too small to be added."""


def sides(wins: Ints, losses: Ints, units: Ints) -> Floats:
    """Return [row, 3]: P(W* < L*), P(W* = L*) and P(W* > L*), where W* and L* count wins and losses among redrawn units.

    The law of W* - L* is read off its characteristic function, (1 - w - l + w·e^(it) + l·e^(-it))^n.

    >>> sides(np.array([1, 3]), np.array([1, 0]), np.array([2, 3])).round(3).tolist()
    [[0.25, 0.5, 0.25], [0.0, 0.0, 1.0]]
    """
    units = np.maximum(units, 1)
    up, down = wins / units, losses / units
    mean = np.abs(wins - losses)
    spread = np.sqrt(np.maximum(wins + losses - (wins - losses) ** 2 / units, 0.0))
    reach = DEVIATIONS * spread + STEPS
    clear = mean > reach
    out = np.zeros((len(units), 3))
    out[clear, np.where(wins > losses, 2, 0)[clear]] = 1.0
    # Rows of like spread share a length: that of the widest would be wasted on the others.
    powers = np.ceil(np.log2(2 * np.minimum(mean + reach, units + 1))).astype(np.int64)
    for power in np.unique(powers[~clear]):
        rows = np.flatnonzero(~clear & (powers == power))
        length = 1 << int(power)
        for part in chunks(len(rows), length):
            own = rows[part]
            out[own] = _sides(up[own], down[own], units[own], length)
    return out


def _sides(up: Floats, down: Floats, units: Ints, length: int) -> Floats:
    angle = 2 * np.pi * np.arange(length // 2 + 1) / length
    stay = (1 - up - down)[:, None]
    real = stay + (up + down)[:, None] * np.cos(angle)
    imaginary = (up - down)[:, None] * np.sin(angle)
    with np.errstate(divide="ignore"):
        size = units[:, None] * np.log(real**2 + imaginary**2) / 2
    there = size > SMALLEST
    turn = np.broadcast_to(units[:, None], size.shape)[there] * np.arctan2(imaginary[there], real[there])
    transform = np.zeros(size.shape, dtype=np.complex128)
    transform[there] = np.exp(size[there] - 1j * turn)
    law = np.maximum(np.fft.irfft(transform, length, axis=1), 0.0)
    half = length // 2
    found = np.stack([law[:, half:].sum(axis=1), law[:, 0], law[:, 1:half].sum(axis=1)], axis=1)
    result: Floats = found / found.sum(axis=1, keepdims=True)
    return result
