"""From a file to a report, as the page asks for it."""

import gzip
import io
import json
import time
import zipfile
from pathlib import Path
from types import SimpleNamespace

import pytest

import referee
from referee.web import app, jobs
from referee.web import jobs as desks
from referee.web.form import FIELDS
from tests.web.conftest import awaited

DATA = Path(__file__).parents[1] / "samples"


def rows(text):
    head, *lines = [line.split(",") for line in text.splitlines()]
    return [dict(zip(head, line, strict=True)) for line in lines]


def test_the_page_and_its_choices(site):
    page = site.get("")
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert "Drop one or more files here" in page.text
    assert site.get("page.css").headers["content-type"].startswith("text/css")
    assert site.get("page.js").headers["content-type"].startswith("text/javascript")
    choices = site.get("choices").json()
    assert [metric["name"] for metric in choices["metrics"]][:2] == ["precision", "recall"]
    assert choices["limit"] == 2 << 20


def test_one_table(site, demo):
    found = site.upload(demo, "demo.csv").json()
    assert found["kind"] == "table"
    assert [column["name"] for column in found["columns"]] == ["sender", "label", "old", "new"]
    assert found["columns"][1]["labels"] == ["ham", "spam"]
    assert found["rows"][0] == ["sender-01", "ham", "spam", "ham"]
    told = site.post("fields", {"files": [found["id"]]}).json()
    assert told["layout"] == "table"
    assert told["fields"] == {"truth": "label", "group": "sender", "a": "old", "b": "new"}
    assert told["positive"]["label"] == "spam"
    given = {**told["fields"], "group": ""}
    done = site.compare(found["id"], **given, metric="f1", positive="spam", alpha="0,01", audit=True)
    numbers = site.get(f"reports/{done['id']}/report.json").json()
    assert numbers["metric"] == "f1"
    assert numbers["alpha"] == 0.01
    assert numbers["audit"] is not None
    report = site.get(f"reports/{done['id']}/report.html")
    assert report.headers["content-type"] == "text/html; charset=utf-8"
    assert "content-disposition" not in report.headers
    kept = site.get(f"reports/{done['id']}/report.html?keep")
    assert kept.headers["content-disposition"] == 'attachment; filename="report.html"'
    assert kept.content == report.content


def test_the_numbers_are_those_of_the_command_line(site, demo, tmp_path):
    path = tmp_path / "demo.csv"
    path.write_text(demo, encoding="utf-8")
    ours = referee.compare(str(path), truth="label", a="old", b="new", group="sender").to_dict()
    done = site.compare(site.added(demo), truth="label", a="old", b="new", group="sender")
    assert site.get(f"reports/{done['id']}/report.json").json() == json.loads(json.dumps(ours))


def test_metrics_with_options(site, demo):
    given = {"truth": "label", "a": "old", "b": "new"}
    done = site.compare(site.added(demo), **given, metric="f1", options={"average": "macro"})
    assert site.get(f"reports/{done['id']}/report.json").json()["metric"] == "f1:average=macro"
    wrong = site.compare(site.added(demo), **given, metric="dcf", positive="spam", options={"cost_fn": "dear"})
    assert "dcf:cost_fn must be a number" in wrong["wrong"]


@pytest.mark.parametrize(
    "name",
    [
        "demo.txt",
        "demo",
        "demo.DAT",
        "demo.tsv",
        "demo.csv.gz",
        "demo.gz",
        "demo.jsonl",
        "demo.json",
        "demo.parquet",
        "demo.feather",
    ],
)
def test_tables_of_all_kinds(site, demo, name):
    import pyarrow
    from pyarrow import feather, parquet

    packed = io.BytesIO()
    if name.endswith(".parquet"):
        parquet.write_table(pyarrow.Table.from_pylist(rows(demo)), packed)
    elif name.endswith(".feather"):
        feather.write_feather(pyarrow.Table.from_pylist(rows(demo)), packed)
    elif name.endswith(".gz"):
        packed.write(gzip.compress(demo.encode()))
    elif name.endswith(".jsonl"):
        packed.write("\n".join(map(json.dumps, rows(demo))).encode())
    elif name.endswith(".json"):
        packed.write(json.dumps(rows(demo)).encode())
    else:
        packed.write((demo.replace(",", "\t") if name.endswith(".tsv") else demo).encode())
    found = site.upload(packed.getvalue(), name).json()
    assert [column["name"] for column in found["columns"]] == ["sender", "label", "old", "new"]
    assert found["rows"][1] == ["sender-01", "ham", "spam", "ham"]
    assert site.post("fields", {"files": [found["id"]]}).json()["fields"]["truth"] == "label"
    done = site.compare(found["id"], truth="label", a="old", b="new")
    assert site.get(f"reports/{done['id']}/report.json").json()["n"] == 600


