"""What is concluded of the claim, on made-up points."""

from __future__ import annotations

from referee_papers.keller2005 import optimism
from tests.papers.keller2005.made_up import calm_world, papers_world, table, with_loose


def test_conclusion():
    made = optimism.conclude(with_loose(table(calm_world), lambda tie: (0.02, 0.03 + 20 * tie, 0.04 + 40 * tie)))
    assert (
        "above alpha at 0 of 12 points, of like models at 0 of 12" in made
        and "mostly a matter of what is called H0" in made
        and "it grows with n" in made
    )
    assert "noise (a), noise (b)" in made and "does not say" in made
    made = optimism.conclude(with_loose(table(papers_world), lambda tie: (0.02, 0.02, 0.02)))
    assert "even where H0 is exactly true: tilt (a), tilt (b), swap (a), swap (b)" in made
    calm = table(lambda *_: (0.01, 0.03, 0.045))
    assert "does not appear here" in optimism.conclude(with_loose(calm, lambda tie: (0.02, 0.02, 0.02)))
