"""The documentation is true: its commands print what it says, its links lead somewhere.

In a ```console block, lines that start with `$ ` are run and the lines below one are what it must print, stdout and
stderr together; a line `...` stands for any lines. Blocks of a page share a folder and run in order. A block below the
comment <!-- file: NAME --> is put into that folder first.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import click
import pytest
from scipy.stats import norm

import referee
from referee.cli.main import VERBS
from referee.cli.main import referee as program
from tests.warm import command as warm_command

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = [
    *(path for name in ("README.md", "CONTRIBUTING.md", "examples/README.md") if (path := ROOT / name).exists()),
    *sorted(DOCS.rglob("*.md")),
]
SHOWN = {"text", "sh", "yaml", "json", "latex", "bibtex"}
"""Kinds of blocks that are only looked at: what is not run must not look as if it were."""
PRINTED = {DOCS / "benchmarks.md"}
"""Pages that a program writes: the code on them is that which it ran."""
FENCE = re.compile(r"^(?:<!-- file: (?P<file>\S+) -->\n+)?```(?P<kind>\w*)\n(?P<body>.*?)^```$", re.M | re.S)


def called(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


@dataclass
class Command:
    line: str
    wanted: list[str]


CHECKED = {DOCS / "gallery.md"}
"""Pages whose commands run, and are checked, where the site is built: scripts/gallery_pages.py."""


def commands(body: str) -> list[Command]:
    found: list[Command] = []
    for line in body.splitlines():
        if line.startswith("$ "):
            found.append(Command(line[2:], []))
        elif found[-1].line.endswith("\\"):
            found[-1].line += "\n" + line
        else:
            found[-1].wanted.append(line.rstrip())
    return found


@pytest.fixture(scope="module")
def warm(tmp_path_factory):
    """A folder in which the command `referee` is, without the time that it takes to import."""
    with warm_command(tmp_path_factory.mktemp("bin")) as folder:
        yield folder


def run(line: str, folder: Path, last: int, *before: Path) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join(map(str, [*before, Path(sys.executable).parent, os.environ["PATH"]]))
    env = {**os.environ, "PATH": path, "NO_COLOR": "1"}
    script = f"(exit {last}); {line}"
    return subprocess.run(
        ["bash", "-c", script],
        cwd=folder,
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        check=False,
        timeout=120,
    )


def pattern(wanted: list[str]) -> str:
    """Turn expected lines into a regular expression, `...` alone on a line being any lines."""
    lines = [r"(?:.*\n)*?" if line == "..." else re.escape(line) + r"\n" for line in wanted]
    return "".join(lines)


def tidy(text: str) -> str:
    """Leave out blanks at the ends of lines and empty lines at the end; pages have plain blanks in numbers with units."""
    kept = "\n".join(line.rstrip() for line in text.replace("\xa0", " ").splitlines()).rstrip("\n")
    return kept + "\n" if kept else ""


@pytest.mark.parametrize("page", [page for page in PAGES if page not in CHECKED], ids=called)
def test_commands_print_what_the_page_says(page, tmp_path, warm):
    last = 0
    # The commands of the first page are whole processes.
    before = () if page == ROOT / "README.md" else (warm,)
    for block in FENCE.finditer(page.read_text(encoding="utf-8")):
        if block["file"]:
            (tmp_path / block["file"]).write_text(block["body"], encoding="utf-8")
        if block["kind"] != "console":
            continue
        for command in commands(block["body"]):
            done = run(command.line, tmp_path, last, *before)
            last = done.returncode
            wanted = tidy("\n".join(command.wanted)).splitlines()
            assert re.fullmatch(pattern(wanted), tidy(done.stdout)), (
                f"{called(page)}: $ {command.line}\nprints\n{done.stdout}\ninstead of\n" + "\n".join(wanted)
            )


def test_the_examples_for_contributors_run():
    # In a process of their own: they register a metric and a test, which must not meet the other tests.
    options = ["-o", "ELLIPSIS", "-o", "NORMALIZE_WHITESPACE"]
    done = subprocess.run(
        [sys.executable, "-W", "error", "-m", "doctest", *options, str(ROOT / "CONTRIBUTING.md")],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("page", PAGES, ids=called)
def test_links_lead_to_files(page):
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    found = re.findall(r"\]\(([^)\s]+)\)", text) + re.findall(r'\b(?:src|srcset|href)="([^"]+)"', text)
    targets = [target.partition("#")[0] for target in found]
    local = [target for target in targets if target and "://" not in target]
    assert [target for target in local if not (page.parent / target).exists()] == []


@pytest.mark.parametrize("page", sorted(set(PAGES) - PRINTED), ids=called)
def test_code_is_run_or_says_that_it_is_not(page):
    text = page.read_text(encoding="utf-8")
    fences = re.findall(r"^[ >]*(?:```|~~~)", text, re.M)
    assert len(fences) == 2 * len(FENCE.findall(text)), "there is a block that the tests cannot see"
    idle = [
        (block["kind"], block["body"])
        for block in FENCE.finditer(text)
        if not block["file"] and not runs(block["kind"], block["body"]) and block["kind"] not in SHOWN
    ]
    assert idle == []


def runs(kind: str, body: str) -> bool:
    return (kind == "console" and body.startswith("$ ")) or (kind == "python" and body.startswith(">>> "))


def test_the_map_names_every_page():
    pages = {page.relative_to(DOCS).as_posix() for page in DOCS.rglob("*.md")} - {"index.md"}
    index = (DOCS / "index.md").read_text(encoding="utf-8")
    assert [name for name in sorted(pages) if f"({name})" not in index] == []


def test_every_field_of_the_contracts_is_explained():
    result = referee.compare(truth=[1, 0, 1], a=[1, 0, 0], b=[1, 1, 1])
    page = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    fields = [*result.to_dict(), *referee.count(truth=[1, 0], a=[1, 0], b=[1, 1]).to_dict()]
    audit = referee.audit(
        referee.count(truth=[1, 0, 1], a=[1, 0, 0], b=[1, 1, 1]), metric="error", null="swap", sets=10
    )
    fields += [*audit.to_dict(), *audit.rows[0]]
    standings = referee.compare_scores({"x": [0.7, 0.8, 0.75], "y": [0.9, None, 0.95]}).to_dict()
    fields += [*standings, *standings["systems"][0], *standings["pairs"][0]]
    over = referee.rank_datasets({"x": [0.7, 0.8, 0.75], "y": [0.9, 0.8, 0.95]}).to_dict()
    fields += [*over, *over["systems"][0], *over["pairs"][0], *over["friedman"], *over["iman_davenport"]]
    made = referee.plan(difference=0.1, between=0.1, within=0.2, sizes=100).to_dict()
    fields += [*made, *made["curve"][0], *made["repeats"][0]]
    watched = referee.watch(truth=[1, 0, 1], a=[1, 0, 0], b=[1, 1, 1]).to_dict()
    fields += [*watched, *watched["looks"][0], *referee.watch(a=[0] * 20, b=[1] * 20).to_dict()["stopped_at"]]
    assert [field for field in fields if f"`{field}`" not in page] == []


@pytest.mark.parametrize("verb", VERBS)
def test_every_option_is_explained(verb):
    found = program.get_command(click.Context(program), verb)
    page = (DOCS / ("serve.md" if verb == "serve" else "cli.md")).read_text(encoding="utf-8")
    assert f"referee {verb}" in page
    spelt = set(re.findall(r"(?<![\w-])--[\w-]+", page))
    options = [one.opts + one.secondary_opts for one in found.params if isinstance(one, click.Option)]
    assert [names for names in options if not spelt & set(names)] == []


@pytest.mark.parametrize("page", PAGES, ids=called)
def test_install_lines_are_those_of_a_clone(page):
    text = page.read_text(encoding="utf-8")
    assert re.findall(r"pip install '?referee\b.*", text) == [], "it is on no index: pip install '.[extra]'"


def test_what_draws_is_installed_before_it_is_used():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert text.index("pip install '.[report]'") < text.index("--html")


@pytest.mark.parametrize("page", [ROOT / "README.md", DOCS / "index.md"], ids=called)
def test_commands_in_sentences_have_options_that_there_are(page):
    found = re.findall(r"`referee ([\w-]+)( [^`]*)?`", page.read_text(encoding="utf-8"))
    assert len(found) > 5
    for verb, rest in found:
        known = {
            name
            for one in program.get_command(click.Context(program), verb).params
            for name in (*one.opts, *one.secondary_opts)
        }
        assert set(re.findall(r"--[\w-]+", rest)) <= known, (verb, rest)


def test_the_readme_names_every_exit_code():
    table = (DOCS / "cli.md").read_text(encoding="utf-8").partition("### Exit codes")[2].partition("\n#")[0]
    codes = re.findall(r"^\| (\d+) \|", table, re.M)
    told = (ROOT / "README.md").read_text(encoding="utf-8").partition("With `--gate`")[2].partition("```")[0]
    assert len(codes) > 5
    assert [code for code in codes if not re.search(rf"\b{code}\b", told)] == []


REFUTED = (
    "no test keeps its false alarms",  # the score test does
    "no test of it is reliable",
    "close enough to normal",  # skewed means need far more than 30 units
    "t interval in 95",  # over groups of equal size only
    "too short where few examples",  # the score interval is not
)


def test_claims_that_were_measured_to_be_wrong_do_not_come_back():
    pages = [*PAGES, *(ROOT / "src").rglob("*.py"), *(ROOT / "examples").rglob("*.py")]
    found = [
        (called(page), claim)
        for page in pages
        for claim in REFUTED
        if claim in " ".join(page.read_text(encoding="utf-8").split())
    ]
    assert found == []


@pytest.mark.parametrize("page", ["start.md", "guides/llm-evals.md"])
def test_a_difference_below_the_detectable_one_is_still_found_at_times(page):
    z = norm.ppf(0.975)
    assert norm.cdf(0.7 * (z + norm.ppf(0.8)) - z) == pytest.approx(0.5, abs=0.01)
    assert "0.7 times as large about half the time" in " ".join((DOCS / page).read_text(encoding="utf-8").split())


def test_the_workflow_is_on_one_page_and_its_gate_works(tmp_path):
    flows = {page: block["body"] for page in PAGES for block in FENCE.finditer(page.read_text(encoding="utf-8"))
             if block["kind"] == "yaml" and "runs-on:" in block["body"]}  # fmt: skip
    page = DOCS / "guides" / "ci-gates.md"
    assert list(flows) == [page]
    steps = pytest.importorskip("yaml").safe_load(flows[page])["jobs"]["compare"]["steps"]
    lines = [step["run"] for step in steps if "run" in step]
    (action,) = (step["with"] for step in steps if step.get("uses", "").endswith("referee"))
    assert [line for line in lines if "> release.jsonl" in line] == []
    maker = next(block["body"] for block in FENCE.finditer(page.read_text(encoding="utf-8")) if block["file"])
    (tmp_path / "make_runs.py").write_text(maker, encoding="utf-8")
    assert run("python make_runs.py", tmp_path, 0).returncode == 0
    assert "python make_runs.py" not in lines, "it would write over the answers of the release"
    data = " ".join(action["data"].split())
    command = f"referee compare {data} {action['arguments']} --gate --format markdown -o verdict.md --html report.html"
    done = run(command, tmp_path, 0)
    assert done.returncode == 0, done.stdout
    assert "practically equal" in (tmp_path / "verdict.md").read_text(encoding="utf-8")
    assert (tmp_path / "report.html").exists()


def test_an_expected_line_is_matched():
    assert re.fullmatch(pattern(["a", "...", "d"]), "a\nb\nc\nd\n")
    assert re.fullmatch(pattern(["a", "...", "d"]), "a\nd\n")
    assert not re.fullmatch(pattern(["a", "d"]), "a\nb\nd\n")