def pair(demo):
    for system in ("old", "new"):
        yield "id,gold,answer\n" + "".join(f"{i},{row['label']},{row[system]}\n" for i, row in enumerate(rows(demo)))


def test_two_tables(site, demo):
    keys = [site.added(text, f"{name}.csv") for name, text in zip(("first", "second"), pair(demo), strict=True)]
    told = site.post("fields", {"files": keys}).json()
    assert told["layout"] == "pair"
    assert told["columns"] == ["id", "gold", "answer"]
    assert told["fields"] == {"id": "id", "truth": "gold", "prediction": "answer"}
    assert told["names"] == ["first", "second"]
    done = site.compare(*keys, **told["fields"], name_a="first", name_b="our model")
    numbers = site.get(f"reports/{done['id']}/report.json").json()
    assert (numbers["a"]["name"], numbers["b"]["name"], numbers["n"]) == ("first", "our model", 600)
    back = site.compare(*keys[::-1], **told["fields"], name_a="second", name_b="first")
    assert site.get(f"reports/{back['id']}/report.json").json()["difference"] == -numbers["difference"]
    lined = site.compare(*keys, truth="gold", prediction="answer", by_line=True, name_a="x", name_b="y")
    numbers = site.get(f"reports/{lined['id']}/report.json").json()
    assert any("x and y were paired by line" in warning for warning in numbers["warnings"])
    assert "two different names" in site.compare(*keys, **told["fields"], name_a="x", name_b="x")["wrong"]


def test_nothing_of_our_names_is_seen(site, demo):
    old, new = pair(demo)
    keys = [site.added(old, "first.csv"), site.added(new.replace("3,ham", "zzz,ham"), "second.csv")]
    fields = {"id": "id", "truth": "gold", "prediction": "answer", "name_a": "first", "name_b": "second"}
    wrong = site.compare(*keys, **fields)["wrong"]
    assert "only in first.csv" in wrong
    assert f"“{FIELDS['unmatched']}”: “leave them out”" in wrong
    done = site.compare(*keys, **fields, unmatched="drop")
    report = site.get(f"reports/{done['id']}/report.html").text
    for text in (wrong, report):
        assert not any(key in text for key in keys)
        assert str(site.uploads.folder) not in text


@pytest.mark.parametrize(
    "first, second, given",
    [
        ("inspect/2026-08-01T10-11-12+00-00_capitals_small.eval", "inspect/2026-08-02T09-00-00+00-00_capitals_large.eval", {"scorer": "match"}),
        ("numbers/old.txt", "numbers/new.txt", {}),
        ("trec/old.txt", "trec/new.txt", {"score": "map"}),
        ("conll/old.conll", "conll/new.conll", {}),
        ("openai-evals/acme-small.jsonl", "openai-evals/acme-large.jsonl", {}),
    ],
)  # fmt: skip
def test_logs(site, first, second, given):
    keys = []
    for name in (first, second):
        found = site.upload((DATA / name).read_bytes(), name).json()
        assert found["kind"] == "log", found
        keys.append(found["id"])
    told = site.post("fields", {"files": keys}).json()
    assert told["layout"] == "runs"
    assert set(given) <= set(told["chooses"])
    fields = {"name_a": told["names"][0], "name_b": told["names"][1], "missing": "wrong", "unmatched": "drop", **given}
    done = site.compare(*keys, **fields)
    assert "id" in done, done
    numbers = site.get(f"reports/{done['id']}/report.json").text
    report = site.get(f"reports/{done['id']}/report.html").text
    assert done["remarks"][0].startswith(f"{Path(first).name} was read as")
    for text in (numbers, report, str(told), str(done["remarks"])):
        assert not any(key in text for key in keys)
        assert str(site.uploads.folder) not in text
    assert told["names"][0] in numbers


def test_one_log_with_several_systems(site):
    found = site.upload((DATA / "promptfoo" / "both.json").read_bytes(), "both.json").json()
    told = site.post("fields", {"files": [found["id"]]}).json()
    assert len(told["systems"]) >= 2
    assert [told["fields"]["a"], told["fields"]["b"]] == told["systems"][:2]
    done = site.compare(found["id"], **told["fields"], missing="wrong", unmatched="drop")
    assert "id" in done, done


def test_a_choice_that_a_log_leaves(site):
    keys = [site.added((DATA / "trec" / name).read_bytes(), name) for name in ("old.txt", "new.txt")]
    wrong = site.compare(*keys, name_a="old", name_b="new")["wrong"]
    assert wrong.startswith("old.txt has several scores: ")
    assert wrong.endswith(f"name one with “{FIELDS['score']}”")


