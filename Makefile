# The commands a person types; CI calls those that .ci/run names. make/ has those of other platforms.
PYTHON ?= python3
BIN := .venv/bin
# Certificates of the system, which pip trusts too.
export UV_SYSTEM_CERTS := 1
INSTALL := $(BIN)/uv pip install --quiet --python $(BIN)/python
NATIVE := $(shell find native -name '*.cpp' -o -name '*.h')
PACKAGE := CMakeLists.txt $(NATIVE) $(shell find src -not -name '__pycache__' -not -name '*.pyc')
# Threads of their own in the linear algebra would only get in each other's way.
PYTEST := OPENBLAS_NUM_THREADS=1 $(BIN)/pytest --maxprocesses 4 --dist worksteal --numprocesses
# The package, the wheel and the native tests are built here, so each source is compiled once.
BUILD := build/package
# Warnings are errors in CI, and with the compilers that tests bring along.
SETTINGS := --config-settings build-dir=$(BUILD) $(if $(CI),--config-settings cmake.define.CMAKE_CXX_FLAGS=-Werror)
CONFIGURE := $(BIN)/cmake -G Ninja -DCMAKE_CXX_FLAGS=-Werror -DCMAKE_MAKE_PROGRAM=$(CURDIR)/$(BIN)/ninja -S . -DADDHASH_NATIVE_TESTS=ON
# ninja would look for the job server of a make that runs several jobs, and not find it.
unexport MAKEFLAGS
# Without bytecode each process compiles all that it imports: 1.1 s of CPU for a command of ours.
unexport PYTHONDONTWRITEBYTECODE
TWO_AT_A_TIME := $(MAKE) --jobs 2 --output-sync=target

.PHONY: help install demo check test lint native-test python-test format clean
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
check: install ## Check style, types and golden files, and run the fast unit tests: under a minute.
	$(TWO_AT_A_TIME) lint check-tests
check-tests:
	$(PYTEST) $$(nproc) --quiet -m 'not slow' tests/unit tests/golden
test: install ## Build, install, and run every check.
	$(TWO_AT_A_TIME) lint native-test browser axe
	$(MAKE) python-test
lint: install ## Check style and types.
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/clang-format --dry-run --Werror $(NATIVE)
	$(BIN)/mypy
native-test: install ## Run the tests of the C++ core.
	$(BIN)/cmake -DADDHASH_NATIVE_TESTS=ON $(BUILD)
	$(BIN)/cmake --build $(BUILD) --target native_tests
	$(BUILD)/native_tests
# Two workers more than cores, since many tests wait for a process or a page.
python-test: install browser axe ## Run the Python tests and every example in the documentation.
	$(PYTEST) $$(($$(nproc) + 2)) --pyargs tests addhash README.md docs $(addprefix --ignore=tests/,engines/spark site packaging web)
format: install ## Format all code.
	$(BIN)/ruff check --fix --quiet .
	$(BIN)/ruff format --quiet .
	$(BIN)/clang-format -i $(NATIVE)
clean: ## Remove what was built.
	rm -rf build dist .cache .venv

include make/*.mk
