"""The score law a second time: slow, plain, and written from its definition without a look at the first.

The nearest world where the difference is delta is found in two ways, neither of them the way of `referee.significance.laws`:
`nearest` climbs the likelihood on the sphere of the roots of the shares (SLSQP) from many starts, for any smooth
difference; `nearest_by_profile` cuts the tied worlds of a two-class metric into flat pieces, on each of which the
likelihood is concave and so has one top, and looks over all pieces.
"""

from __future__ import annotations

import math
import warnings

import numpy as np
from scipy import optimize

UNSEEN = 1e-6  # examples, not a share
Z = 1.959963984540054
TRUTH, SAYS_A, SAYS_B = (
    np.array(bits, dtype=float)
    for bits in ([1, 1, 1, 1, 0, 0, 0, 0], [1, 0, 1, 0, 1, 0, 1, 0], [1, 1, 0, 0, 1, 1, 0, 0])
)


# ---- two classes: metrics of the shares of the eight joint outcomes ----


def margins(p, says):
    """Return the shares that are positive, are called positive, and are both."""
    return (p * TRUTH).sum(), (p * says).sum(), (p * TRUTH * says).sum()


def accuracy(actual, called, both):
    return 1 - actual - called + 2 * both


def precision(actual, called, both):
    return both / called


def recall(actual, called, both):
    return both / actual


def specificity(actual, called, both):
    return 1 - (called - both) / (1 - actual)


def f1(actual, called, both):
    return 2 * both / (actual + called)


def jaccard(actual, called, both):
    return both / (actual + called - both)


def mcc(actual, called, both):
    return (both - actual * called) / np.sqrt(actual * (1 - actual) * called * (1 - called))


def kappa(actual, called, both):
    chance = actual * called + (1 - actual) * (1 - called)
    return (accuracy(actual, called, both) - chance) / (1 - chance)


def dcf(actual, called, both):
    return 0.1 * (1 - both / actual) + 0.99 * (called - both) / (1 - actual)


def balanced_accuracy(actual, called, both):
    return (recall(actual, called, both) + specificity(actual, called, both)) / 2


METRICS = {
    "accuracy": accuracy,
    "precision": precision,
    "recall": recall,
    "specificity": specificity,
    "f1": f1,
    "jaccard": jaccard,
    "mcc": mcc,
    "kappa": kappa,
    "dcf": dcf,
    "balanced-accuracy": balanced_accuracy,
}


def difference_of(name):
    """Return b's score less a's, as a function of the shares of the eight outcomes."""
    metric = METRICS[name]

    def difference(p):
        p = p / p.sum()
        return metric(*margins(p, SAYS_B)) - metric(*margins(p, SAYS_A))

    return difference


def macro_f1_difference(classes):
    """Return the same for macro-averaged F1, of shares in the order truth, a, b."""

    def difference(p):
        cube = (p / p.sum()).reshape(classes, classes, classes)
        score_a, score_b = (
            sum(2 * table[k, k] / (table[k, :].sum() + table[:, k].sum()) for k in range(classes)) / classes
            for table in (cube.sum(axis=2), cube.sum(axis=1))
        )
        return score_b - score_a

    return difference


# ---- the nearest world ----


def weights(counts, unseen=UNSEEN):
    """Return what the likelihood weighs: the counts, with next to nothing where none was seen."""
    e = np.asarray(counts, dtype=float)
    return np.where(e > 0, e, unseen)


def slope(difference, p):
    """Return the derivative by each share, by complex steps (exact for analytic functions)."""
    step = 1e-30
    out = np.empty(len(p))
    for i in range(len(p)):
        q = p.astype(complex)
        q[i] += 1j * step
        out[i] = difference(q).imag / step
    return out


def log_likelihood(w, p):
    return float((w * np.log(p)).sum())


def climb(w, strata, difference, delta, start):
    """Return a top of the likelihood where the difference is delta, from a start, or None.

    In u = sqrt(p) the likelihood of seen and unseen outcomes bends alike. The shares of each stratum sum to its own.
    """
    n = w.sum()
    sizes = [w[s].sum() / n for s in strata]

    def totals(u):
        return np.array([(u[s] ** 2).sum() - size for s, size in zip(strata, sizes, strict=True)])

    def totals_slope(u):
        rows = np.zeros((len(strata), len(u)))
        for row, s in zip(rows, strata, strict=True):
            row[s] = 2 * u[s]
        return rows

    held = [
        {"type": "eq", "fun": totals, "jac": totals_slope},
        {
            "type": "eq",
            "fun": lambda u: difference(u**2) - delta,
            "jac": lambda u: slope(difference, u**2) * 2 * u,
        },
    ]
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        found = optimize.minimize(
            lambda u: -2 * (w * np.log(u)).sum(),
            np.sqrt(start),
            jac=lambda u: -2 * w / u,
            bounds=[(1e-9, 1)] * len(w),
            constraints=held,
            method="SLSQP",
            options={"ftol": 1e-13, "maxiter": 500},
        )
    p = found.x**2
    good = np.isfinite(found.fun) and abs(difference(p) - delta) < 1e-8 and np.abs(totals(found.x)).max() < 1e-8
    return p if good else None