def test_tables_of_columns_and_rows(site):
    keys = [
        site.added((DATA / "columns" / f"{name}.table.json").read_bytes(), f"{name}.table.json")
        for name in ("old", "new")
    ]
    told = site.post("fields", {"files": keys}).json()
    assert told["layout"] == "pair"
    done = site.compare(*keys, **told["fields"], name_a="old", name_b="new")
    assert "id" in done, (done, told)


def test_two_logs(site):
    line = '{{"run_id": "r1", "sample_id": "s.{0}", "type": "match", "event_id": {0}, "data": {{"correct": {1}}}}}\n'
    texts = ["".join(line.format(i, str(i % step == 0).lower()) for i in range(60)) for step in (3, 2)]
    keys = [site.added(text, f"{name}.jsonl") for name, text in zip(("old", "new"), texts, strict=True)]
    told = site.post("fields", {"files": keys}).json()
    assert told["layout"] == "runs"
    assert told["names"] == ["old", "new"]
    done = site.compare(*keys, name_a="old", name_b="new")
    numbers = site.get(f"reports/{done['id']}/report.json").json()
    assert (numbers["a"]["name"], numbers["b"]["name"], numbers["n"]) == ("old", "new", 60)
    alone = site.post("fields", {"files": keys[:1]}).json()
    assert "add the run of the other" in alone["wrong"]
    assert keys[0] not in alone["wrong"]


def test_counts(site):
    counts = referee.count(truth=["x", "y", "x", "y"], a=["x", "y", "y", "y"], b=["x", "y", "x", "x"])
    found = site.upload(counts.to_json(), "week.json").json()
    assert (found["kind"], found["labels"]) == ("counts", ["x", "y"])
    assert site.post("fields", {"files": [found["id"]]}).json()["layout"] == "counts"
    done = site.compare(found["id"], metric="f1", positive="x")
    assert site.get(f"reports/{done['id']}/report.json").json()["n"] == 4
    assert done["remarks"] == []


def test_two_files_of_counts_are_added(site):
    weeks = [referee.count(truth=["x", "y"] * n, a=["x", "y"] * n, b=["x", "x"] * n).to_json() for n in (600, 3)]
    keys = [site.added(week, f"week{i}.json") for i, week in enumerate(weeks)]
    both = site.compare(*keys)
    assert both["remarks"] == ["the counts of both files were added: 1,206 examples"]
    assert site.get(f"reports/{both['id']}/report.json").json()["n"] == 1206
    again = site.added(weeks[0], "copy.json")
    for pair in ([keys[0], again], [keys[0], keys[0]]):
        assert "are the same file; the counts of two files are added" in site.compare(*pair)["wrong"]
    assert "week0.json and copy.json are the same file" in site.compare(keys[0], again)["wrong"]


@pytest.mark.parametrize(
    "content, name, wanted",
    [
        (b"", "empty.csv", "empty.csv is empty"),
        (b"  \n\n", "blank.csv", "blank.csv is empty"),
        (b"a,b\n", "head.csv", "has a header and no rows"),
        (bytes(range(256)) * 40, "junk.csv", "junk.csv is not a text file"),
        (b"\x89PNG\r\n\x1a\n" + bytes(500), "photo.png", "is neither a text file nor"),
        (b"\xff\xfea\x00,\x00b\x00\n\x00", "utf16.csv", "save it as UTF-8"),
        (b"name,ok\ncaf\xe9,1\n", "latin.csv", "latin.csv"),
        (b"<!DOCTYPE html><html><body>Log in</body></html>", "data.csv", "data.csv is a web page"),
        (b"PK\x03\x04" + bytes(100), "book.xlsx", "book.xlsx"),
        (b"\xd0\xcf\x11\xe0" + bytes(100), "book.xls", "book.xls is a spreadsheet; save the sheet as CSV"),
        (b"PK\x03\x04" + bytes(100), "torn.xlsx", "torn.xlsx is a spreadsheet; save the sheet as CSV"),
        (b"PK\x03\x04" + bytes(100), "torn.docx", "torn.docx is a document, not a table"),
        (b"%PDF-1.4\n%more\n1 0 obj\n", "paper.pdf", "paper.pdf is a PDF, not a table"),
        (b"%PDF-1.4\n%more\n1 0 obj\n", "paper.csv", "paper.csv is a PDF, not a table"),
        ((DATA / "helm" / "scenario_state.json").read_bytes(), "scenario_state.json", "the scores are in per_instance_stats.json"),
        (b"PAR1" + b"\x15\x04" * 50, "torn.parquet", "cannot read torn.parquet"),
        (b"ARROW1\0\0" + bytes(64), "torn.arrow", "cannot read torn.arrow"),
        (gzip.compress(b"a,b\n1,2\n" * 1000)[:-20], "torn.csv.gz", "cannot read torn.csv.gz"),
        (b"this is not packed", "plain.csv.gz", "cannot read plain.csv.gz"),
        (b'{"a": 1}\n{"a": ', "torn.jsonl", "cannot read torn.jsonl"),
        (b"[" * 5000, "deep.json", "deep.json"),
        (b'[{"a": ' + b"[" * 2000 + b"]" * 2000 + b"}]", "nested.json", "nested.json"),
        (b"a,a\n1,2\n", "twice.csv", "each column needs a name of its own"),
        (b"a,b,c\n1,2,3\n1,2\n", "ragged.csv", "cannot read ragged.csv: line 3"),
        (",".join(f"c{i}" for i in range(3000)).encode() + b"\n" + b"1," * 2999 + b"1\n", "wide.csv", "has 3,000 columns"),
        (b"", "../../etc/passwd", "passwd is empty"),
        (b"", "<script>alert(1)</script>.csv", "script>.csv is empty"),
    ],
    ids=lambda value: value if isinstance(value, str) and "." in value[:20] else "",
)  # fmt: skip
def test_bad_files_are_told_in_plain_words(site, content, name, wanted):
    answer = site.upload(content, name)
    assert answer.status_code == 200
    assert wanted in answer.json()["wrong"]
    assert "Traceback" not in answer.text
    assert str(site.uploads.folder) not in answer.text
    assert site.kept == []


