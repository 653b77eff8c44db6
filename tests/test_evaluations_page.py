"""The page of newer kinds of data is written from the stored figures, and every kind that can be measured was."""

from __future__ import annotations

import json

from benchmarks.evaluations import PAGE, STORED, _charts, kinds, page, stored


def test_every_kind_was_measured():
    assert set(stored()) == set(kinds())
    assert all(stored().values())


def test_the_page_is_that_of_the_stored_figures():
    assert PAGE.read_text(encoding="utf-8") == page(stored())


def test_the_charts_are_those_of_the_stored_figures(tmp_path):
    _charts.write(stored(), tmp_path)
    made = {file.name: file.read_text(encoding="utf-8") for file in tmp_path.iterdir()}
    assert made == {file.name: file.read_text(encoding="utf-8") for file in (PAGE.parent / "evaluations").iterdir()}
    assert len(made) == 2 * len(kinds())


def test_a_rate_is_a_share_with_a_positive_error():
    for rows in stored().values():
        for one in rows:
            assert 0 <= one.value <= 1
            assert one.error > 0
            assert one.sets >= 200


def test_the_file_is_plain_json():
    assert isinstance(json.loads(STORED.read_text(encoding="utf-8")), dict)
