"""Texts by line: translations and transcripts beside files of references, as sacrebleu takes them."""

from __future__ import annotations

from pathlib import Path

import pytest

import referee
from referee.cli import main
from referee.errors import InputError, RefereeError
from tests.data.formats import damage

FOLDER = Path(__file__).parents[2] / "samples/texts"
OLD, NEW, REFERENCES = (FOLDER / f"{name}.txt" for name in ("old", "new", "references"))


def lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").split("\n")[:-1]


def test_the_scores_are_those_of_sacrebleu() -> None:
    corpus_bleu = pytest.importorskip("sacrebleu").corpus_bleu
    r = referee.compare(referee.read(OLD, NEW, references=str(REFERENCES)), metric="bleu", audit=False)
    assert r.a.score == pytest.approx(corpus_bleu(lines(OLD), [lines(REFERENCES)]).score, abs=1e-9)
    assert r.n == 6 and "references:references.txt" in r.signature
    both = referee.read(OLD, NEW, references=f"{REFERENCES},{NEW}")
    several = referee.compare(both, metric="bleu", audit=False)
    assert several.a.score == pytest.approx(corpus_bleu(lines(OLD), [lines(REFERENCES), lines(NEW)]).score, abs=1e-9)
    with pytest.raises(InputError, match="take one reference per example"):
        referee.compare(both, metric="wer")


@pytest.mark.parametrize("verb", ["compare", "rank", "audit"])
def test_verbs_take_them(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    sets = ["--sets", "10"] if verb == "audit" else []
    assert main([verb, str(OLD), str(NEW), "--references", str(REFERENCES), "--metric", "wer", "-q", *sets]) == 0
    assert "word error rate" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("references.txt", "one line\n", r"has 2 lines and .*references.txt has 1; give files with one text per line"),
        ("references.txt", "one\n\n", "bleu needs a reference for every example, and one is empty"),
        ("references.txt", None, "there is no file .*references.txt; references has one text per line"),
        ("new.txt", "one\ntwo\nthree\n", "new.txt has 3 lines and .* has 2"),
        ("new.csv", "one\ntwo\n", "is texts by line and .* is a table"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_an_error(tmp_path: Path, name: str, text: str | None, told: str) -> None:
    files = {"old.txt": "one\ntwo\n", "new.txt": "one\ntwo\n", "references.txt": "one\ntwo\n"}
    if name.endswith(".csv"):
        files.pop("new.txt")
    for own, content in (files | {name: text}).items():
        if content is not None:
            (tmp_path / own).write_text(content)
    new = next(path for path in tmp_path.iterdir() if path.stem == "new")
    with pytest.raises(RefereeError, match=told):
        referee.compare(
            referee.read(tmp_path / "old.txt", new, references=str(tmp_path / "references.txt")), metric="bleu"
        )


def test_what_a_text_file_needs_is_said() -> None:
    with pytest.raises(InputError, match="files with one text per line need references"):
        referee.read(OLD, NEW)
    with pytest.raises(RefereeError, match="name the metric of the texts: bleu, chrf, ter, wer or cer"):
        referee.compare(referee.read(OLD, NEW, references=str(REFERENCES)))


def test_damage_is_refused_or_read(tmp_path: Path) -> None:
    read, refused = damage.survives("texts by line", OLD, {"references": str(REFERENCES)}, tmp_path)
    assert min(read, refused) > 10


def test_quotes_in_a_table_of_texts_are_explained(tmp_path: Path) -> None:
    path = tmp_path / "pasted.tsv"
    path.write_text('reference\told\tnew\n"It is fine" he said\t"It is" he said\t"It is fine" he says\n' * 2)
    with pytest.raises(InputError, match=r'line 2.*a cell that begins with " must end with "'):
        referee.compare(path, truth="reference", a="old", b="new", metric="wer")


@pytest.mark.parametrize("sources", [(OLD, "nosuch.txt"), ("nosuch.txt", OLD)])
def test_a_file_that_is_not_there_is_no_table(sources: tuple[Path | str, ...]) -> None:
    with pytest.raises(InputError, match=r"there is no file 'nosuch\.txt'"):
        referee.read(*sources, references=str(REFERENCES))
