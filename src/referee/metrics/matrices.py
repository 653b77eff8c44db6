"""Matrices, dense or sparse, with the same operations for a tally of statistics.

Of a thousand classes an example touches three: full tables would grow with examples x classes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from referee.data.columns import Floats, Ints, Mask

Matrix: TypeAlias = Any
"""[row, column]: an array, or scipy's csr_array, of numbers that are not negative where rows are put into order."""

FULL = 1 << 16
"""Tables of at most so many numbers are full."""
MANY = 1000
"""From so many rows on it pays to look for columns that never change."""


def is_full(matrix: Matrix) -> bool:
    """Say whether it is an array."""
    return isinstance(matrix, np.ndarray)


def full(matrix: Matrix) -> Floats:
    """Return it as an array."""
    result: Floats = matrix if is_full(matrix) else matrix.toarray()
    return result


def ones_at(columns: Sequence[Ints], width: int) -> Matrix:
    """Return a matrix with a 1 in each row at its column of each list; -1 is none."""
    places = np.stack(columns, axis=1)
    there = places >= 0
    if len(places) * width <= FULL:
        full = np.zeros((len(places), width))
        full[np.nonzero(there)[0], places[there]] = 1.0
        return full
    from scipy.sparse import csr_array

    starts = np.concatenate([[0], np.cumsum(there.sum(axis=1))])
    made = csr_array((np.ones(int(starts[-1])), places[there], starts), shape=(len(places), width))
    made.sort_indices()
    return made


def times(left: Any, right: Matrix) -> Floats:
    """Return left [..., n] @ right [n, k]."""
    left = np.asarray(left, dtype=np.float64)
    if is_full(right):
        return np.asarray(left @ right)
    flat = left.reshape(int(np.prod(left.shape[:-1])), left.shape[-1])
    # Units first: a sparse row is then added to whole lines of memory.
    found = right.T @ np.ascontiguousarray(flat.T)
    return np.ascontiguousarray(found.T).reshape(*left.shape[:-1], right.shape[1])


def beside(parts: Sequence[Matrix]) -> Matrix:
    """Put matrices side by side."""
    if all(map(is_full, parts)):
        return np.concatenate(parts, axis=1)
    from scipy.sparse import hstack

    return hstack(parts, format="csr")


def below(parts: Sequence[Matrix]) -> Matrix:
    """Put matrices one below the other."""
    if all(map(is_full, parts)):
        return np.concatenate(parts)
    from scipy.sparse import vstack

    return vstack(parts, format="csr")


def halves(both: Matrix) -> tuple[Matrix, Matrix]:
    """Return the left half of the columns and the right one."""
    size = both.shape[1] // 2
    return both[:, :size], both[:, size:]


def turned(both: Matrix) -> Matrix:
    """Exchange the left half of the columns with the right one."""
    return beside(halves(both)[::-1])


def chosen(which: Mask, yes: Matrix, no: Matrix) -> Matrix:
    """Return the rows of the one where the mask says so, else of the other."""
    if is_full(yes):
        return np.where(which[:, None], yes, no)
    rows = np.where(which, np.arange(len(which)), len(which) + np.arange(len(which)))
    return below([yes, no])[rows]


def signed(matrix: Matrix, signs: Floats) -> Matrix:
    """Return the rows, each times its sign."""
    return matrix * signs[:, None] if is_full(matrix) else matrix.multiply(signs[:, None]).tocsr()


def first_signs(matrix: Matrix) -> Floats:
    """Return the sign of the first number of each row that is not 0; 0 where there is none."""
    if is_full(matrix):
        rows = np.arange(len(matrix))
        return np.sign(matrix[rows, np.argmax(matrix != 0, axis=1)]) if matrix.size else np.zeros(len(matrix))
    _tidy(matrix)
    there = np.diff(matrix.indptr) > 0
    signs = np.zeros(matrix.shape[0])
    signs[there] = np.sign(matrix.data[matrix.indptr[:-1][there]])
    return signs


def first_difference(one: Matrix, other: Matrix) -> float:
    """Return the sign of one - other at the first place, row by row, where they differ; 0 where nowhere."""
    if is_full(one):
        where = np.flatnonzero((one != other).ravel())
        return float(np.sign(one.ravel()[where[0]] - other.ravel()[where[0]])) if len(where) else 0.0
    apart = first_signs((one - other).tocsr())
    return float(next(iter(apart[apart != 0]), 0.0))