def test_a_real_spreadsheet_is_told(site):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("xl/workbook.xml", "<workbook/>")
    assert (
        "book.xlsx is a spreadsheet; save the sheet as CSV"
        in site.upload(packed.getvalue(), "book.xlsx").json()["wrong"]
    )


def test_a_table_of_one_column(site):
    key = site.added("answer\nx\ny\n")
    assert "the answers of two systems are needed" in site.post("fields", {"files": [key]}).json()["wrong"]


def test_files_that_do_not_fit_each_other(site, demo):
    counts = referee.count(truth=[1, 0], a=[1, 0], b=[1, 1]).to_json()
    keys = [site.added(demo), site.added(counts, "c.json"), site.added("x,y\n1,2\n3,4\n", "other.csv")]
    assert "demo.csv is a table and c.json is counts" in site.post("fields", {"files": keys[:2]}).json()["wrong"]
    assert "have no column in common" in site.post("fields", {"files": [keys[0], keys[2]]}).json()["wrong"]


def test_misspelt_columns_and_labels(site, demo):
    key = site.added(demo)
    assert (
        "there is no column 'lable' (did you mean 'label'?)"
        in site.compare(key, truth="lable", a="old", b="new")["wrong"]
    )
    assert "name the columns" in site.compare(key, truth="label", a="old")["wrong"]
    needs = site.compare(key, truth="label", a="old", b="new", metric="f1")["wrong"]
    assert f"give “{FIELDS['positive']}”, one of 'ham', 'spam'" in needs
    wrong = site.compare(key, truth="label", a="old", b="new", metric="f1", positive="spm")["wrong"]
    assert "is not a label here (did you mean 'spam'?)" in wrong
    assert "mean needs numbers" in site.compare(key, truth="label", a="old", b="new", metric="mean")["wrong"]


def test_markup_in_names_is_shown_and_not_run(site):
    evil = "<script>alert(1)</script>"
    text = f"label,{evil},new\n" + "x,x,y\ny,x,y\nx,y,x\n" * 9
    key = site.added(text, f"{evil}.csv")
    done = site.compare(key, truth="label", a=evil, b="new")
    report = site.get(f"reports/{done['id']}/report.html").text
    assert evil not in report
    assert "&lt;script&gt;" in report


def test_files_are_removed(site, demo):
    key = site.added(demo)
    assert len(site.kept) == 1
    assert site.ask("DELETE", f"files/{key}").status_code == 200
    assert site.kept == []
    assert "add it again" in site.compare(key, truth="label", a="old", b="new")["wrong"]


def test_the_demonstration(site):
    found = site.post("demonstration").json()
    assert found["name"] == "made-up.csv"
    assert site.post("fields", {"files": [found["id"]]}).json()["fields"]["a"] == "old"


def test_only_the_last_reports_are_kept(site, demo, monkeypatch):
    monkeypatch.setattr(app, "MOST_REPORTS", 1)
    key = site.added(demo)
    done = [site.compare(key, truth="label", a="old", b="new")["id"] for _ in range(2)]
    assert [site.get(f"reports/{one}/report.json").status_code for one in done] == [404, 200]
    assert "more than 1 were made, so the oldest was removed" in site.get(f"reports/{done[0]}/report.html").text


