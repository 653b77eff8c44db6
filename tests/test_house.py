"""The plan of the house: few rooms, no name with two meanings, a map that is true."""

from collections import defaultdict
from pathlib import Path

from scripts.house_map import PAGE, with_map

SOURCE = Path(__file__).parents[1] / "src"
PACKAGE = SOURCE / "referee"
SUBJECTS = {
    "algorithms",
    "audit",
    "battles",
    "comparison",
    "comparisons",
    "counts",
    "judge",
    "dataset_ranking",
    "score",
    "measurement",
    "null_distribution",
    "plan",
    "plot_data",
    "posterior",
    "ranking",
    "replication",
    "trials",
    "watch",
}
"""What several layers have a module about: its numbers, its result, its words, its picture."""
LONGEST = 420


def modules():
    return [path for path in SOURCE.rglob("*.py") if path.stem not in ("__init__", "__main__")]


def test_there_are_few_rooms():
    assert len([path for path in PACKAGE.glob("*.py") if path.stem != "__init__"]) <= 7
    assert len([path for path in PACKAGE.glob("*/") if (path / "__init__.py").exists()]) <= 9


def test_no_name_has_two_meanings():
    places = defaultdict(list)
    for path in modules():
        places[path.stem].append(path)
    twice = {stem: paths for stem, paths in places.items() if len(paths) > 1 and stem != "base"}
    assert set(twice) <= SUBJECTS


def test_a_module_is_short_enough_to_be_read():
    assert [path for path in modules() if len(path.read_text(encoding="utf-8").splitlines()) > LONGEST] == []


def test_the_map_is_true():
    page = PAGE.read_text(encoding="utf-8")
    assert with_map(page) == page, "python -m scripts.house_map writes it again"
