"""Make the populations that referee ships: train three models on a part of a corpus and count what they predict of the rest.

python -m scripts.make_populations wordnet --data wordnet30_gloss_lexname.csv.gz --sample 12
python -m scripts.make_populations rcv1 --data FOLDER     (without --data: fetched by scikit-learn)
python -m scripts.make_populations table --data texts.csv --text body --labels topics
"""

from __future__ import annotations

import gzip
import json
import sys
import time
from itertools import combinations
from pathlib import Path
from typing import Any

import click
from scripts.population_corpus import Corpus
from scripts.population_predictions import Predictions, unite
from scripts.population_sources import read_rcv1, read_rcv1_sample, read_wordnet
from scripts.population_training import train

from referee.errors import InputError, RefereeError
from referee.runtime.progress import watching
from referee.runtime.randomness import Streams
from referee_papers.training.models import f1
from referee_papers.training.texts import read_texts

HERE = Path(__file__).resolve().parent.parent / "src" / "referee" / "studies" / "auditing" / "populations"
SHORT = {"linear-svm": "linear", "rbf-svm": "rbf", "mlp": "mlp"}
TEST_SIZE = 7909
SET_SIZE = 21
UNIONS = 100


@click.command()
@click.argument("which", type=click.Choice(["wordnet", "rcv1", "table"]))
@click.option("--data", type=click.Path(exists=True), help="The table, or the folder of the RCV1 sample.")
@click.option("--text", default="text", help="Of a table: the column of texts.")
@click.option("--labels", default="labels", help="Of a table: the column of labels.")
@click.option("--separator", default=" ", help="Of a table: what stands between labels.")
@click.option("--siblings/--no-siblings", default=True, help="Of WordNet: keep siblings on one side of the split.")
@click.option("--output", type=click.Path(path_type=Path), default=HERE, help="The folder to write in.")
@click.option("--train-size", default=7982, help="Documents to train on.")
@click.option("--fewest", default=8, help="Leave out categories with fewer positive training documents.")
@click.option(
    "--sample", default=0, help="Tune the Gaussian SVM on so many categories, for all to share; 0: each its own."
)
@click.option("--rng", default=0, help="The seed.")
@click.option("--jobs", default=2, help="Models trained at once.")
def main(
    which: str,
    data: str | None,
    text: str,
    labels: str,
    separator: str,
    siblings: bool,
    output: Path,
    train_size: int,
    fewest: int,
    sample: int,
    rng: int,
    jobs: int,
) -> None:
    """Train, predict and write the populations of one corpus."""
    start = time.perf_counter()
    try:
        if which == "rcv1":
            corpus = read_rcv1_sample(data) if data else read_rcv1()
        elif data is None:
            raise click.UsageError(f"{which} needs --data, the path of its table")
        elif which == "wordnet":
            corpus = read_wordnet(data, siblings=siblings)
        else:
            categories, belongs, texts = read_texts(data, text, labels, separator)
            corpus = Corpus(Path(data).name.partition(".")[0], belongs, categories, texts=texts)
        with watching(_tell):
            found = train(corpus, train_size, rng, fewest=fewest, jobs=jobs, sample=sample)
        output.mkdir(parents=True, exist_ok=True)
        write(found, corpus, output, rng, start)
    except RefereeError as error:
        raise click.ClickException(str(error)) from error


def write(found: Predictions, corpus: Corpus, output: Path, rng: int, start: float) -> None:
    """Write the counts of every pair, of the categories and of unions, and what is known of them."""
    name = found.corpus
    united = unite(found, UNIONS, Streams.of(rng).child(3))
    for a, b in combinations(found.predicted, 2):
        stem = f"{name}-{SHORT[a]}-{SHORT[b]}"
        _pack(output / f"{stem}.json.gz", found.counts(a, b).to_json())
        _pack(output / f"{stem}-balanced.json.gz", united.counts(a, b).to_json())
    _pack(output / f"{name}-documents.json.gz", json.dumps(documents(found, rng), separators=(",", ":")))
    about = describe(found, united, corpus, rng)
    about["seconds"] = round(time.perf_counter() - start)
    (output / f"{name}.json").write_text(_lines(about), encoding="utf-8")