@pytest.mark.parametrize(
    "roles, wanted",
    [
        ({"truth": "label", "a": "old", "b": "old"}, ("System A", "System B", "old")),
        ({"truth": "label", "a": "label", "b": "new"}, ("Right answers", "System A", "label")),
        ({"truth": "label", "a": "old", "b": "label"}, ("Right answers", "System B", "label")),
        ({"truth": "label", "a": "old", "b": "new", "group": "old"}, ("System A", "Group", "old")),
        ({"truth": "label", "a": "old", "b": "new", "id": "label"}, ("Right answers", "Example id", "label")),
        ({"truth": "label", "a": "old", "b": "new", "by": "new"}, ("System B", "Compare within each", "new")),
    ],
)
def test_a_column_has_one_role(site, demo, roles, wanted):
    first, second, column = wanted
    assert site.compare(site.added(demo), **roles)["wrong"].startswith(
        f"“{first}” and “{second}” are the same column, {column}; choose another"
    )


def test_a_column_of_two_tables_has_one_role(site, demo):
    keys = [site.added(text, f"{name}.csv") for name, text in zip(("first", "second"), pair(demo), strict=True)]
    names = {"name_a": "first", "name_b": "second"}
    wrong = site.compare(*keys, id="id", truth="answer", prediction="answer", **names)["wrong"]
    assert wrong.startswith("“Right answers” and “Predictions or scores” are the same column, answer")
    # A name is no column: a system may be called as one is.
    assert "id" in site.compare(*keys, id="id", truth="gold", prediction="answer", name_a="gold", name_b="id")


def test_a_system_is_not_compared_with_itself(site):
    found = site.upload((DATA / "promptfoo" / "both.json").read_bytes(), "both.json").json()
    system = found["systems"][0]
    wrong = site.compare(found["id"], a=system, b=system)["wrong"]
    assert wrong == f"“System A” and “System B” are the same, {system}; choose two"


def test_two_logs_with_several_systems_name_a_field_that_is_there(site):
    content = (DATA / "promptfoo" / "both.json").read_bytes()
    renamed = content.replace(b"acme:chat", b"other:chat")
    keys = [site.added(content, "one.json"), site.added(renamed, "two.json")]
    told = site.post("fields", {"files": keys}).json()
    given = {"missing": "wrong", "unmatched": "drop"}
    wrong = site.compare(*keys, name_a=told["names"][0], name_b=told["names"][1], **given)["wrong"]
    assert "name the one you mean with “Name of A” or “Name of B”" in wrong
    done = site.compare(*keys, name_a="acme:chat:small", name_b="other:chat:large", **given)
    numbers = site.get(f"reports/{done['id']}/report.json").json()
    assert (numbers["a"]["name"], numbers["b"]["name"]) == ("acme:chat:small", "other:chat:large")


@pytest.mark.parametrize("value", ["1,000", "12,345,678", "-1,000"])
def test_a_comma_that_may_be_two_things(site, demo, value):
    wrong = site.compare(site.added(demo), truth="label", a="old", b="new", margin=value)["wrong"]
    assert wrong == f"“Margin” is {value}; write it without commas, with a point before the decimals"


@pytest.mark.parametrize(
    "value, wanted", [("0,05", 0.05), ("0,005", 0.005), (" 0.1 ", 0.1), (0.2, 0.2), ("1pp", 0.01), ("0,5pp", 0.005)]
)
def test_decimal_commas(site, demo, value, wanted):
    done = site.compare(site.added(demo), truth="label", a="old", b="new", margin=value)
    assert site.get(f"reports/{done['id']}/report.json").json()["margin"] == wanted


@pytest.mark.parametrize(
    "value, told",
    [("1", "for one percentage point give "), ("1%", "can mean two things; for one percentage point give ")],
)
def test_margins_that_cannot_be_meant(site, demo, value, told):
    wrong = site.compare(site.added(demo), truth="label", a="old", b="new", margin=value)["wrong"]
    assert f"{told}“Margin”: “1pp”" in wrong


def test_questions_about_a_margin(site, demo):
    key = site.added(demo)
    given = {"truth": "label", "a": "old", "b": "new"}
    wrong = site.compare(key, **given, question="no-worse")["wrong"]
    assert "“Is B no worse than A?” needs “Margin”: the largest" in wrong
    wrong = site.compare(key, **given, question="worse", margin="1pp")["wrong"]
    assert wrong == "“Question” must be one of better, no-worse, equal; it is 'worse' (did you mean 'no-worse'?)"
    for question in ("no-worse", "equal"):
        done = site.compare(key, **given, question=question, margin="8pp")
        numbers = site.get(f"reports/{done['id']}/report.json").json()
        assert (numbers["question"], numbers["margin"]) == (question, 0.08)
        assert numbers["interval"]["level"] == pytest.approx(0.9)
        assert numbers["p_value"] <= 0.05
        assert numbers["audit"]["null"] == "nearest margin"
        report = site.get(f"reports/{done['id']}/report.html").text
        assert "by exactly the margin" in report
        assert "though" in report.partition("How often this test errs")[2].partition("</p>")[0]
    plain = site.compare(key, **given, question="")
    assert site.get(f"reports/{plain['id']}/report.json").json()["question"] == "better"


