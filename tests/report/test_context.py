"""What stands above every page: the files, how many examples there are, and the day."""

import re
from datetime import date
from html import unescape
from pathlib import Path

import pytest

import referee
from referee.cli.main import main

SAMPLES = Path(__file__).parents[1] / "samples"


@pytest.fixture
def table(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [(place % 7, "ab"[place % 2], "ab"[place % 3 == 0], "ab"[place % 5 == 0]) for place in range(60)]
    lines = [f"q{place},{part},{truth},{old},{new},{truth}" for place, (part, truth, old, new) in enumerate(rows)]
    Path("week.csv").write_text("\n".join(["id,part,label,old,new,third", *lines]))
    Path("folds.csv").write_text("\n".join(["a,b", *(f"0.{80 + i},0.{81 + i * 2}" for i in range(9))]))
    Path("sets.csv").write_text("\n".join(["dataset,a,b", *(f"d{i},0.{80 + i},0.{81 + i * 2}" for i in range(9))]))
    won = "\n".join(f"{('old', 'new', 'tie')[i % 3]},p{i}" for i in range(30))
    Path("prefs.csv").write_text(f"winner,prompt\n{won}\n")
    battles = "\n".join(f"m{i % 3},m{(i + 1) % 3},{'model_a' if i % 2 else 'model_b'}" for i in range(30))
    Path("arena.csv").write_text(f"model_a,model_b,winner\n{battles}\n")
    Path("june.csv").write_text(Path("week.csv").read_text().replace("\nq", "\nr"))
    return tmp_path


def above(page):
    (line,) = re.findall(r'<p class="brand context"[^>]*>(.*?)</p>', Path(page).read_text())
    words = unescape(re.sub(r"<wbr>|<[^>]+>", "", line)).replace("\N{NO-BREAK SPACE}", " ")
    return [part.strip() for part in words.split("·")]


PAIR = ["week.csv", "--truth", "label", "--a", "old", "--b", "new", "--metric", "accuracy"]


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        (["compare", *PAIR], ["week.csv", "accuracy", "60 examples"]),
        (["audit", *PAIR, "--sets", "20", "--test", "mcnemar"], ["week.csv", "accuracy", "60 examples"]),
        (["plan", *PAIR, "--n", "100"], ["week.csv", "accuracy", "a pilot of 60 examples"]),
        (["plan", "--scores", "0.80,0.83", "--agreement", "0.9"], ["accuracy", "no pilot"]),
        (["rank", "week.csv", "--truth", "label", "--systems", "old,new,third", "--metric", "accuracy"],
         ["week.csv", "accuracy", "3 systems", "60 examples"]),
        (["rank", "week.csv", "--truth", "label", "--systems", "old,new,third", "--metric", "accuracy", "--by", "part"],
         ["week.csv", "accuracy", "7 slices, 60 examples"]),
        (["rank", "arena.csv", "--winner", "winner"], ["arena.csv", "rating", "3 systems", "30 battles"]),
        (["rank-datasets", "sets.csv", "--metric", "auc"], ["sets.csv", "AUC", "2 systems", "9 datasets"]),
        (["algorithms", "--scores", "folds.csv", "--design", "kfold", "--n-train", "80", "--n-test", "10"],
         ["folds.csv", "score", "2 algorithms", "90 examples", "9 splits"]),
        (["score", "week.csv", "--truth", "label", "--prediction", "new", "--metric", "accuracy"], ["week.csv", "accuracy", "60 examples"]),
        (["score", "week.csv", "--truth", "label", "--prediction", "new", "--metric", "accuracy", "--by", "part"],
         ["week.csv", "accuracy", "7 slices, 60 examples"]),
        (["compare", "prefs.csv", "--winner", "winner", "--a", "old", "--b", "new"], ["prefs.csv", "win rate", "30 judgements"]),
        (["compare", "week.csv", "june.csv", "--unpaired", "--truth", "label", "--prediction", "new", "--metric", "accuracy"],
         ["week.csv, june.csv", "accuracy", "120 examples"]),
    ],
    ids=lambda case: "-".join(case[:1] + [one[2:] for one in case if one.startswith("--")]) if isinstance(case, list) else None,
)  # fmt: skip
def test_a_page_says_on_top_what_it_is_of(table, command, expected):
    main([*command, "--html", "page.html", "-q"])
    today = date.today()
    assert above("page.html") == ["referee", *expected, f"{today.day} {today:%b %Y}"]


def test_pages_of_logs_name_the_runs_and_what_wrote_them(tmp_path):
    runs = SAMPLES / "lm-eval" / "acme__small", SAMPLES / "lm-eval" / "acme__large"
    referee.compare(referee.read(*runs, filter="strict-match")).to_html(tmp_path / "page.html")
    named = "acme__small, acme__large (lm-evaluation-harness samples)"
    assert above(tmp_path / "page.html")[1:-1] == [named, "exact_match", "8 examples"]
    referee.rank(list(runs), filter="strict-match").to_html(tmp_path / "page.html")
    assert above(tmp_path / "page.html")[1] == named
    old, new = SAMPLES / "helm" / "old", SAMPLES / "helm" / "new"
    files = (run / "per_instance_stats.json" for run in (old, new))
    referee.compare(referee.read(*files, score="exact_match")).to_html(tmp_path / "page.html")
    stats = "per_instance_stats.json"
    assert above(tmp_path / "page.html")[1] == f"old/{stats}, new/{stats} (HELM statistics)"
