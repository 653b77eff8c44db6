"""The page in a real browser, from drop to download."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from playwright.sync_api import expect

import referee
from tests.browser import barriers, visited

SHOTS = os.environ.get("REFEREE_SHOTS")
"""A folder for pictures of the page, for people to look at."""
WAIT = 120_000
DROP = """
([files]) => {
  const data = new DataTransfer();
  for (const [name, text] of files) data.items.add(new File([text], name));
  document.getElementById("drop").dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
}
"""


class Shown:
    """The page, with what users do on it."""

    def __init__(self, visit, server):
        self.visit, self.page = visit, visit.page
        self.page.set_default_timeout(WAIT)
        self.origin = "/".join(server.address.split("/")[:3])
        self.page.goto(server.address)
        self.page.wait_for_selector("#limit:has-text('MB')")

    def drop(self, *files):
        self.page.evaluate(DROP, [list(files)])

    def fields(self):
        self.page.wait_for_selector("#fields:not([hidden])")
        names = ("truth", "a", "b", "group", "id_pair", "prediction", "name_a", "name_b")
        return {name: self.page.input_value(f"#{name}") for name in names if self.page.is_visible(f"#{name}")}

    def compare(self):
        self.page.click("#compare")
        self.page.wait_for_selector("#result:not([hidden])")
        frame = self.page.frame_locator("#report")
        frame.locator("h1").first.wait_for()
        return frame

    def told(self):
        return self.page.inner_text("[role=alert] .message, .message[role=alert]")

    def kept(self, button):
        with self.page.expect_download() as waiting:
            self.page.click(button)
        return waiting.value.suggested_filename, Path(waiting.value.path()).read_bytes()

    def shoot(self, name):
        if SHOTS:
            self.page.wait_for_timeout(300)
            self.page.screenshot(path=f"{SHOTS}/serve-{name}.png", full_page=True)

    def quiet(self):
        """Check that nobody complained, and that nothing left the machine."""
        assert self.visit.complaints == []
        assert self.visit.dialogs == []
        assert {url for url in self.visit.requests if not url.startswith((self.origin + "/", "data:"))} == set()


@pytest.fixture
def show(browser, server):
    """Open the page in a tab; after the test all is quiet, or the test fails."""
    from contextlib import ExitStack

    with ExitStack() as stack:
        opened = []

        def open_page(**options):
            shown = Shown(stack.enter_context(visited(browser, accept_downloads=True, **options)), server)
            opened.append(shown)
            return shown

        yield open_page
        for shown in opened:
            shown.quiet()


def test_from_drop_to_download(show, demo):
    shown = show()
    shown.shoot("empty")
    shown.drop(("demo.csv", demo))
    assert shown.fields() == {"truth": "label", "a": "old", "b": "new", "group": "sender"}
    assert shown.page.locator("#list tbody tr").count() == 5
    shown.page.select_option("#group", "")
    shown.page.select_option("#metric", "f1")
    assert shown.page.input_value("#positive") == "spam"
    shown.shoot("fields")
    report = shown.compare()
    assert "new" in report.locator("h1").inner_text()
    shown.shoot("report")
    address = shown.page.get_attribute("#report", "src")
    seen = shown.page.evaluate("async (path) => (await fetch(path)).text()", address)
    name, content = shown.kept("#keep-report")
    assert name == "report.html"
    assert content.decode() == seen
    name, content = shown.kept("#keep-numbers")
    assert name == "report.json"
    numbers = json.loads(content)
    assert (numbers["metric"], numbers["n"]) == ("f1", 600)
    # The frame is as high as the report, so that there is one scroll bar.
    height = shown.page.evaluate("document.getElementById('report').clientHeight")
    inner = report.locator("html").evaluate("root => root.getBoundingClientRect().height")
    assert abs(height - inner) < 5
    shown.page.click("#anew")
    shown.page.wait_for_selector("#fields[hidden]", state="attached")
    assert shown.page.is_visible("#try")
    assert shown.page.locator(".card").count() == 0


def test_two_files(show, demo, server):
    rows = [line.split(",") for line in demo.splitlines()[1:]]
    texts = [
        "id,gold,answer\n" + "".join(f"q{i},{row[1]},{row[side]}\n" for i, row in enumerate(rows)) for side in (2, 3)
    ]
    shown = show(color_scheme="dark")
    shown.drop(("old.csv", texts[0]))
    shown.page.wait_for_selector(".card")
    shown.drop(("new.csv", texts[1]))
    shown.page.wait_for_selector(".card:nth-child(2)")
    assert shown.fields() == {
        "truth": "gold", "group": "", "id_pair": "id", "prediction": "answer", "name_a": "old", "name_b": "new",
    }  # fmt: skip
    shown.shoot("two-dark")
    shown.page.click("#exchange")
    expect(shown.page.locator("#name_a")).to_have_value("new", timeout=WAIT)
    shown.compare()
    shown.shoot("two-report-dark")
    numbers = json.loads(shown.kept("#keep-numbers")[1])
    assert (numbers["a"]["name"], numbers["b"]["name"]) == ("new", "old")
    held = {upload.name for upload in server.uploads._files.values()}
    assert {"old.csv", "new.csv"} <= held
    shown.page.click(".card:nth-child(2) button")
    expect(shown.page.locator(".card")).to_have_count(1, timeout=WAIT)
    assert "old.csv" not in {upload.name for upload in server.uploads._files.values()}


def test_files_chosen_and_the_keyboard_alone(show, demo, tmp_path):
    path = tmp_path / "demo.csv"
    path.write_text(demo, encoding="utf-8")
    shown = show(viewport={"width": 390, "height": 844}, is_mobile=True, has_touch=True)
    shown.page.keyboard.press("Tab")
    assert shown.page.evaluate("document.activeElement.id") == "file"
    shown.page.set_input_files("#file", path)
    shown.fields()
    shown.shoot("narrow")
    shown.page.focus("#compare")
    shown.page.keyboard.press("Enter")
    shown.page.wait_for_selector("#result:not([hidden])")
    assert shown.page.evaluate("document.activeElement.id") == "result-title"
    shown.page.frame_locator("#report").locator("h1").first.wait_for()
    shown.shoot("narrow-report")
    # Nothing is wider than the screen.
    assert shown.page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def test_the_demonstration(show):
    shown = show()
    shown.page.click("#demonstration")
    assert shown.fields()["truth"] == "label"
    shown.page.select_option("#group", "")
    shown.compare()


@pytest.mark.parametrize(
    "files, wanted",
    [
        ([("photo.csv", "\x89PNG\r\n\x1a\n\x00\x00")], "photo.csv is not a text file"),
        ([("empty.csv", "")], "empty.csv is empty"),
        ([("page.csv", "<!DOCTYPE html><html></html>")], "page.csv is a web page"),
        ([("<img src=x onerror=alert(1)>.csv", "")], "<img src=x onerror=alert(1)>.csv is empty"),
        ([("one.csv", "answer\nx\n")], "the answers of two systems are needed"),
        ([(f"{i}.csv", "a\n1\n") for i in range(9)], "This page takes 8 files at most; you added 9."),
        ([("big.csv", "x" * (2 * 2**20 + 1))], "big.csv is larger than 2 MB"),
    ],
    ids=lambda value: value[0][0] if isinstance(value, list) else "",
)  # fmt: skip
def test_bad_files_are_told(show, files, wanted):
    shown = show()
    shown.drop(*files)
    shown.page.wait_for_selector("#message .message")
    assert wanted in shown.told()
    assert shown.page.is_hidden("#fields")
    assert shown.page.locator("#message .message").count() == 1
    if files[0][0] == "photo.csv":
        shown.shoot("bad")


def test_both_may_be_wrong(show, demo):
    shown = show()
    shown.drop(("empty.csv", ""), ("page.csv", "<html></html>"))
    expect(shown.page.locator("#message .message")).to_have_count(2, timeout=WAIT)
    shown.drop(("demo.csv", demo))
    shown.fields()
    assert shown.page.locator("#message .message").count() == 0


def test_what_is_wrong_with_a_question_is_told_beside_it(show, demo):
    shown = show()
    shown.drop(("demo.csv", demo))
    shown.fields()
    shown.page.click("summary")
    shown.shoot("more")
    shown.page.click("summary")
    shown.page.select_option("#b", "")
    shown.page.click("#compare")
    assert shown.page.inner_text("#status") == "Choose “System B” first."
    assert shown.page.evaluate("document.activeElement.id") == "b"
    shown.page.select_option("#b", "new")
    shown.page.select_option("#metric", "f1")
    shown.page.fill("#positive", "")
    shown.page.click("#compare")
    shown.page.wait_for_selector("#status .message")
    assert shown.told().startswith("f1 needs to know which label is the positive one; give “Positive label”")
    shown.shoot("question-wrong")
    assert shown.page.is_hidden("#result")


def test_stop(show, ranked):
    shown = show()
    shown.drop(("scores.csv", ranked))
    shown.fields()
    shown.page.select_option("#metric", "average-precision")
    shown.page.click("summary")
    shown.page.check("#audit")
    shown.page.click("#compare")
    shown.page.wait_for_selector("#stop:visible")
    shown.page.wait_for_timeout(500)
    shown.page.click("#stop")
    expect(shown.page.locator("#status")).to_have_text("Stopped.", timeout=WAIT)
    assert shown.page.is_enabled("#compare")
    shown.page.uncheck("#audit")
    shown.page.select_option("#metric", "auc")
    shown.compare()


def test_a_question_about_a_margin(show, demo):
    shown = show()
    shown.drop(("demo.csv", demo))
    shown.fields()
    shown.page.select_option("#group", "")
    shown.page.click("summary")
    shown.page.select_option("#question", "no-worse")
    shown.page.click("#compare")
    shown.page.wait_for_selector("#status .message")
    assert shown.told().startswith(
        "“Is B no worse than A?” needs “Margin”: the largest difference that does not matter"
    )
    shown.page.fill("#margin", "1pp")
    report = shown.compare()
    assert report.locator("h1").inner_text().startswith("new is no worse than old")
    assert "by exactly the margin" in report.locator("body").inner_text()


def test_markup_in_data_is_shown_and_not_run(show):
    evil = "<img src=x onerror=alert(1)>"
    text = f"id,label,{evil},new\n" + "".join(f"{evil}{i},{'xy'[i % 2]},x,{'xy'[i % 3 % 2]}\n" for i in range(40))
    shown = show()
    shown.drop((f"{evil}.csv", text))
    assert shown.fields()["truth"] == "label"
    shown.page.select_option("#a", evil)
    shown.page.select_option("#b", "new")
    assert evil in shown.page.inner_text("#list")
    report = shown.compare()
    assert evil in report.locator("body").inner_text()


def test_even_a_report_with_a_script_runs_none(show, demo, server, browser):
    """The walls behind the escaping: were there a script in a report, it would not run."""
    shown = show()
    shown.drop(("demo.csv", demo))
    shown.fields()
    shown.page.select_option("#group", "")
    shown.compare()
    shown.quiet()
    evil = "<!doctype html><title>x</title><p>shown</p><script>document.title = 'run'; alert(1)</script><img src=x onerror=alert(1)>"
    pattern = "**/report.html"
    with visited(browser) as visit:
        held = {}

        def poisoned(route):
            answer = route.fetch()
            held.update(answer.headers)
            route.fulfill(response=answer, body=evil)

        visit.page.route(pattern, poisoned)
        visit.page.goto(server.address + shown.page.get_attribute("#report", "src"))
        assert visit.page.inner_text("p") == "shown"
        assert visit.page.title() == "x"
        assert visit.dialogs == []
        assert visit.complaints  # the browser says that it refused
        assert "sandbox" in held["content-security-policy"]


def test_logs(show):
    line = '{{"run_id": "r1", "sample_id": "s.{0}", "type": "match", "event_id": {0}, "data": {{"correct": {1}}}}}\n'
    texts = ["".join(line.format(i, str(i % step == 0).lower()) for i in range(60)) for step in (3, 2)]
    shown = show()
    shown.drop(("old.jsonl", texts[0]), ("new.jsonl", texts[1]))
    shown.page.wait_for_selector(".card:nth-child(2)")
    assert shown.fields() == {"name_a": "old", "name_b": "new"}
    shown.compare()
    shown.shoot("logs")
    assert "old.jsonl was read as openai/evals log" in shown.page.inner_text("#remarks")


def test_counts(show):
    counts = referee.count(truth=[1, 0, 1, 0] * 9, a=[1, 0, 0, 0] * 9, b=[1, 0, 1, 1] * 9).to_json()
    shown = show()
    shown.drop(("week.json", counts))
    assert shown.fields() == {}
    shown.page.select_option("#metric", "dcf")
    assert shown.page.is_visible("#option-cost_fn")
    assert shown.page.locator("#metric option").count() == len(list(referee.metrics.METRICS)) + 1
    shown.page.fill("#option-cost_fn", "5")
    shown.shoot("counts")
    shown.compare()
    assert json.loads(shown.kept("#keep-numbers")[1])["metric"] == "dcf:cost_fn=5"


def test_two_files_of_counts_are_no_a_and_b(show):
    weeks = [referee.count(truth=[1, 0] * n, a=[1, 1] * n, b=[1, 0] * n).to_json() for n in (20, 30)]
    shown = show()
    shown.drop(("monday.json", weeks[0]), ("tuesday.json", weeks[1]))
    expect(shown.page.locator(".card")).to_have_count(2, timeout=WAIT)
    shown.page.wait_for_selector("#fields:not([hidden])")
    assert shown.page.locator(".card .side").count() == 0
    assert shown.page.is_hidden("#exchange")
    assert shown.page.inner_text("#guessed").startswith("The counts of all files are added: ")
    shown.shoot("counts-two")
    shown.compare()
    assert "The counts of both files were added: 100 examples." in shown.page.inner_text("#remarks")


def test_the_demonstration_comes_once(show):
    shown = show()
    shown.page.evaluate("for (const _ of [1, 2, 3]) document.getElementById('demonstration').click()")
    shown.fields()
    shown.page.wait_for_timeout(500)
    assert shown.page.locator(".card").count() == 1


def test_a_field_that_is_needed_is_shown(show):
    folder = Path(__file__).parents[1] / "samples" / "trec"
    shown = show()
    shown.drop(*((name, (folder / name).read_text(encoding="utf-8")) for name in ("old.txt", "new.txt")))
    expect(shown.page.locator(".card")).to_have_count(2, timeout=WAIT)
    shown.fields()
    assert shown.page.is_hidden("#score")
    shown.page.click("#compare")
    shown.page.wait_for_selector("#status .message")
    assert shown.page.is_visible("#score")
    assert shown.page.evaluate("document.activeElement.id") == "score"
    shown.page.keyboard.type("map")
    shown.compare()


def test_a_report_of_other_choices_is_said_to_be_one(show, demo):
    shown = show()
    shown.drop(("demo.csv", demo))
    shown.fields()
    shown.page.select_option("#group", "")
    shown.compare()
    assert shown.page.is_hidden("#old-note")
    shown.page.select_option("#metric", "f1")
    assert shown.page.is_visible("#old-note")
    shown.shoot("old")
    shown.compare()
    assert shown.page.is_hidden("#old-note")


def test_of_many_columns_it_is_said_how_many_are_shown(show):
    names = [f"c{i}" for i in range(100)]
    shown = show()
    shown.drop(("wide.csv", "\n".join(",".join(row) for row in (names, ["1"] * 100, ["0"] * 100))))
    shown.fields()
    assert "a table, 100 columns, of which the first 60 are shown" in shown.page.inner_text(".card-head")
    assert shown.page.locator(".card th").count() == 60


def test_without_a_server_the_page_says_so(show, demo, browser):
    from referee.web.server import serving

    with visited(browser) as visit:
        with serving() as server:
            shown = Shown(visit, server)
        shown.drop(("demo.csv", demo))
        shown.page.wait_for_selector("#message .message")
        assert shown.told() == "The server does not answer. Is referee serve still running?"


def models(count=4):
    names = [f"m{i}" for i in range(1, count)] + ["a_name_that_" + "goes_on_and_on_" * 8]
    rows = [[f"q{i}", "yn"[i % 2], *("yn"[(i + (i * (k + 3)) % 7 % 2) % 2] for k in range(count))] for i in range(120)]
    return "\n".join(",".join(row) for row in (["id", "label", *names], *rows)) + "\n"


def test_a_ranking_is_offered_and_chosen(show):
    shown = show(viewport={"width": 360, "height": 740}, is_mobile=True, has_touch=True)
    shown.drop(("models.csv", models()))
    shown.page.wait_for_selector("#fields:not([hidden])")
    assert shown.page.is_checked("#verb-rank")
    assert shown.page.locator("#choices input:checked").count() == 4
    assert shown.page.is_hidden("#a")
    shown.page.click("#none")
    shown.page.click("#compare")
    assert shown.page.inner_text("#status") == "Choose two or more “Systems” first."
    shown.page.click("#all")
    shown.page.uncheck("#system-1")
    shown.compare()
    assert len(json.loads(shown.kept("#keep-numbers")[1])["systems"]) == 3
    assert shown.page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    shown.page.check("#verb-compare")
    assert shown.page.is_visible("#a")
    assert shown.page.inner_text("#compare") == "Compare"


def test_several_metrics(show, demo):
    shown = show()
    shown.drop(("demo.csv", demo))
    shown.fields()
    shown.page.select_option("#group", "")
    for place, metric in ((2, "f1"), (3, "recall")):
        shown.page.click("#another")
        assert shown.page.evaluate("document.activeElement.id") == f"metric-{place}"
        shown.page.select_option(f"#metric-{place}", metric)
    assert shown.page.input_value("#positive") == "spam"
    shown.page.select_option("#option-2-average", "macro")
    shown.page.click("[aria-label='Remove metric 3']")
    shown.page.select_option("#metric", "accuracy")
    shown.compare()
    numbers = json.loads(shown.kept("#keep-numbers")[1])
    assert [one["metric"] for one in numbers["comparisons"]] == ["accuracy", "f1:average=macro"]


def test_error_rates_with_a_bar_and_stopped(show, ranked):
    shown = show()
    shown.drop(("scores.csv", ranked))
    shown.fields()
    shown.page.check("#verb-audit")
    shown.page.select_option("#metric", "average-precision")
    shown.page.click("#compare")
    shown.page.wait_for_selector("#bar:visible")
    expect(shown.page.locator("#step")).to_contain_text("Testing: ", timeout=WAIT)
    shown.page.click("#stop")
    expect(shown.page.locator("#status")).to_have_text("Stopped.", timeout=WAIT)
    assert shown.page.is_hidden("#bar")


def test_what_cannot_be_told_is_asked(show):
    rows = "".join(f"{['cat', 'dog'][i % 2]},{i % 3 % 2},{i % 5 % 2},p{i // 4}\n" for i in range(60))
    shown = show()
    shown.drop(("unsure.csv", "label,old,new,page\n" + rows))
    assert (shown.fields()["a"], shown.fields()["b"]) == ("old", "new")
    assert "“label” may hold the right answers" in shown.page.inner_text("#doubt-truth")
    assert "the values of “page” repeat" in shown.page.inner_text("#doubt-group").lower()
    shown.page.click("#compare")
    assert shown.page.inner_text("#status") == "Choose “Right answers” first."
    shown.page.select_option("#truth", label="none: A and B are scores")
    shown.compare()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_breaks_at_any_width(show, scheme):
    shown = show(viewport={"width": 360, "height": 800}, color_scheme=scheme)

    def check(name):
        if scheme == "light":
            assert barriers(shown.page) == []
        for width in (360, 768, 1024, 1280):
            shown.page.set_viewport_size({"width": width, "height": 800})
            shown.shoot(f"{name}-{width}-{scheme}")
            assert shown.page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
        shown.page.set_viewport_size({"width": 360, "height": 800})

    assert shown.page.evaluate("document.querySelector('#thumbnail img').decode().then(() => true)")
    check("landing")
    shown.drop(("models.csv", models()))
    shown.page.wait_for_selector("#fields:not([hidden])")
    shown.page.click("summary")
    check("rank")
    shown.page.check("#verb-compare")
    shown.page.click("#another")
    shown.page.select_option("#metric-2", "dcf")
    check("metrics")
