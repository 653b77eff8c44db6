"""The ways out: exit codes, one line on stderr, a quick start."""

import json
import os
import re
import subprocess
import sys
from itertools import pairwise

import click
import pytest

import referee
from referee.cli.main import VERBS, main
from referee.cli.main import referee as command_line

HEAVY = ("numpy", "scipy", "duckdb", "narwhals", "rich", "pandas", "joblib")


def python(*words, **more):
    return subprocess.run([sys.executable, *words], capture_output=True, text=True, check=False, timeout=60, **more)


@pytest.mark.parametrize("words", [["--help"], ["--version"], [], ["compare", "--help"], ["compar"]])
def test_help_imports_nothing_heavy(words):
    code = (
        f"import sys; from referee.cli import main; main({words!r}); print([m for m in {HEAVY!r} if m in sys.modules])"
    )
    done = python("-c", code)
    assert done.stdout.splitlines()[-1] == "[]"


def test_help_imports_no_verb():
    code = "import sys; from referee.cli import main; main(['-h']); print('referee.cli.compare' in sys.modules)"
    assert python("-c", code).stdout.splitlines()[-1] == "False"


def test_help_is_quick():
    code = "import time; from referee.cli import main; main(['--help']); print(time.process_time())"
    spent = [float(python("-c", code).stdout.splitlines()[-1]) for _ in range(3)]
    assert min(spent) < 0.3  # of the processor, so that a busy machine does not matter


def test_every_verb_says_what_the_list_says():
    for name, told in VERBS.items():
        command = command_line.get_command(None, name)
        assert command.name == name
        assert command.help.splitlines()[0] == told


def test_help_has_sections_and_examples(run):
    lines = run("compare", "--help").out.splitlines()
    titles = [line for line in lines if line.endswith(":") and not line.startswith(" ")]
    assert titles == ["Data:", "Question:", "Dirty data:", "Logs:", "Output:", "Examples:"]
    sections = {title: lines[lines.index(title) : lines.index(after)] for title, after in pairwise(titles)}
    assert any(line.startswith("  --missing POLICY") for line in sections["Dirty data:"])
    assert "--help" in sections["Output:"][-2]
    assert lines[-1].startswith("  referee compare ")
    assert "Options:" in run("serve", "--help").out.splitlines()


def test_unknown_verb(run):
    done = run("comprae", "x.csv")
    assert done.code == 2
    assert "there is no verb 'comprae' (did you mean 'compare'" in done.err


def test_version_and_help(run):
    assert run("--version").out == f"referee {referee.__version__}\n"
    assert run("-h").out == run("--help").out == run().out
    assert run("compare", "-h").code == 0


def test_usage(run):
    done = run("compare")
    assert (done.code, done.err) == (2, "referee: Missing argument 'DATA'. (see referee compare --help)\n")


@pytest.fixture
def failing(monkeypatch):
    def fail(error):
        def raise_it(*_, **__):
            raise error

        monkeypatch.setattr(command_line, "invoke", raise_it)

    return fail


def test_our_fault(run, failing, monkeypatch):
    failing(ZeroDivisionError("by\nnothing"))
    done = run("list")
    assert done.code == 70
    assert "a bug in referee" in done.err
    assert "ZeroDivisionError: by nothing" in done.err
    assert done.err.count("\n") == 1
    monkeypatch.setenv("REFEREE_TRACEBACK", "1")
    assert "Traceback" in run("list").err


def test_interrupted(run, failing):
    failing(KeyboardInterrupt())
    assert run("list") == (130, "", "referee: interrupted\n")


