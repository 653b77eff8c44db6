"""The code for Spark in the guide runs, on tables that are laid out as it says."""

import json
import re
from pathlib import Path

import referee

GUIDE = Path(__file__).parents[2] / "docs" / "clusters.md"


def _blocks(tables):
    """Return the code for Spark, in order: what is neither a command nor SQL.

    Its tables are looked for in a folder, since Java knows nothing of a change of the working directory.
    """
    found = re.findall(r"^```text\n(.*?)^```$", GUIDE.read_text(encoding="utf-8"), re.M | re.S)
    return [re.sub('"(?=predictions/|runs/)', f'"{tables}/', block) for block in found if "spark." in block]


def test_the_code_runs(spark, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    numbers = spark.range(600)
    for name in ("2026-11-02", "2026-11-03"):
        numbers.selectExpr(
            "CAST(id % 3 = 0 AS int) AS label", "CAST(id % 6 = 0 AS int) AS old", "CAST(id % 3 < 1 AS int) AS new"
        ).write.parquet(f"{tmp_path}/predictions/{name}")
    old = numbers.where("id < 500").selectExpr("id", "id % 2 AS label", "id % 5 % 2 AS answer")
    old.write.parquet(f"{tmp_path}/runs/old")
    numbers.where("id >= 20").selectExpr("id", "id % 7 % 2 AS answer").write.parquet(f"{tmp_path}/runs/new")
    blocks, names = _blocks(tmp_path), {}
    assert len(blocks) == 3
    for block in blocks:
        exec(block, names)
    told = capsys.readouterr().out
    assert told.startswith('"new" is better than "old": F1 100.0% against')
    assert told.endswith("120 examples were in one run only, or had no answer\n")
    assert (names["counts"].n, names["counts"].names) == (480, {"a": "old", "b": "new"})
    days = [referee.Counts.load(f"2026-11-0{day}.json") for day in (2, 3)]
    assert (days[0] + days[1]).n == 1200
    assert json.loads(Path("2026-11-02.json").read_text())["rows"] == [[0, 0, 0], [1, 0, 1], [1, 1, 1]]
