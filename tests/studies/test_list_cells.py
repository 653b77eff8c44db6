"""Cells that hold several labels with a separator, where a metric would take each cell for one label."""

import pytest

import referee
from referee.errors import Misfit

LISTS = {
    "pipe": ["cat|dog", "dog", "cat|dog|sea", "sea|cat"],
    "comma": ["cat, dog", "dog", "cat, dog, sea", "sea, cat"],
    "semicolon": ["cat;dog", "dog", "cat;dog;sea", "sea;cat"],
}
SINGLE = [
    ["Washington, DC", "Seattle, WA", "Olympia, WA", "Portland, OR", "Salem, OR", "Boston"],
    ["red, large", "red, small", "blue, large", "blue, small"],
    ["animal|cat", "animal|dog", "plant|tree", "plant"],
    ["1", "1,5", "2", "2,5", "5", "5,5"],
    ["yes", "no", "yes, no"],
    ["cat", "dog"],
]


def table(labels):
    truth = labels * 20
    return {"truth": truth, "a": truth[1:] + truth[:1], "b": truth[:60] + truth[61:] + truth[60:61]}


@pytest.mark.parametrize("separator", LISTS)
def test_micro_averages_of_cells_with_several_labels_are_refused(separator):
    for metric in ("micro-f1", "precision:average=micro"):
        with pytest.raises(Misfit, match=f"several labels in a cell.*use metric='multilabel-f1:separator={separator}'"):
            referee.compare(**table(LISTS[separator]), metric=metric, audit=False)
    r = referee.compare(**table(LISTS[separator]), metric=f"multilabel-f1:separator={separator}", audit=False)
    assert not any("several labels" in one for one in r.warnings)


@pytest.mark.parametrize("metric", ["macro-f1", "kappa", "accuracy"])
def test_other_metrics_of_labels_warn(metric):
    r = referee.compare(**table(LISTS["pipe"]), metric=metric, audit=False)
    assert sum("several labels in a cell, such as 'cat|dog'" in one for one in r.warnings) == 1


@pytest.mark.parametrize("labels", SINGLE)
def test_labels_with_a_separator_inside_are_labels(labels):
    r = referee.compare(**table(labels), metric="micro-f1", audit=False)
    assert not any("several labels" in one for one in r.warnings)
