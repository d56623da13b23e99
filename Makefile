# Everything that a fresh machine needs: Python 3.11 or newer, and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.DEFAULT_GOAL := help
.PHONY: help setup demo opensearch test bench format schemas samples lock clean

help: ## Say what there is
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: $(READY) ## Make .venv with everything that is pinned in requirements.lock

$(READY): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed; name one with: make PYTHON=python3.12 " + "setup")'
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "Installing what requirements.lock pins into $(VENV) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --requirement requirements.lock
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

demo: $(READY) ## Document a live sample database in .demo/ and ask it three questions
	@$(BIN)/python -m demo

opensearch: $(READY) ## Run a node of OpenSearch until Ctrl-C and print its address
	@$(BIN)/python -m demo.opensearch

test: $(READY) ## Run every check
	@$(BIN)/python -m tests.checks

bench: $(READY) ## Measure start-up times and a run on the sample database
	@$(BIN)/python -m bench

format: $(READY) ## Format the code and mend what a machine can mend
	@$(BIN)/ruff check --fix --quiet . ; $(BIN)/ruff format .

schemas: $(READY) ## Export the contracts as JSON Schema
	@$(BIN)/python -m tribal_contracts.schemas

samples: $(READY) ## Write docs/samples anew from the sample database
	@$(BIN)/python -m demo.samples

lock: $(READY) ## Pin the newest versions that pyproject.toml allows
	@$(BIN)/python -m pip install --quiet uv
	@$(BIN)/uv pip compile --quiet --universal --upgrade --generate-hashes --no-header --no-annotate --no-emit-index-url \
		--all-extras --python-version 3.11 pyproject.toml --output-file requirements.lock

clean: ## Remove what the other targets made
	rm -rf $(VENV) .demo .bench .cache .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
