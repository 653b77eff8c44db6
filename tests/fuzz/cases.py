"""Cases: for every format a command that reads its small files under tests/samples."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from referee.data.formats.base import recognise

DATA = Path(__file__).parents[1] / "samples"


@dataclass(frozen=True)
class Case:
    """A command: the file that will be damaged, the file beside it, and the options."""

    victim: str
    other: str | None = None
    options: tuple[str, ...] = ()
    free: bool = False
    """Whether the rows are what the files say together, so that damage may add some that count."""

    def words(self, victim: Path) -> list[str]:
        return [str(victim), *([str(DATA / self.other)] if self.other else []), *self.options]

    @property
    def path(self) -> Path:
        return DATA / self.victim

    @property
    def format(self) -> str:
        reader, _ = recognise(self.path, [word.removeprefix("--") for word in self.options])
        return "" if reader is None else reader.name


CASES = {
    "lm-eval": Case(
        "lm-eval/acme__small/samples_word_sums_2026-08-01T10-11-12.345678.jsonl",
        "lm-eval/acme__large/samples_word_sums_2026-08-02T09-00-00.000001.jsonl",
        ("--filter", "strict-match"),
    ),
    "inspect": Case(
        "inspect/2026-08-01T10-11-12+00-00_capitals_small.eval",
        "inspect/2026-08-02T09-00-00+00-00_capitals_large.eval",
        ("--scorer", "match", "--missing", "wrong"),
    ),
    "inspect-json": Case(
        "inspect/2026-08-02T09-00-00+00-00_capitals_large.json",
        "inspect/2026-08-01T10-11-12+00-00_capitals_small.eval",
        ("--scorer", "match", "--missing", "wrong"),
    ),
    "promptfoo": Case("promptfoo/both.json", None, ("--missing", "wrong"), free=True),
    "swe-bench": Case("swe-bench/old.json", "swe-bench/new.json", ("--universe", str(DATA / "swe-bench/ids.txt"))),
    "conll": Case("conll/old.conll", "conll/new.conll", free=True),
    "conll-both": Case("conll/both.conll", None, free=True),
    "numbers": Case("numbers/old.txt", "numbers/new.txt"),
    "texts": Case("texts/old.txt", "texts/new.txt", ("--references", str(DATA / "texts/references.txt"))),
    "openai-evals": Case("openai-evals/acme-small.jsonl", "openai-evals/acme-large.jsonl", ("--missing", "wrong")),
    "columns": Case(
        "columns/old.table.json",
        "columns/new.table.json",
        ("--id", "id", "--truth", "label", "--prediction", "answer"),
    ),
    "helm": Case("helm/old/per_instance_stats.json", "helm/new/per_instance_stats.json", ("--score", "exact_match")),
    "trec-run": Case(
        "trec-run/old.run",
        "trec-run/new.run",
        ("--qrels", str(DATA / "trec-run/qrels.txt"), "--score", "nDCG@10"),
    ),
    "trec": Case("trec/old.txt", "trec/new.txt", ("--score", "map")),
}
