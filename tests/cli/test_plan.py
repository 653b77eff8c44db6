"""`referee plan`."""

import json

import pytest

FEW = ("--sizes", "100")
WORDS = ("--truth", "label", "--a", "old", "--b", "new", "--positive", "spam", "--metric", "f1")


def test_a_pilot_and_nothing_but_numbers(run, data):
    made = json.loads(run("plan", data, *WORDS, "--difference", "5pp", "--format", "json").out)
    assert {"schema", "n", "power", "difference", "curve"} <= made.keys()
    assert (made["schema"], made["difference"], made["power"]) == ("referee.plan/1", 0.05, 0.8)
    assert len(made["curve"]) == 10
    grouped = json.loads(
        run("plan", data, *WORDS, "--group", "sender", "--difference", "5pp", *FEW, "--format", "json").out
    )
    assert grouped["unit"] == "group"
    assert grouped["units"] < grouped["n"]
    stated = run("plan", "--scores", "0.80,0.83", "--agreement", "0.9")
    assert stated.code == 0
    assert stated.out.startswith("Test about 8")
    runs = run(
        "plan",
        "--difference",
        "0.03",
        "--between",
        "0.1111111",
        "--within",
        "0.1666667",
        "--runs",
        "10",
        "--format",
        "json",
    )
    assert json.loads(runs.out)["n"] == 1260


def test_every_form(run, data, tmp_path):
    page, chart, kept = (str(tmp_path / name) for name in ("plan.html", "plan.svg", "counts.json"))
    words = (
        "plan",
        data,
        *WORDS,
        "--n",
        "3000",
        "--sizes",
        "1000,3000",
        "--html",
        page,
        "--chart",
        chart,
        "--save-counts",
        kept,
    )
    done = run(*words)
    assert (done.code, done.out.splitlines()[0][:24]) == (0, "With 3,000 examples, a d")
    assert "Power by size of the test set" in (tmp_path / "plan.html").read_text(encoding="utf-8")
    assert "pilot: " in (tmp_path / "plan.svg").read_text(encoding="utf-8")
    again = run(
        "plan", kept, "--metric", "f1", "--n", "3000", "--difference", "2pp", "--sizes", "1000,3000", "--format", "json"
    )
    first = run("plan", data, *WORDS, "--n", "3000", "--difference", "2pp", "--sizes", "1000,3000", "--format", "json")
    assert json.loads(again.out)["curve"] == json.loads(first.out)["curve"]
    for form, sign in (("markdown", "| examples |"), ("latex", "tabular"), ("junit", "<testcase")):
        assert sign in run("plan", "--difference", "0.1", "--between", "0.4", "--format", form).out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--truth", "label", "--difference", "0.1"), "--truth is about a pilot, and there is none; name its file"),
        (("--difference", "0"), "a difference of 0 cannot be detected"),
        (("--difference", "0.1", "--power", "1"), "--power must lie between alpha (0.05) and 1"),
        ((), "a plan needs a difference to detect; give --difference"),
        (("--difference", "0.1", "--metric", "f1"), "f1 needs a pilot"),
        (("--scores", "0.8,x"), "list of numbers"),
        (("nowhere.csv",), "nowhere.csv"),
    ],
)
def test_bad_input_is_one_line(run, words, said):
    done = run("plan", *words)
    assert (done.code, done.out) == (2, "")
    assert said in done.err
    assert done.err.count("\n") == 1
