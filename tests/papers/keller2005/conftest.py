"""What the tests of this folder share."""

from __future__ import annotations

import pytest

from referee_papers.keller2005 import panels
from tests.papers.keller2005.made_up import TINY, worlds


@pytest.fixture(scope="package")
def measured():
    return worlds(), panels.measure(worlds(), TINY, jobs=1)