def documents(found: Predictions, rng: int) -> dict[str, Any]:
    """Count by document over three disjoint sets of categories: a test set, and all the rest as the truth."""
    if len(found) <= TEST_SIZE or len(found.categories) < 3 * SET_SIZE:
        raise InputError(
            f"{TEST_SIZE + 1} documents and {3 * SET_SIZE} categories are needed; "
            f"there are {len(found)} and {len(found.categories)}"
        )
    draw = Streams.of(rng).child(4).at(0)
    order, names = draw.permutation(len(found)), draw.permutation(len(found.categories)).tolist()
    parts = {"test": found.at(order[:TEST_SIZE]), "truth": found.at(order[TEST_SIZE:])}
    sets: dict[str, Any] = {}
    for place, letter in enumerate("XYZ"):
        chosen = sorted(found.categories[k] for k in names[place * SET_SIZE : (place + 1) * SET_SIZE])
        sets[letter] = {"categories": chosen}
        for part, predictions in parts.items():
            events, times = predictions.documents(chosen, "linear-svm", "rbf-svm")
            sets[letter][part] = {"events": events.tolist(), "times": times.tolist()}
    return {
        "schema": "referee.documents/1",
        "corpus": found.corpus,
        "a": "linear-svm",
        "b": "rbf-svm",
        "sets": sets,
    }


def describe(found: Predictions, united: Predictions, corpus: Corpus, rng: int) -> dict[str, Any]:
    """Say what was trained and how well it does."""
    scores = {model: f1(found.truth, predicted).round(4).tolist() for model, predicted in found.predicted.items()}
    union_scores = {
        model: f1(united.truth, predicted).round(4).tolist() for model, predicted in united.predicted.items()
    }
    positives = [] if found.train_positives is None else found.train_positives.tolist()
    return {
        "schema": "referee.trained/1",
        "corpus": found.corpus,
        "documents": len(corpus),
        "train_size": found.train_size,
        "rest": len(found),
        "rng": rng,
        "settings": {
            model: {key: value for key, value in chosen.items() if not isinstance(value, list)}
            for model, chosen in found.settings.items()
        },
        "categories": [
            {
                "name": name,
                "prevalence": round(float(found.prevalence[k]), 6),
                "train_positives": positives[k],
                "f1": {model: scores[model][k] for model in scores},
                "settings": {
                    model: {key: value[k] for key, value in chosen.items() if isinstance(value, list)}
                    for model, chosen in found.settings.items()
                    if any(isinstance(value, list) for value in chosen.values())
                },
            }
            for k, name in enumerate(found.categories)
        ],
        "unions": [
            {
                "name": name,
                "prevalence": round(float(united.prevalence[k]), 6),
                "members": list(united.members[name]),
                "f1": {model: union_scores[model][k] for model in union_scores},
            }
            for k, name in enumerate(united.categories)
        ],
    }


def _pack(path: Path, text: str) -> None:
    """Write a packed file whose bytes depend on the text only."""
    path.write_bytes(gzip.compress(text.encode(), 9, mtime=0))


def _lines(about: dict[str, Any]) -> str:
    """Return JSON with a line for each entry, and for each category."""
    parts = []
    for key, value in about.items():
        if isinstance(value, list):
            inner = ",\n".join("  " + json.dumps(item) for item in value)
            parts.append(f" {json.dumps(key)}: [\n{inner}\n ]")
        else:
            parts.append(f" {json.dumps(key)}: {json.dumps(value)}")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def _tell(what: str, done: int, total: int) -> None:
    if done in (0, total) or done % max(total // 10, 1) == 0:
        sys.stderr.write(f"{what}: {done} of {total}\n")


if __name__ == "__main__":
    main()
