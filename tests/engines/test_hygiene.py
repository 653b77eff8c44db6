"""Labels that are none: refused with what to do."""

import pytest

import referee
from referee.errors import InputError


def test_decimal_commas_are_no_labels():
    a, b = ["0,5", "0,7", "0,1", "1,0"], ["0,4", "0,9", "0,8", "0,2"]
    with pytest.raises(InputError, match="decimal comma"):
        referee.compare(truth=["0", "1", "1", "0"], a=a, b=b)
    # A label that has a comma in it is one where the truth has such labels too.
    assert referee.compare(truth=["0,5", "1,0"], a=["0,5", "0,5"], b=["0,5", "1,0"]).n == 2