def test_what_takes_long_to_measure_is_left_out_and_said(site):
    rows = [f"{i % 2},{(i * 37 % 100) / 100 + i % 2 / 2},{(i * 53 % 100) / 100 + i % 2}" for i in range(100)]
    key = site.added("label,old,new\n" + "\n".join(rows) + "\n", "scores.csv")
    done = site.compare(key, truth="label", a="old", b="new", metric="average-precision")
    numbers = site.get(f"reports/{done['id']}/report.json").json()
    assert (numbers["audit"], numbers["audit_seconds"]) == (None, 10.0)
    report = site.get(f"reports/{done['id']}/report.html").text
    assert "Not measured: it would take about 10\xa0s; add --audit" in report


def test_labels_without_right_answers(site, demo):
    key = site.added(demo)
    wrong = site.compare(key, a="old", b="new")["wrong"]
    assert wrong.endswith("if these are labels, choose the column of the “Right answers”")
    assert "choose" not in site.compare(key, truth="label", a="old", b="new", metric="mean")["wrong"]


def test_predictions_that_are_named_differently(site):
    texts = [f"id,gold,{name}\n1,x,x\n2,y,{answer}\n" for name, answer in (("north", "x"), ("south", "y"))]
    keys = [site.added(text, f"{i}.csv") for i, text in enumerate(texts)]
    wrong = site.post("fields", {"files": keys}).json()["wrong"]
    assert "have no column of predictions in common; give it one name in both" in wrong
    assert "id, gold, north and id, gold, south" in wrong


def test_the_accepted_false_alarms_are_called_so(site, demo):
    wrong = site.compare(site.added(demo), truth="label", a="old", b="new", alpha="5")["wrong"]
    assert "“Accepted false alarms” must lie between 0 and 1" in wrong


def test_a_fault_of_ours_is_said_to_be_ours(site, demo, monkeypatch):
    assert jobs.do("wait", []) == {"fault": "KeyError: 'wait'"}
    key = site.added(demo)

    async def broken(gone, files, **job):
        return {"fault": f"KeyError: {files[0][1]}"}

    monkeypatch.setattr(site.desk, "do", broken)
    told = site.compare(key, truth="label", a="old", b="new")
    assert told == {"fault": "this is a bug in referee, not in your data: KeyError: demo.csv (please report it)"}

    async def raising(gone, **job):
        raise KeyError("secret")

    monkeypatch.setattr(site.desk, "do", raising)
    answer = site.post("reports", {"files": [key], "fields": {}})
    assert answer.status_code == 500
    assert answer.json() == {"fault": "this is a bug in referee, not in your data: KeyError (please report it)"}


def test_a_crash_behind_the_page_is_told(site, demo):
    key = site.added(demo)
    site.desk._process.kill()
    site.desk._process.wait()
    answer = site.compare(key, truth="label", a="old", b="new")
    # Where the end was seen in time, another process did the work.
    assert answer.get("wrong") == desks.ENDED or "id" in answer
    assert "id" in site.compare(key, truth="label", a="old", b="new")


@pytest.fixture
def own_desk(tmp_path):
    found = desks.Desk(tmp_path, limit=60)
    yield found
    found.close()


@pytest.mark.parametrize("running", [False, True])
def test_a_job_that_is_given_up_before_it_begins_is_not_begun(own_desk, monkeypatch, running):
    """Who hangs up while the process is being started must not leave a job that nobody watches."""
    import anyio

    began = own_desk._exchange

    def late(*given):
        time.sleep(0.5)
        return began(*given)

    async def soon():
        await anyio.sleep(0.1)

    if running:
        own_desk.open()
    monkeypatch.setattr(own_desk, "_exchange", late)
    assert awaited(lambda: own_desk.do(soon, job="look", files=[])) == {"wrong": [desks.STOPPED]}
    assert own_desk._process is None


def test_who_has_gone_when_it_is_their_turn(own_desk, monkeypatch):
    async def at_once():
        pass

    def never(*_):
        raise AssertionError

    monkeypatch.setattr(own_desk, "_exchange", never)
    assert awaited(lambda: own_desk.do(at_once, job="look", files=[])) == {"wrong": [desks.STOPPED]}


def test_a_desk_that_is_closed_in_the_middle_says_so(own_desk, monkeypatch):
    import anyio

    async def never():
        await anyio.sleep(60)

    began = own_desk._exchange

    def closed(*given):
        own_desk.close()
        return began(*given)

    monkeypatch.setattr(own_desk, "_exchange", closed)
    assert awaited(lambda: own_desk.do(never, job="look", files=[])) == {"wrong": [desks.STOPPED]}


