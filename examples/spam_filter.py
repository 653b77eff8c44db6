"""Two spam filters of scikit-learn on messages of known senders: the verdict, the trap of the senders, and what the test is worth.

What it shows: predictions of two fitted models as a dataframe, F1 with a named positive label, messages of one sender kept
together, the messages on which the two differ, an audit that measures how often the test itself raises a false alarm on
such data, and the HTML report with the texts. The messages are made up here. It needs the extras `learn` and `report`.

    python examples/spam_filter.py [FOLDER]

It takes about 6 seconds and writes `spam.html` and `audit.html` into FOLDER (here, if none is given).
"""

from __future__ import annotations

import random
import sys
from pathlib import Path

from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

import referee

SPAM = [
    "offer",
    "winner",
    "prize",
    "free",
    "click",
    "account",
    "urgent",
    "transfer",
    "bonus",
    "cheap",
    "limited",
    "deal",
]
HAM = [
    "meeting",
    "notes",
    "invoice",
    "lunch",
    "project",
    "review",
    "agenda",
    "thanks",
    "question",
    "report",
    "ticket",
    "plan",
]
COMMON = ["please", "today", "new", "your", "the", "we", "send", "week", "time", "order", "call", "hello"]


def main(folder: Path) -> None:
    """Train two filters, compare them with and without the senders, audit the test, write the reports."""
    train, test = make_messages(senders=60, seed=10), make_messages(senders=60, seed=20)
    for name, longest in (("words", 1), ("pairs", 2)):  # one filter counts words, the other also pairs of words
        model = make_pipeline(CountVectorizer(ngram_range=(1, longest)), LogisticRegression())
        test[name] = model.fit(train["text"], train["label"]).predict(test["text"]).tolist()

    columns = {"truth": "label", "a": "words", "b": "pairs", "positive": "spam", "metric": "f1"}
    alone = referee.compare(test, **columns)
    print(f"As if every message stood alone: {short(alone)}")
    r = referee.compare(test, **columns, group="sender", id="message", text="text")
    print(f"Senders kept whole:              {short(r)}")
    worth = r.n / r.design_effect
    print(f"The design effect is {r.design_effect:.1f}: {r.n} messages say as much as {worth:.0f} separate ones.\n")
    print(r)

    print("\nThe first messages on which they differ:")
    for example in r.examples()[:3]:
        print(f"  {example.id} is {example.truth}: words says {example.a}, pairs says {example.b}: {example.text}")

    audit = referee.audit(
        test, truth="label", a="words", b="pairs", positive="spam", metric="f1", group="sender",
        test=r.test, sets=200,
    )  # fmt: skip
    print("\nHow often does this test err, on data like these?")
    for row in audit.rows:
        print(f"  senders {row['groups']}: {row['false_alarm']:.1%} false alarms at alpha 5%, power {row['power']:.0%}")

    r.to_html(folder / "spam.html")
    audit.to_html(folder / "audit.html")
    print("\nThe reports are in spam.html and audit.html.")


def short(r: referee.Comparison) -> str:
    """Say a result in half a line."""
    verdict = {"a better": f"{r.a.name} is better", "b better": f"{r.b.name} is better"}.get(r.verdict, r.verdict)
    return f"{r.a.score:.3f} and {r.b.score:.3f}, p = {r.p_value:.3f}: {verdict}"


def make_messages(senders: int, seed: int) -> dict[str, list[str]]:
    """Make up messages: a sender fills a template of its own, so that its messages resemble each other."""
    draw = random.Random(seed)
    table: dict[str, list[str]] = {"message": [], "sender": [], "text": [], "label": []}
    for sender in range(senders):
        label = "spam" if draw.random() < 0.4 else "ham"
        typical, other = (SPAM, HAM) if label == "spam" else (HAM, SPAM)
        template = [draw.choice(typical if draw.random() < 0.7 else other) for _ in range(4)] + draw.sample(COMMON, 3)
        for number in range(12):
            text = [word if draw.random() < 0.8 else draw.choice(typical + COMMON) for word in template]
            table["message"].append(f"m{sender:03}-{number:02}")
            table["sender"].append(f"sender-{sender:03}")
            table["text"].append(" ".join(text))
            table["label"].append(label)
    return table


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
