# Every target does its own set-up; `make help` lists them.
PYTHON ?= python3
BIN := .venv/bin
export PIP_DISABLE_PIP_VERSION_CHECK := 1
unexport PYTHONDONTWRITEBYTECODE  # tests start the program hundreds of times: each would compile it anew

.PHONY: help setup run serve test test-postgres test-postgres-core test-long coverage clients fmt lint types check docs drawing pictures bench peers eval train lock clean

help:  ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "%-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

# A stamp per step, so that second runs cost nothing.
.venv/python:
	$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "Python 3.11 or newer is needed, this is " + sys.version.split()[0])'
	$(PYTHON) -m venv .venv
	@touch $@

.venv/runtime: .venv/python requirements/runtime.txt requirements/build.txt pyproject.toml
	$(BIN)/python -m pip install --quiet --require-hashes -r requirements/runtime.txt
	$(BIN)/python -m pip install --quiet --require-hashes -r requirements/build.txt
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation --editable .
	@touch $@

.venv/dev: .venv/runtime requirements/dev.txt
	$(BIN)/python -m pip install --quiet --require-hashes -r requirements/dev.txt
	@touch $@

# Without weights the server still starts; `recollect doctor` says what is missing.
.venv/models: .venv/runtime src/recollect/models/manifest.py
	$(BIN)/recollect models install && touch $@ || echo "warning: model weights are missing; run 'recollect models install' later"

.venv-docs/ready: .venv/python requirements/docs.txt
	$(PYTHON) -m venv .venv-docs
	.venv-docs/bin/python -m pip install --quiet --require-hashes -r requirements/docs.txt
	@touch $@

# Without it the server tells at /guide how to build it.
.venv/guide: zensical.toml $(wildcard docs/*.md docs/*.svg docs/*/*.md docs/*/*/*.webp) requirements/docs.txt | .venv/python
	$(MAKE) --no-print-directory .venv-docs/ready && .venv-docs/bin/zensical build --strict && touch $@ || echo "warning: the guide is not built; run 'make docs' later"

setup: .venv/runtime .venv/models .venv/guide  ## install the program with all its extras, the model weights and the guide

run: setup  ## start the server on 127.0.0.1:8000 with its data in ./recollect-data
	$(BIN)/recollect serve

serve: run

clients: .venv/dev
	$(BIN)/python -m tests.contract.sdk.environments

# Both cores set up and check; then both test, the slowest twenty in sight.
PYTEST := $(BIN)/python -m pytest -m "not long" -n 2 --dist loadfile --no-loadscope-reorder --timeout 600 --durations 20
test:  ## run all tests but the long ones
	@$(MAKE) --no-print-directory -j 2 setup clients lint types
	$(PYTEST)

ON_POSTGRES := tests/contract tests/api tests/property $(addprefix tests/unit/,context exchange governance ingest memories search subjects)
test-postgres: setup .venv/dev clients  ## run the tests of the store and of whatever stands on it on a PostgreSQL that they start
	TEST_STORE=postgres $(PYTEST) $(or $(TESTS),$(ON_POSTGRES))

# What CI has time for: what released clients do all day. The contract of the store runs on both in `make test`.
CLIENTS_CORE := messages threads users graphs episodes search context v4_graphs v4_search v4_users memmachine_memories
test-postgres-core:  ## the share of test-postgres that CI runs
	$(MAKE) test-postgres TESTS="$(CLIENTS_CORE:%=tests/contract/sdk/test_%.py)"

test-long: setup .venv/dev test-postgres  ## soak, property and crash runs that take their time, and everything on PostgreSQL
	EXPLORE=1 SOAK_SECONDS=$${SOAK_SECONDS:-3600} $(BIN)/python -m pytest -m long
	EXPLORE=1 $(BIN)/python -m pytest -m "not long" tests/property

coverage: setup .venv/dev  ## run the unit tests (or TESTS=...) and print which lines they do not reach
	$(BIN)/python -m pytest $(or $(TESTS),tests/unit) -m "not long" -n 2 --cov --cov-report=term-missing:skip-covered

fmt: .venv/dev  ## format the code
	$(BIN)/ruff format . && $(BIN)/ruff check --fix .

lint: .venv/dev  ## style, and who may import whom
	$(BIN)/ruff check . && $(BIN)/ruff format --check . && $(BIN)/lint-imports

types: .venv/dev  ## check the types of the program and of its tests
	$(BIN)/mypy

check: fmt lint types test  ## what to run before a commit

docs: .venv/dev  ## write the reference pages and the synchronous face from the code, and build the guide
	$(BIN)/python -m tests.docs.reference
	$(BIN)/python scripts/sync_face.py
	$(BIN)/python scripts/draw_house.py
	@$(MAKE) --no-print-directory .venv/guide

drawing: .venv/dev  ## draw docs/architecture.svg from the imports and the layers
	$(BIN)/python scripts/draw_house.py

pictures: .venv/dev  ## renew the pictures of the guide from those of the browser tests (needs Chromium)
	$(BIN)/python -m pytest -q tests/e2e/browser/test_explorer.py -k every_page
	$(BIN)/python -m tests.e2e.browser.pictures

bench: setup .venv/dev  ## measure speed as ratios, in one run
	$(BIN)/python -m tests.bench

peers: setup .venv/dev  ## measure other memories from PyPI beside this one, each in an environment under .cache/peers: gigabytes, half an hour
	$(BIN)/python -m tests.bench.peers

eval: setup .venv/dev  ## measure quality on ../shared/data; skips what is not there
	$(BIN)/python -m tests.eval

.venv-train/ready: requirements/train.txt requirements/runtime.txt
	$(PYTHON) -m venv .venv-train
	.venv-train/bin/python -m pip install --quiet --require-hashes -r requirements/runtime.txt
	.venv-train/bin/python -m pip install --quiet -r requirements/train.txt
	@touch $@

train: setup .venv-train/ready  ## train the judge, the classifier of sentences and the model of answers from training/ and put them into the package: two hours
	PYTHONPATH=.:src .venv-train/bin/python -m training.kinds.train
	PYTHONPATH=.:src .venv-train/bin/python -m training.judge.train
	PYTHONPATH=.:src .venv-train/bin/python -m training.judge.export
	PYTHONPATH=.:src .venv-train/bin/python -m training.fuse
	PYTHONPATH=.:src .venv-train/bin/python -m training.judge.weigh
	PYTHONPATH=.:src .venv-train/bin/python -m training.answers.train
	PYTHONPATH=.:src .venv-train/bin/python -m training.answers.export
	PYTHONPATH=.:src .venv-train/bin/python -m training.fuse

lock:  ## renew the locked dependencies (needs uv)
	uv pip compile pyproject.toml --extra all --python-version 3.11 --universal --generate-hashes --no-header --no-emit-index-url --no-annotate --quiet --upgrade -o requirements/runtime.txt
	uv pip compile pyproject.toml --extra all --group dev --python-version 3.11 --universal --generate-hashes --no-header --no-emit-index-url --no-annotate --quiet --upgrade -c requirements/runtime.txt -o requirements/dev.txt
	uv pip compile requirements/build.in --python-version 3.11 --universal --generate-hashes --no-header --no-emit-index-url --no-annotate --quiet --upgrade -o requirements/build.txt
	uv pip compile requirements/docs.in --python-version 3.11 --universal --generate-hashes --no-header --no-emit-index-url --no-annotate --quiet --upgrade -o requirements/docs.txt

clean:  ## remove what set-up and tests made
	rm -rf .venv .venv-train .venv-docs .cache src/recollect/guide .pytest_cache .mypy_cache .ruff_cache .hypothesis .coverage