def test_what_takes_too_long_is_stopped(site, demo, monkeypatch):
    key = site.added(demo)
    monkeypatch.setattr(site.desk, "_limit", 0.0)
    assert site.compare(key, truth="label", a="old", b="new")["wrong"] == desks.LATE
    monkeypatch.setattr(site.desk, "_limit", 60.0)
    assert "id" in site.compare(key, truth="label", a="old", b="new")


def test_what_a_stopped_process_leaves_is_removed(site, demo, monkeypatch):
    started = {}
    popen = desks.subprocess.Popen

    def start(words, **options):
        started.update(options["env"])
        return popen(words, **options)

    monkeypatch.setattr(desks.subprocess, "Popen", start)
    site.desk.stop()
    site.added(demo)
    scratch = Path(started["TMPDIR"])
    assert scratch.parent == site.uploads.folder
    (scratch / "half").write_text("of something", encoding="utf-8")
    site.desk.stop()
    assert not scratch.exists()


def several(seed=1):
    """A table of four systems, each better than the one before."""
    import random

    rng, lines = random.Random(seed), ["id,label,m1,m2,m3,m4"]
    for i in range(200):
        truth = "yn"[i % 2]
        said = [truth if rng.random() < share else "ny"[i % 2] for share in (0.5, 0.7, 0.8, 0.95)]
        lines.append(",".join([f"q{i}", truth, *said]))
    return "\n".join(lines) + "\n"


def numbers_of(site, done):
    assert "id" in done, done
    return site.get(f"reports/{done['id']}/report.json").json()


def test_several_systems_are_ranked(site):
    key = site.added(several(), "models.csv")
    told = site.post("fields", {"files": [key]}).json()
    assert (told["verb"], told["likely"], told["fields"]["truth"]) == ("rank", ["m1", "m2", "m3", "m4"], "label")
    ranking = numbers_of(site, site.compare(key, verb="rank", **told["fields"], systems=told["likely"]))
    assert (ranking["schema"], ranking["systems"][0]["name"]) == ("referee.ranking/1", "m4")
    some = {"verb": "rank", "truth": "label", "systems": ["m1", "m2", "m4"], "baseline": "m1", "metric": "f1"}
    based = numbers_of(site, site.compare(key, **some, options={"average": "macro"}))
    assert (based["baseline"], based["metric"], len(based["pairs"])) == ("m1", "f1:average=macro", 2)
    assert "needs two systems" in site.compare(key, verb="rank", truth="label", systems=["m1"])["wrong"]
    both = site.compare(key, verb="rank", truth="label", systems=["m1", "label"])["wrong"]
    assert both.startswith("'label' is named as a system and as something else")


def test_files_of_several_systems_are_ranked(site):
    _, *lines = several().splitlines()
    fields = [line.split(",") for line in lines]
    texts = ["id,label,said\n" + "".join(f"{row[0]},{row[1]},{row[place]}\n" for row in fields) for place in (2, 3, 5)]
    keys = [site.added(text, "results.csv") for text in texts]
    told = site.post("fields", {"files": keys}).json()
    assert (told["verbs"], told["names"], told["fields"]["prediction"]) == (["rank"], ["A", "B", "C"], "said")
    ranking = numbers_of(site, site.compare(*keys, verb="rank", **told["fields"], names=["x", "y", "z"]))
    assert [one["name"] for one in ranking["systems"]] == ["z", "y", "x"]
    by_line = {"truth": "label", "prediction": "said", "by_line": True, "names": told["names"]}
    assert [one["name"] for one in numbers_of(site, site.compare(*keys, verb="rank", **by_line))["systems"]] == [
        "C",
        "B",
        "A",
    ]
    wrong = site.compare(*keys, **told["fields"])["wrong"]
    assert wrong == "two systems are compared, from one file or two; 3 were given"


def test_a_log_of_several_systems_is_ranked(site):
    key = site.added((DATA / "promptfoo" / "both.json").read_bytes(), "both.json")
    told = site.post("fields", {"files": [key]}).json()
    given = {"verb": "rank", "systems": told["systems"], "missing": "wrong", "unmatched": "drop"}
    assert len(numbers_of(site, site.compare(key, **given))["systems"]) == len(told["systems"])


def test_counts_of_several_systems_are_ranked(site):
    from referee.data.many_systems import count_systems

    head, *lines = [line.split(",") for line in several().splitlines()]
    columns = dict(zip(head, map(list, zip(*lines, strict=True)), strict=True))
    counts, _ = count_systems(columns, ["m1", "m2", "m4"], truth="label")
    found = site.upload(counts.to_json(), "models.json").json()
    told = site.post("fields", {"files": [found["id"]]}).json()
    assert (told["layout"], told["verbs"], told["systems"]) == ("counts", ["rank"], ["m1", "m2", "m4"])
    ranking = numbers_of(site, site.compare(found["id"], verb="rank", systems=["m1", "m4"]))
    assert [one["name"] for one in ranking["systems"]] == ["m4", "m1"]


