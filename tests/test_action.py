"""The GitHub action: its file is valid, no input is ever part of a script, and its steps do in bash what it promises."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[1]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
STEPS = ACTION["runs"]["steps"]
ROWS = "id,old,new\n" + "".join(f"{i},{int(i % 3 > 0)},{int(i % 5 > 0)}\n" for i in range(60))


def test_the_file_is_whole():
    assert ACTION["runs"]["using"] == "composite"
    for step in STEPS:
        assert "uses" in step or step["shell"] == "bash"
    used = set(re.findall(r"inputs\.([\w-]+)", (ROOT / "action.yml").read_text(encoding="utf-8")))
    assert used == set(ACTION["inputs"])


def test_no_input_is_part_of_a_script():
    scripts = [step.get("run", "") for step in STEPS]
    assert not any("${{" in script for script in scripts)
    for script in scripts:
        for path in re.findall(r"\$ACTION/(\S+\.sh)", script):
            assert (ROOT / path).is_file()


@pytest.fixture
def place(tmp_path):
    """Give a folder with files, a fake gh that notes its calls, and the environment of a step."""
    tools = tmp_path / "bin"
    tools.mkdir()
    for name, line in {
        "referee": f'exec {sys.executable} -m referee "$@"',
        "python": f'exec {sys.executable} "$@"',
        "gh": 'printf "%s\\n" "$*" >> "$NOTED"; for one; do case "$one" in body=@*) cat "${one#body=@}" >> "$NOTED";; esac; done; '
        'if [ -n "$REFUSED" ]; then case "$*" in $REFUSED) echo "gh: no (HTTP $STATUS)" >&2; exit 1;; esac; fi; case "$*" in *--paginate*) printf %s "$EARLIER";; esac',
    }.items():
        (tools / name).write_text(f"#!/bin/sh\n{line}\n")
        (tools / name).chmod(0o755)
    work = tmp_path / "work dir"
    work.mkdir()
    (work / "my data.csv").write_text(ROWS)
    env = {**os.environ, "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}", "RUNNER_TEMP": str(tmp_path)}
    env |= {"PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "NOTED": str(tmp_path / "noted"), "TITLE": "my gate"}
    env |= {"REFUSED": "", "STATUS": "403"}
    env |= {"GITHUB_OUTPUT": str(tmp_path / "outputs"), "GITHUB_STEP_SUMMARY": str(tmp_path / "summary")}
    return work, env


def step(name: str, work: Path, env: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", str(ROOT / f"scripts/action/{name}.sh")], cwd=work, env=env, capture_output=True, text=True
    )


def test_it_compares_and_reports(place):
    work, env = place
    data = {"DATA": "my data.csv\n", "ARGUMENTS": "--a old --b 'new' --id id --no-audit --margin 20pp"}
    done = step("compare", work, env | data)
    outputs = dict(line.split("=", 1) for line in Path(env["GITHUB_OUTPUT"]).read_text().splitlines())
    assert done.returncode == 0 and outputs["exit-code"] == "0" and outputs["verdict"] == "pass", done.stderr
    assert Path(outputs["report"]).read_text().startswith("<!")
    summary = Path(env["GITHUB_STEP_SUMMARY"]).read_text()
    assert summary.startswith("### my gate\n\n**") and "<details>" in summary
    about = {"REPOSITORY": "o/r", "NUMBER": "7", "MARKDOWN": outputs["markdown"], "EARLIER": ""}
    assert step("comment", work, env | about).returncode == 0
    assert step("comment", work, env | about | {"EARLIER": "42"}).returncode == 0
    calls = Path(env["NOTED"]).read_text()
    assert (
        "--method POST repos/o/r/issues/7/comments" in calls and "--method PATCH repos/o/r/issues/comments/42" in calls
    )


@pytest.mark.parametrize("arguments", ["--a old --b $(touch hacked)", "--a old --b new; touch hacked", "--a 'old"])
def test_inputs_are_words_and_never_run(place, arguments):
    work, env = place
    done = step("compare", work, env | {"DATA": "my data.csv", "ARGUMENTS": arguments})
    outputs = Path(env["GITHUB_OUTPUT"]).read_text()
    assert done.returncode == 0 and "exit-code=2" in outputs and "verdict=error" in outputs
    assert not (work / "hacked").exists()


@pytest.mark.parametrize("arguments", ["-h", "--a old --b new --help"])
def test_a_pass_needs_a_comparison(place, arguments):
    work, env = place
    done = step("compare", work, env | {"DATA": "my data.csv", "ARGUMENTS": arguments})
    outputs = Path(env["GITHUB_OUTPUT"]).read_text()
    assert "exit-code=2" in outputs and "verdict=error" in outputs and "no comparison" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ("--a old --b nwe", "nwe"),
        ("--a 'old", "not quoted as in a shell: No closing quotation"),
        ("-h", "no comparison"),
        ("--a old --alpha 7", "alpha"),
    ],
)
def test_an_error_is_told_in_the_summary_and_the_comment(place, arguments, why):
    work, env = place
    done = step("compare", work, env | {"DATA": "my data.csv", "ARGUMENTS": arguments})
    assert ("Traceback" not in done.stderr and len(done.stderr.splitlines()) == 1) or arguments == "-h"
    outputs = dict(line.split("=", 1) for line in Path(env["GITHUB_OUTPUT"]).read_text().splitlines())
    told = Path(outputs["markdown"]).read_text()
    assert outputs["exit-code"] == "2" and told.startswith("**The comparison could not be made:**\n\n    ")
    assert why in told and len(told.splitlines()) == 3
    assert Path(env["GITHUB_STEP_SUMMARY"]).read_text() == f"### my gate\n\n{told}"


def test_the_name_of_the_artifact_has_no_character_that_is_refused(place):
    work, env = place
    names = []
    for title in ("my gate", "a/b: c?\n", "a\\b: c?\n"):
        outputs = Path(env["GITHUB_OUTPUT"])
        outputs.write_text("")
        step("compare", work, env | {"DATA": "my data.csv", "ARGUMENTS": "-h", "TITLE": title})
        names += [line.partition("=")[2] for line in outputs.read_text().splitlines() if line.startswith("artifact=")]
    assert names[0] == "my gate" and names[1].startswith("a-b- c---") and len(set(names)) == 3
    assert not set("".join(names)) & set('":<>|*?\\/\r\n')
    upload = next(step["with"] for step in STEPS if "upload-artifact" in step.get("uses", ""))
    assert upload["name"] == "${{ steps.compare.outputs.artifact }}"


@pytest.mark.parametrize("refused", ["*--paginate*", "*POST*", "*PATCH*"])
def test_a_pull_request_from_a_fork_gets_a_warning(place, refused):
    work, env = place
    env |= {"REPOSITORY": "o/r", "NUMBER": "7", "MARKDOWN": "my data.csv", "REFUSED": refused}
    env["EARLIER"] = "42\n43\n" if "PATCH" in refused else ""
    done = step("comment", work, env)
    assert done.returncode == 0 and done.stdout.startswith("::warning::The token may not comment"), done.stderr
    done = step("comment", work, env | {"STATUS": "500"})
    assert done.returncode == 1 and not done.stdout and "HTTP 500" in done.stderr


def test_titles_that_differ_only_in_what_a_mark_drops_have_comments_of_their_own(place):
    work, env = place
    env |= {"REPOSITORY": "o/r", "NUMBER": "7", "MARKDOWN": "my data.csv", "EARLIER": ""}
    for title in ("F1 > 5%", "F1  5", "F1 > 5%"):
        assert step("comment", work, env | {"TITLE": title}).returncode == 0
    marks = [line for line in Path(env["NOTED"]).read_text().splitlines() if line.startswith("<!-- referee: ")]
    assert len(marks) == 3 and marks[0] == marks[2] != marks[1]


@pytest.mark.parametrize(
    ("code", "policy", "wanted"),
    [("0", "fail", 0), ("1", "pass", 1), ("3", "fail", 3), ("3", "pass", 0), ("", "pass", 70)],
)
def test_the_last_step_decides(code, policy, wanted):
    script = next(step["run"] for step in STEPS if step["name"] == "Decide")
    env = {**os.environ, "CODE": code, "CANNOT_TELL": policy}
    assert subprocess.run(["bash", "-e", "-c", script], env=env).returncode == wanted
