# Everything runs in a virtual environment that this file makes: make demo, make test, make bench.
PYTHON ?= python3
BIN := .venv/bin
STAMP := .venv/.installed
PYTEST := -m pytest -n auto --dist worksteal --durations=25 $(TESTS)
PYTHONS := 3.11 3.12 3.13

# Hundreds of processes that the tests start would compile the package anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test lint unit docs test-versions test-lowest test-spark java bench calibration system-deps clean

# What the demo needs and nothing else, unless the development tools are there already.
DEMO := $(if $(wildcard $(STAMP)),.venv,.venv-demo)
demo: $(DEMO)/.installed
	$(DEMO)/bin/referee demo

test: lint unit

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

unit: $(STAMP)
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python $(PYTEST)

# The tests on the lowest versions that pyproject.toml allows, and on the other Pythons that it names, where they are.
# TESTS='tests/data/engines tests/data/formats' runs a part of them.
test-versions: test-lowest
	@for version in $(PYTHONS); do \
	  if $(PYTHON) --version | grep -qF "Python $$version."; then continue; fi; \
	  $(MAKE) --no-print-directory "test-python-$$version" || exit 1; done

test-lowest: .venv-lowest/.installed
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 .venv-lowest/bin/python $(PYTEST)

test-python-%:
	@python='$(call interpreter,$*)'; \
	if [ -z "$$python" ]; then echo '*** SKIPPED: the tests on Python $*, which is not on this machine. ***' >&2; \
	else $(MAKE) --no-print-directory unit PYTHON="$$python" BIN=.venv-$*/bin STAMP=.venv-$*/.installed; fi

# A Python by its version: on the PATH, or where pyenv keeps it. A command that is there may still not run, as pyenv's own.
interpreter = $(shell for found in python$(1) $$HOME/.pyenv/versions/$(1).*/bin/python; do \
  if $$found -c '' 2>/dev/null; then echo $$found; break; fi; done)

# Counts tables with a real Spark on this machine, in an environment of its own: pyspark is a download of 450 MB.
test-spark: java .venv-spark/.installed
	.venv-spark/bin/python -m pytest tests/spark

java:
	@command -v java >/dev/null || { echo 'make test-spark needs Java 17 or later: there is no java on the PATH' >&2; exit 1; }

# The site of the documentation, in site/: no network is used, and a warning is an error.
docs: $(STAMP)
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

bench: .venv-bench/.installed
	.venv-bench/bin/python -m benchmarks

# Measures false alarms, power and coverage of every test, and writes docs/calibration.md: about a quarter of an hour of two cores.
# A run that was stopped goes on where it was.
calibration: $(STAMP)
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m benchmarks.calibration --store .calibration.sqlite
	rm -f .calibration.sqlite
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m benchmarks.evaluations

# Packages of the system that some tests need: a real browser, and the fonts that its pictures are looked at with.
system-deps:
	@if command -v chromium >/dev/null; then echo 'chromium is there'; \
	elif command -v apt-get >/dev/null && [ "$$(id -u)" = 0 ]; then \
	  apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium fonts-liberation; \
	else echo '*** chromium is not there, and only root can install it by apt-get: the tests in a browser will be skipped ***' >&2; fi

# uv takes a sixth of the time that pip does; where it cannot find a package, as behind an index that only pip knows, pip does it.
install = $(1)/python -m pip install --quiet uv && $(1)/uv pip install --quiet --python $(1)/python $(2) \
  || $(1)/python -m pip install --quiet $(2)

$(STAMP): pyproject.toml
	$(PYTHON) -m venv $(@D)
	$(call install,$(BIN),--editable '.[dev]')
	touch $(STAMP)

.venv-demo/.installed: pyproject.toml
	$(PYTHON) -m venv .venv-demo
	.venv-demo/bin/python -m pip install --quiet --disable-pip-version-check --editable .
	touch .venv-demo/.installed

.venv-lowest/.installed: pyproject.toml
	$(PYTHON) -m venv .venv-lowest
	.venv-lowest/bin/python -m pip install --quiet --upgrade pip uv
	.venv-lowest/bin/uv pip compile --quiet --resolution lowest-direct --only-binary :all: --python .venv-lowest/bin/python \
	  --extra dev --output-file .venv-lowest/versions.txt pyproject.toml
	$(call install,.venv-lowest/bin,--requirement .venv-lowest/versions.txt)
	$(call install,.venv-lowest/bin,--no-deps --editable .)
	touch .venv-lowest/.installed

.venv-bench/.installed: pyproject.toml
	$(PYTHON) -m venv .venv-bench
	.venv-bench/bin/python -m pip install --quiet --upgrade pip
	.venv-bench/bin/python -m pip install --quiet --editable '.[bench]'
	touch .venv-bench/.installed

.venv-spark/.installed: pyproject.toml | java
	$(PYTHON) -m venv .venv-spark
	$(call install,.venv-spark/bin,--editable '.[spark]' pytest hypothesis pandas pyarrow)
	touch .venv-spark/.installed

clean:
	rm -rf .venv .venv-* .calibration.sqlite dist site .mypy_cache .ruff_cache .hypothesis