def summed(matrix: Matrix, weights: Ints, groups: Ints, count: int) -> Matrix:
    """Return [group, column]: the rows of each group, weighed and summed."""
    if is_full(matrix):
        columns = [np.bincount(groups, matrix[:, k] * weights, count) for k in range(matrix.shape[1])]
        return np.stack(columns, axis=1)
    from scipy.sparse import csr_array

    weighed = (weights.astype(np.float64), (groups, np.arange(len(groups))))
    made = csr_array(weighed, shape=(count, len(groups))) @ matrix
    _tidy(made)
    return made


def distinct(rows: Floats | Ints) -> tuple[Ints, Ints]:
    """Return the order that sorts the rows, and where in it each distinct row starts."""
    if len(rows) > MANY:
        # Sorting by a column that never changes costs as much as by one that does.
        rows = rows[:, (rows != rows[:1]).any(axis=0)]
    order = np.lexsort(rows.T[::-1]) if rows.size else np.arange(len(rows))
    ordered = rows[order]
    changed = np.ones(len(rows), dtype=np.bool_)
    changed[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    return order, np.flatnonzero(changed)


def distinct_units(matrix: Matrix, before: Ints | None = None, after: Floats | None = None) -> tuple[Ints, Ints]:
    """Return what `distinct` does for a matrix, with a column before it and one after it where there are such."""
    if is_full(matrix):
        given = [part for part in (before, matrix, after) if part is not None]
        return distinct(np.column_stack(given) if len(given) > 1 else matrix)
    _tidy(matrix)
    width, lengths, every = matrix.shape[1], np.diff(matrix.indptr), np.arange(matrix.shape[0])
    order = Order(matrix.shape[0])
    if before is not None:
        order.refine(every, before)
    # By the first number of each row that is not 0, then by the second, and so on, as far as rows are still alike. What
    # stands further left counts for more, and for less if it is negative; a row that has no more numbers goes on with 0s.
    for place in range(int(lengths.max(initial=0))):
        rows = order.alike(lengths > place)
        there = lengths[rows] > place
        here = matrix.indptr[rows[there]] + place
        column, value = np.zeros(len(rows), np.int64), np.zeros(len(rows))
        value[there] = matrix.data[here]
        column[there] = np.sign(value[there]) * (width - matrix.indices[here])
        order.refine(rows, column, value)
    if after is not None:
        order.refine(every, after)
    return np.argsort(order.rank, kind="stable"), np.unique(order.rank)


class Order:
    """Rows that are put into order by one key after the other; a rank is the place of the first row that has it."""

    def __init__(self, rows: int) -> None:
        self.rank: Ints = np.zeros(rows, np.int64)

    def alike(self, telling: Mask) -> Ints:
        """Return the rows that share a rank with others, where one of these has more to tell."""
        many = np.bincount(self.rank, minlength=1) > 1
        more = np.bincount(self.rank, telling, minlength=1) > 0
        return np.flatnonzero((many & more)[self.rank]) if len(self.rank) else np.zeros(0, np.int64)

    def refine(self, rows: Ints, *keys: Floats | Ints) -> None:
        """Order by keys all rows of some ranks among themselves."""
        rank = self.rank[rows]
        order = np.lexsort([*keys[::-1], rank])
        old = np.diff(rank[order], prepend=-1) != 0
        new = old.copy()
        for key in keys:
            new[1:] |= np.diff(key[order]) != 0
        place = np.arange(len(rows))
        first, begin = (np.maximum.accumulate(np.where(starts, place, 0)) for starts in (old, new))
        self.rank[rows[order]] = rank[order] + begin - first


def places(order: Ints, starts: Ints) -> Ints:
    """Return which distinct row each row is, from what `distinct` returns."""
    place = np.empty(len(order), np.int64)
    place[order] = np.repeat(np.arange(len(starts)), np.diff(np.append(starts, len(order))))
    return place


def _tidy(matrix: Matrix) -> None:
    matrix.eliminate_zeros()
    matrix.sort_indices()
