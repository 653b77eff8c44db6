"""What the tests of this folder share."""

from __future__ import annotations

import pytest

from referee_papers import bizarre
from tests.papers.bizarre.made_up import TINY, given, worlds


@pytest.fixture(scope="package")
def made():
    return bizarre.replicate(given(), worlds(), TINY, jobs=1)