def test_closed_pipe(data):
    words = [sys.executable, "-m", "referee", "list", "metrics"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(60) == 141


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")  # noqa: PTH110
def test_full_disk():
    with open("/dev/full", "w") as full:  # noqa: PTH123
        done = subprocess.run(
            [sys.executable, "-m", "referee", "list"], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert done.returncode == 2
    assert done.stderr == "referee: cannot write to standard output: No space left on device\n"


def test_names_in_any_script_whatever_the_locale(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("y,стар,新\n" + "1,1,1\n0,1,0\n" * 8, encoding="utf-8")
    environment = {
        **os.environ,
        "LC_ALL": "C",
        "PYTHONIOENCODING": "ascii",
    }
    words = ["compare", str(path), "--truth", "y", "--a", "стар", "--b", "新"]
    done = subprocess.run([sys.executable, "-m", "referee", *words], capture_output=True, env=environment, check=False)
    assert done.returncode == 0
    assert done.stdout.decode("utf-8").startswith('"新" is better than "стар"')


def on_a_terminal(monkeypatch, columns, **environment):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    for name, value in {"TERM": "xterm", "COLUMNS": str(columns), **environment}.items():
        monkeypatch.setenv(name, value)


def test_colour_only_on_a_terminal_and_its_width_or_that_of_columns(monkeypatch, capsys, data):
    words = ["compare", data, "--truth", "label", "--a", "old", "--b", "new", "--metric", "accuracy"]

    def told(*more):
        assert main([*words, *more]) == 0
        return capsys.readouterr().out

    piped = told()
    monkeypatch.setenv("COLUMNS", "50")
    narrow = told()
    assert max(map(len, narrow.splitlines()[:-1])) <= 50 and "\x1b" not in narrow
    on_a_terminal(monkeypatch, 50)
    painted = told()
    assert painted.startswith('\x1b[1;32m"new" is better than')
    assert "\x1b[2mreferee " in painted
    plain = re.sub(r"\x1b\[[\d;]*m", "", painted)
    assert plain == narrow
    assert max(len(line) for line in plain.splitlines()[:-1]) <= 50
    assert plain.endswith("\n")
    assert plain.split()[-1] == piped.split()[-1]
    assert told("--format", "json").startswith("{")
    for quietly in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
        on_a_terminal(monkeypatch, 50, **quietly)
        assert told() == plain
    on_a_terminal(monkeypatch, 80, NO_COLOR="")
    assert re.sub(r"\x1b\[[\d;]*m", "", told()) == piped
    on_a_terminal(monkeypatch, 500)
    assert max(len(line) for line in re.sub(r"\x1b\[[\d;]*m", "", told()).splitlines()[:-1]) <= 100


def test_a_file_is_what_a_pipe_is(monkeypatch, capsys, data, tmp_path):
    words = ["compare", data, "--truth", "label", "--a", "old", "--b", "new", "--metric", "accuracy"]
    assert main(words) == 0
    piped = capsys.readouterr().out
    on_a_terminal(monkeypatch, 50)
    assert main([*words, "--output", str(tmp_path / "result.txt")]) == 0
    assert (tmp_path / "result.txt").read_text(encoding="utf-8") == piped


def test_audits_and_algorithms_are_as_wide_as_the_terminal(monkeypatch, capsys, data, tmp_path):
    table = tmp_path / "scores.csv"
    table.write_text("old,new\n" + "\n".join(f"0.8,{0.8 + i / 100}" for i in range(1, 11)), encoding="utf-8")
    columns = [data, "--truth", "label", "--a", "old", "--b", "new", "--metric", "accuracy", "--sets", "200", "-q"]
    on_a_terminal(monkeypatch, 44)
    for words in (["audit", *columns], ["algorithms", "--scores", str(table), "--design", "kfold"]):
        assert main(words) == 0
        painted = capsys.readouterr().out
        assert painted.startswith("\x1b[1")
        lines = re.sub(r"\x1b\[[\d;]*m", "", painted).splitlines()
        assert max(map(len, lines[:-1])) <= 44


def test_errors_in_json_mode_leave_stdout_empty(run, data):
    done = run("compare", data, "--truth", "label", "--a", "old", "--b", "nwe", "--format", "json")
    assert (done.code, done.out) == (2, "")
    with pytest.raises(json.JSONDecodeError):
        json.loads(done.out)


def options_of(verb):
    command = command_line.get_command(click.Context(command_line), verb)
    return [option for option in command.params if isinstance(option, click.Option)]


SINGLE = [
    (verb, option)
    for verb in VERBS
    for option in options_of(verb)
    if not option.multiple and (not option.is_flag or option.secondary_opts)
]


@pytest.mark.parametrize(("verb", "option"), SINGLE, ids=lambda one: one if isinstance(one, str) else one.opts[0])
def test_an_option_that_is_given_twice_is_refused(run, verb, option):
    value = [] if option.is_flag else [option.type.choices[0] if isinstance(option.type, click.Choice) else "1"]
    second = option.secondary_opts[0] if option.is_flag else option.opts[-1]
    done = run(verb, option.opts[0], *value, "x.csv", second, *value)
    assert (done.code, done.out) == (2, "")
    assert f"{option.opts[0]}" in done.err
    assert "is given more than once" in done.err


def test_what_to_do_instead_of_giving_an_option_twice(run):
    assert "name the one column whose" in run("algorithms", "x.csv", "--group", "a", "--group", "b").err
    assert "--score is given more than once; give it once" in run("compare", "x", "--score=a", "--score", "b").err
    assert "separate its values by commas" in run("audit", "x.csv", "--sizes", "10", "--sizes", "20").err
    assert "--output is given more than once" in run("list", "-o", "x", "--output", "y").err


def test_what_may_be_given_twice(run, data):
    words = ["--truth", "label", "--a", "old", "--b", "new", "--metric", "accuracy", "--metric", "mcc", "-q", "--quiet"]
    assert run("compare", data, *words).code == 0
    assert run("list", "--help", "--help").code == 0
