# The commands a person types; CI calls `make test`.
PYTHON ?= python3
BIN := .venv/bin
NATIVE := $(shell find native -name '*.cpp' -o -name '*.h')
CONFIGURE := $(BIN)/cmake -G Ninja -DCMAKE_MAKE_PROGRAM=$(CURDIR)/$(BIN)/ninja -S . -DADDHASH_NATIVE_TESTS=ON

.PHONY: help install demo test lint native-test browser python-test sanitize bench format clean

help: ## Show this list.
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1\t/' | expand -t 14

.venv/made: pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --upgrade pip
	touch $@

install: .venv/made ## Build addhash and install it with the development tools in .venv.
	$(BIN)/pip install --quiet '.[dev]'

demo: install ## Build addhash and see what it does, on a sample that comes with it.
	@$(BIN)/addhash demo

test: install lint native-test python-test ## Build, install, and run every check.

lint: install ## Check style and types.
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/clang-format --dry-run --Werror $(NATIVE)
	$(BIN)/mypy

native-test: install ## Run the tests of the C++ core.
	$(CONFIGURE) -B build/native-tests
	$(BIN)/cmake --build build/native-tests
	build/native-tests/native_tests

browser: ## Install Chromium, in which the tests read the report, from Debian's packages.
	command -v chromium >/dev/null || (apt-get update -qq && apt-get install -qq --no-install-recommends chromium)

python-test: install browser ## Run the Python tests and every example in the documentation.
	$(BIN)/pytest --pyargs tests addhash README.md docs

sanitize: install ## Run the native tests under ASan and UBSan, and then under TSan.
	for kind in address,undefined thread; do \
	  $(CONFIGURE) -B build/sanitize-$$kind -DADDHASH_SANITIZE=$$kind && \
	  $(BIN)/cmake --build build/sanitize-$$kind && build/sanitize-$$kind/native_tests || exit 1; \
	done

bench: install ## Measure speed against named peers; results go to benchmarks/results/.
	$(BIN)/pip install --quiet '.[bench]'
	$(BIN)/python -m benchmarks
	$(BIN)/python -m benchmarks.tables

format: .venv/made ## Format all code.
	$(BIN)/ruff check --fix --quiet .
	$(BIN)/ruff format --quiet .
	$(BIN)/clang-format -i $(NATIVE)

clean: ## Remove what was built.
	rm -rf build dist .venv
