# Everything that a fresh machine needs: Python 3.11 or newer, and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
# When to ask before granting rights in a deployment: broadening, or never (for CI).
APPROVE ?= broadening
# An environment of infra/environments, and the Lambda runtime that its functions run on.
ENV ?= dev
DIST ?= dist
LAMBDA_PYTHON ?= 3.13
STACK := tribal-knowledge-$(ENV)
CDK := infra/node_modules/.bin/cdk
PAGE_PROGRAMS := page/node_modules/.bin/esbuild
WITH_CDK = JSII_SILENCE_WARNING_END_OF_LIFE_NODE_VERSION=20 $(CDK) --app "$(BIN)/python -m infra.app" \
	--context environment=$(ENV) --context python=$(LAMBDA_PYTHON)

.DEFAULT_GOAL := help
.PHONY: help setup demo opensearch quick test verify e2e attack bench live bench-aws format page schemas samples recording dist packages roles synth diff deploy destroy lock clean

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: $(READY) ## Create .venv with the versions in requirements.lock

$(READY): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed; name one with: make PYTHON=python3.12 " + "setup")'
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m infra.installing
	@touch $@

demo: $(READY) ## Document a live sample database in .demo/ and show what it can do
	@$(BIN)/tribal demo .demo

opensearch: $(READY) ## Run an OpenSearch node until Ctrl-C and print its address
	@$(BIN)/python -m servers.opensearch

quick: $(READY) ## Run the checks that need no server
	@$(BIN)/python -m tests.checks --quick

test: $(READY) ## Run the checks that every change has to pass
	@$(BIN)/python -m tests.checks

verify: $(READY) ## Run make test, then tests of the fakes, the whole client matrix and attacks at full size
	@$(BIN)/python -m tests.checks --verify

e2e: $(READY) $(CDK) ## Deploy to a simulated AWS and run the whole system; part of make test
	@$(BIN)/python -m pytest -q -n 0 tests/e2e

attack: $(READY) ## Simulate attackers and failing disks; partly in make test
	@$(BIN)/python -m tests.attack

bench: $(READY) ## Measure start-up, runs, searches and, with TRIBAL_BENCH_DATA, quality
	@$(BIN)/python -m bench

live: $(READY) ## Test the real model API, for at most ten cents, and your Snowflake account
	@$(BIN)/python -m tests.live
	@$(BIN)/python -m pytest -q -n 0 tests/live/snowflake_account.py tests/live/small_issue.py

bench-aws: $(READY) $(CDK) ## Measure a deployed run over 10,000 tables on a simulated AWS
	@$(BIN)/python -m bench.deployed

format: $(READY) ## Format the code and apply automatic fixes
	@$(BIN)/ruff check --fix --quiet . ; $(BIN)/ruff format .
	@test ! -x $(PAGE_PROGRAMS) || npm --prefix page run --silent format

page: $(PAGE_PROGRAMS) ## Build the page's scripts and style from page/src
	@npm --prefix page run --silent build

schemas: $(READY) ## Export the contracts as JSON Schema
	@$(BIN)/python -m tribal_contracts.schemas

recording: $(READY) ## Record the animation and the picture in the README
	@$(BIN)/python -m tests.docs.recording

samples: $(READY) ## Regenerate docs/samples from the sample database
	@$(BIN)/python -m tests.golden.samples

packages: $(READY) ## Build the layers and functions for AWS Lambda into build/packages
	@$(BIN)/python -m infra.packaging --python $(LAMBDA_PYTHON)

synth: packages $(CDK) ## Write the CloudFormation template of an environment into cdk.out: make synth ENV=dev
	@$(WITH_CDK) synth --quiet $(STACK)

diff: packages $(CDK) ## Show what make deploy would change in an environment: make diff ENV=dev
	@$(WITH_CDK) diff $(STACK)

deploy: packages $(CDK) ## Deploy an environment to AWS: make deploy ENV=dev (in CI with APPROVE=never)
	@$(WITH_CDK) --context deploying=yes deploy --require-approval $(APPROVE) $(STACK)

destroy: packages $(CDK) ## Delete an environment, and its data if configured: make destroy ENV=dev SURE=dev
	@test "$(SURE)" = "$(ENV)" || { echo "This deletes the environment $(ENV). To confirm: make destroy ENV=$(ENV) SURE=$(ENV)"; exit 1; }
	@$(BIN)/python -m infra.emptying $(ENV)
	@$(WITH_CDK) destroy --force $(STACK)

roles: ## Regenerate docs/aws-roles.md from the template of prod
	@$(MAKE) --no-print-directory synth ENV=prod
	@$(BIN)/python -m infra.role_table cdk.out/tribal-knowledge-prod.template.json

$(CDK): infra/package.json infra/package-lock.json
	@npm --prefix infra ci --silent --no-audit --no-fund
	@touch $@

$(PAGE_PROGRAMS): page/package.json page/package-lock.json
	@npm --prefix page ci --silent --no-audit --no-fund
	@touch $@

dist: $(READY) ## Build the wheel and the source archive in dist/
	@$(BIN)/python -m hatchling build --directory $(DIST) >/dev/null
	@ls -1 $(DIST)/*

lock: $(READY) ## Pin the newest versions that pyproject.toml allows
	@$(BIN)/uv --no-python-downloads pip compile --quiet --universal --upgrade --generate-hashes --no-header --no-annotate --no-emit-index-url \
		--all-extras --python-version 3.11 pyproject.toml --output-file requirements.lock

clean: ## Remove everything that the other targets created
	rm -rf $(VENV) build cdk.out infra/node_modules page/node_modules .demo .bench .cache .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
