"""The smaller verbs."""

import json
import re
from pathlib import Path
from types import SimpleNamespace

import pytest

from referee.cli import replicate
from referee.data.counts import Counts
from referee.data.engines.files import extension
from referee.metrics import METRICS
from referee.report.render import FORMATS
from referee.results.replication import Replication
from referee.significance import TESTS
from referee.significance.fold_tests import FOLD_TESTS
from referee.studies.algorithms.designs import DESIGNS
from referee.studies.auditing.population import SHIPPED


def test_count(run, data, tmp_path):
    words = ["count", data, "--truth", "label", "--a", "old", "--b", "new"]
    content = json.loads(run(*words).out)
    assert content["schema"] == "referee.counts/1"
    assert sum(content["multiplicities"]) == 600
    said = run(*words, "--format", "text").out
    assert said.startswith("600 examples are 8 distinct outcomes.")
    target = tmp_path / "c.json"
    assert run(*words, "--output", str(target)).out == ""
    assert Counts.load(target).n == 600


def test_count_of_many_rows_is_cut(run, data):
    said = run(
        "count", data, "--truth", "label", "--a", "old", "--b", "new", "--group", "sender", "--format", "text"
    ).out
    assert "more" in said.splitlines()[-1]


def test_count_guesses(run, data):
    done = run("count", data, "--truth", "label", "--group", "sender")
    assert done.code == 0
    assert "a is 'old'" in done.err


def test_list(run):
    content = json.loads(run("list", "--format", "json").out)
    assert content["schema"] == "referee.list/1"
    assert [row["name"] for row in content["metrics"]] == list(METRICS)
    assert [row["name"] for row in content["tests"]] == [*TESTS, *FOLD_TESTS]
    assert all(row["summary"] and row["task"] for row in content["metrics"])
    assert all(row["summary"] and row["fits"] for row in content["tests"])
    assert [row["name"] for row in content["designs"]] == list(DESIGNS)
    assert all(row["summary"] for row in content["designs"])
    said = run("list").out
    assert all(name in said for name in (*METRICS, *TESTS))
    assert "mcnemar  " not in run("list", "metrics").out
    assert run("list", "designs").out.startswith("designs\n  5x2cv")
    assert run("list", "metric").code == 2


def test_populations_are_listed_if_asked_for(run):
    assert [row["name"] for row in json.loads(run("list", "--format", "json").out)["populations"]] == list(SHIPPED)
    for name in SHIPPED:
        assert name not in run("list").out
        assert name in run("list", "populations").out
    assert f"{len(SHIPPED)} populations are shipped for audits: referee list populations" in run("list").out


def test_demo(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = run("demo")
    assert done.code == 0
    assert done.err == ""
    assert (
        '$ referee compare demo.csv --truth label --a old --b new --positive spam --metric f1\n\n"new" is better'
        in done.out
    )
    assert "--group sender\n\nToo close to call" in done.out
    assert list(tmp_path.iterdir()) == []
    kept = run("demo", "--save", "mine.csv").out
    assert kept.splitlines()[-1].startswith("Next: try it on mine.csv")
    # The commands can be run on what was kept.
    assert "$ referee compare mine.csv --truth label" in kept
    assert "$ referee compare demo.csv" not in kept
    words = ["--truth", "label", "--a", "old", "--b", "new", "--positive", "spam", "--metric", "f1"]
    assert run("compare", "mine.csv", *words).out in done.out
    assert len(Path("mine.csv").read_text().splitlines()) == 601


@pytest.fixture
def paper(monkeypatch):
    rows = [{"what": "p of recall", "paper": 0.02, "ours": 0.0214, "agrees": True, "note": "rounded"}]
    module = SimpleNamespace(run=lambda: Replication("Nobody (2000)", rows))
    monkeypatch.setattr(replicate, "papers", lambda: {"nobody2000": "Nobody's table 1."})
    monkeypatch.setattr(replicate, "importlib", SimpleNamespace(import_module=lambda name: module))


def test_replicate(paper, run, tmp_path):
    page = tmp_path / "page.html"
    said = {form: run("replicate", "nobody2000", "--format", form).out for form in FORMATS}
    assert "1 of 1 numbers agree" in said["text"]
    assert json.loads(said["json"])["schema"] == "referee.replication/1"
    assert said["markdown"].startswith("**Nobody (2000)")
    assert "\\toprule" in said["latex"]
    assert 'name="p of recall"' in said["junit"]
    assert run("replicate", "nobody2000", "--html", str(page)).code == 0
    pages = [page.read_text(encoding="utf-8"), said["html"].rstrip("\n")]
    commands = [re.search(r"<pre tabindex=.0.>(referee .*)</pre>\n", text) for text in pages]
    assert f"--html {page}" in commands[0][1]
    assert pages[0].replace(commands[0][0], "") == pages[1].replace(commands[1][0], "")


def test_replications_are_listed(run):
    assert run("replicate").code == 0
    done = run("replicate", "nothing1999")
    assert done.code == 2
    assert "there is no replication 'nothing1999'" in done.err


def test_what_standard_input_is():
    assert extension(b"[{}]") == ".json"
    assert extension(b"PAR1....") == ".parquet"
    assert extension(b"a|b\n1|2") == ".csv"