def nearest(counts, difference, delta, starts=12, seed=0, strata=None, near=(), unseen=UNSEEN):
    """Return the likeliest shares where the difference is delta, or None where no start reaches one."""
    w = weights(counts, unseen)
    n = w.sum()
    rng = np.random.default_rng(seed)
    strata = [np.arange(len(w))] if strata is None else strata
    first = [w / n, (w + 0.5) / (n + len(w) / 2), *near]
    drawn = [rng.dirichlet(np.where(w < 0.5, 0.3, w * rng.choice([0.1, 1.0]) + 0.3)) for _ in range(starts)]
    best = None
    for start in [*first, *drawn]:
        found = climb(w, strata, difference, delta, np.maximum(start, 1e-12))
        if found is not None and (best is None or log_likelihood(w, found) > log_likelihood(w, best) + 1e-9):
            best = found
    return best


# ---- the nearest world of two classes, by profile ----


def flat_pieces(name, delta):
    """Return rows(x): the c with sum(c p) = 0 on the piece of the tied worlds that x names.

    Ratios: x is a's score, so that both scores are linear equations. Averages over the classes: x is the share of
    the positives, with which the difference is linear.
    """
    if name in ("dcf", "balanced-accuracy"):

        def rows(x):
            right, wrong = (SAYS_B - SAYS_A) * TRUTH / x, (SAYS_B - SAYS_A) * (1 - TRUTH) / (1 - x)
            change = 0.99 * wrong - 0.1 * right if name == "dcf" else (right - wrong) / 2
            return np.array([TRUTH - x, change - delta])

        return rows
    above = {"f1": lambda s: 2 * TRUTH * s, "precision": lambda s: TRUTH * s, "jaccard": lambda s: TRUTH * s}[name]
    below = {"f1": lambda s: TRUTH + s, "precision": lambda s: s, "jaccard": lambda s: TRUTH + s - TRUTH * s}[name]
    return lambda x: np.array([above(SAYS_A) - x * below(SAYS_A), above(SAYS_B) - (x + delta) * below(SAYS_B)])


def tops_of_pieces(w, c):
    """Return the likeliest shares [piece, outcome] with sum(c p) = 0 for the rows of c[piece, row, outcome], nan if none.

    Owen's dual: p = w / (1 + mu c), mu the top of the concave sum of w log(1 + mu c). Unseen outcomes begin at a weight
    of 1 that sinks to its own, so that each climb begins near its top.
    """
    mu, mine = np.zeros(c.shape[:2]), np.minimum(w, 1.0)
    for floor in [*(10.0 ** -np.arange(0, 6.5, 0.5)), 0.0]:
        now = np.where(w < 1, np.maximum(mine, floor), w)
        mu = climb_pieces(now / now.sum(), c, mu)
    p = w / w.sum() / (1 + np.einsum("bk,bki->bi", mu, c))
    off = np.abs(np.einsum("bki,bi->bk", c, p)).max(axis=1) / (1 + np.abs(c).max(axis=(1, 2)))
    p[(off > 1e-8) | (np.abs(p.sum(axis=1) - 1) > 1e-8)] = np.nan
    return p


def climb_pieces(w, c, mu):
    """Return the mu of every piece after damped Newton steps, each halved until it gains."""
    ridge = 1e-16 * np.eye(c.shape[1])
    for _ in range(60):
        inside = 1 + np.einsum("bk,bki->bi", mu, c)
        pull = np.einsum("bki,bi->bk", c, w / inside)
        bend = np.einsum("bki,bi,bli->bkl", c, w / inside**2, c)
        bend = bend + ridge * np.trace(bend, axis1=1, axis2=2)[:, None, None]
        step = np.linalg.solve(bend, pull[..., None])[..., 0]
        gain = (pull * step).sum(axis=1)
        if (gain < 1e-28).all():
            break
        along = np.einsum("bk,bki->bi", step, c) / inside
        size = np.ones(len(mu))
        for _ in range(60):
            rise = (w * np.log1p(np.maximum(size[:, None] * along, -1 + 1e-300))).sum(axis=1)
            fine = ((size[:, None] * along).min(axis=1) > -1) & ((rise >= 0.1 * size * gain) | (gain < 1e-12))
            if fine.all():
                break
            size = np.where(fine, size, size / 2)
        mu = mu + np.where(fine, size, 0.0)[:, None] * step
    return mu