def test_error_rates_are_measured(site, demo):
    key = site.added(demo)
    given = {"truth": "label", "a": "old", "b": "new", "verb": "audit"}
    audit = numbers_of(site, site.compare(key, **given, sizes="50", alpha="0.1"))
    assert (audit["schema"], sorted({row["n"] for row in audit["rows"]})) == ("referee.audit/1", [50])
    assert {row["alpha"] for row in audit["rows"]} == {0.1}
    wrong = site.compare(key, **given, sizes="many")["wrong"]
    assert wrong == "“Examples per test set” must be whole numbers, as 100, 500; it is 'many'"
    assert "must be whole numbers, 2 or more" in site.compare(key, **given, sizes="1,000")["wrong"]
    assert "there is nothing called 'os.system' to do" in site.compare(key, **{**given, "verb": "os.system"})["wrong"]


def test_several_metrics(site, demo):
    key = site.added(demo)
    given = {"truth": "label", "a": "old", "b": "new", "positive": "spam"}
    asked = [{"name": "f1", "options": {"average": "macro"}}, {"name": "recall"}, {"name": ""}]
    found = numbers_of(site, site.compare(key, **given, metrics=asked))
    assert [one["metric"] for one in found["comparisons"]] == ["f1:average=macro", "recall"]
    ranked = site.compare(key, verb="rank", truth="label", systems=["old", "new"], metrics=asked)
    assert "a ranking is by one metric" in ranked["wrong"]
    for wrong in ("f1", [["f1"]], [1], {"name": "f1"}):
        assert "metrics must be a list" in site.compare(key, **given, metrics=wrong)["wrong"]


def test_which_way_is_up(site):
    rows = "".join(f"{i % 7 / 7},{i % 5 / 5}\n" for i in range(60))
    key = site.added("old_loss,new_loss\n" + rows, "losses.csv")
    wrong = site.compare(key, a="old_loss", b="new_loss")["wrong"]
    assert "lower is better (“Better scores are”: “lower”) or higher (“Better scores are”: “higher”)" in wrong
    done = site.compare(key, a="old_loss", b="new_loss", lower_is_better="true")
    assert numbers_of(site, done)["metric"] == "mean:better=lower"
    assert "must be true or false" in site.compare(key, a="old_loss", b="new_loss", lower_is_better="up")["wrong"]


@pytest.mark.parametrize(
    "names, wanted",
    [
        (("results.csv", "results.csv"), ["A", "B"]),
        (("preds.csv", "preds (1).csv"), ["A", "B"]),
        (("preds - Copy.csv", "preds.csv"), ["A", "B"]),
        (("preds_old.csv", "preds_new.csv"), ["old", "new"]),
        (("samples-gsm8k-small.csv", "samples-gsm8k-large.csv"), ["small", "large"]),
        (("run_2026-01-01.csv", "run_2026-01-02.csv"), ["run_2026-01-01", "run_2026-01-02"]),
        (("preds.csv", "preds_new.csv"), ["preds", "preds_new"]),
    ],
)
def test_what_systems_are_called(site, names, wanted):
    keys = [site.added(f"id,gold,said\n1,x,x\n2,y,{answer}\n", name) for name, answer in zip(names, "xy", strict=True)]
    assert site.post("fields", {"files": keys}).json()["names"] == wanted


def test_what_is_in_doubt_is_said(site):
    rows = "".join(f"{['cat', 'dog'][i % 2]},{i % 3 % 2},{i % 5 % 2}\n" for i in range(60))
    told = site.post("fields", {"files": [site.added("label,old,new\n" + rows)]}).json()
    assert told["fields"] == {"a": "old", "b": "new"}
    assert told["doubts"] == {
        "truth": "“label” may hold the right answers, but its values are not those of “old” and “new”"
    }


def test_how_far_work_is_can_be_watched(own_desk, monkeypatch):
    import anyio

    told, other, seen = {"what": "testing", "done": 1, "total": 3}, {"waiting": True}, []

    class Answers(io.BytesIO):
        def readline(self, *_):
            seen.append([own_desk.progress(watch) for watch in ("me", "you", "")])
            return super().readline()

    async def never():
        await anyio.sleep(60)

    lines = Answers(b"".join(json.dumps(line).encode() + b"\n" for line in ({"progress": told}, {"done": {}})))
    monkeypatch.setattr(own_desk, "open", lambda given_up: SimpleNamespace(stdin=io.BytesIO(), stdout=lines))
    assert awaited(lambda: own_desk.do(never, watch="me", job="look", files=[])) == {"done": {}}
    assert seen == [[{}, other, other], [told, other, other]]


def test_progress_is_told_to_who_asks(site):
    assert site.get("progress/unknown").json() == {"waiting": True}
