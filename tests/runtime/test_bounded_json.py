"""How deep JSON may be does not depend on the Python that reads it."""

from __future__ import annotations

import json

import pytest

from referee.data.formats.json_fields import parse_json
from referee.errors import InputError
from referee.runtime.bounded_json import DEEPEST, loads


def nested(levels, pair):
    opening, closing = pair
    return opening * levels + "1" + closing * levels


PAIRS = [("[", "]"), ('{"a": ', "}"), ('[0, {"b": ', "}, 0]")]


@pytest.mark.parametrize("pair", PAIRS)
def test_the_bound_is_ours(pair):
    each = pair[0].count("[") + pair[0].count("{")
    allowed = nested(DEEPEST // each, pair)
    assert loads(allowed) == loads(allowed.encode()) == json.loads(allowed)
    for levels in (DEEPEST // each + 1, 2000, 100_000):
        with pytest.raises(RecursionError):
            loads(nested(levels, pair))
        with pytest.raises(InputError, match=r"x.json is JSON that is nested too deeply to read"):
            parse_json(nested(levels, pair), "x.json")


def test_what_is_wide_is_not_deep():
    wide = [{"a": [1, [2]], "b": {}} for _ in range(10 * DEEPEST)]
    assert loads(json.dumps(wide)) == wide
    assert loads('"' + "[" * 5 * DEEPEST + '"') == "[" * 5 * DEEPEST