def nearest_by_profile(counts, name, delta, grid=201, zooms=14, unseen=UNSEEN):
    """Return the likeliest of the tops of all flat pieces of one dimension: a grid over the pieces, then finer ones."""
    w = weights(counts, unseen)
    rows = flat_pieces(name, delta)
    low, high = (max(0.0, -delta), min(1.0, 1.0 - delta)) if name in ("f1", "precision", "jaccard") else (0.0, 1.0)
    points, best = np.linspace(-25, 25, grid), None
    for _ in range(zooms):
        x = low + (high - low) / (1 + np.exp(-points))
        x = x[(x > low) & (x < high)]
        with np.errstate(all="ignore"):
            tops = tops_of_pieces(w, np.array([rows(v) for v in x]))
            likely = np.where(np.isnan(tops[:, 0]), -np.inf, (w * np.log(tops)).sum(axis=1))
        if not np.isfinite(likely).any():
            return best
        top = int(np.argmax(likely))
        best, width = tops[top], points[1] - points[0]
        centre = math.log((x[top] - low) / (high - x[top]))
        points = np.linspace(centre - 2 * width, centre + 2 * width, 41)
    return best


# ---- the law ----


def distance(counts, p):
    """Return Rao's score in Pearson's form; unseen outcomes count as the zeros they are."""
    if p is None:
        return math.inf
    e = np.asarray(counts, dtype=float)
    m = e.sum() * p
    return float(((e - m) ** 2 / m).sum())


def path(counts, difference, end, steps=24, **options):
    """Return the distances on the way from the observed difference to the end, in even steps, warm-started."""
    w = weights(counts, options.get("unseen", UNSEEN))
    start = float(difference(w))
    p, out = w / w.sum(), []
    for delta in np.linspace(start, end, steps + 1)[1:]:
        p = nearest(counts, difference, delta, near=[] if p is None else [p], **options)
        out.append((float(delta), distance(counts, p)))
    return out


def p_value(counts, difference, delta=0.0, **options):
    """Return the two-sided p-value: the running maximum of the distance against chi-squared of one degree."""
    furthest = max((x for _, x in path(counts, difference, delta, **options)), default=0.0)
    return math.erfc(math.sqrt(furthest / 2))


def interval_end(counts, difference, side, z2=Z**2, reach=1.0, steps=40, **options):
    """Return the end of the connected part within z2 that holds the observed difference; `reach` where it has none."""
    w = weights(counts, options.get("unseen", UNSEEN))
    before, p = float(difference(w)), w / w.sum()
    for delta in np.linspace(before, side * reach, steps + 1)[1:-1]:
        found = nearest(counts, difference, delta, near=[] if p is None else [p], **options)
        if distance(counts, found) > z2:
            return crossing(counts, difference, before, float(delta), p, z2, **options)
        before, p = float(delta), found
    edge = side * reach * (1 - 1e-9)
    found = nearest(counts, difference, edge, near=[p], **options)
    if found is None or distance(counts, found) <= z2:
        return side * reach
    return crossing(counts, difference, before, edge, p, z2, **options)


def crossing(counts, difference, inside, outside, p, z2, **options):
    """Return where the distance passes z2."""

    def excess(delta):
        found = nearest(counts, difference, delta, near=[p], **options)
        return min(distance(counts, found) - z2, 1e3)

    return optimize.brentq(excess, inside, outside, xtol=1e-9)


# ---- closed forms ----


def tango(only_a, only_b, n, z=Z):
    """Return Tango's interval of b - a (1998, eq. 7): the roots of his score, with the nuisance share in closed form."""

    def score(delta):
        linear = -only_b - only_a + (2 * n - only_b + only_a) * delta
        share = (math.sqrt(max(linear**2 + 8 * n * only_a * delta * (1 - delta), 0.0)) - linear) / (4 * n)
        gap, variance = only_b - only_a - n * delta, n * (2 * share + delta * (1 - delta))
        return 0.0 if gap == 0 else gap / math.sqrt(max(variance, 1e-300))

    middle, edge = (only_b - only_a) / n, 1 - 1e-14
    low = -1.0 if score(-edge) < z else optimize.brentq(lambda d: score(d) - z, -edge, middle, xtol=1e-15)
    high = 1.0 if score(edge) > -z else optimize.brentq(lambda d: score(d) + z, middle, edge, xtol=1e-15)
    return low, high


def wilson(hits, n, z=Z):
    """Return Wilson's interval of a share."""
    centre, half = hits + z * z / 2, z * math.sqrt(hits * (n - hits) / n + z * z / 4)
    return (centre - half) / (n + z * z), (centre + half) / (n + z * z)
