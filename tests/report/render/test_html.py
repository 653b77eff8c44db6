"""The report: one file that shows everything, asks nobody for anything, and runs nothing that the data say."""

import itertools
import json
import re
import sys
from dataclasses import replace
from html.parser import HTMLParser

import pytest
from made_results import ALL, NASTY, SEVERAL, comparison

import referee
from referee.data.examples import Example
from referee.errors import InputError, OptionError
from referee.report import phrases
from referee.report.methods import paragraph
from referee.report.phrases import comparison as words
from referee.report.render import html
from referee.results.comparison import Comparison, Comparisons

LARGEST = 500_000
HOSTILE = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "</title></style></script><svg onload=alert(1)>",
    "{{ 7 * 7 }}{% raw %}",
    "' onfocus='alert(1)' autofocus='",
)
VOID = {"meta", "link", "br", "img", "input", "hr", "wbr"}


class Seen(HTMLParser):
    """What a browser would make of the page."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.open, self.tags, self.said, self.content, self.styles, self.broken = [], [], [], "", "", False

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        self.broken = tag == "wbr"
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open and self.open[-1] == tag, f"</{tag}> closes <{self.open[-1:]}>"
        self.open.pop()

    def handle_data(self, data):
        broken, self.broken = self.broken, False
        if broken and self.said and not (self.open and self.open[-1] in ("script", "style")):
            self.said[-1] += data
            return
        if self.open and self.open[-1] == "script":
            self.content += data
        elif self.open and self.open[-1] == "style":
            self.styles += data
        else:
            self.said.append(data)

    @property
    def text(self):
        return " ".join(" ".join(self.said).split())


def seen(page):
    found = Seen()
    found.feed(page)
    found.close()
    assert found.open == []
    return found


def headline_of(r):
    """Return the headline as the words of a page: a name is an element of its own."""
    return flat(" ".join(words.headline(r)))


def flat(text):
    return " ".join(text.split())


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """One of every kind, made by the verbs themselves."""
    truth = [1, 0, 1, 1, 0, 0, 1, 0, 1, 0] * 20
    old = [1, 0, 0, 1, 0, 1, 1, 0, 0, 0] * 20
    new = [1, 0, 1, 1, 0, 0, 1, 1, 1, 0] * 20
    part = (["en"] * 100) + (["de"] * 100)
    group = [str(i // 5) for i in range(200)]
    table = {"truth": truth, "old": old, "new": new, "part": part, "group": group, "id": [f"q{i}" for i in range(200)]}
    roles = {"truth": "truth", "a": "old", "b": "new"}
    scores = {
        "truth": truth,
        "old": [0.5 + (x - 0.5) * 0.3 + i / 1000 for i, x in enumerate(old)],
        "new": [x * 0.5 for x in new],
    }
    return {
        "labels": referee.compare(table, **roles, id="id"),
        "audited": referee.compare(table, **roles, metric="f1", audit=True),
        "groups": referee.compare(table, **roles, metric="f1", group="group", margin=0.5),
        "cost": referee.compare(table, **roles, metric="dcf:cost_fn=10"),
        "ranking": referee.compare(scores, **roles, metric="auc"),
        "means": referee.compare(a=[0.1, 0.5, 0.7, 0.2] * 9, b=[0.2, 0.5, 0.9, 0.1] * 9),
        "same": referee.compare({**table, "copy": table["old"]}, truth="truth", a="old", b="copy"),
        "several metrics": referee.compare(table, **roles, metric=["accuracy", "f1", "mcc"]),
        "slices": referee.compare(table, **roles, by="part"),
        "algorithms": referee.compare_scores(
            {
                "svm": [0.8, 0.82, 0.79, 0.85, 0.8],
                "forest": [0.7, 0.74, 0.72, 0.7, 0.75],
                "nb": [0.5, 0.6, None, 0.4, 0.5],
            }
        ),
        "audit": referee.audit(table, **roles, metric="f1", sets=50),
        **ALL,
        "made several": SEVERAL,
    }


KINDS = (
    "labels", "audited", "groups", "cost", "ranking", "means", "same", "several metrics", "slices", "algorithms", "audit",
    *ALL, "made several",
)  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_a_report_is_one_small_whole_page_with_everything_in_it(results, kind):
    result = results[kind]
    page = result.to_html()
    found = seen(page)
    assert len(page.encode()) < LARGEST
    assert json.loads(found.content) == json.loads(json.dumps(result.to_dict()))
    assert [attrs["type"] for tag, attrs in found.tags if tag == "script"] == ["application/json"]
    ids = [attrs["id"] for _, attrs in found.tags if "id" in attrs]
    assert sorted(set(ids)) == sorted(ids)
    named = [attrs[key] for _, attrs in found.tags for key in ("aria-labelledby",) if key in attrs]
    assert set(named) <= set(ids)
    levels = [int(tag[1]) for tag, _ in found.tags if re.fullmatch(r"h[1-6]", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in itertools.pairwise(levels))
    for said in (flat(paragraph.paragraph(result)), *map(flat, paragraph.assumptions(result))):
        assert said in found.text
    assert "None" not in found.text
    assert "nan" not in found.text.split()


@pytest.mark.parametrize("kind", KINDS)
def test_a_report_asks_nobody_and_runs_nothing(results, kind):
    found = seen(results[kind].to_html())
    for tag, attrs in found.tags:
        assert tag not in (
            "iframe",
            "object",
            "embed",
            "base",
            "form",
            "foreignobject",
            "image",
            "img",
            "use",
            "audio",
            "video",
        )
        assert not [name for name in attrs if name.startswith("on")]
        for name in ("href", "src", "xlink:href", "action", "data", "poster", "srcset"):
            target = attrs.get(name, "") or ""
            assert target == "" or target.startswith(("data:application/json", "data:,", "#")), (tag, target)
        assert "url(" not in attrs.get("style", "") or "url(#" in attrs["style"]
    assert "@import" not in found.styles
    assert "url(" not in found.styles
    policy = next(attrs["content"] for _, attrs in found.tags if attrs.get("http-equiv") == "Content-Security-Policy")
    assert policy.startswith("default-src 'none'")
    assert "script-src" not in policy


@pytest.mark.parametrize("name", HOSTILE)
def test_what_the_data_say_is_shown_and_not_run(name):
    table = {
        name: [1, 0, 1, 1] * 30, "b" + name: [1, 1, 1, 0] * 30, "right": [1, 1, 1, 1] * 30, "g": [name, "y"] * 60,
    }  # fmt: skip
    table["truth"] = [f"{name}{x}" for x in table["right"]]
    labels = {column: [f"{name}{x}" for x in table[column]] for column in (name, "b" + name)}
    result = referee.compare({**table, **labels}, truth="truth", a=name, b="b" + name, group="g")
    given = Example(a=name, b=name, truth=name, id=name, text=name, right="b")
    page = replace(result, look=lambda: (given,), warnings=(name,), task=name).to_html()
    found = seen(page)
    assert flat(phrases.clean(name)) in found.text
    attributes = [
        (key, text)
        for tag, attrs in found.tags
        if tag not in ("svg", "g", "path", "text")
        for key, text in attrs.items()
    ]
    assert [key for key, text in attributes if "alert(1)" in str(text) and key != "data-label"] == []
    assert [tag for tag, _ in found.tags if tag in ("img", "script")] == ["script"]
    assert [attrs for _, attrs in found.tags if any(key.startswith("on") or key == "autofocus" for key in attrs)] == []
    assert "49" not in found.text.split()


def test_all_warnings_facts_and_the_signature_are_there():
    r = comparison(warnings=("the moon is full", "few examples"), margin=0.01)
    text = seen(r.to_html()).text
    for said in (
        "The moon is full.",
        "few examples.",
        phrases.signature(r.signature),
        headline_of(r),
        flat(words.details(r, advice=False)),
    ):
        assert said in text


def test_the_colour_and_the_words_follow_the_verdict():
    for name, tone in (
        ("b better", "good"),
        ("a better", "bad"),
        ("close", "open"),
        ("equal", "equal"),
        ("no worse", "equal"),
    ):
        found = seen(ALL[name].to_html())
        verdict = next(
            attrs["class"] for tag, attrs in found.tags if tag == "section" and "verdict" in attrs.get("class", "")
        )
        assert verdict == f"verdict {tone}"
        assert words.verdict(ALL[name]) in found.text


def test_a_page_says_first_what_it_is_about(tmp_path, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1795000000")
    path = tmp_path / "week.csv"
    path.write_text("label,old,new,sender\n" + "spam,spam,spam,a\nham,spam,ham,b\nspam,ham,spam,c\n" * 20)
    roles = {"truth": "label", "a": "old", "b": "new", "positive": "spam", "metric": "f1"}
    r = referee.compare(path, **roles, group="sender")
    first = "referee · week.csv · F1 of “spam” · 60 examples from 3 senders · 18 Nov 2026 "
    assert first in seen(r.to_html()).text
    assert r.settings.files == ("week.csv",)
    assert str(tmp_path) not in r.to_html(examples=False)
    assert "week.csv" not in r.signature + r.to_json()
    assert "week" not in referee.compare({"label": ["x", "y"], "old": ["x", "x"], "new": ["y", "y"]}, truth="label", a="old", b="new").to_html()  # fmt: skip


def test_what_to_do_next_stands_on_its_own_and_once():
    close = replace(ALL["close"], needed={"n": 5000, "units": 5000})
    page = close.to_html(examples=False)
    assert '<p class="next" dir="auto"><b>What next?</b> To confirm' in page
    assert page.count(words.what_next(close)) == 1
    assert words.what_next(close) in flat(str(close))
    assert "What next?" not in ALL["b better"].to_html(examples=False)


def test_the_histogram_is_folded_where_dots_say_it():
    truth = [1, 0] * 60
    r = referee.compare(truth=truth, a=truth[:100] + [0] * 20, b=[1] * 6 + truth[6:], metric="f1")
    page = r.to_html(examples=False)
    assert f"Could luck do this? About {round(100 * r.p_value)} times in 100." in page
    assert "<summary>If the two were equally good</summary>" in page
    assert page.index('id="figure-estimate"') < page.index('id="figure-dots"') < page.index('id="figure-luck"')


def test_the_examples_where_they_differ_are_listed():
    rows = tuple(Example(a="spam", b="ham", truth="ham", id=f"m{i}", text=f"message {i}", right="b") for i in range(3))
    text = seen(comparison(look=lambda: rows).to_html()).text
    assert "The first 3 examples on which the two differ" in text
    assert "m2 message 2 spam ham ham" in text
    assert "A cross marks a wrong answer." in text
    assert "Where they differ" not in seen(comparison().to_html()).text


def test_the_examples_of_several_tasks_share_the_list():
    def of(part):
        return lambda: tuple(Example(a="x", b="y", id=f"{part}{i}") for i in range(50))

    parts = Comparisons((comparison(task="en", look=of("en")), comparison(task="de", look=of("de"))))
    text = seen(parts.to_html()).text
    assert "The first 50 examples of the tasks" in text
    assert "en en24 x y de de0 x y" in text
    metrics = Comparisons((comparison(task="f1", look=of("q")), comparison(task="mcc", look=of("q"))))
    text = seen(metrics.to_html()).text
    assert "The first 50 examples on which" in text
    assert "q49 x y" in text


def test_examples_that_can_no_longer_be_read_do_not_lose_the_report():
    def gone():
        raise InputError("there is no file 'x.csv'")

    text = seen(comparison(look=gone).to_html()).text
    assert "could not be read again" in text
    assert "there is no file 'x.csv'" in text


def test_hundreds_of_tasks_stay_one_small_page():
    made = [
        comparison(task=f"task {i} of quite a long name", p_adjusted=0.06, verdict="too close to call")
        for i in range(600)
    ]
    made[550] = comparison(task="the one", p_adjusted=0.01)
    for count in (100, 600):
        page = Comparisons(tuple(made[-count:])).to_html()
        assert len(page.encode()) < LARGEST
        text = seen(page).text
        # Wherever there is not room for all, those with a verdict come first.
        assert text.count("the one") >= 3
        assert ("400 more rows, those with the largest p, are not shown" in text) == (count == 600)
    assert "too long for a page" in text


def test_the_examples_can_be_left_out():
    secret = comparison(look=lambda: (Example(a="x", b="y", id="patient 8"),))
    assert "patient 8" in secret.to_html()
    assert "patient 8" not in secret.to_html(examples=False)
    assert "patient 8" not in Comparisons((secret, secret)).to_html(examples=False)


def test_a_result_read_from_json_has_a_report_too(results):
    again = Comparison.from_dict(results["labels"].to_dict())
    text = seen(again.to_html()).text
    assert headline_of(again) in text


def test_it_is_written_whole_or_not_at_all(tmp_path):
    r = comparison()
    path = tmp_path / "report.html"
    assert r.to_html(path) == path.read_text(encoding="utf-8")
    with pytest.raises(InputError):
        r.to_html(tmp_path / "nowhere" / "report.html")
    assert [found.name for found in tmp_path.iterdir()] == ["report.html"]


def test_the_same_result_gives_the_same_page(results):
    assert results["audited"].to_html() == results["audited"].to_html()


def test_without_the_extra_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(OptionError, match=r"pip install 'referee\[report\]'"):
        html.check()


def test_json_cannot_end_its_element():
    assert json.loads(html.embedded(json.dumps({"a": f"</script>{NASTY}\u2028&"}))) == {"a": f"</script>{NASTY}\u2028&"}
    assert "</" not in html.embedded('"</script>"')
