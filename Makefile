# The only door to everything: `make help`.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

PYTHON ?= python3
DATA ?= ./data
SCALE ?= small
CHECKPOINTS ?= 2
CLIENT ?= openlake
ARGS ?=

VENV := .venv
BIN := $(VENV)/bin
CORE := python/openlake/_core.abi3.so
LOGS := .make/logs
RUST_SOURCES := $(shell find crates -name '*.rs' -o -name Cargo.toml -o -name '*.bin') \
	Cargo.toml Cargo.lock rust-toolchain.toml

##@ Use
.PHONY: help
help: ## Show this list
	@awk 'BEGIN {FS = ":.*## "} /^##@/ {printf "\n%s\n", substr($$0, 5)} \
		/^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
	@printf '\nVariables of run: DATA=%s SCALE=small|eighth|full CHECKPOINTS=%s CLIENT=openlake|s3dlio|boto3\n' \
		'$(DATA)' '$(CHECKPOINTS)'

.PHONY: setup
setup: $(CORE) ## Create .venv and build the extension in release mode
	@echo 'ready: $(BIN)/openlake --help'

.PHONY: run
run: setup ## Save and restore a Llama-3.1-8B-shaped checkpoint over S3, every byte compared
	@exec $(BIN)/openlake bench checkpoint --data '$(DATA)' --scale '$(SCALE)' \
		--checkpoints '$(CHECKPOINTS)' --client '$(CLIENT)' $(ARGS)

.PHONY: bench
bench: setup ## Measure the drive, the loopback ceiling and the server beside each other
	@exec $(BIN)/python -m openlake.bench --data '$(DATA)' $(ARGS)

.PHONY: clean
clean: ## Remove everything that was built (data and results stay)
	rm -rf $(VENV) .make target dist $(CORE) .mypy_cache .ruff_cache .pytest_cache .hypothesis

##@ Check
.PHONY: test
test: rust-test python-test ## Run every test

.PHONY: test-fast
test-fast: setup ## Run the Python tests that take under five seconds each
	$(BIN)/python -m pytest -m 'not slow' $(ARGS)

.PHONY: rust-test
rust-test: .make/prerequisites ## Run the Rust tests
	@mkdir -p $(LOGS)
	cargo test --workspace --locked 2>&1 | tee $(LOGS)/cargo-test.txt

.PHONY: python-test
python-test: setup ## Run the Python tests
	@mkdir -p $(LOGS)
	$(BIN)/python -m pytest $(ARGS) 2>&1 | tee $(LOGS)/pytest.txt

.PHONY: tidy
tidy: $(VENV)/.installed ## Check sizes, names and layers (tests/test_tidy.py)
	$(BIN)/python -m pytest -q tests/test_tidy.py

.PHONY: lint
lint: $(VENV)/.installed ## Formats, clippy and ruff
	cargo fmt --all --check
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	cargo clippy --workspace --all-targets --locked -- -D warnings

.PHONY: types
types: setup ## mypy strict on package and tests; the stub of _core against the built module
	$(BIN)/python -m mypy
	$(BIN)/python -m mypy tests
	MYPYPATH=python $(BIN)/python -m mypy.stubtest openlake._core

.PHONY: format
format: $(VENV)/.installed ## Write formats
	cargo fmt --all
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

.PHONY: ci
ci: ## Everything that CI checks
	@$(MAKE) lint
	@$(MAKE) types
	@$(MAKE) tidy
	@$(MAKE) test
	@echo '--- cargo test'
	@grep -h '^test result' $(LOGS)/cargo-test.txt
	@echo '--- pytest'
	@tail -n 1 $(LOGS)/pytest.txt

.PHONY: lock
lock: .make/prerequisites ## Resolve pyproject.toml into requirements/dev.txt
	@rm -rf .make/lock && $(PYTHON) -m venv .make/lock
	.make/lock/bin/pip install --quiet --disable-pip-version-check pip-tools==7.6.2
	$(PYTHON) scripts/list_requirements.py > .make/lock/dev.in
	.make/lock/bin/pip-compile --quiet --strip-extras --no-header --no-annotate \
		--no-emit-index-url --no-emit-find-links --no-emit-trusted-host --no-emit-options \
		--output-file requirements/dev.txt .make/lock/dev.in

.make/prerequisites: scripts/check_prerequisites.sh
	@scripts/check_prerequisites.sh '$(PYTHON)'
	@mkdir -p .make && touch $@

$(VENV)/.installed: requirements/dev.txt .make/prerequisites
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --requirement requirements/dev.txt
	@touch $@

# An editable installation: Python files are used in place, only Rust is built again.
$(CORE): $(RUST_SOURCES) pyproject.toml $(VENV)/.installed
	VIRTUAL_ENV='$(abspath $(VENV))' $(BIN)/maturin develop --release --locked
	@touch $@
