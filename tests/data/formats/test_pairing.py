"""Files that people already have: each is recognised by what is in it, says what it was taken for, and gives a verdict."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

import referee
from referee.data.formats.base import READERS, Opening, recognise
from referee.data.formats.pairing import read
from referee.errors import InputError, NameUnknown, OptionError, RefereeError

DATA = Path(__file__).parents[2] / "samples"
SMALL, LARGE = sorted((DATA / "inspect").glob("*_small.eval"))[0], sorted((DATA / "inspect").glob("*_large.eval"))[0]
CASES = {
    "lm-evaluation-harness samples": ("lm-eval/acme__small", "lm-eval/acme__large", {"filter": "strict-match"}),
    "promptfoo results": ("promptfoo/both.json", None, {"missing": "drop"}),
    "openai/evals log": ("openai-evals/acme-small.jsonl", "openai-evals/acme-large.jsonl", {"missing": "drop"}),
    "a resolved list": ("swe-bench/old.json", "swe-bench/new.json", {"universe": str(DATA / "swe-bench/ids.txt")}),
    "CoNLL columns": ("conll/old.conll", "conll/new.conll", {}),
    "trec_eval": ("trec/old.txt", "trec/new.txt", {"score": "map"}),
    "numbers by line": ("numbers/old.txt", "numbers/new.txt", {}),
}


def sources(name):
    return [DATA / one for one in CASES[name][:2] if one is not None]


@pytest.mark.parametrize("name", CASES)
def test_a_run_is_recognised_and_compared(name):
    outcomes = read(*sources(name), **CASES[name][2])
    assert any(f"was read as {name}" in remark for remark in outcomes.remarks)
    r = referee.compare(outcomes)
    assert r.n > 0
    assert r.p_value is not None
    swapped = read(*reversed(sources(name)), **CASES[name][2]) if len(sources(name)) == 2 else None
    if swapped is not None:
        back = referee.compare(swapped)
        assert back.difference == pytest.approx(-r.difference)
        assert back.p_value == pytest.approx(r.p_value)


def test_every_format_is_here():
    known = {recognise(path)[0].name for path in DATA.rglob("*") if path.is_file() and recognise(path)[0] is not None}
    assert known | {recognise(DATA / "texts/old.txt", ["references"])[0].name} == set(READERS)


@pytest.mark.parametrize("path", [path for path in sorted(DATA.rglob("*")) if path.is_file()], ids=lambda p: p.name)
def test_no_two_readers_claim_a_file(path):
    recognise(path)
    opening = Opening(path)
    assert len([name for name, reader in READERS.items() if reader.recognises(opening)]) <= 1


def test_epochs_are_averaged_or_grouped():
    options = {"scorer": "match", "missing": "wrong"}
    mean = referee.compare(read(SMALL, LARGE, **options))
    assert "were averaged to" in " ".join(mean.warnings)
    group = referee.compare(read(SMALL, LARGE, repeats="group", **options))
    assert group.units == mean.n < group.n
    assert group.difference == pytest.approx(mean.difference)
    with pytest.raises(InputError, match="occur in more than one row"):
        read(SMALL, LARGE, repeats="error", **options).count()


def test_spans_are_responses():
    counts = read(DATA / "conll/old.conll", DATA / "conll/new.conll", unit="response").count()
    assert counts.open
    assert set(counts["truth"].tolist()) == {True, False}
    with pytest.raises(RefereeError, match="true negatives"):
        referee.compare(counts, metric="accuracy")
    sentences = read(DATA / "conll/old.conll", DATA / "conll/new.conll").count()
    assert "group" in sentences
    both = read(DATA / "conll/both.conll", unit="response").count()
    assert both.multiplicities.sum() == counts.multiplicities.sum()


def test_several_tasks_are_several_comparisons(tmp_path):
    for system in ("acme__small", "acme__large"):
        (file,) = (DATA / "lm-eval" / system).iterdir()
        (tmp_path / system).mkdir()
        for task in ("sums", "more_sums"):
            shutil.copy(file, tmp_path / system / file.name.replace("word_sums", task))
    result = referee.compare(read(tmp_path / "acme__small", tmp_path / "acme__large", filter="strict-match"))
    assert sorted(one.task for one in result) == ["more_sums", "sums"]
    assert all(one.p_adjusted >= one.p_value for one in result)
    next((tmp_path / "acme__large").glob("samples_more*")).unlink()
    with pytest.raises(InputError, match="only one run has more_sums; unmatched='drop'"):
        read(tmp_path / "acme__small", tmp_path / "acme__large", filter="strict-match")
    left = read(tmp_path / "acme__small", tmp_path / "acme__large", filter="strict-match", unmatched="drop")
    assert referee.compare(left).n == 8


def test_a_table_in_json_may_have_both_systems():
    path = DATA / "columns/eval_results_table.json"
    r = referee.compare(read(path, truth="targets", a="old", b="new"))
    assert (r.n, r.metric) == (8, "accuracy")
    with pytest.raises(OptionError, match="name the columns of the two systems"):
        read(path)


@pytest.mark.parametrize(
    ("given", "options", "words"),
    [
        (("trec/old.txt", "numbers/new.txt"), {}, "is trec_eval and .* is numbers by line; give two runs of one kind"),
        (("trec/old.txt", "trec/new.txt"), {"score": "mpa"}, "did you mean 'map'"),
        (("trec/old.txt", "trec/new.txt"), {}, "has several scores: .* name one with score="),
        (("trec/old.txt", "trec/new.txt"), {"scorer": "x"}, "scorer has no meaning for trec_eval"),
        (("trec/old.txt", "trec/new.txt"), {"by": "x", "score": "map"}, "by has no meaning for trec_eval"),
        (("swe-bench/old.json", "swe-bench/new.json"), {}, "universe"),
        (("promptfoo/both.json",), {"a": "x", "b": "y"}, "there is no system 'x'"),
    ],
)
def test_choices_that_are_needed_or_wrong(given, options, words):
    with pytest.raises(RefereeError, match=words):
        read(*(DATA / one for one in given), **options).count()


def test_runs_on_other_data_are_refused(tmp_path):
    (file,) = (DATA / "lm-eval/acme__large").iterdir()
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    for row in rows:
        if row["doc_id"] == 3:
            row["doc_hash"] = "0" * 64
    (tmp_path / file.name).write_text("".join(json.dumps(row) + "\n" for row in rows))
    with pytest.raises(InputError, match="disagree about what was asked"):
        read(DATA / "lm-eval/acme__small", tmp_path / file.name, filter="strict-match").count()


def test_what_lies_beside_is_passed_over(tmp_path):
    for system in ("old", "new"):
        (tmp_path / system).mkdir()
        shutil.copy(DATA / "helm" / system / "per_instance_stats.json", tmp_path / system)
        shutil.copy(DATA / "helm/scenario_state.json", tmp_path / system)
    assert referee.compare(read(tmp_path / "old", tmp_path / "new", score="exact_match")).n > 0
    with pytest.raises(InputError, match=r"per_instance_stats\.json"):
        read(tmp_path / "old/scenario_state.json", tmp_path / "new/scenario_state.json")


def test_texts_that_are_not_the_same(tmp_path):
    other = tmp_path / "other.conll"
    other.write_text((DATA / "conll/new.conll").read_text().replace("EU", "UN").replace("B-ORG", "O"))
    with pytest.raises(InputError, match="are not the same; are these runs on the same data"):
        read(DATA / "conll/old.conll", other).count()


def test_a_folder_of_two_kinds(tmp_path):
    shutil.copy(DATA / "trec/old.txt", tmp_path / "a.txt")
    shutil.copy(DATA / "numbers/old.txt", tmp_path / "b.txt")
    with pytest.raises(InputError, match="files of several kinds: numbers by line, trec_eval"):
        read(tmp_path, tmp_path)


def test_a_format_of_ones_own(tmp_path):
    from referee.data.formats.base import Run, reader

    @reader("marks", recognises=lambda opening: opening.head.startswith(b"#marks"))
    def marks(path, choices):
        values = [float(line) for line in path.read_text().split()[1:]]
        return [Run(system=path.stem, rows={"id": list(range(len(values))), "value": values})]

    try:
        for name, text in (("x", "#marks 1 0 1 1"), ("y", "#marks 1 1 1 0")):
            (tmp_path / f"{name}.marks").write_text(text)
        r = referee.compare(read(tmp_path / "x.marks", tmp_path / "y.marks"))
        assert (r.a.name, r.b.name, r.n) == ("x", "y", 4)
    finally:
        READERS.remove("marks")


def test_an_option_of_ones_own(tmp_path):
    from referee.data.formats.base import Run, choose, reader
    from referee.data.roles import LOG, names_of, options_of
    from referee.errors import CallError

    option = LOG("mark", "Which mark.", of_several=True)

    @reader("marks", recognises=lambda opening: opening.head.startswith(b"#marks"), options=(option,))
    def marks(path, choices):
        _, *lines = path.read_text().splitlines()
        rows = {line.split()[0]: [float(cell) for cell in line.split()[1:]] for line in lines}
        values = rows[choose("mark", rows, choices, path)]
        return [Run(system=path.stem, rows={"id": list(range(len(values))), "value": values})]

    try:
        for name, text in (
            ("x", "#marks\nstyle 1 0 1 1\nsense 0 0 0 0"),
            ("y", "#marks\nstyle 1 1 1 0\nsense 1 1 1 1"),
        ):
            (tmp_path / f"{name}.marks").write_text(text)
        sources = tmp_path / "x.marks", tmp_path / "y.marks"
        assert referee.compare(read(*sources, mark="sense")).difference == 1
        assert option in options_of("compare")
        assert "mark" in names_of("reader")
        with pytest.raises(OptionError, match="has several marks: style, sense; name one with mark="):
            read(*sources)
        with pytest.raises(CallError, match=r"read\(\) has no argument 'marc' \(did you mean 'mark'\?\)"):
            read(*sources, marc="sense")
        with pytest.raises(OptionError, match="filter has no meaning for marks"):
            read(*sources, filter="sense")
    finally:
        READERS.remove("marks")


def test_an_option_has_the_type_of_its_default(tmp_path):
    from referee.data.formats.base import Run, reader
    from referee.data.roles import LOG

    options = LOG("skip", "How many lines to skip.", default=1), LOG("turned", "Turn it.", metavar="", default=False)

    @reader("marks", recognises=lambda opening: opening.head.startswith(b"#marks"), options=options)
    def marks(path, choices):
        values = [float(line) for line in path.read_text().splitlines()[choices["skip"] :]]
        sign = -1 if choices["turned"] else 1
        return [Run(system=path.stem, rows={"id": list(range(len(values))), "value": [sign * v for v in values]})]

    sources = tmp_path / "x.marks", tmp_path / "y.marks"
    for path, text in zip(sources, ("#marks\n1\n0\n0", "#marks\n0\n1\n1"), strict=True):
        path.write_text(text)
    scores = {given: referee.compare(read(*sources, skip=given)).b.score for given in (1, "2", None)}
    assert (referee.compare(read(*sources)).n, scores) == (3, {1: 2 / 3, "2": 1, None: 2 / 3})
    assert referee.compare(read(*sources, turned=True)).b.score == -2 / 3
    with pytest.raises(OptionError, match="skip must be a whole number"):
        read(*sources, skip="1.5")
    with pytest.raises(OptionError, match="skip has no meaning for trec_eval"):
        read(DATA / "trec/old.txt", DATA / "trec/new.txt", score="map", skip=2)


def test_names_of_ones_own():
    outcomes = read(DATA / "numbers/old.txt", DATA / "numbers/new.txt", a="before", b="after")
    r = referee.compare(outcomes)
    assert (r.a.name, r.b.name) == ("before", "after")


def test_misspelt_names():
    with pytest.raises(NameUnknown, match="did you mean 'strict-match'"):
        read(*sources("lm-evaluation-harness samples"), filter="strictmatch")


def test_choices_are_made_where_they_can_be(tmp_path):
    (file,) = (DATA / "lm-eval/acme__small").iterdir()
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    plain = [{**row, "filter": "none", "metrics": ["acc", "acc_norm"], "acc": 1.0, "acc_norm": 0.0} for row in rows if row["filter"] == "strict-match"]  # fmt: skip
    for system in ("x", "y"):
        (tmp_path / system).mkdir()
        shutil.copy(file, tmp_path / system)
        text = "".join(json.dumps(row) + "\n" for row in plain)
        (tmp_path / system / file.name.replace("word_sums", "arc")).write_text(text)
    result = referee.compare(read(tmp_path / "x", tmp_path / "y", filter="strict-match", score="acc"))
    assert {one.task: one.a.score for one in result}["arc"] == 1.0
    with pytest.raises(NameUnknown, match="strict-match"):
        read(tmp_path / "x", tmp_path / "y", filter="strictest", score="acc")
    with pytest.raises(OptionError, match="name one with score="):
        read(tmp_path / "x", tmp_path / "y", filter="strict-match")
    only = read(tmp_path / "x" / "*arc*", tmp_path / "y" / "*arc*", score="acc_norm")
    assert referee.compare(only).a.score == 0.0


def test_tasks_that_are_left_out_are_told(tmp_path):
    for system in ("acme__small", "acme__large"):
        shutil.copytree(DATA / "lm-eval" / system, tmp_path / system)
    (file,) = (tmp_path / "acme__small").iterdir()
    shutil.copy(file, file.with_name(file.name.replace("word_sums", "more")))
    outcomes = read(tmp_path / "acme__small", tmp_path / "acme__large", filter="strict-match", unmatched="drop")
    assert "only one run has more, which was left out (unmatched='drop')" in referee.compare(outcomes).warnings


def test_other_questions_under_the_same_ids_are_told(tmp_path):
    log = json.loads(next((DATA / "inspect").glob("*large.json")).read_text())
    for sample in log["samples"]:
        sample["input"] = "another question"
    (tmp_path / "other.json").write_text(json.dumps(log))
    same = referee.compare(read(SMALL, LARGE, scorer="match", missing="wrong"))
    assert "disagree about what was asked of" not in " ".join(same.warnings)
    other = referee.compare(read(SMALL, tmp_path / "other.json", scorer="match", missing="wrong"))
    assert "disagree about what was asked of" in " ".join(other.warnings)


def test_providers_are_in_the_order_of_the_configuration(tmp_path):
    data = json.loads((DATA / "promptfoo/both.json").read_text())
    data["results"]["results"].reverse()
    (tmp_path / "turned.json").write_text(json.dumps(data))
    one, other = (read(path, missing="drop") for path in (DATA / "promptfoo/both.json", tmp_path / "turned.json"))
    assert (one.a, one.b) == (other.a, other.b)
    assert any(remark.startswith(f"A is {one.a} and B is") for remark in one.remarks)


def test_a_task_that_one_file_does_not_name(tmp_path):
    (file,) = (DATA / "lm-eval/acme__large").iterdir()
    shutil.copy(file, tmp_path / "renamed.jsonl")
    r = referee.compare(read(DATA / "lm-eval/acme__small", tmp_path / "renamed.jsonl", filter="strict-match"))
    assert r.n == 8


def spellings(path, folder):
    """Ways to name a file that do not look alike."""
    (folder / "hard").hardlink_to(path)
    (folder / "soft").symlink_to(path)
    inside = folder / "inside"
    inside.mkdir()
    (inside / path.name).symlink_to(path)
    return [path, path.parent / ".." / path.parent.name / path.name, folder / "hard", folder / "soft", inside / "*"]


@pytest.mark.parametrize(
    ("name", "content"),
    [("run.txt", "1\n0\n1\n"), ("run.csv", "id,score\n1,0.5\n2,0.25\n"), ("run.jsonl", '{"id": 1, "score": 1}\n')],
)
def test_a_run_is_not_compared_with_itself(tmp_path, name, content):
    (tmp_path / "runs").mkdir()
    path = tmp_path / "runs" / name
    path.write_text(content)
    for other in [*spellings(path, tmp_path), path.parent]:
        if other.suffix != path.suffix and other.name in ("hard", "soft"):
            other = other.rename(other.with_suffix(path.suffix))
        with pytest.raises(InputError, match=r"(given twice|are the same file); a run is not compared with itself"):
            read(path, other, id=None if name == "run.txt" else "id")


def test_a_file_that_a_folder_has_twice(tmp_path):
    for name in ("old", "new"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "run.csv").write_text("id,score\n1,0.5\n2,0.25\n")
    (tmp_path / "old/latest.csv").symlink_to(tmp_path / "old/run.csv")
    for source in (tmp_path / "old", tmp_path / "old/*.csv"):
        with pytest.raises(
            InputError, match=r"latest\.csv and .*run\.csv are the same file; the rows of .* counted twice"
        ):
            read(source, tmp_path / "new", id="id")
    log = DATA / "inspect" / SMALL.name
    (tmp_path / "logs").mkdir()
    shutil.copy(log, tmp_path / "logs")
    (tmp_path / "logs/latest.eval").symlink_to(tmp_path / "logs" / log.name)
    with pytest.raises(InputError, match=r"are the same file; the runs in .* would be counted twice"):
        read(tmp_path / "logs", LARGE, scorer="match")


def test_two_runs_that_are_copies_say_so(tmp_path):
    shutil.copy(DATA / "numbers/old.txt", tmp_path / "new.txt")
    r = referee.compare(read(DATA / "numbers/old.txt", tmp_path / "new.txt"))
    assert r.warnings[-1] == "old and new give the same answer to every example; is one a copy of the other?"


def test_what_went_wrong_in_a_run_is_said_by_the_result(tmp_path):
    old, new = DATA / "swe-bench/old.json", tmp_path / "new.json"
    report = json.loads((DATA / "swe-bench/new.json").read_text())
    ids = (DATA / "swe-bench/ids.txt").read_text().split()
    new.write_text(json.dumps({**report, "error_ids": ids[:2], "total_instances": 3}))
    outcomes = read(old, new, universe=str(DATA / "swe-bench/ids.txt"))
    said = [
        f"{new} counts 3 ids, but {DATA / 'swe-bench/ids.txt'} names 10",
        f"2 ids of {new} ended in an error (error_ids), which counts as not resolved",
    ]
    assert set(said) <= set(referee.compare(outcomes).warnings)
    assert set(said).isdisjoint(outcomes.remarks)
    assert set(said) <= set(outcomes.count().notes)


def seen(outcomes):
    found = referee.compare(outcomes).examples()
    return {one.id: one.text for one in found}


def test_logs_say_what_their_examples_are_about():
    small, large = DATA / "lm-eval/acme__small", DATA / "lm-eval/acme__large"
    ask = {"filter": "strict-match"}
    assert seen(read(small, large, **ask))["1"] == "One jar of the shelf falls. How many of 12 are left?"
    assert seen(read(small, large, text="passage", **ask))["1"] == "shelf"
    scored = {"scorer": "match", "missing": "wrong"}
    assert seen(read(SMALL, LARGE, **scored))["pe"] == "Which city is the capital of Peru?"
    assert seen(read(SMALL, LARGE, text="continent", **scored))["pe"] == "america"
    both = DATA / "promptfoo/both.json"
    assert seen(read(both, missing="wrong"))["4"] == "fruit: pear; colour: green"
    assert seen(read(both, missing="wrong", text="fruit"))["4"] == "pear"
    events = [DATA / f"openai-evals/acme-{size}.jsonl" for size in ("small", "large")]
    assert seen(read(*events, missing="wrong")) == {
        "opposites.dev.1": "What is the opposite of up?",
        "opposites.dev.4": "What is the opposite of early?",
    }
    tables = [DATA / f"columns/{name}.table.json" for name in ("old", "new")]
    told = seen(read(*tables, id="id", truth="label", prediction="answer", text="score"))
    assert told
    assert all(float(text) >= 0 for text in told.values())


def test_a_table_in_json_with_both_systems_and_texts():
    path = DATA / "columns/eval_results_table.json"
    found = referee.compare(read(path, truth="targets", a="old", b="new", text="inputs")).examples()
    assert found
    assert all(one.text and one.truth and one.id is None for one in found)


@pytest.mark.parametrize(
    ("given", "options"),
    [
        (("lm-eval/acme__small", "lm-eval/acme__large"), {"filter": "strict-match"}),
        ((SMALL, LARGE), {"scorer": "match", "missing": "wrong"}),
        (("promptfoo/both.json",), {"missing": "wrong"}),
        (("columns/old.table.json", "columns/new.table.json"), {"id": "id", "prediction": "answer"}),
        (("trec/old.txt", "trec/new.txt"), {"score": "map"}),
        (("swe-bench/old.json", "swe-bench/new.json"), {"universe": str(DATA / "swe-bench/ids.txt")}),
    ],
)
def test_texts_that_a_log_has_not(given, options):
    with pytest.raises(RefereeError, match=r"nowhere|text has no meaning"):
        read(*(DATA / one for one in given), text="nowhere", **options)


def test_spans_are_shown_in_their_sentences():
    for paths in ((DATA / "conll/old.conll", DATA / "conll/new.conll"), (DATA / "conll/both.conll",)):
        found = referee.compare(read(*paths)).examples()
        first = found[0]
        assert (first.a, first.b, first.truth, first.right) == ("not found", "found", "relevant", "b")
        assert (first.id, first.text) == ("LOC, sentence 1, token 5", "Mira Okafor lives in [Turku] .")
        assert found[2].id == "ORG, sentence 2, tokens 3 to 5"
        assert found[1].truth == "not relevant"
        assert found[1].right == "b"


def test_lists_and_numbers_have_ids_and_no_texts():
    resolved = read(DATA / "swe-bench/old.json", DATA / "swe-bench/new.json", universe=str(DATA / "swe-bench/ids.txt"))
    found = referee.compare(resolved).examples()
    assert (found[0].id, found[0].right, found[0].text) == ("kiln__kiln-31", "a", None)
    lines = read(DATA / "numbers/old.txt", DATA / "numbers/new.txt", missing="drop")
    assert referee.compare(lines).examples()[0].id == "row 1"


def test_helm_has_the_questions_beside(tmp_path):
    for name in ("old", "new"):
        shutil.copytree(DATA / "helm" / name, tmp_path / name)
    typos = next(
        one["perturbation"]
        for one in json.loads((tmp_path / "old/per_instance_stats.json").read_text())
        if one.get("perturbation")
    )
    ask = {"score": "exact_match"}
    assert set(seen(read(tmp_path / "old", tmp_path / "new", **ask)).values()) == {None}
    instances = [
        {"id": "id1", "input": {"text": "2 + 2?"}},
        {"id": "id1", "input": {"text": "2 ++ 2?"}, "perturbation": typos},
        {"id": "id2", "input": "3 + 3?"},
        {"id": ["odd"], "input": {"text": "?"}},
        "no instance",
    ]
    (tmp_path / "new/instances.json").write_text(json.dumps(instances))
    told = seen(read(tmp_path / "old", tmp_path / "new", **ask))
    assert (told["id1, typos"], told["id2"], told["id3"]) == ("2 ++ 2?", "3 + 3?", None)
    states = {"adapter_spec": {}, "request_states": [{"instance": instances[2]}, {"instance": None}, 1]}
    (tmp_path / "new/instances.json").write_text("{")
    (tmp_path / "old/scenario_state.json").write_text(json.dumps(states))
    assert seen(read(tmp_path / "old", tmp_path / "new", **ask))["id2"] == "3 + 3?"


def test_tasks_have_examples_of_their_own(tmp_path):
    for system in ("acme__small", "acme__large"):
        (file,) = (DATA / "lm-eval" / system).iterdir()
        (tmp_path / system).mkdir()
        for task in ("sums", "more_sums"):
            shutil.copy(file, tmp_path / system / file.name.replace("word_sums", task))
    result = referee.compare(read(tmp_path / "acme__small", tmp_path / "acme__large", filter="strict-match"))
    for one in result:
        assert [example.id for example in one.examples()] == ["1", "5", "6"]
    next((tmp_path / "acme__large").glob("samples_more*")).write_text("")
    for one in result:
        with pytest.raises(InputError, match=r"samples_more_sums.* has changed since it was compared"):
            one.examples()


def test_a_look_at_logs_keeps_no_rows():
    outcomes = read(SMALL, LARGE, scorer="match", missing="wrong")
    assert "text" not in outcomes.source.left.columns
    look = referee.compare(outcomes).look
    assert look.outcomes.source.left.source == {}
    assert look()


def test_odd_documents_of_a_harness(tmp_path):
    docs = [{"goal": "Open a jar.", "sol1": "Twist."}, {"strange": 1}, "plain text", {"question": "", "query": "Why?"}]
    for name, right in (("old", 0), ("new", 1)):
        rows = [
            {"doc_id": place, "doc": doc, "target": "", "arguments": [["Q: what?\nA:", {"until": []}]], "resps": [],
             "filtered_resps": [], "acc": right}
            for place, doc in enumerate(docs)
        ]  # fmt: skip
        (tmp_path / f"{name}.jsonl").write_text("\n".join(map(json.dumps, rows)))
    told = seen(read(tmp_path / "old.jsonl", tmp_path / "new.jsonl"))
    assert told == {"0": "Open a jar.", "1": "Q: what? A:", "2": "plain text", "3": "Why?"}
