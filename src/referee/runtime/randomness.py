"""Random streams: every block of draws has its own key, so that order and workers change nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, TypeAlias

from referee.errors import Argument, OptionError, refusal
from referee.runtime.progress import track

if TYPE_CHECKING:
    import numpy as np

Rng: TypeAlias = "int | np.random.SeedSequence | np.random.Generator | None"


class Streams:
    """A source of independent generators, each known by the integers of its key.

    >>> s = Streams.of(0)
    >>> float(s.at(3).random()) == float(Streams.of(0).at(3).random())
    True
    """

    def __init__(self, entropy: int, path: tuple[int, ...], label: str) -> None:
        self.entropy, self.path, self.label = entropy, path, label

    @classmethod
    def of(cls, rng: Rng | Streams) -> Streams:
        """Make streams of an int, a SeedSequence, a Generator (one number is drawn from it) or None (from the system)."""
        import numpy as np

        if isinstance(rng, Streams):
            return rng
        kinds = int | np.integer | np.random.SeedSequence | np.random.Generator | None
        if isinstance(rng, bool) or not isinstance(rng, kinds):
            wrong = f" must be an int, a SeedSequence, a Generator or None; it is {type(rng).__name__}"
            raise OptionError(Argument("rng", bare=True), wrong, value=rng)
        if isinstance(rng, np.random.SeedSequence):
            seed = int.from_bytes(rng.generate_state(4).tobytes(), "little")
        elif isinstance(rng, np.random.Generator):
            seed = int(rng.integers(2**63))
        elif rng is None:
            seed = int(np.random.SeedSequence().generate_state(1, np.uint64)[0] >> 1)
        else:
            seed = int(rng)
        if seed < 0:
            raise refusal("rng", "must not be negative", seed)
        return cls(seed, (), str(seed))

    @property
    def key(self) -> tuple[int, ...]:
        """What identifies the streams: the same key gives the same numbers."""
        return (self.entropy, *self.path)

    def child(self, *path: int) -> Streams:
        """Return streams that are independent of these and of every other child's."""
        return Streams(self.entropy, (*self.path, *path), self.label)

    def at(self, block: int) -> np.random.Generator:
        """Return the generator of one block."""
        import numpy as np

        return np.random.Generator(np.random.SFC64(np.random.SeedSequence(self.entropy, spawn_key=(*self.path, block))))


def blocks(total: int, size: int, what: str) -> Iterator[tuple[int, int]]:
    """Yield (block number, draws in it) so that the sizes add up to the total, and report progress."""
    starts = range(0, total, size)
    for number, start in track(enumerate(starts), len(starts), what):
        yield number, min(size, total - start)
