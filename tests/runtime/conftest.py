from __future__ import annotations

import pytest


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "calls").mkdir()
    return tmp_path / "calls"


@pytest.fixture
def path(tmp_path):
    return tmp_path / "cells.sqlite"
