"""No output is written over an input, over another output, or where it cannot be."""

import gzip
import json
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from referee.cli import output as output_module
from tests.fuzz.cases import CASES

ROLES = ("--truth", "label", "--a", "old", "--b", "new", "--positive", "spam", "--metric", "f1")
COUNTED = ROLES[:8]
SCORES = "svm,forest\n" + "".join(f"0.{80 + i},0.{70 + i}\n" for i in range(10))


@pytest.fixture
def here(tmp_path, monkeypatch, data):
    """A folder with a table under several names, and what it was before."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "preds.csv").write_bytes(Path(data).read_bytes())
    Path(data).unlink()
    (tmp_path / "scores.csv").write_text(SCORES, encoding="utf-8")
    (tmp_path / "link.csv").symlink_to("preds.csv")
    (tmp_path / "hard.csv").hardlink_to("preds.csv")
    (tmp_path / "tables").mkdir()
    shutil.copy("preds.csv", "tables/one.csv")
    return tmp_path


def files(folder):
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


VERBS = {
    "compare": ("compare", "preds.csv", *ROLES),
    "count": ("count", "preds.csv", *COUNTED),
    "score": ("score", "preds.csv", "--truth", "label", "--prediction", "new"),
    "audit": ("audit", "preds.csv", *ROLES, "--sets", "20"),
    "algorithms": ("algorithms", "preds.csv", "--truth", "label", "--model", "sklearn.svm:SVC"),
    "scores": ("algorithms", "--scores", "preds.csv"),
}
OPTIONS = {
    "compare": ("-o", "--html", "--chart", "--save-counts"),
    "count": ("-o",),
    "score": ("-o", "--html", "--chart", "--save-counts"),
    "audit": ("-o", "--html", "--chart", "--save-counts", "--store"),
    "algorithms": ("-o", "--html", "--chart", "--store"),
    "scores": ("-o", "--html", "--chart"),
}


@pytest.mark.parametrize(("verb", "option"), [(verb, option) for verb in VERBS for option in OPTIONS[verb]])
def test_no_output_of_any_verb_is_an_input(run, here, verb, option):
    before = files(here)
    done = run(*VERBS[verb], option, "preds.csv")
    assert (done.code, done.out) == (2, "")
    assert done.err == "referee: cannot write preds.csv: it is read as an input; name another file for the output\n"
    assert files(here) == before


@pytest.mark.parametrize("source", ["preds.csv", "*eds.csv", "./preds.csv", "link.csv", "hard.csv"])
@pytest.mark.parametrize("output", ["preds.csv", "../{}/preds.csv", "link.csv", "hard.csv"])
def test_whatever_the_two_are_called(run, here, source, output):
    before = files(here)
    output = output.format(here.name)
    done = run("compare", source, *ROLES, "-o", output)
    assert (done.code, done.out) == (2, "")
    assert f"cannot write {output}: it is read as an input" in done.err
    assert (f"({source})" in done.err) == (source != output)
    assert files(here) == before


@pytest.mark.parametrize("source", ["tables", "tables/*.csv", "tables/../tables"])
def test_files_of_folders_and_patterns_are_inputs(run, here, source):
    before = files(here)
    done = run("compare", source, *ROLES, "--html", "tables/one.csv")
    assert (done.code, done.out) == (2, "")
    assert f"cannot write tables/one.csv: it is read as an input ({source})" in done.err
    assert files(here) == before


def test_a_report_in_the_folder_of_the_data_may_be_written_again(run, here):
    for _ in range(2):
        assert run("compare", "tables", *ROLES, "--html", "tables/report.html", "-o", "tables/result.txt").code == 0


@pytest.mark.parametrize("name", sorted(CASES))
def test_logs_are_inputs_file_by_file(run, tmp_path, name):
    path, options = CASES[name].path, CASES[name].options
    log = tmp_path / "run" / path.name
    log.parent.mkdir()
    shutil.copy(path, log)
    for source in (log, log.parent, log.parent / "*"):
        done = run("compare", str(source), *options, "-o", str(log))
        assert (done.code, done.out) == (2, "")
        assert f"cannot write {log}: it is read as an input" in done.err
    assert files(tmp_path) == {log.relative_to(tmp_path): path.read_bytes()}


def test_what_helm_puts_beside_is_an_input(run, tmp_path):
    stats = next(case.path for case in CASES.values() if case.format == "HELM statistics")
    asked = tmp_path / "instances.json"
    shutil.copy(stats, tmp_path)
    asked.write_text("[]", encoding="utf-8")
    done = run("compare", str(tmp_path), "-o", str(asked))
    assert done.code == 2
    assert "it is read as an input" in done.err
    assert asked.read_text(encoding="utf-8") == "[]"


@pytest.mark.parametrize("name", ["swe-bench", "texts", "trec-run"])
@pytest.mark.parametrize("verb", ["compare", "rank"])
def test_files_that_options_name_are_inputs(run, tmp_path, verb, name):
    flag, path, *others = CASES[name].options
    beside = Path(shutil.copy(path, tmp_path))
    before = files(tmp_path)
    runs = CASES[name].words(CASES[name].path)[:2]
    done = run(verb, *runs, flag, str(beside), *others, "-o", str(beside))
    assert (done.code, "it is read as an input" in done.err) == (2, True)
    assert files(tmp_path) == before


def test_each_of_several_files_of_references_is_an_input(run, tmp_path):
    texts = CASES["texts"].path
    for name in ("one.txt", "two.txt"):
        shutil.copy(texts, tmp_path / name)
    references = f"{tmp_path}/one.txt, {tmp_path}/two.txt"
    before = files(tmp_path)
    done = run("score", str(texts), "--references", references, "--metric", "bleu", "--html", f"{tmp_path}/two.txt")
    assert (done.code, "it is read as an input" in done.err) == (2, True)
    assert files(tmp_path) == before


def test_counts_are_inputs_too(run, here):
    assert run("count", "preds.csv", *COUNTED, "-o", "week.json").code == 0
    before = files(here)
    done = run("count", "week.json", "-o", "week.json")
    assert (done.code, "it is read as an input" in done.err) == (2, True)
    assert files(here) == before


def test_standard_input_from_a_file_is_that_file(here):
    before = files(here)
    with Path("preds.csv").open("rb") as file:
        done = subprocess.run(
            [sys.executable, "-m", "referee", "compare", "-", *ROLES, "-o", "preds.csv"],
            stdin=file, capture_output=True, text=True, check=False, timeout=60,
        )  # fmt: skip
    assert (done.returncode, done.stdout) == (2, "")
    assert "cannot write preds.csv: it is read as an input (standard input)" in done.stderr
    assert files(here) == before


def test_two_outputs_are_two_files_whatever_they_are_called(run, here):
    Path("report.html").touch()
    Path("again.html").hardlink_to("report.html")
    Path("other.html").symlink_to("report.html")
    for other in ("again.html", "other.html", "./report.html"):
        done = run("compare", "preds.csv", *ROLES, "--html", "report.html", "--save-counts", other)
        assert (done.code, "two outputs cannot be one file" in done.err) == (2, True)
    assert Path("report.html").read_bytes() == b""


def test_devices_take_all(run, here):
    done = run(
        "compare", "preds.csv", *ROLES, "-q", "--html", "/dev/null", "-o", "/dev/null", "--save-counts", "/dev/null"
    )
    assert done == (0, "", "")


@pytest.mark.parametrize("verb", [("compare", "preds.csv", *ROLES), ("list",), ("replicate",), ("demo",)])
@pytest.mark.parametrize(
    ("place", "said"),
    [
        ("nowhere/x.csv", "there is no folder nowhere; make it first"),
        ("tables.csv", "it is a folder; name a file in it"),
        ("astray.csv", "there is no folder"),
        ("", "a file without a name"),
    ],
)
def test_a_place_that_is_none_is_said_before_the_work(run, here, verb, place, said):
    Path("tables.csv").mkdir()
    Path("astray.csv").symlink_to("nowhere/x.csv")
    done = run(*verb, "--save" if verb == ("demo",) else "-o", place)
    assert (done.code, done.out) == (2, "")
    assert said in done.err


def test_a_folder_that_takes_nothing_and_a_file_that_is_protected(run, here, monkeypatch):
    Path("kept.txt").write_text("mine", encoding="utf-8")
    # Whoever runs the tests may be allowed everything.
    monkeypatch.setattr(
        output_module.os, "access", lambda path, _: Path(path).name not in ("kept.txt", "tables", "dev")
    )
    for output, said in (
        ("kept.txt", "it already exists and is read-only"),
        ("tables/x.txt", "the folder tables is not writable"),
    ):
        done = run("compare", "preds.csv", *ROLES, "-o", output)
        assert (done.code, done.out) == (2, "")
        assert f"cannot write {output}: {said}" in done.err
    assert run("compare", "preds.csv", *ROLES, "-o", "/dev/null").code == 0  # its folder is root's alone
    assert run("compare", "preds.csv", *ROLES, "-o", "-").code == 0
    assert Path("kept.txt").read_text(encoding="utf-8") == "mine"


def test_outputs_keep_the_mode_of_what_they_replace(run, here):
    outputs = {"-o": "o.json", "--html": "r.html", "--chart": "c.png", "--save-counts": "k.json"}
    for name in outputs.values():
        Path(name).touch()
        Path(name).chmod(0o600)
    assert (
        run(
            "compare", "preds.csv", *ROLES, "--format", "json", *(word for pair in outputs.items() for word in pair)
        ).code
        == 0
    )
    assert {name: oct(stat.S_IMODE(Path(name).stat().st_mode)) for name in outputs.values()} == dict.fromkeys(
        outputs.values(), "0o600"
    )
    assert json.loads(Path("o.json").read_text(encoding="utf-8"))["n"] == 600


def test_packed_inputs(run, here):
    Path("preds.csv.gz").write_bytes(gzip.compress(Path("preds.csv").read_bytes()))
    done = run("compare", "preds.csv.gz", *ROLES, "-o", "preds.csv.gz")
    assert (done.code, "it is read as an input" in done.err) == (2, True)
