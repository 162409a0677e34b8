# Each goal sets up what it needs, from nothing but Python 3.11+ (with venv and pip).
PYTHON ?= $(shell for python in python3 python3.14 python3.13 python3.12 python3.11 python; do \
	$$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$python && break; done)
VENV := .venv
BIN := $(VENV)/bin
export CODEMAP_TEST_CACHE ?= $(CURDIR)/.cache

.PHONY: help demo test lint format bench clean
help:  ## say what there is
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /\t/'

$(VENV)/.ready: pyproject.toml
	@test -n "$(PYTHON)" || { echo "codemap needs Python 3.11 or later: make PYTHON=/path/to/python3.11 ..."; exit 2; }
	$(PYTHON) -m venv $(VENV) || { $(PYTHON) -m venv --without-pip $(VENV) && \
		$(PYTHON) -m pip --python $(BIN)/python install --quiet pip; }  # Debian keeps ensurepip in python3-venv
	$(BIN)/python -m pip install --quiet --upgrade 'pip>=25.1'
	$(BIN)/python -m pip install --quiet --editable . --group dev
	$(BIN)/python -m compileall -q codemap  # what pip does for a package that is not editable
	touch $@

demo: $(VENV)/.ready  ## the hunt for a class, on the real SGLang 0.5.9
	CODEMAP_CACHE_DIR="$${CODEMAP_CACHE_DIR:-$(CURDIR)/.cache}" $(BIN)/python examples/hunt.py

test: lint  ## everything that must hold
	$(BIN)/python -m pytest -n 2 --dist loadfile

lint: $(VENV)/.ready  ## style, types, architecture
	$(BIN)/ruff check
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(VENV)/.ready  ## what the pre-commit hooks would change
	$(BIN)/ruff format
	$(BIN)/ruff check --fix

bench: $(VENV)/.ready  ## the figures of docs/benchmarks.md, measured here
	for script in cold_question warm_question index_all two_versions; do $(BIN)/python benchmarks/$$script.py || exit 1; done

clean:  ## what these goals made
	rm -rf $(VENV) .cache .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
