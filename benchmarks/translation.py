"""BLEU of many systems against a baseline: sacrebleu's paired bootstrap beside ours, in one process.

The sentences are made up; every system translates all of them. The statistics of each
sentence come from sacrebleu on both sides; they are timed by themselves, so that there are two ratios: of the test alone, and of
everything from text to p-values. Times are those of the processor, since both run in one thread of one process. sacrebleu does not
adjust p-values for many comparisons, so `adjust="none"` here.

sacrebleu's p is the share of draws in which |d*|, less the mean of |d*|, exceeds the observed |d|. That is no two-sided p of a
difference: where the draws do not change sign it looks at one tail only, so it is about half of ours. Its rule on our draws must agree with
it within the Monte Carlo error.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np

import referee
from benchmarks.rows import Row
from referee.data.many_systems import count_systems
from referee.metrics import resolve
from referee.runtime.randomness import Streams
from referee.significance.laws.shared_draws import shared_draws

SYSTEMS, SENTENCES, DRAWS, VOCABULARY = 16, 3_000, 10_000, 5_000
FACTOR = 50


def made_up(
    systems: int = SYSTEMS, sentences: int = SENTENCES, seed: int = 0
) -> tuple[list[str], dict[str, list[str]]]:
    """Return references, and translations by systems that get from 60% to 66% of the words right."""
    rng = np.random.default_rng(seed)
    words = np.array([f"w{k}" for k in range(VOCABULARY)])
    below = np.cumsum(1 / np.arange(1, VOCABULARY + 1))

    def drawn(size):
        return words[np.searchsorted(below, rng.random(size) * below[-1])]

    lengths = rng.integers(8, 40, sentences)
    references = [drawn(size) for size in lengths]
    hard = [rng.random(size) for size in lengths]
    found = {}
    for number in range(systems):
        level = 0.62 + 0.04 * number / systems
        rows = []
        for text, own in zip(references, hard, strict=True):
            right = own + rng.normal(0, 0.15, len(text)) < level
            rows.append(" ".join(np.where(right, text, drawn(len(text)))))
        found[f"system {number:02d}"] = rows
    return [" ".join(text) for text in references], found


def by_sacrebleu(
    references: list[str], systems: dict[str, list[str]], draws: int
) -> tuple[dict[str, float], float, float]:
    """Return the p-value of each system against the first, and how long the statistics and the rest took."""
    from sacrebleu.metrics import BLEU
    from sacrebleu.significance import PairedTest

    metric, spent = BLEU(references=[references]), [0.0]
    extract = metric._extract_corpus_statistics

    def timed(*arguments):
        begin = time.process_time()
        found = extract(*arguments)
        spent[0] += time.process_time() - begin
        return found

    metric._extract_corpus_statistics = timed
    begin = time.process_time()
    _, results = PairedTest(list(systems.items()), {"BLEU": metric}, None, test_type="bs", n_samples=draws)()
    whole = time.process_time() - begin
    found = {name: own.p_value for name, own in zip(systems, results["BLEU"], strict=True)}
    return found, spent[0], whole - spent[0]


def ours(
    references: list[str], systems: dict[str, list[str]], draws: int
) -> tuple[dict[str, float], dict[str, float], float, float]:
    """Return the p-values against the first, by our rule and by sacrebleu's, and how long the statistics and the rest took."""
    metric, first = resolve("bleu"), next(iter(systems))
    test = f"bootstrap:interval=centered,replicates={draws}"
    begin = time.process_time()
    counts, _ = count_systems(None, systems, truth=references)
    metric.bind(counts)
    middle = time.process_time()
    # The metric remembers the statistics of texts, so that this is everything else: counting, draws, p-values, intervals.
    result = referee.rank(truth=references, systems=systems, metric=metric, baseline=first, test=test, adjust="none")
    end = time.process_time()
    found = {pair.b: pair.p_value for pair in result.pairs}
    drawn = shared_draws(counts, metric, draws, Streams.of(0))
    assert drawn is not None
    base, theirs = drawn.scores[:, 0], {}
    for place, name in enumerate(systems):
        gaps = np.abs(drawn.scores[:, place] - base)
        observed = abs(metric.score(references, systems[name]) - metric.score(references, systems[first]))
        theirs[name] = float(((gaps - gaps.mean() > observed).sum() + 1) / (draws + 1))
    return found, theirs, middle - begin, end - middle


TIMED = (ours, by_sacrebleu)


def run(quick: bool) -> Iterator[Row]:
    """Yield the test, the statistics of the texts, and how far the p-values are apart."""
    draws = DRAWS // 10 if quick else DRAWS
    references, systems = made_up()
    ours(references[:200], {name: texts[:200] for name, texts in list(systems.items())[:3]}, 100)  # imports
    rounds = [
        (ours(references, systems, draws), by_sacrebleu(references, systems, draws)) for _ in range(1 if quick else 2)
    ]
    (own, rule, *_), (theirs, *_) = rounds[0]
    text, rest = (min(one[place] for one, _ in rounds) for place in (2, 3))
    their_text, their_rest = (min(one[place] for _, one in rounds) for place in (1, 2))
    what = f"BLEU of {SYSTEMS} systems x {SENTENCES:,} sentences against the first, {draws:,} draws"
    least, most = (f(own[name] / theirs[name] for name in own if theirs[name] > 100 / draws) for f in (min, max))
    twice = f"p of the two-sided test is {least:.1f} to {most:.1f} times as large (p > {100 / draws:g})"
    yield Row(what=what, ours=rest, peer="sacrebleu", theirs=their_rest, factor=FACTOR, note=twice)
    yield Row(what="the statistics of the texts before", ours=text, peer="sacrebleu", theirs=their_text)
    errors = {name: np.sqrt(2 * max(rule[name] * (1 - rule[name]), 1 / draws) / draws) for name in own}
    apart = max(abs(theirs[name] - rule[name]) / errors[name] for name in own)
    yield Row(what="its rule on our draws: largest gap of p, in Monte Carlo errors", ours=apart, unit="", limit=4)
